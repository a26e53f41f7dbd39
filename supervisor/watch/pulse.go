package watch

import (
	"os"
	"path/filepath"
	"time"

	"aburn/internal/journal"

	"github.com/fsnotify/fsnotify"
)

// How often the log is asked whether it has changed where no system says so. To be woken so often costs half a percent
// of a core.
const pollEvery = 50 * time.Millisecond

// deafAfter is how many changes in a row have to be found without the system having said so, before it is not relied
// on: network and some virtual file systems say nothing.
const deafAfter = 3

// pulse notices that the log has changed: it grew, was truncated, rotated away, replaced, deleted. What is in it is the
// look's business.
type pulse struct {
	oss     *os.Root
	last    os.FileInfo       // nil: there was no log
	watcher *fsnotify.Watcher // nil: polling
	poll    *time.Ticker      // stopped while the system tells
	heard   bool              // the system said something since the last check
	deaf    int               // checks in a row that found what it had not said
}

// newPulse listens to the folder of oss, which is at path.
func newPulse(oss *os.Root, path string) *pulse {
	p := &pulse{oss: oss, poll: time.NewTicker(pollEvery)}
	p.last, _ = oss.Lstat(journal.Name)
	watcher, err := fsnotify.NewWatcher()
	if err != nil { // out of watchers: this system has few
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

func (p *pulse) close() {
	p.poll.Stop()
	if p.watcher != nil {
		p.watcher.Close()
	}
}

// events is what the system says; it blocks while it is not listened to.
func (p *pulse) events() <-chan fsnotify.Event {
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Events
}

// errors are the system's: mostly that it had more to say than it could keep.
func (p *pulse) errors() <-chan error {
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Errors
}

// is reports whether an event is about the log.
func (p *pulse) is(e fsnotify.Event) bool {
	if filepath.Base(e.Name) != journal.Name {
		return false
	}
	p.heard = true
	return true
}

// check reports whether the log has changed since the last check, and whether the system can be relied on.
func (p *pulse) check() bool {
	changed := p.changed()
	switch {
	case p.watcher == nil:
	case p.heard:
		p.deaf = 0
	case changed:
		if p.deaf++; p.deaf == deafAfter {
			p.ask()
		}
	}
	p.heard = false
	return changed
}

// ask listens no more.
func (p *pulse) ask() {
	p.watcher.Close()
	p.watcher = nil
	p.poll.Reset(pollEvery)
}

func (p *pulse) changed() bool {
	before := p.last
	p.last, _ = p.oss.Lstat(journal.Name)
	if before == nil || p.last == nil {
		return before != p.last
	}
	return before.Size() != p.last.Size() || !before.ModTime().Equal(p.last.ModTime()) || !os.SameFile(before, p.last)
}
