package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// The board of the demo has the workers of recorded ledgers, each in its zone. Their pages are shown, and nothing is done with them.
func TestWebDemoHasWorkers(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	temp := filepath.Join(w.dir, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	w.extra = []string{"TMPDIR=" + temp}
	w.serve("--demo")
	page := w.until("/", `href="/w/shop-`)
	for name, id := range map[string]string{"migrate-carts": "needs", "slow-tests": "works", "paging": "review", "fix-rounding": "ready", "export": "done"} {
		if part := zone(t, page, id); !strings.Contains(part, ">"+name+"</a>") {
			t.Errorf("%s is not in %s:\n%s", name, id, part)
		}
	}
	for at, want := range map[string]string{"migrate-carts": "ALTER TABLE carts", "paging": "#31, open", "export": "the export is there",
		"fix-rounding/terminal": "fix the rounding of totals", "slow-tests/diff": ""} {
		if code, page := w.page("/w/shop/" + at); code == 404 || !strings.Contains(page, want) {
			t.Errorf("%s: %d, without %q:\n%s", at, code, want, mainOf(page))
		}
	}
	w.until("/sessions", "Review the migration of invoices")
	for _, worker := range []string{"migrate the carts table", "slowly find out which tests"} { // the board says that they wait and work
		for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) { // the archive is read before the board
			_, sessions := w.page("/sessions")
			before, _, there := strings.Cut(sessions, worker)
			row := before[max(strings.LastIndex(before, "<tr"), 0):]
			if there && strings.Contains(row, "running") {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s: its session has ended:\n%s", worker, row)
				break
			}
		}
	}
	// A believable week: tens of dollars, three projects, three agents.
	cost := w.until("/cost?period=7d", ">mobile<")
	for _, name := range []string{">shop<", ">billing<", ">mobile<", ">Claude Code<", ">Codex<", ">Gemini CLI<"} {
		if !strings.Contains(cost, name) {
			t.Errorf("the page Cost has no %s", name)
		}
	}
	if sum := mainTag.FindStringSubmatch(cost); sum == nil || !regexp.MustCompile(`^[1-9]\d\.`).MatchString(sum[2]) {
		t.Errorf("the week costs %v", sum)
	}
	homes, _ := filepath.Glob(filepath.Join(temp, "aburn-web-demo-*", "home"))
	if len(homes) != 1 {
		t.Fatal(homes)
	}
	w.extra = append(w.extra, "HOME="+homes[0])
	p := w.tab()
	for _, do := range []string{"kill", "merge", "cleanup", "send", "resume"} {
		d := p.press(map[string]any{"do": do, "project": w.key(), "worker": "slow-tests", "text": "x"})
		if d.OK || d.Ask || !strings.Contains(d.Text, "only a recording") {
			t.Errorf("%s: %+v", do, d)
		}
	}
}
