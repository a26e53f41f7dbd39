// Package scope finds what a command is about: the project and its log, the sessions of the archive
// that flags and arguments choose, and the agent that asks.
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
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/own"
)

// Caller is who asks a question, as far as the answer depends on it: a command that a person runs, or an agent's question to
// `aburn mcp`. Answers are worked out from a query and a caller, and printed by somebody else.
type Caller struct {
	Dir      string // the folder that the question is about
	Env      func(string) string
	Now      time.Time
	Warn     WarnFunc
	Progress *term.Out // shows how far long work is, if it is a terminal
	// Load is digests.Load of the caller's archive, or what remembers it.
	Load func(context.Context, archive.Filter) ([]digests.Session, error)
}

// WarnFunc takes what went wrong beside an answer, and what can be done about it.
type WarnFunc func(msg string, hints ...string)

// caller is this command as the caller of the function that answers it.
func CallerOf(a *kit.App, cmd *cli.Command) *Caller {
	c := &Caller{Dir: cmd.String("C"), Env: a.Getenv, Now: time.Now(), Warn: a.Warn, Progress: term.New(a.Stderr, a.Getenv, true)}
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		a.PauseGC()
		return digests.Load(ctx, archive.Dir(a.Getenv), f, digestProgress(c.Progress))
	}
	return c
}

// Folder is the absolute path of the folder that the question is about.
func (c *Caller) Folder() (string, error) { return kit.ExistingFolder(c.Dir) }

// Digests are the digests of the sessions that f chooses, the newest first. Those that cannot be read are a warning.
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

// digestProgress shows on a terminal how far a long first look is; nil where nobody sees it.
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

// CallingAgent is what an agent says of itself to the commands that its model runs. Seen
// on the real ones: Codex 0.169.0 names the root's session, as in its hooks. The thread
// of a sub-agent is its agent id there, and the call its tool_use_id.
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
	case c.Session == "": // older ones
		c.Session = thread
	case thread != c.Session:
		c.Agent = thread
	}
	return c
}

// CallingAgents are the agents whose variables are set. A sub-agent, and an agent in
// another one's shell, has those of more than one.
func CallingAgents(env func(string) string) (list []CallingAgent) {
	for _, agent := range agentcli.All() {
		if c := callingAgentOf(agent, env); c.Session != "" {
			list = append(list, c)
		}
	}
	return list
}

// AgentStore is who can read the sessions that one agent stores.
type AgentStore struct {
	trace.Reader
	// Row is the record that a Ref with a table names, in the store at path; nil if all records are lines.
	Row func(ctx context.Context, path string, ref trace.Ref) ([]byte, error)
}

// AgentStores is the one list of the agents whose sessions can be read, in the order of their records. A test adds one.
var AgentStores = func() []AgentStore {
	return []AgentStore{
		{claude.New(), nil},
		{codex.New(), nil},
		{opencode.New(), opencode.Raw},
		{openclaw.New(), openclaw.Raw},
		{gemini.New(), gemini.Raw},
		{own.New(), own.Raw},
	}
}

func Readers() (all []trace.Reader) {
	for _, s := range AgentStores() {
		all = append(all, s.Reader)
	}
	return all
}
