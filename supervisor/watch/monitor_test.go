package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/internal/journal"
)

// A system that says nothing is found out, and the log is asked instead.
func TestSilentFileSystem(t *testing.T) {
	dir := t.TempDir()
	p := newMonitor(openRoot(t, dir), t.TempDir()) // it listens elsewhere
	defer p.close()
	if p.watcher == nil {
		t.Skip("no system here says what changes")
	}
	for i := range maxMissed {
		if p.check() {
			t.Errorf("check %d: changed, but nothing has", i)
		}
		if err := os.WriteFile(filepath.Join(dir, journal.Name), make([]byte, i+1), 0o600); err != nil {
			t.Fatal(err)
		}
		if p.watcher == nil {
			t.Fatalf("given up after %d changes", i)
		}
		if !p.check() {
			t.Errorf("check %d: not changed, but it is", i)
		}
	}
	if p.watcher != nil || p.events() != nil {
		t.Fatal("it is still relied on")
	}
	select {
	case <-p.poll.C:
	case <-time.After(soon):
		t.Fatal("nobody asks")
	}
}

// Polling stops when the log rests, and a change that a tick of the watch finds starts it again.
func TestPollingRests(t *testing.T) {
	dir := t.TempDir()
	p := &monitor{oss: openRoot(t, dir), poll: time.NewTicker(1)} // it is always due
	defer p.close()
	polls := func() bool {
		select {
		case <-p.poll.C:
			return true
		case <-time.After(soon):
			return false
		}
	}
	for range restAfter - 1 {
		p.check()
	}
	if !polls() {
		t.Fatal("it stopped too early")
	}
	p.check()
	select {
	case <-p.poll.C:
		t.Fatal("it polls on")
	default:
	}
	if err := os.WriteFile(filepath.Join(dir, journal.Name), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !p.check() || !polls() {
		t.Fatal("nobody polls after a change")
	}
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, journal.Name)
	p := newMonitor(openRoot(t, dir), dir)
	defer p.close()
	for i, change := range []func() error{
		func() error { return os.WriteFile(log, []byte("a\n"), 0o600) },
		func() error { return os.WriteFile(log, []byte("a\nb\n"), 0o600) },
		func() error { return os.Truncate(log, 2) },
		func() error { return os.Chtimes(log, time.Time{}, time.Now().Add(time.Hour)) },
		func() error { return os.Rename(log, log+".1") },
		func() error { return os.Symlink(log+".1", log) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if !p.changed() {
			t.Errorf("change %d was not noticed", i)
		}
		if p.changed() {
			t.Errorf("change %d was noticed twice", i)
		}
	}
}
