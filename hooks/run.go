package hooks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/recent"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// Run is one run of a hook with everything that it depends on.
type Run struct {
	Start  time.Time   // of main
	ready  time.Time   // when the payload was there, if it was late; else Start
	timer  *time.Timer // of guard; nil if it is not set
	Parent int         // the process that started the hook, if it is not the parent of this one
	Args   []string    // the agent's name, an event if its payloads name none, then project.FolderArgs
	Stdin  *os.File
	Stdout io.Writer
	Env    func(string) string
	Agents []Agent
	Look   Look  // nil: none
	Judge  Judge // nil: no call is decided about
	// Ended, if not nil, is called after a session's end with the environment (the registered folders in it) and the
	// folders of the project and of the worktree, unless this user does not trust the project or has switched it off.
	// It must not wait for what it starts.
	Ended func(env func(string) string, root, worktree string)
	// Snapshot, if not nil, starts a helper that takes a snapshot, with the environment. It must not wait for it. It reports whether it started.
	Snapshot func(env func(string) string, order SnapshotOrder) bool
	Exit     func() // ends the process; called at the Deadline
}

// Do reads one payload and records it. The error is for stderr only; the caller
// exits 0 with it. stdin is read to its end even when nothing is to be done, so
// that the agent never writes into a closed pipe.
func (r *Run) Do() error {
	if len(r.Args) > 1 && r.Args[1] == StatusArg {
		if agent := r.agent(); agent != nil {
			r.statusLine(agent)
			return nil
		}
	}
	in := readInput(r.Stdin, wait{r.Start.Add(stdinDeadline), r.Start.Add(stdinFirst), r.Start.Add(stdinLast)})
	r.ready = r.Start
	if now := time.Now(); now.Sub(r.Start) > stdinDeadline {
		r.ready = now
	}
	if in.err != nil || in.size > bigPayload || time.Since(r.Start) > stdinDeadline/10 {
		r.guard()
	}
	agent := r.agent()
	if agent == nil || r.Env("ABURN") == "0" {
		return nil
	}
	event, folders := agent.arguments(r.Args)
	r.Env = project.FolderEnv(folders, r.Env)
	p, err := in.payload(agent, event, r.Env)
	if err == nil && (p.foreign || agent.Ignored(p)) {
		return nil
	}
	proj, perr := project.FindFrom(agent.start(p, r.Env), r.Env)
	if perr == project.ErrNone && err == nil {
		proj, perr = r.begin(agent, p)
	}
	if perr != nil {
		return nil // nothing to record in
	}
	rec := &recorder{start: r.Start, parent: cmp.Or(r.Parent, os.Getppid()), agent: agent, payload: p, proj: proj}
	if err == nil {
		rec.plan = rec.read()
		rec.learnSecrets()
	} else {
		rec.plan = Plan{Drafts: []Draft{in.unreadable(err)}}
	}
	return r.record(rec)
}

// begin makes the repository that the agent works in a project, if the user's own settings say so. Only at the begin of a session and at a
// prompt: a tool call pays nothing for it.
func (r *Run) begin(agent *Agent, p *Payload) (*project.Project, error) {
	if event := agent.Hooks.Common(p.Event); event != "SessionStart" && event != "UserPromptSubmit" {
		return nil, project.ErrNone
	}
	if set := settings.Load(nil, r.Env); set.Record != settings.RecordEverywhere {
		return nil, project.ErrNone
	}
	r.guard()
	proj, err := project.Begin(agent.start(p, r.Env), r.Env)
	if err != nil {
		return nil, err
	}
	oss, err := proj.OpenOss()
	if err != nil {
		return nil, err
	}
	defer oss.Close()
	_, err = journal.New(oss, journal.Options{By: journal.Hook, Anchor: proj.Anchor()}).BeginAnchor(time.Now())
	return proj, err
}

// arguments splits the hook's arguments into the event, "" if payloads name it, and the folders.
func (a *Agent) arguments(args []string) (event string, folders []string) {
	if a.Hooks.EventArg && len(args) > 1 {
		return args[1], args[2:]
	}
	return "", args[1:]
}

// guard ends the process at the deadline whatever hangs. A timer starts threads, so
// Run sets it only before work that may take long; all other work is bounded.
func (r *Run) guard() {
	if r.timer == nil {
		r.timer = time.AfterFunc(time.Until(r.ready.Add(Deadline)), r.Exit)
	}
}

// extend moves the deadline, because something that may take so long is waited for.
func (r *Run) extend(by time.Duration) {
	r.ready = r.ready.Add(by)
	r.guard()
	r.timer.Reset(time.Until(r.ready.Add(Deadline)))
}

func (r *Run) agent() *Agent {
	if len(r.Args) == 0 {
		return nil
	}
	for i := range r.Agents {
		if r.Agents[i].Name == r.Args[0] {
			return &r.Agents[i]
		}
	}
	return nil
}

// start is the folder from which to look for the project. An agent's own variable
// comes first, because the payload's cwd follows cd.
func (a *Agent) start(p *Payload, env func(string) string) string {
	if name := a.Hooks.ProjectVar; name != "" {
		return env(name)
	}
	return p.Cwd
}

// read is the agent's plan. An event that the agent's adapter does not know becomes
// one entry with the shapes of its fields.
func (r *recorder) read() Plan {
	plan, ok := r.agent.Read(r.payload, r.proj)
	knows := r.agent.Knows
	if !ok {
		d := NewDraft(eventName(r.payload.Event))
		d.Data.Str("hook", Head(r.payload.Event))
		plan = Plan{Drafts: []Draft{d}}
		knows = func(string) bool { return false }
	}
	for _, d := range plan.Drafts {
		switch d.Event {
		case logfmt.Tool, logfmt.ToolFailed:
			if r.agent.Answered == nil || r.agent.Answered(r.payload) {
				d.Data.StrIf("result", ResultKey(r.proj.MarkKey(), r.payload))
			}
		case logfmt.Stop:
			d.Data.StrIf("claim", Claims(r.payload.Str("last_assistant_message")))
		}
	}
	if n := len(plan.Drafts); n > 0 {
		if fields := r.payload.Unknown(knows); fields != nil {
			plan.Drafts[n-1].Data.Raw("fields", fields)
		}
	}
	return plan
}

// record appends the entries; then it answers, supervises, and rotates the log.
func (r *Run) record(rec *recorder) error {
	root, err := rec.proj.OpenOss()
	if err != nil {
		return err
	}
	defer root.Close()
	set := settings.LoadIn(root, rec.proj, r.Env)
	j := journal.New(root, journal.Options{
		By: journal.Hook, Rotate: set.Rotate, Keep: set.Keep, Sync: journal.SyncPolicy(set.Sync), Anchor: rec.proj.Anchor(),
	})
	if rec.plan.Resumed || rec.plan.isLarge() {
		r.guard()
	}
	if len(set.Deliver.InTurn) > 0 && rec.isAdvised() && rec.agent.MidTurn(rec.payload) && r.Look != nil {
		rec.wanted = recent.TroublesOf(set.Deliver.InTurn)
	}
	rec.root(j)
	rec.prepare(j)
	rec.readRelay()
	r.beforeCall(rec, root, &set)
	if len(rec.plan.Drafts) == 0 && rec.plan.Closer == nil {
		return nil
	}
	decision := r.decide(rec)
	receipt, err := j.Append(rec.entries)
	if decision != nil { // also where the log can't be written: the rule holds all the same
		_, werr := r.Stdout.Write(decision)
		err = errors.Join(err, werr)
	}
	if err != nil {
		return err
	}
	r.waitForKeys(root, receipt.Entries)
	r.afterPrompt(rec, root, &set, receipt.Entries)
	if rec.plan.Resumed && rec.proj.Marked && set.Inject.ChainOnStart {
		if text := reminder(j, rec.payload.Session, time.Now()); text != "" {
			_, err = r.Stdout.Write(rec.agent.Context(rec.payload.Event, text))
		}
	}
	if e := rec.momentOf(receipt.Entries); e != nil && decision == nil {
		err = errors.Join(err, r.supervise(moment{recorder: rec, root: root, journal: j, settings: &set, env: r.Env, entry: e}))
	}
	if r.Ended != nil && rec.proj.Marked && set.Archive.AtSessionEnd && sessionEnded(receipt.Entries) {
		r.Ended(r.Env, rec.proj.Root, rec.proj.Worktree)
	}
	if rotates(&receipt, set.Rotate) {
		r.guard()
		_, rerr := j.RotateIfDue(journal.Hook)
		err = errors.Join(err, rerr)
	}
	return err
}

// isLarge reports whether the plan closes so many calls, or relays so many entries,
// that it may take long.
func (p *Plan) isLarge() bool {
	return p.Closer != nil && len(p.Closer.Wants()) > largeBatch || p.Relay != nil && len(p.Relay.Output) > largeRelay
}

// largeBatch is far more calls than a model puts into one message. largeRelay is more
// bytes than a call prints that runs only `aburn log`.
const (
	largeBatch = 64
	largeRelay = 16 << 10
)

// rotates reports whether the log may have to be rotated now: at the begin and end of a session and of a turn, and, because
// a turn may never end, after a call that found the log as large as limit. Before a call it never is: the tool would wait.
func rotates(r *journal.Receipt, limit int64) bool {
	for _, e := range r.Entries {
		switch e.Event {
		case logfmt.SessionStart, logfmt.Stop, logfmt.SessionEnd:
			return true
		case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
			if r.Size >= limit {
				return true
			}
		}
	}
	return false
}

func sessionEnded(entries []*logfmt.Entry) bool {
	return slices.ContainsFunc(entries, func(e *logfmt.Entry) bool { return e.Event == logfmt.SessionEnd })
}

// payload parses what was read, even if stdin did not end: an agent may forget to
// close the pipe after a complete object. The payload is never nil.
func (in *input) payload(agent *Agent, event string, env func(string) string) (*Payload, error) {
	if in.data == nil && in.err != nil {
		return &Payload{}, in.err
	}
	p, err := agent.Payload(event, in.data, env)
	if err != nil {
		if in.err != nil {
			err = in.err
		}
		return &Payload{}, err
	}
	return p, nil
}

func (in *input) unreadable(reason error) Draft {
	sum := in.sum
	if in.err != errTooLarge {
		sum = sha256.Sum256(in.data)
	}
	d := NewDraft(logfmt.Unreadable)
	d.Data.Int("bytes", in.size).Str("sha256", hex.EncodeToString(sum[:])).Str("reason", reason.Error())
	return d
}
