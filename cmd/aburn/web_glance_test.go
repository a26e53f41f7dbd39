package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// statusLine is what the status line of a session prints.
func (w *webWorld) statusLine(session string) string {
	w.Helper()
	cmd := w.command("aburn-hook", "claude", "statusline", "--home", w.dir+"/home")
	cmd.Stdin = strings.NewReader(`{"session_id":"` + session + `","model":{"display_name":"Opus 5.5"}}`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// untilStatus waits longer than the minute after which a sum is made anew where nobody looks at a page.
func (w *webWorld) untilStatus(session, want string) {
	w.Helper()
	got := ""
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		if got = w.statusLine(session); got == want {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	w.Fatalf("the status line of %s says %q, want %q", session, got, want)
}

// A session that waits stands in the status lines of all others, until it is answered, and no longer than aburn web runs.
func TestStatusLineSaysWhoWaits(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	const asking, other = "aaaa1111-0000-4000-8000-000000000001", "bbbb2222-0000-4000-8000-000000000002"
	w := newWebWorld(t, 0)
	t.Run("web", func(t *testing.T) {
		v := *w
		v.T = t
		v.serve("--no-ingest")
		v.begin(asking, "Fix rounding")
		v.untilStatus(other, "opus-5.5")
		v.asks(asking, "git push")
		v.untilStatus(other, "opus-5.5 · 1 waits: shop")
		v.untilStatus(asking, "opus-5.5")
		v.hook(map[string]any{"session_id": asking, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "git push"},
			"tool_response": map[string]any{}, "tool_use_id": "toolu_" + asking})
		v.untilStatus(other, "opus-5.5")
		v.asks(asking, "git push --force")
		v.untilStatus(other, "opus-5.5 · 1 waits: shop")
	})
	w.untilStatus(other, "opus-5.5") // still unanswered, and nobody would notice an answer
}

// What today costs reaches the status lines of all projects by itself.
func TestStatusLineSaysWhatTodayCosts(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	w.extra = append(w.extra, "TZ="+noonZone(time.Now()))
	w.stored("99990000-0000-4000-8000-000000000009").answer("claude-opus-5-5", 10_000)
	w.serve()
	w.untilStatus("s", "opus-5.5 · $0.20 today")
	settings := filepath.Join(w.dir, "home", ".config", "aburn", "settings.json")
	if err := os.WriteFile(settings, []byte(`{"cost.budget.day": 1, "notify.desktop": false}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.until("/cost", "$0.20 of $1 for today (20 %)")
	w.until("/cost", "$0.20 so far (estimated)")
	w.until("/cost", "not your bill.") // nobody said how it is paid; the page may be of the moment before there was an archive
}

// noonZone is a time zone in which it is about noon, so that no test runs across midnight.
func noonZone(now time.Time) string {
	return fmt.Sprintf("Etc/GMT%+d", now.UTC().Hour()-12)
}

// answer adds a prompt and an answer of a model, of now.
func (s *storedSession) answer(model string, output int) {
	s.t.Helper()
	common := fmt.Sprintf(`"sessionId":"%s","cwd":"%s","version":"2.1.329","userType":"external","isSidechain":false,"timestamp":"%s"`, s.id, s.dir,
		time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	text := fmt.Sprintf(`{"type":"user","uuid":"aaaaaaaa-0000-4000-8000-000000000001","parentUuid":null,%s,"message":{"role":"user","content":"go on"}}
{"type":"assistant","uuid":"bbbbbbbb-0000-4000-8000-000000000001","parentUuid":"aaaaaaaa-0000-4000-8000-000000000001",%s,"requestId":"req_1","message":{"id":"msg_1","type":"message","role":"assistant","model":"%s","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":%d}}}
`, common, common, model, output)
	// Two sessions with one answer's id would be a fork.
	text = strings.NewReplacer("aaaaaaaa", "a"+s.id[:7], "bbbbbbbb", "b"+s.id[:7], "msg_1", "msg_"+s.id[:4], "req_1", "req_"+s.id[:4]).Replace(text)
	if err := os.WriteFile(s.path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// Amounts are called cost on all pages. Each page says once whether they are the bill, which follows from how the user pays.
func TestWebSaysWhoseBillItIs(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for billing, want := range map[string]string{
		`{}`: "not your bill.",
		`{"cost.billing": {"claude": "subscription"}}`: "not your bill: you have a subscription to claude.",
		`{"cost.billing": {"claude": "api"}}`:          "without discounts and taxes.",
	} {
		w := newWebWorld(t, 0)
		w.extra = append(w.extra, "TZ="+noonZone(time.Now()))
		if err := os.WriteFile(filepath.Join(w.dir, "home", ".config", "aburn", "settings.json"), []byte(billing), 0o600); err != nil {
			t.Fatal(err)
		}
		w.stored("99990000-0000-4000-8000-000000000009").answer("claude-opus-5-5", 10_000)
		w.aburn("ingest", "--quiet")
		w.serve("--no-ingest")
		for _, at := range []string{"/", "/sessions?kind=all", "/cost?period=all", "/s/claude/99990000-0000-4000-8000-000000000009", "/failures", "/projects"} {
			_, page := w.page(at)
			for _, other := range []string{"API value", "list price"} {
				if strings.Contains(strings.ReplaceAll(page, "list prices", ""), other) { // prices have lists, whoever pays
					t.Errorf("%s: %s has %q", billing, at, other)
				}
			}
			if n := strings.Count(page, want); n != map[string]int{"/": 1, "/sessions?kind=all": 1, "/cost?period=all": 1, "/projects": 1,
				"/s/claude/99990000-0000-4000-8000-000000000009": 1}[at] {
				t.Errorf("%s: %s says %d times %q:\n%s", billing, at, n, want, page)
			}
		}
	}
}
