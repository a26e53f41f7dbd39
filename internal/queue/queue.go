// Package queue keeps .oss/queue.json: advice that waits for a session of an agent. Only that
// session receives it, and only if it has this user's signature or this user allowed it.
// aburn-hook links the package, so it knows neither projects nor agents.
//
// Invariants:
//   - A task's text reaches an agent only if its HMAC under the key of the project's mark is
//     right, or the user's own settings allow foreign tasks. It reaches only the session that it
//     names, or any session if it has scope "project" and names none. A task with neither, and a
//     claimant without a session, get nothing. A message needs the signature whatever the settings
//     say, and its signature is that of no advice.
//   - A message whose text may stand in the agent's input line is claimed for no prompt but one that emptied
//     that line. So it is not told by two ways.
//   - A task is claimed under the lock and on disk before it is printed, at most MaxAttempts
//     times. So it is printed once if nothing dies, and at least once and at most twice if a
//     process is killed at any step.
//   - queue.json is replaced as a whole, under the lock, and only if it is still the file that
//     was read. What another tool wrote stays in place byte for byte: unknown keys, its own
//     tasks, items that are no tasks.
//   - A file that is no queue is never overwritten. Put moves it aside and reports that;
//     everybody else leaves it alone.
//   - A dropped task is in the archive before it leaves the queue.
//
// Races: a reader takes no lock, so what it saw may be claimed meanwhile; Claim looks again.
// Another tool that replaces the file without the lock, between our last look and the rename,
// loses its change.
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
	ArchiveName = "queue.archive.jsonl" // dropped tasks, one line {task, reason, at} each
)

// KeysLock is the name, in .oss, of the lock of whoever presses Enter in a worker's terminal. It is empty and never deleted.
const KeysLock = "keys.lock"

// The bounds of the queue.
const (
	MaxOpen     = 50                 // tasks of ours that wait or are being delivered, without messages
	MaxAge      = 7 * 24 * time.Hour // of a task of ours, finished or not
	MaxAttempts = 2                  // claims of one task
	MaxPrompt   = 5000               // bytes of an advice's prompt as the agent receives it
	MaxText     = 6000               // bytes of what Compose makes: below the agents' limits in characters and tokens
	MaxMessages = 20                 // messages of ours to one session that wait or are being delivered
	MaxMessage  = 3 << 10            // bytes of a message as the agent receives it
	LeaseTime   = 60 * time.Second   // how long a claimed task belongs to its claimant
	Expiry      = time.Hour          // default lifetime of a task
	maxTask     = 32 << 10           // bytes of a task of ours
	maxFile     = 4 << 20            // bytes of a file that is read
	skew        = time.Minute        // a process that waited for the lock may have read the clock before the one it waited for
)

var (
	// ErrBusy says that somebody else holds the queue's lock.
	ErrBusy = lockfile.ErrBusy
	// ErrBroken says that queue.json holds something other than a queue. Put moves such a file
	// aside.
	ErrBroken = errors.New("not a queue")
	// ErrVersion says that this aburn does not know queue.json's version. The file is left alone.
	ErrVersion = errors.New("unknown version")
	// ErrTooLarge says that queue.json has more than 4 MiB. It is left alone.
	ErrTooLarge = errors.New("larger than 4 MiB")
	// ErrNotRegular says that queue.json is a link, a pipe or a folder. It is left alone.
	ErrNotRegular = errors.New("not a regular file")
	// ErrChanged says that somebody replaced the file without the lock. Nothing was written.
	ErrChanged = errors.New("changed by another program meanwhile")
	// ErrNoKey says that the user has not marked the project, so nothing can be signed.
	ErrNoKey = errors.New("no key to sign with: the project is not marked")
	// ErrNoTask says that no task has the id.
	ErrNoTask = errors.New("no such task")
)

// Queue is the queue in one .oss folder. It holds no open file between calls.
type Queue struct {
	// Foreign delivers tasks without a valid signature too: the user's own setting queue.foreign.
	Foreign bool

	root *os.Root
	key  []byte
}

// New returns the queue in root, which is .oss as opened by project.OpenOss. It touches no file.
// key is the key of the project's mark; without one, no task is ours.
func New(root *os.Root, key []byte) *Queue { return &Queue{root: root, key: key} }

// File is queue.json as read.
type File struct {
	Version   string    // "" if missing
	UpdatedAt time.Time // zero if missing
	Tasks     []Task    // in the order of the file
	Others    int       // items of tasks that are no objects
}

// Claimant is the one prompt of a session that asks for advice.
type Claimant struct {
	Session      logfmt.SessionID
	PromptID     string // for the lease; "" if the agent gives none
	PID          int
	CriticalOnly bool // of advice only the critical: the prompt is machine-made, or the turn is about to end
	// MessagesOnly leaves out all advice: the user's settings let none reach the end of a turn.
	MessagesOnly bool
	// Typed says that a person sent the agent's input line: no text of a message stands there any more.
	Typed bool
	// Only, unless it is nil, names the tasks that may be claimed inside of a turn. Of these it leaves out each that was
	// claimed before, and a second one of a type for one PromptID. So a turn is told nothing twice, even if hooks die.
	Only []string
}
