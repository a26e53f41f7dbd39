package worker

import (
	"cmp"
	"time"
)

// Status is the one word that people see.
type Status string

// The statuses.
const (
	StatusMerged           Status = "merged"
	StatusCleanup          Status = "cleanup"
	StatusErrored          Status = "errored"
	StatusKilled           Status = "killed"
	StatusTerminated       Status = "terminated"
	StatusDone             Status = "done"
	StatusSpawning         Status = "spawning"
	StatusStuck            Status = "stuck"
	StatusNeedsInput       Status = "needs_input"
	StatusDetecting        Status = "detecting"
	StatusPullClosed       Status = "pr_closed"
	StatusCIFailed         Status = "ci_failed"
	StatusChangesRequested Status = "changes_requested"
	StatusMergeConflict    Status = "merge_conflict"
	StatusMergeable        Status = "mergeable"
	StatusApproved         Status = "approved"
	StatusReviewPending    Status = "review_pending"
	StatusPullOpen         Status = "pr_open"
	StatusWorking          Status = "working"
	StatusToReview         Status = "to_review"
	StatusIdle             Status = "idle"
)

// Status is the first that holds: how it ended, what it waits for, its pull request, what it does.
func (w *Worker) Status() Status {
	if w.Merged && (w.State == Terminated || w.State == Done || w.State == Idle && w.Reason != AwaitingUser && w.Pull.Is != PullOpen) {
		return StatusMerged
	}
	switch w.State {
	case Terminated:
		return w.ended()
	case Done:
		return StatusDone
	case NotStarted:
		return StatusSpawning
	case Stuck:
		return StatusStuck
	case NeedsInput:
		return StatusNeedsInput
	case Detecting:
		return StatusDetecting
	}
	if w.State == Idle && w.Reason == AwaitingUser {
		return StatusNeedsInput
	}
	if s := w.Pull.status(); s != "" {
		return s
	}
	switch {
	case w.State == Working:
		return StatusWorking
	case w.Changes != nil && *w.Changes > 0:
		return StatusToReview
	}
	return StatusIdle
}

func (w *Worker) ended() Status {
	switch {
	case w.Pull.Is == PullMerged:
		return StatusMerged
	case w.Reason == AutoCleanup:
		return StatusCleanup
	case w.Reason == ErrorInProcess:
		return StatusErrored
	case w.Reason == ManuallyKilled:
		return StatusKilled
	}
	return StatusTerminated
}

// status is "" without a pull request. Checks that nobody named count as neither green nor red.
func (p *Pull) status() Status {
	switch {
	case p.Is == PullMerged:
		return StatusMerged
	case p.Is == PullClosed:
		return StatusPullClosed
	case p.Is != PullOpen:
		return ""
	case p.Checks == CheckFailing:
		return StatusCIFailed
	case p.Review == ReviewChanges:
		return StatusChangesRequested
	case p.Conflicts:
		return StatusMergeConflict
	case p.Draft:
		return StatusPullOpen // nobody merges a draft, whatever its checks and reviews say
	case p.Checks == CheckPassing && !p.Unsure && (p.Review == ReviewApproved || p.Review == ReviewNone):
		return StatusMergeable
	case p.Review == ReviewApproved:
		return StatusApproved
	case p.Review == ReviewAsked:
		return StatusReviewPending
	}
	return StatusPullOpen
}

// Zone is a column of the board.
type Zone string

// The zones.
const (
	ZoneNeedsYou Zone = "Needs you"
	ZoneWorking  Zone = "Working"
	ZoneInReview Zone = "In review"
	ZoneReady    Zone = "Ready"
	ZoneDone     Zone = "Done"
)

// Zone says whose turn it is: the person's attention goes where it is wanted.
func (w *Worker) Zone() Zone {
	switch w.Status() {
	case StatusNeedsInput, StatusStuck, StatusErrored:
		return ZoneNeedsYou
	case StatusMergeable, StatusApproved, StatusToReview, StatusIdle:
		return ZoneReady
	case StatusMerged, StatusPullClosed:
		if w.State == Working {
			return ZoneWorking
		}
		if w.State == Idle && !w.Merged {
			return ZoneNeedsYou // somebody decides what becomes of it
		}
		return ZoneDone
	case StatusCleanup, StatusKilled, StatusTerminated, StatusDone:
		return ZoneDone
	case StatusSpawning, StatusWorking, StatusDetecting:
		return ZoneWorking
	}
	return ZoneInReview
}

// Activity is how lately the agent did something, in AO's words; it is no proof of anything.
type Activity string

// The activities.
const (
	NoActivity   Activity = "" // there is nothing to tell from
	Spawning     Activity = "spawning"
	Active       Activity = "active"
	Ready        Activity = "ready"
	Quiet        Activity = "idle"
	WaitingInput Activity = "waiting_input"
	Blocked      Activity = "blocked"
	Exited       Activity = "exited"
)

// Activities fade: below ActiveFor it is active, below ReadyFor ready, then idle.
const (
	ActiveFor = 30 * time.Second
	ReadyFor  = 5 * time.Minute
)

// noSignalAfter is how long an agent with hooks may say nothing after its launch.
const noSignalAfter = time.Minute

// Signals are the times of signs of life that no fact holds; zero is unknown.
type Signals struct {
	Grew, Output time.Time
	ReadyFor     time.Duration // until when it counts as ready; 0 is ReadyFor
}

// Activity at now. A worker that ended its turn is never active, whatever its screen does.
func (w *Worker) Activity(now time.Time, s Signals) Activity {
	switch w.State {
	case Terminated:
		return Exited
	case Idle:
		if w.Reason == AwaitingUser {
			return WaitingInput
		}
	case NeedsInput:
		if w.Reason == ErrorInProcess || w.Reason == VerifyFailed {
			return Blocked
		}
		return WaitingInput
	}
	newest := w.Heard
	for _, t := range []time.Time{s.Grew, s.Output} {
		if t.After(newest) {
			newest = t
		}
	}
	switch {
	case w.State == NotStarted && (w.LaunchedAt.IsZero() || now.Sub(w.LaunchedAt) < noSignalAfter):
		return Spawning
	case newest.IsZero():
		return NoActivity
	case now.Sub(newest) < ActiveFor && w.State != Idle && w.State != Done:
		return Active
	case now.Sub(newest) < cmp.Or(s.ReadyFor, ReadyFor):
		return Ready
	}
	return Quiet
}

// Flags are remarks beside the status.
type Flags struct {
	NoSignal        bool // it should have hooks, and nothing was heard a minute after the launch
	Unseen          bool // the last probe could not see it
	Weak            bool // the state was read off the screen
	NoChange        bool // it said done, and no file differs from its base
	KilledYetLives  bool // it was killed, and life was seen after that
	RemovedUnproven bool // its tree was removed without a proof that nothing was lost
}

// Flags at now.
func (w *Worker) Flags(now time.Time) Flags {
	launched := w.Hooks && w.Heard.IsZero() && !w.LaunchedAt.IsZero() && w.State != Terminated
	return Flags{
		NoSignal:        launched && now.Sub(w.LaunchedAt) >= noSignalAfter,
		Unseen:          w.Unseen,
		Weak:            w.Weak(),
		NoChange:        w.told.State == Done && w.Changes != nil && *w.Changes == 0,
		KilledYetLives:  w.Refuted == ManuallyKilled && w.State != Terminated,
		RemovedUnproven: w.Unproven,
	}
}

// Weak reports whether the state was read off the screen.
func (w *Worker) Weak() bool { return w.strong != nil }

// Unmeasured reports whether its tools may have changed files since anybody counted them, and its turn is over.
func (w *Worker) Unmeasured() bool { return w.worked && (w.TurnOver || w.Over()) }

// MayRemove reports whether the tree may be removed: its whole state is kept, or it was clean, after the agent's last
// fact.
func (w *Worker) MayRemove() bool { return w.safe }
