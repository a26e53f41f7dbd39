package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/cmd/aburn/internal/supervise"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// elsewhere is the same home with another project, which the user vouches for.
func (w *webWorld) elsewhere(name string) *webWorld {
	w.Helper()
	other := *w
	other.shop = filepath.Join(w.dir, "home", "work", name)
	if err := os.MkdirAll(filepath.Join(other.shop, project.OssDir), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := project.Mark(other.shop); err != nil {
		w.Fatal(err)
	}
	return &other
}

// loops makes a session call the same failing test again and again.
func (w *webWorld) loops(session string) {
	w.begin(session, "make it work")
	for i := range 15 {
		input, id := map[string]any{"command": "make deploy"}, fmt.Sprintf("toolu_%s_%d", session, i)
		w.hook(map[string]any{"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": id})
		w.hook(map[string]any{"session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": input, "tool_use_id": id, "error": "Exit code 1"})
	}
}

// aburn web makes notices for all projects that nobody watches, each issue once, with the address of the page, and leaves the others.
func TestWebMakesNotices(t *testing.T) {
	world.Slow(t)
	w := newWebWorld(t, 0)
	told := filepath.Join(w.dir, "told")
	own := filepath.Join(w.dir, "home", ".config", "aburn", "settings.json")
	if err := os.WriteFile(own, []byte(fmt.Sprintf(`{"notify": {"desktop": false, "command": ["tee", "-a", %q]}}`, told)), 0o600); err != nil {
		t.Fatal(err)
	}
	docs, mine := w.elsewhere("docs"), w.elsewhere("mine")
	w.loops("aaaa1111-0000-4000-8000-000000000001")
	docs.loops("bbbb2222-0000-4000-8000-000000000002")
	mine.begin("cccc3333-0000-4000-8000-000000000003", "something")
	cmd := w.command("aburn", "supervisor", "watch", "--json", "-C", mine.shop)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 400 { // until it watches
		if strings.Contains(w.aburn("-C", mine.shop, "status"), "by process") {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	w.serve("--no-ingest")
	notices := func() map[string][]supervise.WatchLine {
		all := map[string][]supervise.WatchLine{}
		text, _ := os.ReadFile(told)
		for line := range strings.Lines(string(text)) {
			var one supervise.WatchLine
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			if one.Type == "loop" {
				all[filepath.Base(one.Project)] = append(all[filepath.Base(one.Project)], one)
			}
		}
		return all
	}
	for range 600 {
		if got := notices(); len(got["shop"]) > 0 && len(got["docs"]) > 0 {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	status := w.aburn("status", "-C", w.shop)
	got := notices()
	if len(got["shop"]) != 1 || len(got["docs"]) != 1 || !strings.Contains(status, "by process") {
		t.Fatalf("it tells %v, and the status is\n%s", got, status)
	}
	if link := got["shop"][0].Link; !strings.HasPrefix(link, "http://aburn.localhost:"+w.port+"/") {
		t.Errorf("the notice leads to %q", link)
	}
	if pid := fmt.Sprint(cmd.Process.Pid); !strings.Contains(w.aburn("-C", mine.shop, "status"), "by process "+pid) {
		t.Error("it took a project from its watcher")
	}
}

// Whoever wants no notices gets none: no project is watched.
func TestWebWithoutNotices(t *testing.T) {
	w := newWebWorld(t, 0)
	w.begin("aaaa1111-0000-4000-8000-000000000001", "something")
	w.serve("--no-ingest", "--no-notices")
	w.until("/", "something")
	if status := w.aburn("status", "-C", w.shop); !strings.Contains(status, "by nobody") {
		t.Error(status)
	}
}
