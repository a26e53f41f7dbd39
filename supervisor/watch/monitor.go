package watch

import (
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"aburn/internal/journal"
)

// Without events of the system, the log is checked at each tick of the watch. After a change it is checked each pollEvery,
// until restAfter checks in a row find none: going on like that would cost half a percent of a core.
const (
	pollEvery = 50 * time.Millisecond
	restAfter = 100
)

// maxMissed is how many changes in a row may come without an event before polling starts: network file systems and some
// virtual ones send no events.
const maxMissed = 3

// monitor notices that the log grew, was truncated, rotated, replaced or deleted. It does not read the log.
type monitor struct {
	oss     *os.Root
	last    os.FileInfo       // nil: no log
	watcher *fsnotify.Watcher // nil: polling
	poll    *time.Ticker      // stopped while the system sends events, and at rest
	quiet   int               // checks in a row without a change
	heard   bool              // an event came since the last check
	missed  int               // changes in a row without an event
}

// newMonitor listens to the folder oss, which lies at path.
func newMonitor(oss *os.Root, path string) *monitor {
	p := &monitor{oss: oss, poll: time.NewTicker(pollEvery)}
	p.last, _ = oss.Lstat(journal.Name)
	watcher, err := fsnotify.NewWatcher()
	if err != nil { // the system's limit of watchers is reached
		return p
	}
	if err := watcher.Add(path); err != nil {
		watcher.Close()
		return p
	}
	p.watcher = watcher
	p.poll.Stop()
	return p
}

func (p *monitor) close() {
	p.poll.Stop()
	if p.watcher != nil {
		p.watcher.Close()
	}
}

// events is nil, which blocks, while polling.
func (p *monitor) events() <-chan fsnotify.Event {
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Events
}

// errors mostly report an overflow of the system's event queue.
func (p *monitor) errors() <-chan error {
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Errors
}

// isLog reports whether an event is about the log, and notes it.
func (p *monitor) isLog(e fsnotify.Event) bool {
	if filepath.Base(e.Name) != journal.Name {
		return false
	}
	p.heard = true
	return true
}

// check reports whether the log has changed since the last check. It starts polling after too many changes without an
// event.
func (p *monitor) check() bool {
	changed := p.changed()
	switch {
	case p.watcher == nil:
		p.pace(changed)
	case p.heard:
		p.missed = 0
	case changed:
		if p.missed++; p.missed == maxMissed {
			p.startPolling()
		}
	}
	p.heard = false
	return changed
}

// pace polls while the log changes, and stops when it rests.
func (p *monitor) pace(changed bool) {
	switch p.quiet++; {
	case changed:
		if p.quiet > restAfter {
			p.poll.Reset(pollEvery)
		}
		p.quiet = 0
	case p.quiet == restAfter:
		p.poll.Stop()
	}
}

func (p *monitor) startPolling() {
	p.watcher.Close()
	p.watcher = nil
	p.quiet = 0
	p.poll.Reset(pollEvery)
}

func (p *monitor) changed() bool {
	before := p.last
	p.last, _ = p.oss.Lstat(journal.Name)
	if before == nil || p.last == nil {
		return before != p.last
	}
	return before.Size() != p.last.Size() || !before.ModTime().Equal(p.last.ModTime()) || !os.SameFile(before, p.last)
}
