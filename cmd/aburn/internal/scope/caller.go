// Package scope finds what a command is about: the project and its log, the sessions of the archive that flags and
// arguments choose, and the agent that asks. Several families need that, so it imports none of them and prints no answer.
package scope

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/contents"
	"aburn/trace/copilot"
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/own"
	"aburn/trace/qwen"
	"aburn/trace/workers"
)

// Caller is who asks a question: a command that a person runs, or an agent that asks `aburn mcp`. An answer depends on a
// query and a caller; printing it is another step.
type Caller struct {
	Dir      string // the folder that the question is about
	Env      func(string) string
	Now      time.Time
	Warn     WarnFunc
	Progress *term.Out // where long work shows its progress, if it is a terminal
	Within   string    // the only project whose sessions the caller may see; "" for all
	// Load is digests.Load on the caller's archive, or a cache of it.
	Load func(context.Context, archive.Filter) ([]digests.Session, error)
}

// WarnFunc takes a warning beside an answer, with hints of what can be done.
type WarnFunc func(msg string, hints ...string)

// CallerOf is the caller for a command that a person runs.
func CallerOf(a *kit.App, cmd *cli.Command) *Caller {
	c := &Caller{Dir: cmd.String("C"), Env: a.Getenv, Now: time.Now(), Warn: a.Warn, Progress: term.New(a.Stderr, a.Getenv, true)}
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		a.PauseGC()
		return digests.Load(ctx, archive.Dir(a.Getenv), f, digestProgress(c.Progress))
	}
	return c
}

// Folder is the absolute path of the folder that the question is about.
func (c *Caller) Folder() (string, error) { return kit.FolderOfC(c.Dir) }

// Digests are the digests of the sessions that f chooses, the newest first. It warns of those that cannot be read.
func (c *Caller) Digests(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	list, err := c.Load(ctx, f)
	if unread := (*digests.Unreadable)(nil); errors.As(err, &unread) {
		c.Warn("left out: "+unread.Error(), unread.Hint())
		return list, nil
	}
	if err != nil {
		return nil, viewError(err)
	}
	return list, nil
}

// progressAfter is how long a person waits before progress is shown.
const progressAfter = time.Second

// digestProgress shows the progress of making digests; nil if out is no terminal.
func digestProgress(out *term.Out) func(done, total int) {
	if !out.Terminal() {
		return nil
	}
	began := time.Now()
	return func(done, total int) {
		switch {
		case time.Since(began) < progressAfter:
		case done == total:
			fmt.Fprint(out, "\r\x1b[K")
		default:
			fmt.Fprintf(out, "\rlooking at sessions for the first time: %s of %s", plain.Count(int64(done)), plain.Count(int64(total)))
		}
	}
}

// CallingAgent is what an agent's variables say to the commands that its model runs. Seen on Codex 0.169.0: Session is the
// root's session, as in its hooks; a sub-agent's thread is its agent id there, and the call its tool_use_id.
type CallingAgent struct {
	Of                   *agentcli.Agent
	Session, Agent, Call string
}

func callingAgentOf(agent *agentcli.Agent, env func(string) string) CallingAgent {
	value := func(name string) string {
		if name == "" {
			return ""
		}
		return env(name)
	}
	c := CallingAgent{Of: agent, Session: value(agent.Session.ID), Call: value(agent.Session.Call)}
	switch thread := value(agent.Session.Thread); {
	case c.Session == "": // older versions
		c.Session = thread
	case thread != c.Session:
		c.Agent = thread
	}
	return c
}

// CallingAgents are the agents whose variables are set. A sub-agent, and an agent in another one's shell, has the variables
// of more than one.
func CallingAgents(env func(string) string) (list []CallingAgent) {
	for _, agent := range agentcli.All() {
		if c := callingAgentOf(agent, env); c.Session != "" {
			list = append(list, c)
		}
	}
	return list
}

// Unnamed are the agents that run this command without saying in which session.
func Unnamed(env func(string) string) (list []*agentcli.Agent) {
	for _, agent := range agentcli.All() {
		if mark := agent.Session.Mark; mark != "" && env(mark) != "" {
			list = append(list, agent)
		}
	}
	return list
}

// AgentStore reads the sessions that one agent stores.
type AgentStore struct {
	trace.Reader
	// Rows reads the records of Refs with a table; nil if all records of the agent are lines.
	Rows contents.Rows
}

// AgentStores is the one list of the agents whose sessions can be read. It is a variable so that a test can add one.
var AgentStores = func() []AgentStore {
	return []AgentStore{
		{claude.New(), nil},
		{codex.New(), nil},
		{opencode.New(), opencode.Records},
		{openclaw.New(), openclaw.Records},
		{gemini.New(), gemini.Records},
		{qwen.New(), nil},
		{copilot.New(), nil},
		{own.New(), own.Records},
		{workers.New(), nil},
	}
}

// RowsOf reads the rows of a source's stores; nil if its records are lines.
func RowsOf(source string) contents.Rows {
	for _, s := range AgentStores() {
		if s.Name() == source {
			return s.Rows
		}
	}
	return nil
}

// Readers are the readers of AgentStores.
func Readers() (all []trace.Reader) {
	for _, s := range AgentStores() {
		all = append(all, s.Reader)
	}
	return all
}
