package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aburn/cmd/aburn/internal/record"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/mcpserver"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/scrub"
	"aburn/internal/settings"
	"aburn/internal/units"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/overview"
	"aburn/worker/projects"
)

// working lets an agent see the workers of its own project, begin one, and write to one. Only the user's own settings allow it
// (mcp.workers). It presses no key, ends nothing, merges nothing, and answers no question: those are a person's.
type working struct {
	*answers
	a *kit.App
}

// Arguments of its tools.
type (
	workersAsk struct {
		Name string `json:"name,omitempty" jsonschema:"a worker, or a beginning of its name; without it all of the project"`
	}
	spawnAsk struct {
		Task   string `json:"task" jsonschema:"what the worker should do; it sees nothing of your conversation"`
		Name   string `json:"name,omitempty" jsonschema:"its name: a-z, 0-9 and -; without it words of the task"`
		Agent  string `json:"agent,omitempty" jsonschema:"the agent that works, by its name; without it the one of the project, or the first that is installed"`
		Base   string `json:"base,omitempty" jsonschema:"the commit, branch or tag at which it begins; without it the checkout's"`
		Budget string `json:"budget,omitempty" jsonschema:"what it may use up before the user is asked: 5usd or 200k"`
		Plan   bool   `json:"plan,omitempty" jsonschema:"it only reads and makes a plan"`
	}
	sendAsk struct {
		Name string `json:"name" jsonschema:"the worker, or a beginning of its name"`
		Text string `json:"text" jsonschema:"the message; it reaches the worker when its turn ends, or with its next prompt, and says that an agent sent it"`
	}
)

// WorkersAnswer is the answer of workers.
type WorkersAnswer struct {
	Workers []overview.WorkerReport `json:"workers"`
}

const (
	spawnTime = 15 * time.Minute // setup may take ten
)

func (m *answers) workersAllowed() bool {
	p, err := project.Find(m.dir, m.env)
	if err != nil {
		p = nil
	}
	return settings.Load(p, m.env).MCP.Workers
}

func (w *working) tools() []mcpserver.Tool {
	return []mcpserver.Tool{
		mcpserver.NewTool[workersAsk, WorkersAnswer]("workers", "Agents that work beside you",
			"The workers of this project: agents that aburn started, each in a worktree of its own. State, reason, branch, what it said last, and files on which "+
				"two collide.", w.list),
		mcpserver.NewTool[spawnAsk, json.RawMessage]("spawn", "Begin a worker",
			"Starts an agent on a task of its own, in a new worktree and branch that begin at the checkout's commit. It asks the user for all that is not allowed; "+
				"nothing is pushed or merged. "+
				"Only begin one where the user wants work done in parallel.", w.spawn).Writing(),
		mcpserver.NewTool[sendAsk, manager.Sent]("send", "Write to a worker",
			"Hands a message to a worker. It waits until the worker's turn ends, and never answers what a worker asks: only the user does.", w.send).Writing(),
	}
}

// office is the project's, which the user trusts.
func (w *working) office() (*projects.Project, error) {
	p, err := w.trusted()
	if err != nil {
		return nil, err
	}
	return projects.Open(w.a.Getenv, p.Root)
}

func (w *working) list(ctx context.Context, _ mcpserver.Asker, ask workersAsk) (*mcpserver.Answer, error) {
	o, err := w.office()
	if err != nil {
		return nil, err
	}
	defer o.Close()
	all, err := o.Load(ctx)
	if err != nil {
		return nil, err
	}
	shown, names := manager.Living(all), describe.Living(all)
	if ask.Name != "" {
		m, err := o.Member(ctx, ask.Name)
		if err != nil {
			return nil, plainError(err)
		}
		shown = []*manager.Member{m}
	}
	if len(shown) == 0 {
		return nil, errors.New("no worker")
	}
	var text strings.Builder
	answer, now := WorkersAnswer{Workers: []overview.WorkerReport{}}, time.Now()
	for _, m := range shown {
		r := overview.ReportOf(o, m, names, now)
		answer.Workers = append(answer.Workers, r)
		line := m.Name + "  " + describe.StateText(m)
		if r.Says != "" {
			line += " · says: " + plain.Cut(r.Says, 200)
		}
		fmt.Fprintln(&text, plain.Line(units.Join(line, r.Agent, r.Branch, plain.Cut(r.Task, 120))))
	}
	found, err := scrubbedAnswer(&mcpserver.Answer{Markdown: text.String(), Data: answer}, nil)
	return fenced("ps", found, err)
}

// spawn runs the command, as its steps outlive no call, and which says what an agent may begin. Permissions are ask or plan, whatever
// files say.
func (w *working) spawn(ctx context.Context, _ mcpserver.Asker, ask spawnAsk) (*mcpserver.Answer, error) {
	o, err := w.office()
	if err != nil {
		return nil, err
	}
	defer o.Close()
	all, err := o.LoadCached(ctx)
	if err != nil {
		return nil, err
	}
	parent, err := w.parentOf(all)
	if err != nil {
		return nil, err
	}
	permissions := "ask"
	if ask.Plan {
		permissions = "plan"
	}
	if parent != nil {
		permissions = parent.Gives(permissions)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"-C", w.dir, "--no-color", "spawn", "--by-agent", "--json", "--permissions", permissions}
	for _, flag := range [][2]string{{"--name", ask.Name}, {"--agent", ask.Agent}, {"--base", ask.Base}, {"--budget", ask.Budget}} {
		if flag[1] != "" {
			args = append(args, flag[0]+"="+flag[1])
		}
	}
	ctx, stop := context.WithTimeout(ctx, spawnTime)
	defer stop()
	cmd := exec.CommandContext(ctx, self, append(args, "-")...) // a task on stdin is never a flag
	if parent != nil {                                          // also where the client hands on no mark
		cmd.Env = append(os.Environ(), hold.MarkVariable+"="+parent.Mark())
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(ask.Task), &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, errors.New(said(&errs, err))
	}
	data := record.WithoutSecrets(out.Bytes())
	text, _ := scrub.Text(plain.ModelText(string(data)))
	return fenced("spawn", &mcpserver.Answer{Markdown: text, Data: json.RawMessage(data)}, nil)
}

// parentOf is the worker in whose tree this serves, nil for none: its client may not hand on the mark in its environment.
func (w *working) parentOf(all []*manager.Member) (parent *manager.Member, err error) {
	here, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if tree := m.Request.Tree; m.Err == nil && tree != "" && tree != m.Request.Repo && isWithin(here, tree) {
			parent = m
		}
	}
	return parent, nil
}

func (w *working) send(ctx context.Context, who mcpserver.Asker, ask sendAsk) (*mcpserver.Answer, error) {
	text, err := control.CheckMessage(ask.Text)
	if err != nil {
		return nil, plainError(err)
	}
	text, _ = scrub.Text(text)
	o, err := w.office()
	if err != nil {
		return nil, err
	}
	defer o.Close()
	m, err := o.Member(ctx, ask.Name)
	if err != nil {
		return nil, plainError(err)
	}
	if m.IsRemote() {
		return nil, errors.New("an agent sends no messages to another machine")
	}
	r, err := manager.Send(ctx, o.Manager, m.Name, manager.Message{Text: text, From: w.sender()}, manager.SendOptions{NoKeys: true})
	if err != nil {
		r.Why = err.Error()
	}
	if r.State != manager.Accepted && r.State != manager.Waits {
		return nil, errors.New("not sent: " + plain.Line(r.Why))
	}
	return scrubbedAnswer(&mcpserver.Answer{Markdown: plain.Line(fmt.Sprintf("%s  %s (%s) %s", r.Worker, r.State, r.ID, r.Why)), Data: r}, nil)
}

// sender is who a message is from, in words that a person and the worker read.
func (w *working) sender() string {
	if _, name, _, ok := manager.ParseMark(w.env(hold.MarkVariable)); ok {
		return "the worker " + name
	}
	title := ""
	if list := agentcli.CallingAgents(w.env); len(list) > 0 {
		title = agentcli.Of(list[0].Of.Name).Title
	}
	return cmp.Or(title, "an agent")
}

// plainError is an error of a command as an agent reads it.
func plainError(err error) error {
	f := fault.Of(err)
	text := cmp.Or(f.Msg, err.Error())
	for _, h := range f.Hints {
		text += "\nhint: " + h
	}
	return errors.New(plain.ModelText(text))
}
