package queue

import (
	"errors"
	"time"

	"aburn/logfmt"
)

var errTODO = errors.New("queue: not written yet")

// Read is a snapshot of the queue, taken without the lock. A missing file is an empty queue.
func (q *Queue) Read() (File, error) { return File{}, nil }

// Waiting reports whether anything is deliverable to who, without the lock: what a hook asks before it takes it. A
// missing file is an empty queue.
func (q *Queue) Waiting(who Claimant, now time.Time) (bool, error) { return false, nil }

// Ours reports whether the task bears a valid signature of this user's.
func (q *Queue) Ours(t Task) bool { return false }

// Deliverable reports whether t may be handed to who now, and if not, why, in words for people.
func (q *Queue) Deliverable(t Task, who Claimant, now time.Time) (ok bool, reason string) {
	return false, "not written yet"
}

// Lock takes the queue's lock, waiting at most wait (0: try once, then ErrBusy), and reads the file. What cannot be read
// at all is an error (ErrTooLarge, ErrVersion, ErrNotRegular, …) and holds no lock; of a broken file Broken tells.
func (q *Queue) Lock(wait time.Duration) (*Desk, error) { return nil, errTODO }

// Desk is the queue while its lock is held. What its methods change is in memory until Close.
type Desk struct{ q *Queue }

// Broken says why the file is no queue (ErrBroken), or nil. A broken one has no tasks, and only Put does anything with it.
func (d *Desk) Broken() error { return nil }

// Tasks are the tasks as they stand now, in the order of the file.
func (d *Desk) Tasks() []Task { return nil }

// PutResult says what became of a Put.
type PutResult struct {
	Task    Task   // as it was put, or the one that is there already
	Added   bool   //
	Reason  string // why not: "pending", "executing" or "cooling"
	Dropped []Task // went into the archive to make room
	Aside   string // the name that a broken queue.json has when Close has returned, or ""
}

// Put signs a task and adds it, unless one of ours with its signature waits, is being delivered, or was put or delivered
// less than cooldown ago. ID, CreatedAt, Status, Priority (Medium), ExpiresAt (Expiry, at most MaxAge) are filled in if
// empty. A task without a session and scope, with an empty prompt or one of more than MaxPrompt bytes, is an error. The
// write at Close is synced.
func (d *Desk) Put(t Task, cooldown time.Duration, now time.Time) (PutResult, error) {
	return PutResult{}, errTODO
}

// Claim marks everything that is deliverable to who as executing, with a lease, and returns it, most urgent first. It
// may be printed once Close has returned nil, and not otherwise. What then is not printed goes back with Unclaim.
func (d *Desk) Claim(who Claimant, now time.Time) []Task { return nil }

// Unclaim makes tasks of this Desk's Claim pending again, as if they had not been claimed.
func (d *Desk) Unclaim(tasks []Task) {}

// Receipt marks tasks as completed: they were printed.
func (d *Desk) Receipt(ids []string, now time.Time) {}

// Seen notes that the agent's transcript shows the task. It reports whether that is new.
func (d *Desk) Seen(id string, now time.Time) bool { return false }

// Drop moves the tasks with that id into the archive. It reports whether there was one.
func (d *Desk) Drop(id, reason string, now time.Time) bool { return false }

// Allow addresses a task to a session, or with "" to the whole project, and signs it: what a person does with a foreign
// one. A task that expires before until, or never, now expires then; zero is Expiry from now.
func (d *Desk) Allow(id string, session logfmt.SessionID, until, now time.Time) error { return errTODO }

// Expire drops tasks of ours that have expired or are older than MaxAge, and gives up on those that were claimed
// MaxAttempts times in vain. It returns the dropped ones.
func (d *Desk) Expire(now time.Time) []Task { return nil }

// Close writes what changed, once, and gives the lock up. After an error nothing was changed. A second Close does nothing.
func (d *Desk) Close() error { return nil }
