//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// injected is the part of a request that aburn put in, "" if there is none.
func injected(r *model.Request) string {
	for _, item := range r.Items {
		if at := strings.Index(item.Text, "From aburn"); at >= 0 {
			return item.Text[at:]
		}
	}
	return ""
}

// TestClaudeIsReminded: on resume, and after a compaction, a session is told what it logged itself: not the summary, and nothing
// that another session logged.
func TestClaudeIsReminded(t *testing.T) {
	script := func() model.Script {
		return model.Script{
			{Name: "summary", When: model.Contains("CRITICAL: Respond with TEXT ONLY"), Repeat: true,
				Turns: []model.Turn{model.Text("<summary>so far so good</summary>")}},
			{Name: "main", Turns: []model.Turn{
				model.Calls(bash("echo x > plan.md; aburn log plan COMPLETE --summary 'SUMMARY-WORDS' --output plan.md --next build")), model.Text("one done"),
				{Text: "two done", Usage: model.Usage{Input: 190000}}, // resumed
				model.Text("three done"),                              // compacted
				model.Text("another session"),
			}},
		}
	}
	t.Parallel()
	w := newWorld(t, "hooked", script(), nil)
	w.more = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}
	w.install()
	w.write("OTHER.md", "other\n")
	w.aburn("log", "ideate", "COMPLETE", "--session", sessionB, "--summary", "of another session", "--output", "OTHER.md")
	resume := []string{"--dangerously-skip-permissions", "--resume", sessionA}
	w.claude("first", free(sessionA)...)
	w.claude("second", resume...)
	w.claude("third", resume...)
	w.claude("other", free("cccccccc-0000-4000-8000-00000000000c")...)

	var main []*model.Request
	for _, r := range w.model.Asked() {
		if r.Conversation == "main" {
			main = append(main, r)
		}
	}
	for i, want := range []bool{false, false, true, true, false} {
		if i >= len(main) {
			t.Fatalf("%d requests", len(main))
		}
		text := injected(main[i])
		if got := text != ""; got != want {
			t.Errorf("request %d: reminded %v, want %v", i, got, want)
		}
		for _, word := range []string{"plan.md", "COMPLETE", "build"} {
			if want && !strings.Contains(text, word) {
				t.Errorf("request %d does not name %s:\n%s", i, word, text)
			}
		}
		if strings.Contains(text, "SUMMARY-WORDS") || strings.Contains(text, "OTHER.md") || strings.Contains(text, "ideate") {
			t.Errorf("request %d says too much:\n%s", i, text)
		}
	}
}

// TestCodexIsReminded is the same for Codex on resume.
func TestCodexIsReminded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(command("echo x > plan.md; aburn log plan COMPLETE --summary 'SUMMARY-WORDS' --output plan.md --next build")), model.Text("one done"),
		model.Text("two done"),
	)(), nil)
	w.install()
	w.codexExec(w.project, "first")
	w.codexExec(w.project, "second", "resume", w.threads()[0])
	if text := injected(w.asked(0)); text != "" {
		t.Errorf("reminded at the start:\n%s", text)
	}
	text := injected(w.asked(2))
	if !strings.Contains(text, "plan.md") || !strings.Contains(text, "build") || strings.Contains(text, "SUMMARY-WORDS") {
		t.Errorf("on resume: %q", text)
	}
}

// TestReminderSwitchedOff: the user's own settings decide.
func TestReminderSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(bash("aburn log plan COMPLETE --summary s --next build")), model.Text("one done"), model.Text("two done"),
	)(), nil)
	w.install()
	w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"inject": {"chain_on_start": false}}`)
	w.claude("first", free(sessionA)...)
	w.claude("second", "--dangerously-skip-permissions", "--resume", sessionA)
	if text := injected(w.asked(2)); text != "" {
		t.Errorf("reminded nevertheless:\n%s", text)
	}
}
