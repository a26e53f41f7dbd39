package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
	"aburn/hooks/copilot"
	"aburn/hooks/gemini"
	"aburn/hooks/opencode"
	"aburn/hooks/qwen"
	"aburn/logfmt"
)

// Whatever JSON comes as a payload, an adapter makes drafts of it that are valid
// entries, of which no text is longer than it should be.
func FuzzRead(f *testing.F) {
	for _, agent := range []string{"claude", "codex", "opencode", "copilot", "pi"} {
		recorded, err := os.ReadFile(filepath.Join(agent, "testdata", "payloads.tsv"))
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(recorded)) {
			name, payload, _ := strings.Cut(line, "\t")
			event, _, _ := strings.Cut(name, ".")
			f.Add(event, payload)
		}
	}
	for _, agent := range []string{"gemini", "qwen"} {
		for _, sequence := range []string{"basic", "tui"} {
			recorded, err := os.ReadFile(filepath.Join(agent, "testdata", "sequences", sequence+".jsonl"))
			if err != nil {
				f.Fatal(err)
			}
			for payload := range strings.Lines(string(recorded)) {
				f.Add("", payload)
			}
		}
	}
	agents := []hooks.Agent{claude.Agent(), codex.Agent(), opencode.Agent(), gemini.Agent(), qwen.Agent(), copilot.Agent()}
	f.Fuzz(func(t *testing.T, event, payload string) {
		proj := recordedProject(t)
		for _, agent := range agents {
			if !agent.Hooks.EventArg {
				event = ""
			}
			p, err := agent.Payload(event, []byte(payload), os.Getenv)
			if err != nil {
				continue
			}
			p.Transcript = "" // no file of this machine
			plan, ok := agent.Read(p, proj)
			if !ok || agent.Ignored(p) {
				continue
			}
			if plan.Pair != nil {
				plan.Pair("")
			}
			drafts := plan.Drafts
			if plan.Closer != nil && plan.Closer.Prepare(new(hooks.Calls)) {
				drafts = append(plan.Closer.Close(new(hooks.Calls)), drafts...)
			}
			for _, d := range drafts {
				b := d.Data.Bytes()
				if b != nil && !logfmt.Valid(b) {
					t.Errorf("%s: %s has invalid data %s", agent.Name, d.Event, b)
				}
				hooks.JSON(b).Members(func(key string, value hooks.JSON) bool {
					if n := len(value.Str()); n > hooks.PathMax || key != "path" && n > hooks.HeadMax {
						t.Errorf("%s: %s has %d bytes in %s", agent.Name, d.Event, n, key)
					}
					return true
				})
			}
		}
	})
}
