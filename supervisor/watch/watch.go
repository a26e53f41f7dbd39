// Package watch follows a project's log and the clock, starts a look when a verdict may have changed, and reports what
// is new. It decides only when to look. The look decides everything else and writes it, so that hooks, commands and
// the watcher share one set of rules.
//
// Invariants:
//   - One watcher per project: it holds the lock watch.lock in .oss as long as it lives.
//   - An issue is in the log before anybody is notified of it. A watcher that is killed and started again repeats
//     nothing. If it is killed in between, a notification is lost, and `aburn supervisor` still shows the issue.
//   - A hook that writes an entry looks before the watcher, which waits a moment: at a prompt, the hook handles the
//     queue.
//   - Looks are spaced: a burst of entries costs one look per spacing, not one per entry.
//   - Without a live session it judges nothing and only waits for an entry or for its end.
//   - A suspended machine makes no session silent.
//
// Race: the log may look changed because of an entry that the last look has read or written. The next look then finds
// nothing new and writes nothing.
package watch

import (
	"context"
	"errors"
	"os"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
	"aburn/supervisor/watchlock"
)

// The intervals of a watch.
const (
	settle     = 20 * time.Millisecond // from a change to the look: the hook that made the change looks and delivers first
	spacing    = 25 * time.Millisecond // from the end of a look to the next one
	busyAfter  = 50 * time.Millisecond // after another process was looking
	retryAfter = time.Second           // after an error
	tickEvery  = time.Second           // how often the clock is read
	lookEvery  = 5 * time.Second       // while a session lives: a killed process writes no entry
	aftermath  = 2 * time.Minute       // how long lookEvery goes on after the last sign of life
)

// ErrGone means that the project's .oss is no longer where it was.
var ErrGone = errors.New("it is gone, or was replaced")

// Looker looks at the project, as *look.Look does.
type Looker interface {
	Once(ctx context.Context, now, until time.Time) (look.Result, error)
	Tell(issues []supervisor.Issue, now time.Time) error
}

// Options are what to watch and whom to notify.
type Options struct {
	Root   *os.Root // .oss
	Path   string   // of Root
	Look   Looker
	Limits *limits.Limits
	Linger time.Duration // how long to stay without a live session; 0: until stopped

	// Run calls Started before the first look, once it is the project's only watcher. It calls Event with news, and
	// Problem with errors that do not end the watch, each text once. Looks wait for these calls.
	Started func()
	Event   func(Event)
	Problem func(error)
}

// Run watches until ctx is done, or until no session has lived for Linger; neither is an error. The error is a
// *RunningError if another process watches already, and ErrGone if .oss is gone.
func Run(ctx context.Context, o Options) error {
	release, err := watchlock.Acquire(o.Root)
	if err != nil {
		return err
	}
	defer release()
	o.Started()
	w := &watch{
		Options: o, start: time.Now(), notified: map[string]notification{}, said: map[string]bool{},
		monitor: newMonitor(o.Root, o.Path), timer: time.NewTimer(0), pending: true,
	}
	w.lived = w.start
	defer w.monitor.close()
	defer w.timer.Stop()
	return w.run(ctx)
}

func (w *watch) run(ctx context.Context) error {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-w.monitor.events():
			if !open {
				w.monitor.startPolling()
			} else if w.monitor.isLog(e) {
				w.changed()
			}
		case <-w.monitor.errors():
			w.changed()
		case <-w.monitor.poll.C:
			w.check()
		case <-w.timer.C:
			w.look(ctx)
		case <-tick.C:
			w.check()
			if over, err := w.tick(time.Now()); over || err != nil {
				return err
			}
		}
	}
}

type watch struct {
	Options
	start    time.Time
	timer    *time.Timer // the next look
	monitor  *monitor
	slept    suspension
	found    findings
	before   []Issue                 // the open issues at the look before
	began    bool                    // a look has succeeded
	looked   time.Time               // when the last look ended
	pending  bool                    // the timer runs
	due      time.Time               // when time alone can change a verdict; zero: never
	living   bool                    // a session lived at the last look
	lived    time.Time               // the last sign of life
	missed   bool                    // a look was postponed
	notified map[string]notification // by signature
	said     map[string]bool
}

// check asks the file system whether the log has changed.
func (w *watch) check() {
	if w.monitor.check() {
		w.changed()
	}
}

// changed schedules a look after a change of the log, which is a sign of life.
func (w *watch) changed() {
	w.lived = time.Now()
	w.soon()
}

// soon schedules a look after settle, but not before spacing is over.
func (w *watch) soon() {
	if !w.pending {
		w.later(max(settle, spacing-time.Since(w.looked)))
	}
}

func (w *watch) later(d time.Duration) {
	w.pending = true
	w.timer.Reset(d)
}

// look makes a look and reports news. If it cannot look now, it schedules another look.
func (w *watch) look(ctx context.Context) {
	now := time.Now()
	w.pending = false
	if w.missed = w.slept.holdsOff(w.found.quietest(now), now); w.missed {
		return
	}
	result, err := w.Look.Once(ctx, now, time.Time{})
	w.looked = time.Now()
	switch {
	case ctx.Err() != nil:
		return // the watch is ending, and so did the look
	case errors.Is(err, look.ErrBusy):
		w.later(busyAfter)
		return
	case err != nil || !result.Complete:
		w.missed = true
		if w.there() { // else the next tick reports it
			w.problem(err)
		}
		return
	}
	for _, warning := range result.Warnings {
		w.problem(errors.New(warning))
	}
	w.publish(result, now)
}

// publish reports the differences to the last look, after it has logged them.
func (w *watch) publish(result look.Result, now time.Time) {
	w.before = w.found.issues
	w.found = findings{state: result.State, observed: result.Observed, issues: issues(&result, w.Limits)}
	w.living = w.found.lives(now)
	if result.State != nil {
		w.due = supervisor.Due(result.State, supervisor.Input{Now: now, Observed: result.Observed})
	}
	events := w.news(now)
	if fresh := raised(events); len(fresh) > 0 {
		w.problem(w.Look.Tell(fresh, now)) // notify the person all the same: this watch does it only once
	}
	w.began = true
	for _, e := range events {
		w.Event(e)
	}
}

// tick reads the clock; over reports that no session has lived for Linger.
func (w *watch) tick(now time.Time) (over bool, err error) {
	if !w.there() {
		return false, ErrGone
	}
	w.slept.tick(now.Round(0), now.Sub(w.start))
	if w.living {
		w.lived = now
	}
	idle := now.Sub(w.lived)
	if w.Linger > 0 && idle >= w.Linger {
		return true, nil
	}
	due := !w.due.IsZero() && !now.Before(w.due) && now.Sub(w.looked) >= retryAfter
	if w.missed || due || idle < aftermath && now.Sub(w.looked) >= lookEvery {
		w.soon()
	}
	return false, nil
}

// there reports whether .oss is still the folder that is watched.
func (w *watch) there() bool {
	here, err := w.Root.Stat(".")
	if err != nil {
		return false
	}
	named, err := os.Stat(w.Path)
	return err == nil && os.SameFile(here, named)
}

func (w *watch) problem(err error) {
	if err == nil {
		return
	}
	if text := err.Error(); !w.said[text] && len(w.said) < 100 {
		w.said[text] = true
		w.Problem(err)
	}
}
