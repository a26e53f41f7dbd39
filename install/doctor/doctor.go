// Package doctor checks that the hooks of this user's agents record into this project's log. It looks at everything and
// changes nothing outside of its own temporary folder: of install and journal it calls only functions that read. It
// writes one file into .oss and removes it at once, because nothing else shows that there is room for an entry.
//
// It grades findings: OK is verified, Note is worth knowing or cannot be verified, Bad keeps something from being
// recorded and has a hint. It starts the agents and git for their versions and lists, and with Live the registered
// hooks.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/install"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/settings"
	"aburn/trace"
)

// Status is the grade of a finding.
type Status string

// The grades.
const (
	OK   Status = "ok"
	Note Status = "note"
	Bad  Status = "bad"
)

// Check is one finding.
type Check struct {
	Topic  string   `json:"topic"` // "project", "log", "advice", "hooks", "archive", "live", or an agent's name
	Status Status   `json:"status"`
	Text   string   `json:"text"`
	Hints  []string `json:"hints,omitempty"`
}

// Report is all findings in display order.
type Report struct {
	Checks []Check `json:"checks"`
}

// Bad reports whether any finding is Bad.
func (r *Report) Bad() bool {
	return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Status == Bad })
}

func (r *Report) add(topic string, status Status, text string, hints ...string) {
	r.Checks = append(r.Checks, Check{topic, status, text, hints})
}

func (r *Report) addf(topic string, status Status, format string, args ...any) {
	r.add(topic, status, fmt.Sprintf(format, args...))
}

// Options are what to look at.
type Options struct {
	Dir  string              // the folder that the person stands in
	Env  func(string) string // the person's environment
	Now  time.Time
	Self string // the running executable, to compare aburn-hook with
	Live bool   // run a canary through every registered hook
	// Agents are looked at in this order.
	Agents []install.Agent
	// Readers find the sessions that agents have on disk. Without them Run does not look at the archive.
	Readers []trace.Reader
}

type exam struct {
	Options
	Report
	ctx    context.Context
	p      *project.Project // nil outside of a project
	agents []*patient

	seenVersions map[string][]string // of archived sessions, by agent; nil until somebody asks
}

// patient is one agent with its settings.
type patient struct {
	install.Agent
	program  string             // "" when it is not on PATH
	version  string             // of program, "" if it does not tell
	settings []install.Settings // all files that hold hooks for sessions here, plugins too
	reason   string             // the likely reason why its hooks do not run; "" for none
}

// topic is the agent's name in Check.Topic.
func (p *patient) topic() string { return p.Name }

// own returns the settings files that call aburn's hook.
func (p *patient) own() (out []*install.Settings) {
	for i := range p.settings {
		if len(p.settings[i].Own()) > 0 {
			out = append(out, &p.settings[i])
		}
	}
	return out
}

// Run examines project, log, agents and archive.
func Run(ctx context.Context, o Options) Report {
	e := &exam{Options: o, ctx: ctx}
	e.project()
	for _, a := range e.Agents {
		p := &patient{Agent: a, program: a.Executable(e.Env)}
		p.settings = install.Inspect(a, e.Dir, e.Env)
		if a.Plugins != nil {
			p.settings = append(p.settings, a.Plugins(a, e.Dir, e.Env)...)
		}
		e.agents = append(e.agents, p)
		e.agent(p)
		e.servers(p)
		e.sessions(p)
	}
	e.anyHook()
	e.keeping()
	e.copies()
	if e.Live {
		e.live()
	}
	return e.Report
}

// anyHook is for users without any hook yet.
func (e *exam) anyHook() {
	if !slices.ContainsFunc(e.agents, func(p *patient) bool { return len(p.own()) > 0 }) {
		e.add("hooks", Bad, "no agent calls aburn's hook: nothing is recorded", "aburn install-hooks")
	}
}

// advice finds what keeps advice from reaching the agents. Hooks record in spite of that.
func (e *exam) advice(set settings.Settings) {
	oss, err := e.p.OpenOss()
	if err != nil {
		return // log reports it
	}
	defer oss.Close()
	key, err := e.p.Key()
	if err != nil || !e.p.Marked {
		key = nil
	}
	q := queue.New(oss, key)
	f, err := q.Read()
	if err != nil {
		e.add("advice", Note, fmt.Sprintf("nothing in %s/%s is delivered: %v", project.OssDir, queue.Name, err), "aburn queue list")
		return
	}
	if foreign := foreignTasks(q, f); foreign > 0 && e.p.Marked && !set.Queue.Foreign {
		e.add("advice", Note, fmt.Sprintf("tasks that aburn did not sign wait for your permission in %s/%s (%d)",
			project.OssDir, queue.Name, foreign), "aburn queue list")
	}
}

// foreignTasks counts pending tasks without aburn's signature.
func foreignTasks(q *queue.Queue, f queue.File) (n int) {
	for _, t := range f.Tasks {
		if t.Status == queue.Pending && !q.Ours(t) {
			n++
		}
	}
	return n
}

// twice finds events that call the hook more than once. Some agents run identical commands of several settings files
// once, but a plugin's in addition.
func (e *exam) twice(p *patient) {
	calls := map[string]map[string]string{} // by event, and by what the agent takes for one command: the file
	var files []string
	for _, s := range p.own() {
		for n, r := range s.Own() {
			command := identity(p, r)
			if !p.Hooks.Once || s.Scope == install.Plugin {
				command += fmt.Sprintf("\x00%s\x00%d", s.Path, n)
			}
			if calls[r.Event] == nil {
				calls[r.Event] = map[string]string{}
			}
			calls[r.Event][command] = s.Path
		}
		files = append(files, s.Path)
	}
	n := 0
	for _, c := range calls {
		if len(c) > 1 {
			n++
		}
	}
	if n > 0 {
		e.add(p.topic(), Bad, fmt.Sprintf("%d events call the hook more than once, in %s: every call costs time, and events without an id are recorded twice", n,
			strings.Join(files, " and ")),
			"keep one: aburn uninstall-hooks --agent "+p.Name+" with --user, --project or --local, or disable the plugin")
	}
}
