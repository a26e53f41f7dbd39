package attention

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/drawn"
	"aburn/internal/project"
)

// bytesOf is a drawing as the bytes of a log.
func bytesOf(t *testing.T, drawing string) []byte {
	t.Helper()
	d, err := drawn.Draw(nil, drawing)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// write adds to the log of a project what a drawing has after what is there already.
func write(t *testing.T, root, there, more string) {
	t.Helper()
	text := bytesOf(t, there+more)
	if there != "" {
		text = text[len(bytesOf(t, there)):]
	}
	f, err := os.OpenFile(filepath.Join(root, project.OssDir, journal.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		t.Fatal(err)
	}
}

// Following shows what entries say as they are written, of projects that are trusted meanwhile, too; while nobody would see it, it
// only notes what has changed. A log that was replaced is read anew, and a project that is gone is said to be gone.
func TestProjectsFollow(t *testing.T) {
	p := play(t, nil)
	changed := make(chan struct{}, 1)
	p.projects.changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	var away atomic.Bool
	p.projects.asked = func() bool { return !away.Load() }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.projects.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	until := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
			if is() {
				return
			}
			select {
			case <-changed:
			case <-time.After(25 * time.Millisecond):
			}
		}
		t.Fatalf("never %s: %+v", what, p.projects.List())
	}
	const asks = "@A PROMPT Bash'rm -r x'< PERMISSION"
	write(t, p.root, "", asks)
	until("shows the question", func() bool { return p.projects.Waiting() == 1 })

	other := filepath.Join(filepath.Dir(p.root), "other")
	if err := os.MkdirAll(filepath.Join(other, project.OssDir), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, other, "", asks)
	if err := project.Mark(other); err != nil {
		t.Fatal(err)
	}
	until("shows the new project's question", func() bool { return p.projects.Waiting() == 2 })

	away.Store(true)
	write(t, other, asks, " SESSION_END'other'")
	until("notes the change", func() bool {
		p.projects.mu.Lock()
		defer p.projects.mu.Unlock()
		return p.projects.of[other].dirty
	})
	if p.projects.Waiting() != 2 {
		t.Error("it looked although nobody would see it")
	}
	p.projects.Refresh(t.Context(), false)
	if p.projects.Waiting() != 1 {
		t.Error("a refresh did not look")
	}
	away.Store(false)

	log := filepath.Join(p.root, project.OssDir, journal.Name)
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	write(t, p.root, "", "@B PROMPT")
	until("reads the new log", func() bool {
		one, _ := p.projects.Get(p.root)
		return len(one.Report.Sessions) == 1 && one.Report.Sessions[0].Session == "B"
	})
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	until("says that the project is gone", func() bool { one, _ := p.projects.Get(other); return one.Gone })
}
