package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/cmd/aburn/internal/supervise"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// elsewhere is the same home with another project, which the user trusts.
func (w *webWorld) elsewhere(name string) *webWorld {
	w.Helper()
	other := *w
	other.shop = filepath.Join(w.dir, "home", "work", name)
	if err := os.MkdirAll(filepath.Join(other.shop, project.OssDir), 0o700); err != nil {
		w.Fatal(err)
	}
	w.trust(other.shop)
	return &other
}

// loops makes a session call the same failing test again and again.
func (w *webWorld) loops(session string) {
	w.begin(session, "make it work")
	w.again(session)
}

// again calls the same failing command 15 times.
func (w *webWorld) again(session string) {
	for i := range 15 {
		input, id := map[string]any{"command": "make deploy"}, fmt.Sprintf("toolu_%s_%d", session, i)
		w.hook(map[string]any{"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": id})
		w.hook(map[string]any{"session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": input, "tool_use_id": id,
			"error": "Exit code 1"})
	}
}

// aburn web makes notices for all projects that nobody watches, each issue once, with the address of the page, and leaves the others.
func TestWebMakesNotices(t *testing.T) {
	world.Slow(t)
	t.Parallel()
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
	waitUntil(t, "mine is watched", func() bool { return strings.Contains(w.aburn("-C", mine.shop, "status"), "watcher  process") })
	w.serve("--no-ingest")
	notices := func() map[string][]supervise.WatchLine {
		all := map[string][]supervise.WatchLine{}
		text, _ := os.ReadFile(told)
		for line := range strings.Lines(string(text)) {
			if !strings.HasSuffix(line, "\n") { // it is being written
				break
			}
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
	waitUntil(t, "both are told", func() bool { got := notices(); return len(got["shop"]) > 0 && len(got["docs"]) > 0 })
	status := w.aburn("status", "-C", w.shop)
	got := notices()
	if len(got["shop"]) != 1 || len(got["docs"]) != 1 || !strings.Contains(status, "watcher  process") {
		t.Fatalf("it tells %v, and the status is\n%s", got, status)
	}
	if link := got["shop"][0].Link; !strings.HasPrefix(link, "http://aburn.localhost:"+w.port+"/") {
		t.Errorf("the notice leads to %q", link)
	}
	if pid := fmt.Sprint(cmd.Process.Pid); !strings.Contains(w.aburn("-C", mine.shop, "status"), "watcher  process "+pid) {
		t.Error("it took a project from its watcher")
	}
}

// A loop is drawn on its card: the newest calls, those that prove it in red, however long the pauses were.
func TestWebDrawsALoop(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	const session = "aaaa1111-0000-4000-8000-000000000001"
	w := newWebWorld(t, 0)
	w.begin(session, "make it work")
	input := map[string]any{"command": "make lint"}
	w.hook(map[string]any{"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_first"})
	w.hook(map[string]any{"session_id": session, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": input, "tool_response": map[string]any{},
		"tool_use_id": "toolu_first"})
	w.again(session)
	w.serve("--no-ingest", "--no-notices")
	page := w.until("/", "its last 16 calls, 15 of them in red: these prove it")
	_, figure, _ := strings.Cut(page, `<figure class="turn">`)
	figure, _, _ = strings.Cut(figure, "</figure>")
	if strings.Count(figure, "c-bad") != 15 || strings.Count(figure, "c-quiet") != 1 || !strings.Contains(figure, `x="0.0"`) ||
		!strings.Contains(figure, `x="990.0"`) {
		t.Error(figure)
	}
}

// Whoever wants no notices gets none: no project is watched.
func TestWebWithoutNotices(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	w.begin("aaaa1111-0000-4000-8000-000000000001", "something")
	w.serve("--no-ingest", "--no-notices")
	w.until("/", "something")
	if status := w.aburn("status", "-C", w.shop); !strings.Contains(status, "watcher  none") {
		t.Error(status)
	}
}
