// Package journal is the log of a project as a file: every writer appends whole
// entries to .oss/workflow.log, no acknowledged entry is ever lost or torn, and
// nobody but a rotation ever moves the file.
package journal

import (
	"os"
	"time"
)

// Name is the log's file name inside .oss; rotated segments are called Name.<first seq>.
const Name = "workflow.log"

// LockName is the file that writers lock. It is never deleted and holds nothing.
const LockName = "workflow.log.lock"

// TailSize is how many bytes of the log's end an append looks at, for the last
// sequence number, for attribution and for duplicates.
const TailSize = 256 << 10

// By says who is at work: a hook, which must be quick and may touch only a
// segment of bounded size, or a command that a person or a prompt runs.
type By int

// The kinds of worker.
const (
	Hook By = iota
	Command
)

// SyncPolicy says which appends are synced to the disk before they are acknowledged.
type SyncPolicy int

// The policies. The zero value syncs what logfmt calls durable.
const (
	SyncDurable SyncPolicy = iota
	SyncAll
	SyncNone
)

// Options are the settings of one Journal. The zero value is that of a hook.
type Options struct {
	By     By            // a command may search the whole segment for the last seq
	Wait   time.Duration // how long an append waits for the lock; 0 = 50 ms for a hook, 5 s for a command
	Rotate int64         // size in bytes at which a segment is due for rotation; 0 = 16 MiB
	Keep   int64         // bytes of rotated segments to keep; 0 = 512 MiB
	Sync   SyncPolicy
}

// Journal is the log in one .oss folder. It holds no open file between calls.
// One goroutine uses it at a time; other processes may do what they like.
type Journal struct {
	root *os.Root
	o    Options
	read Stats
}

// New returns the journal in root, which is .oss as opened by project.OpenOss.
// It touches no file.
func New(root *os.Root, o Options) *Journal {
	return &Journal{root: root, o: o}
}

// Stats counts what a reading passed over.
type Stats struct {
	Damage int64 // lines that are neither blank, comment nor entry, or too long to be one
	Torn   bool  // the newest segment ended without a newline
}

// Stats tells about the reading that was started last.
func (j *Journal) Stats() Stats { return j.read }
