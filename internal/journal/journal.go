// Package journal keeps the log of a project as a file. Every writer appends whole
// entries to .oss/workflow.log, no acknowledged entry is ever lost, and only a
// rotation ever moves the file. What entries mean is not its business.
//
// What an append does, in this order (each step is a loss that happened without it):
//
//	lock workflow.log.lock          two writers at once, two equal numbers
//	open workflow.log, O_APPEND     only now: before, a rotation could move it away
//	look at the last byte           a killed writer's torn line would swallow our entry
//	write everything with one write half entries, when killed in between
//	write the anchor in place       the end could be cut off, and nobody would see it
//	unlock
//	sync, if the entry is durable   not under the lock: that costs the others 2-3 times
//
// Without the lock (it is busy for too long, or cannot be had) the entry is
// written all the same, beginning with a newline and without a seq. Then the
// rotator may move the file away between our opening and our writing. So the
// writer looks afterwards whether the name still means its file, and if not
// writes the same entry, same id, again. Readers drop the repeat.
//
// Races that are left, and why they are harmless:
//   - A reader takes no lock and may see half an entry: it takes only what ends
//     in a newline, and the rest the next time.
//   - Between a rotator's rename and its create there is no workflow.log. A
//     locked writer cannot see that unless the rotator died; a lock-free one
//     creates the file, and the rotator then appends its block to it.
//   - A writer dies between the log and the anchor: the anchor is behind, and it is a lower bound.
//   - Somebody deletes the lock's file while it is held: two writers at once can
//     give the same seq twice. Nothing is lost, and Verify shows it.
package journal

import (
	"os"
	"time"
)

// Name is the log's file name inside .oss. Rotated segments are called Name.<first seq>.
const Name = "workflow.log"

// LockName is the file that writers lock. It is empty and never deleted.
const LockName = "workflow.log.lock"

// TailSize is the most bytes of the log's end that an append reads, for the last sequence number,
// for attribution and for duplicates.
const TailSize = 256 << 10

// By says who works. A hook must be quick and may touch only a segment of bounded size. A command
// was run by a person or a prompt.
type By int

const (
	Hook By = iota
	Command
)

// SyncPolicy says which appends are synced to disk before they are acknowledged.
type SyncPolicy string

// The policies, in the words of the settings. Any other value means SyncDurable, which syncs the
// entries that logfmt calls durable.
const (
	SyncDurable SyncPolicy = "durable"
	SyncAll     SyncPolicy = "all"
	SyncNone    SyncPolicy = "none"
)

// Options are the settings of one Journal. The zero value is that of a hook.
type Options struct {
	By     By            // only a command may search the whole log for the last seq
	Wait   time.Duration // how long an append waits for the lock; 0 = 50 ms for a hook, 5 s for a command
	Rotate int64         // size in bytes at which a segment is due for rotation; 0 = 16 MiB
	Keep   int64         // bytes of rotated segments to keep; 0 = 512 MiB
	Sync   SyncPolicy
	// Anchor is the path of the log's anchor, which lies outside of the project. "" = the log has none.
	Anchor string
	// Now is the clock that says which entries are too old to be carried into a new segment. nil = time.Now. Whoever writes entries whose
	// times are not of today, such as a test, hands in their clock.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Wait == 0 {
		o.Wait = 50 * time.Millisecond
		if o.By == Command {
			o.Wait = 5 * time.Second
		}
	}
	if o.Rotate == 0 {
		o.Rotate = 16 << 20
	}
	if o.Keep == 0 {
		o.Keep = 512 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Journal is the log in one .oss folder. It keeps no file open between calls. Only one goroutine
// may use it at a time; other processes are free to use the log.
type Journal struct {
	root    *os.Root
	o       Options
	read    Stats
	scratch *scratch // of appends
}

// New returns the journal in root, which is .oss as opened by project.OpenOss.
// It touches no file.
func New(root *os.Root, o Options) *Journal {
	return &Journal{root: root, o: o.withDefaults()}
}

// Stats counts the damage in a reading.
type Stats struct {
	Damage int64 // lines that are neither blank, comment nor entry, or too long for an entry
	Torn   bool  // the newest segment does not end with a newline
}

// Stats describes the latest reading.
func (j *Journal) Stats() Stats { return j.read }
