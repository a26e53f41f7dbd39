// Package look makes one look at a project: it folds what is new in the log,
// observes what no log can say, judges, and writes down what follows from it.
//
// Invariants:
//   - What was decided is in the queue before the log says so, and each entry's id
//     is made of the task: a look that dies in between is finished by the next
//     one, and two at once write one entry.
//   - A look that did not read the log to its end decides nothing.
//   - The stored state is derived: one that is missing, broken, of another model
//     or log is folded again from the newest segment, never believed.
//   - queue.json and workflow-state.json are written under the queue's lock only,
//     and the log's lock is taken after it, never before.
//   - Nothing is read outside of .oss but what a verdict asks for: whether a
//     process runs, whether a file of a worktree exists, and the end of the
//     transcript that the hook was told of.
//
// Race: the log grows while it is read. What comes later is the next look's.
package look

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// Options say what is looked at, and by whom.
type Options struct {
	Root     *os.Root // .oss, as opened by project.OpenOss
	Project  *project.Project
	Journal  *journal.Journal
	Settings *settings.Settings // the model, the limits, and how long tasks wait
	Key      []byte             // of the project's mark; nil: nothing is decided and nothing is stored
	By       journal.By         // a hook reads at most 1 MiB and hardly waits for the queue's lock; a command reads all and waits 2 s for it

	// Of a hook: whose it is, where the client said that its transcript lies, and the
	// prompt that it is about. The look ends before that entry: what is wrong is told
	// with the prompt, and a prompt does not make good what was wrong before it.
	Session    logfmt.SessionID
	Transcript string
	Prompt     string // the entry's id

	// Slow, if there is one, is called once before work that may take long.
	Slow func()
	// Progress, if there is one, is told now and then how many bytes of the log were read, of how many.
	Progress func(read, total int64)
}

// Look looks at one project. It keeps what it folded, so that the next look of
// the same process goes on from there. One goroutine uses it at a time.
type Look struct {
	o      Options
	model  *workflow.Model
	limits *limits.Limits
	queue  *queue.Queue
	folded folded
	slowed bool
}

// New prepares a look and touches no file.
func New(o Options) *Look {
	return &Look{o: o, model: o.Settings.Model(), limits: o.Settings.Limits(), queue: queue.New(o.Root, o.Key)}
}

// Result is what one look came to.
type Result struct {
	Now      time.Time
	State    *state.State
	Observed state.Observed
	Issues   []supervisor.Issue // most urgent first; nil when the log was not read to its end
	Complete bool               // the log was read to its end
	Read     int64              // bytes of the log that were folded now
	Damage   int64              // lines among them that are no entries
	Queued   []Queued           // tasks that this look put into the queue
	Resolved []string           // tasks whose issue is gone
	Warnings []string           // what could not be done, for people
}

// Queued is an issue that became a task.
type Queued struct {
	Issue supervisor.Issue
	Task  string // its id
}

// ErrBusy says that somebody else holds the queue's lock: he looks, so we need not.
var ErrBusy = queue.ErrBusy

// How long the queue's lock is waited for. At the end of a turn not at all: whoever
// has it looks. At a prompt as long as a look takes: what that one puts goes along.
const (
	commandWait = 2 * time.Second
	promptWait  = 20 * time.Millisecond
)

func (l *Look) wait() time.Duration {
	switch {
	case l.o.By == journal.Command:
		return commandWait
	case l.o.Prompt != "":
		return promptWait
	}
	return 0
}

// Once looks: it reads what is new, judges, queues what is certain enough for the
// sessions that can still be reached, notes what cleared, and stores the state. It
// ends soon after until (zero: no limit) or when ctx is done, having decided
// nothing. Where the queue cannot be used it is Peek, with a warning. A hook's asks
// for no lock where nothing is to be written.
func (l *Look) Once(ctx context.Context, now, until time.Time) (Result, error) {
	if len(l.o.Key) == 0 {
		return l.Peek(ctx, now)
	}
	var r Result
	var err error
	if l.o.By == journal.Hook {
		if r, err = l.judge(ctx, now, until); err != nil || !l.calls(&r) {
			return r, err
		}
	}
	desk, err := l.queue.Lock(l.wait())
	if errors.Is(err, ErrBusy) {
		return Result{Now: now}, err
	}
	if err != nil {
		r, perr := l.Peek(ctx, now)
		r.Warnings = append(r.Warnings, queue.Name+": "+err.Error())
		return r, perr
	}
	defer desk.Close()
	if l.o.By == journal.Command || r.Complete { // now, under the lock, it counts
		if r, err = l.judge(ctx, now, until); err != nil {
			return r, err
		}
	}
	d := decision{Look: l, desk: desk, result: &r}
	if r.Complete && (until.IsZero() || time.Now().Before(until)) {
		d.decide()
	}
	if err := l.store(); err != nil {
		r.warn(StateName, err)
	}
	if err := desk.Close(); err != nil {
		r.Queued, r.Resolved = nil, nil
		r.warn(queue.Name, err)
		return r, nil
	}
	if len(r.Queued) > 0 {
		atomicfile.Sweep(l.o.Root, time.Now(), queue.Name, StateName)
	}
	return r, d.log()
}

// calls reports whether anything is to be written, as far as it can be known without
// the queue. A prompt looks no further; at the end of a turn the queue, if there is
// one, is to be put in order.
func (l *Look) calls(r *Result) bool {
	d := decision{Look: l, result: r}
	if l.storing() || r.Complete && d.calls() {
		return true
	}
	if l.o.Prompt != "" {
		return false
	}
	_, err := l.o.Root.Lstat(queue.Name)
	return err == nil
}

// Peek is Once without any effect: it takes no lock and writes nothing.
func (l *Look) Peek(ctx context.Context, now time.Time) (Result, error) {
	return l.judge(ctx, now, time.Time{})
}

// At judges as of an earlier moment, by the entries that bear no later time. What
// can be observed today says nothing about then, so nothing is.
func (l *Look) At(ctx context.Context, at time.Time) (Result, error) {
	r := Result{Now: at, State: state.New(l.model, l.limits)}
	steps := l.steps(ctx, time.Time{})
	for rec, err := range l.o.Journal.Entries(journal.Position{}) {
		if err != nil {
			return r, err
		}
		if !rec.Value.Time.After(at) {
			r.State.Apply(rec.Value, rec.Carried)
		}
		if !steps.goOn(int64(len(rec.JSON)) + 1) {
			return r, ctx.Err()
		}
	}
	r.Read, r.Damage, r.Complete = steps.read, l.o.Journal.Stats().Damage, true
	r.Issues = supervisor.Judge(r.State, supervisor.Input{Now: at, Model: l.model, Limits: l.limits})
	return r, nil
}

// judge reads, observes and judges.
func (l *Look) judge(ctx context.Context, now, until time.Time) (Result, error) {
	r := Result{Now: now}
	err := l.read(ctx, until, &r)
	r.State = l.folded.state
	if err != nil || !r.Complete {
		return r, err
	}
	r.Observed = l.observe(r.State.Wants())
	r.Issues = supervisor.Judge(r.State, supervisor.Input{Now: now, Model: l.model, Limits: l.limits, Observed: r.Observed})
	return r, nil
}

// AgentsEnded reports whether a sub-agent of the session may have ended; false is
// sure as far back as the log was folded.
func (r *Result) AgentsEnded(id logfmt.SessionID) bool {
	for _, s := range r.State.Sessions {
		if s.ID == id {
			const many = 16 // the state forgets some where there are more
			return s.Middle || len(s.Agents) > many || slices.ContainsFunc(s.Agents, func(a *state.Agent) bool { return a.Ended.Is() })
		}
	}
	return true
}

func (r *Result) warn(what string, err error) {
	r.Warnings = append(r.Warnings, what+": "+err.Error())
}

func (l *Look) slow() {
	if !l.slowed && l.o.Slow != nil {
		l.slowed = true
		l.o.Slow()
	}
}
