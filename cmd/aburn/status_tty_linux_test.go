package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// statusStory ends when a session waits for a permission, one asks a question, and one's turn failed.
const statusStory = `+7h
@shop-1111 claude SESSION_START'startup' PROMPT'plan the cart' plan> plan.'three slices'{slices=3}[plan.md]->build STOP
@shop-3333 claude SESSION_START'resume' PROMPT'ship it' ship> { Bash'make deploy'!2 +1m }*15 TURN_FAILED'rate_limit'
@shop-4444 claude SESSION_START'startup' PROMPT'which one?' AskUserQuestion''<q
@shop-2222 codex SESSION_START'startup' PROMPT/build'the cart' build> build:RED> Bash'go test ./...'!1
PERMISSION'Bash:git push --force-with-lease origin HEAD:refs/heads/a-rather-long-name'
+4m @shop-1111 PROMPT'and now?' Bash'go vet ./...'(20s)`

// What waits for the person comes first, in words. Sentences are whole on a terminal of any width.
func TestStatusSaysWhatWaitsForYou(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	for _, columns := range []uint16{40, 80, 130} {
		dir := newProject(t)
		lines, end := drawn.Lines(statusStory)
		for _, l := range lines { // the story ends now
			l.Entry.Time = l.Entry.Time.Add(time.Since(end).Truncate(time.Millisecond))
		}
		log, err := (&drawn.Drawing{Lines: lines}).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".oss", "workflow.log"), log, 0o600); err != nil {
			t.Fatal(err)
		}
		shown := onColumns(t, columns, "", dir, []string{"NO_COLOR=1"}, "status")
		if !strings.HasPrefix(shown, "waits for you\n  permission: Bash `git push ") &&
			!strings.HasPrefix(shown, "waits for you\n  question: AskUserQuestion since 4 m\n") {
			t.Errorf("%d columns: does not begin with what waits:\n%s", columns, shown)
		}
		for line := range strings.Lines(shown) {
			if w := plain.Width(strings.TrimSuffix(line, "\n")); w > int(columns) && !strings.HasPrefix(line, "project") {
				t.Errorf("%d columns, and %d cells: %q", columns, w, line)
			}
			if strings.Contains(line, "…") && !strings.HasPrefix(line, "chain") && !strings.HasPrefix(line, "project") && !strings.HasPrefix(line, "  … ") {
				t.Errorf("%d columns: cut: %q", columns, line)
			}
		}
		flowing := strings.Join(strings.Fields(shown), " ")
		for _, whole := range []string{
			"permission: Bash `git push --force-with-lease origin HEAD:refs/heads/a-rather-long-name` since 4 m codex shop-222 · entry ",
			"question: AskUserQuestion since 4 m claude shop-444 · entry ",
			"turn failed: rate_limit since 4 m claude shop-333 · entry ",
			`the call "Bash: make deploy" was made 15 times with the same input and the same result, and all of them failed; aburn saw no change in between`,
			"watcher none: stuck and waiting sessions show up only when you run a command",
		} {
			if !strings.Contains(flowing, whole) && !strings.Contains(strings.ReplaceAll(flowing, " ", ""), strings.ReplaceAll(whole, " ", "")) {
				t.Errorf("%d columns: not whole: %s\n%s", columns, whole, shown)
			}
		}
	}
	if shown := onTerminal(t, newProject(t), []string{"NO_COLOR=1"}, "status"); !strings.Contains(shown, "nothing waits for you\n") {
		t.Errorf("of an empty project: %s", shown)
	}
}
