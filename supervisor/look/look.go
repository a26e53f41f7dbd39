// Package look makes one look at a project: it folds new entries of the log, observes
// processes and files, judges, and writes its decisions to queue and log. It is the
// supervisor's only part with side effects. aburn-hook links it, so it imports nothing
// heavy and does nothing at init.
//
// Invariants:
//   - A decision is in the queue before it is in the log, and the entry's id derives
//     from the task. So the next look finishes one that died in between, and two looks
//     at once write one entry.
//   - A look that did not read the log to its end decides nothing.
//   - The stored state is derived. If it is missing, broken, or of another model or
//     log, the look folds the newest segment again.
//   - queue.json and workflow-state.json are written under the queue's lock only,
//     and the log's lock is taken after it, never before.
//   - Outside of .oss a look reads only what a verdict needs: whether a process runs,
//     whether a file of a worktree exists, the end of the transcript that the
//     hook's payload names, and for a command the end of the transcript of a session
//     that waits for a permission.
//
// Race: the log grows while it is read. The next look reads the rest.
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

// Options are what to look at, and for whom.
type Options struct {
	Root     *os.Root // .oss, as opened by project.OpenOss
	Project  *project.Project
	Journal  *journal.Journal
	Settings *settings.Settings // the model, the limits, and how long tasks wait
	Key      []byte             // of the project's mark; nil: nothing is decided and nothing is stored
	By       journal.By         // a hook reads at most 1 MiB and waits 20 ms for the queue's lock; a command reads all and waits 2 s

	// For a hook: its session, the session's transcript, and its prompt. The look ends
	// before the prompt's entry, because a prompt does not resolve an earlier issue.
	Session    logfmt.SessionID
	Transcript string
	Prompt     string // the entry's id
	InTurn     bool   // a call of the session has just ended, and its turn goes on

	// Env, for a command, finds the agents' own files: they show a permission that was denied in the terminal. Nil: they are not read.
	Env func(string) string

	// Slow, if not nil, is called once before work that may take long.
	Slow func()
	// Progress, if not nil, is called now and then with the bytes of the log read and in all.
	Progress func(read, total int64)
}

// Look looks at one project. It keeps the folded state, so that the process's next
// look goes on from there. One goroutine may use it at a time.
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

// Result is the result of one look.
type Result struct {
	Now      time.Time
	State    *state.State
	Observed state.Observed
	Issues   []supervisor.Issue // most urgent first; nil when the log was not read to its end
	Complete bool               // the log was read to its end
	Read     int64              // bytes of the log that this look folded
	Damage   int64              // lines among them that are no entries
	Queued   []Queued           // tasks that this look put into the queue
	Waiting  []Queued           // issues to queue for which another process had put a task
	Resolved []string           // tasks whose issue is gone
	Untold   []string           // tasks that ended without being delivered: expired, or their session is over
	Warnings []string           // failures, in words for people
}

// Queued is an issue that became a task.
type Queued struct {
	Issue supervisor.Issue
	Task  string // its id
}

// ErrBusy means that another process holds the queue's lock. It is looking, so this one need not.
var ErrBusy = queue.ErrBusy

// How long to wait for the queue's lock. The end of a turn or of a call does not wait,
// because the lock's holder looks too. A prompt waits as long as a look takes, so that it can
// deliver what that look queues.
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

// Once makes a look: it reads new entries, judges, queues advice for sessions that can
// still be reached, notes resolved issues, and stores the state. It ends soon after
// until (zero: no limit) or when ctx is done, without a decision. If the queue cannot be
// used, it is Peek with a warning. A hook's look takes no lock if there is nothing to
// write.
func (l *Look) Once(ctx context.Context, now, until time.Time) (Result, error) {
	if len(l.o.Key) == 0 {
		return l.Peek(ctx, now)
	}
	var r Result
	var err error
	if l.o.By == journal.Hook {
		if r, err = l.judge(ctx, now, until); err != nil || !l.mustWrite(&r) {
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
	if l.o.By == journal.Command || r.Complete { // only a judgement under the lock counts
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
		r.Queued, r.Waiting, r.Resolved, r.Untold = nil, nil, nil, nil
		r.warn(queue.Name, err)
		return r, nil
	}
	if len(r.Queued) > 0 {
		atomicfile.Sweep(l.o.Root, time.Now(), queue.Name, StateName)
	}
	return r, d.log()
}

// mustWrite reports whether there is anything to write, as far as that is known without
// the queue. The end of a turn also puts the queue in order, if there is one.
func (l *Look) mustWrite(r *Result) bool {
	d := decision{Look: l, result: r}
	if l.storing() || r.Complete && d.needed() {
		return true
	}
	if l.o.Prompt != "" || l.o.InTurn {
		return false
	}
	_, err := l.o.Root.Lstat(queue.Name)
	return err == nil
}

// Peek is Once without side effects: it takes no lock and writes nothing.
func (l *Look) Peek(ctx context.Context, now time.Time) (Result, error) {
	return l.judge(ctx, now, time.Time{})
}

// Keep stores the state after a Peek that read so much that the next one should not read it again. It stores nothing in a project
// without the user's mark, and nothing while another process has the queue's lock: that one stores.
func (l *Look) Keep() error {
	if len(l.o.Key) == 0 || l.folded.state == nil || l.folded.new < hookReads {
		return nil
	}
	desk, err := l.queue.Lock(0)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	err = l.store()
	return errors.Join(err, desk.Close())
}

// At judges as of an earlier time, by the entries up to that time. It observes nothing:
// today's processes and files prove nothing about that time.
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
// certain for the folded part of the log.
func (r *Result) AgentsEnded(id logfmt.SessionID) bool {
	for _, s := range r.State.Sessions {
		if s.ID == id {
			const many = 16 // the state forgets some where there are more
			return s.Middle || len(s.Agents) > many || slices.ContainsFunc(s.Agents, func(a *state.Agent) bool { return a.Ended.Is() })
		}
	}
	return true
}

// Certain are the tasks that the session may be told inside of its turn: one of each type, of issues of its own line of
// work that stand now with more than limits.InTurnAbove. A type that it was told in this turn is not among them.
func (r *Result) Certain(id logfmt.SessionID, types []string) (tasks []string) {
	i := slices.IndexFunc(r.State.Sessions, func(s *state.Session) bool { return s.ID == id })
	if !r.Complete || i < 0 {
		return nil
	}
	told := map[string]bool{}
	for _, a := range r.State.Advice {
		if a.Session == id && a.Delivered.Ord > r.State.Sessions[i].Turn.Start.Ord {
			told[a.Type] = true
		}
	}
	for k := range r.Issues {
		is := &r.Issues[k]
		if is.Session != id || is.Agent != "" || is.Confidence <= limits.InTurnAbove || told[string(is.Type)] || !slices.Contains(types, string(is.Type)) {
			continue
		}
		if task := r.taskOf(is.Signature); task != "" {
			tasks, told[string(is.Type)] = append(tasks, task), true
		}
	}
	return tasks
}

// taskOf is the undelivered task of an issue, or "".
func (r *Result) taskOf(signature string) string {
	for _, q := range slices.Concat(r.Queued, r.Waiting) {
		if q.Issue.Signature == signature {
			return q.Task
		}
	}
	for _, a := range slices.Backward(r.State.Advice) {
		if a.Signature == signature && a.Task != "" && !a.Delivered.Is() && !a.Resolved.Is() && a.Untold == "" {
			return a.Task
		}
	}
	return ""
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
