// Package queue is .oss/queue.json: advice that waits for a session of an agent, is handed out only to that session, and
// only if it bears this user's signature or this user allowed it.
//
// Invariants:
//   - What a task says goes to an agent only if its HMAC under the key of the project's mark is right, or the user's own
//     settings let foreign tasks through; and only to the session that it names, or to any if it says scope "project" and
//     names none. A task with neither, and a claimant without a session, get nothing.
//   - A task is claimed under the lock and on the disk before it is printed, at most MaxAttempts times. So it is printed
//     once where nothing dies, and with a process killed at any step at least once and at most twice.
//   - queue.json is replaced as a whole, under the lock, and only if it is still the file that was read. What another
//     tool wrote stays byte for byte where it is: unknown keys, tasks of its own, items that are no tasks.
//   - A file that is no queue is never overwritten: Put moves it aside and says so, everybody else leaves it alone.
//   - A dropped task stands in the archive before it leaves the queue.
//
// Races: a reader takes no lock, so that what it saw may be claimed by the time it wants it; Claim looks again. Another
// tool that replaces the file without the lock, in the moment between our last look and the rename, loses its change.
package queue

import (
	"errors"
	"os"
	"time"

	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// The files in .oss.
const (
	Name        = "queue.json"
	LockName    = "queue.json.lock"     // empty and never deleted
	ArchiveName = "queue.archive.jsonl" // the tasks that were dropped, a line {task, reason, at} each
)

// The bounds of the queue.
const (
	MaxOpen     = 50                 // tasks of ours that wait or are being delivered
	MaxAge      = 7 * 24 * time.Hour // of a task of ours, finished or not
	MaxAttempts = 2                  // claims of one task
	MaxPrompt   = 5000               // bytes of a prompt as an agent gets it
	MaxText     = 6000               // bytes of what Compose makes: below the agents' limits in characters and tokens
	LeaseTime   = 60 * time.Second   // how long a claimed task is its claimant's
	Expiry      = time.Hour          // of a task for which nobody said another one
	maxTask     = 32 << 10           // bytes of a task of ours
	maxFile     = 4 << 20            // bytes of a file that is read
	skew        = time.Minute        // who waited for the lock may have looked at the clock before whom it waited for
)

var (
	// ErrBusy says that somebody else holds the queue's lock.
	ErrBusy = lockfile.ErrBusy
	// ErrBroken says that queue.json holds something else than a queue. Put moves such a file aside.
	ErrBroken = errors.New("not a queue")
	// ErrVersion says that queue.json is of a version that this aburn does not know. It is left alone.
	ErrVersion = errors.New("unknown version")
	// ErrTooLarge says that queue.json has more than 4 MiB. It is left alone.
	ErrTooLarge = errors.New("larger than 4 MiB")
	// ErrNotRegular says that the file's name belongs to a link, a pipe or a folder. It is left alone.
	ErrNotRegular = errors.New("not a regular file")
	// ErrChanged says that somebody who does not take the lock replaced the file meanwhile: nothing was written.
	ErrChanged = errors.New("changed by another program meanwhile")
	// ErrNoKey says that the user has not vouched for the project, so that nothing can be signed.
	ErrNoKey = errors.New("no key to sign with: the project is not marked")
	// ErrNoTask says that there is no task with that id.
	ErrNoTask = errors.New("no such task")
)

// Queue is the queue in one .oss folder. It holds no open file between calls.
type Queue struct {
	// Foreign lets tasks without a valid signature be delivered: the user's own setting queue.foreign.
	Foreign bool

	root *os.Root
	key  []byte
}

// New returns the queue in root, which is .oss as opened by project.OpenOss. key is that of the project's mark; nil
// means that nothing is ours. It touches no file.
func New(root *os.Root, key []byte) *Queue { return &Queue{root: root, key: key} }

// File is queue.json as it was read.
type File struct {
	Version   string    // "" if it says none
	UpdatedAt time.Time // zero if it says none
	Tasks     []Task    // in the order of the file
	Others    int       // items of tasks that are no objects
}

// Claimant is who asks for advice: one prompt of one session.
type Claimant struct {
	Session      logfmt.SessionID
	PromptID     string // for the lease; "" if the agent names none
	PID          int
	CriticalOnly bool // the prompt is machine-made, or the turn is about to end: only what cannot wait
}
