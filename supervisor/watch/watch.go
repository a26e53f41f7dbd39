// Package watch follows a project's log and the clock, makes a look when either may have changed a verdict, and says
// what is new. It decides nothing: the look does, and writes, so that hooks, commands and the watcher keep one set of
// rules.
//
// Invariants:
//   - One watcher per project: it holds the lock watch.lock in .oss for as long as it lives.
//   - What a look told is in the log before anybody hears of it. A watcher that was killed and started again repeats
//     nothing; killed in between it has told too little, and `aburn supervisor` shows it.
//   - A hook that writes an entry looks before the watcher does, which waits a moment: at a prompt, the queue is the
//     hook's.
//   - Looks are spaced: a storm of entries costs a look every spacing, not one an entry.
//   - While nothing lives nothing is judged: there is only the wait for an entry, and for the end.
//   - A machine that slept makes no session silent.
//
// Races: the log may seem new for an entry that the last look has read already, or that it wrote itself. Such a look
// finds nothing new and writes nothing.
package watch

import (
	"context"
	"errors"
	"os"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
)

// The paces of a watch.
const (
	settle     = 20 * time.Millisecond // from a change to the look: the hook that made it looks first, and delivers
	spacing    = 25 * time.Millisecond // from the end of a look to the next, however many entries come
	busyAfter  = 50 * time.Millisecond // when somebody else was looking
	retryAfter = time.Second           // when something went wrong
	tickEvery  = time.Second           // how exactly times are kept
	lookEvery  = 5 * time.Second       // while something lives: a process that was killed writes no entry
	aftermath  = 2 * time.Minute       // and so long after the last life was seen
)

// ErrGone says that the project's .oss is no longer where it was.
var ErrGone = errors.New("it is gone, or was replaced")

// Looker is a *look.Look.
type Looker interface {
	Once(ctx context.Context, now, until time.Time) (look.Result, error)
	Tell(issues []supervisor.Issue, now time.Time) error
}

// Options says what is watched and who is told.
type Options struct {
	Root   *os.Root // .oss
	Path   string   // where it is
	Look   Looker
	Limits *limits.Limits
	Linger time.Duration // how long it stays when nothing lives; 0: until it is stopped

	// Started is called when this is the project's watcher, before the first look. Event gets what is new, Problem what
	// went wrong without ending the watch, each text once. All are called from Run, and looks wait for them.
	Started func()
	Event   func(Event)
	Problem func(error)
}

// Run watches until ctx is done or nothing has lived for Linger, which is no error. The error is a *RunningError where
// another process watches already, and ErrGone when there is nothing left to watch.
func Run(ctx context.Context, o Options) error {
	release, err := alone(o.Root)
	if err != nil {
		return err
	}
	defer release()
	o.Started()
	w := &watch{
		Options: o, start: time.Now(), told: map[string]telling{}, said: map[string]bool{},
		pulse: newPulse(o.Root, o.Path), timer: time.NewTimer(0), pending: true,
	}
	w.lived = w.start
	defer w.pulse.close()
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
		case e, open := <-w.pulse.events():
			if !open {
				w.pulse.ask()
			} else if w.pulse.is(e) {
				w.beat()
			}
		case <-w.pulse.errors():
			w.beat()
		case <-w.pulse.poll.C:
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

// watch is one run.
type watch struct {
	Options
	start   time.Time
	timer   *time.Timer // the next look
	pulse   *pulse
	awake   awake
	sight   sight
	before  []Issue            // what stood at the look before
	began   bool               // there was a look
	looked  time.Time          // when the last one ended
	pending bool               // the timer runs
	due     time.Time          // when a verdict can change by time alone; zero: never
	living  bool               // something lived at the last look
	lived   time.Time          // when something last did
	missed  bool               // a look was put off
	told    map[string]telling // by signature
	said    map[string]bool
}

// check asks for the log itself.
func (w *watch) check() {
	if w.pulse.check() {
		w.beat()
	}
}

// beat makes a look because the log has changed: something lives.
func (w *watch) beat() {
	w.lived = time.Now()
	w.soon()
}

// soon makes a look when what changed has settled and the last look is long enough ago.
func (w *watch) soon() {
	if !w.pending {
		w.later(max(settle, spacing-time.Since(w.looked)))
	}
}

func (w *watch) later(d time.Duration) {
	w.pending = true
	w.timer.Reset(d)
}

// look makes a look and says what is new. One that is not possible now is made later.
func (w *watch) look(ctx context.Context) {
	now := time.Now()
	w.pending = false
	if w.missed = w.awake.holdsOff(w.sight.quietest(now), now); w.missed {
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
		if w.there() { // else the next tick says what is wrong
			w.problem(err)
		}
		return
	}
	for _, warning := range result.Warnings {
		w.problem(errors.New(warning))
	}
	w.publish(result, now)
}

// publish says what differs from the last look, once the log says that it was told.
func (w *watch) publish(result look.Result, now time.Time) {
	w.before = w.sight.issues
	w.sight = sight{state: result.State, observed: result.Observed, issues: issues(&result, w.Limits)}
	w.living = w.sight.lives(now)
	if result.State != nil {
		w.due = supervisor.Due(result.State, supervisor.Input{Now: now, Observed: result.Observed})
	}
	events := w.news(now)
	if fresh := raised(events); len(fresh) > 0 {
		w.problem(w.Look.Tell(fresh, now)) // the person is told all the same: this watch at least does it once
	}
	w.began = true
	for _, e := range events {
		w.Event(e)
	}
}

// tick looks at the clock; over says that the watch has nothing to wait for any more.
func (w *watch) tick(now time.Time) (over bool, err error) {
	if !w.there() {
		return false, ErrGone
	}
	w.awake.tick(now.Round(0), now.Sub(w.start))
	if w.living {
		w.lived = now
	}
	alone := now.Sub(w.lived)
	if w.Linger > 0 && alone >= w.Linger {
		return true, nil
	}
	due := !w.due.IsZero() && !now.Before(w.due) && now.Sub(w.looked) >= retryAfter
	if w.missed || due || alone < aftermath && now.Sub(w.looked) >= lookEvery {
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
