package watch

import (
	"context"
	"errors"
	"os"
	"time"

	"aburn/internal/journal"
	"aburn/supervisor"
)

// Sight is what one look found.
type Sight struct {
	State    *supervisor.State
	Observed supervisor.Observed
	Issues   []Issue   // all that stand, the most urgent first
	Due      time.Time // when a verdict can change by time alone; zero: never
}

// Issue is one that stands.
type Issue struct {
	supervisor.Issue
	Level supervisor.Level
	Told  bool   // this look wrote that the user is told of it
	Task  string // this look put it into the queue
}

// ErrBusy is a Look's answer when somebody else was looking.
var ErrBusy = errors.New("somebody else looks")

// ErrGone says that the project's .oss is no longer where it was.
var ErrGone = errors.New("the project's .oss is gone")

// Options says what is watched and who is told.
type Options struct {
	Root   *os.Root         // .oss
	Path   string           // where it is
	Log    *journal.Journal // for the watcher alone: the look has another
	Look   func(ctx context.Context, now time.Time) (Sight, error)
	Linger time.Duration // how long it stays when nothing lives; 0: until it is stopped

	// Event gets what is new, Problem what went wrong without ending the watch, each text once. Both are called by
	// the goroutine of Run.
	Event   func(Event)
	Problem func(error)
}

// Kind is what an event is about.
type Kind string

// The kinds of events.
const (
	Raised   Kind = "raised"   // an issue that nobody was told of before
	Queued   Kind = "queued"   // an issue that was told before has become a task for the agent
	Resolved Kind = "resolved" // an issue that this watcher saw stand no longer does
)

// Event is one thing that is new.
type Event struct {
	At   time.Time
	Kind Kind
	Issue
}

// Run watches until ctx is done or nothing has lived for Linger, which is no error. The error is a *RunningError where
// another process watches already, and ErrGone when there is nothing left to watch.
func Run(ctx context.Context, o Options) error { return nil }
