//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// An agent that asks about itself is told how it stands by now, which no archive has yet; and what git printed proves the rule
// that is built in for it.
func TestAgentAsksForARemedy(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]struct {
		do func(command string) model.Call
		// told waits until the client's own file holds what came of the third call.
		told string
		run  func(w *world)
	}{
		"claude": {bash, `until grep -rqs '"tool_use_id":"toolu_main_2_0"' "$HOME/.claude/projects"; do sleep 0.1; done`,
			func(w *world) { w.claude("go on", free(sessionA)...) }},
		"codex": {command, `until grep -rqs '_call_output".*"call_main_2_0"' "$HOME/.codex/sessions"; do sleep 0.1; done`,
			func(w *world) { w.codexExec(w.project, "go on") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "bare", one(
				model.Calls(agent.do("touch .git/index.lock one.tmp; git add -f one.tmp")), model.Calls(agent.do("git add -f one.tmp")),
				model.Calls(agent.do("git add -f ./one.tmp")),
				model.Calls(agent.do(agent.told+"; aburn remedy --current --json > remedy.json; rm .git/index.lock one.tmp")), model.Text("asked"),
			)(), nil)
			w.aburn("ingest") // nothing is there yet
			agent.run(w)
			data, err := os.ReadFile(filepath.Join(w.project, "remedy.json"))
			if err != nil {
				t.Fatal(err)
			}
			answer := gjson.ParseBytes(data)
			equal(t, "tier", answer.Get("tier").Str, "known_fix")
			equal(t, "rule", answer.Get("known_fix.rule").Str, "git-index-lock")
			equal(t, "how often", answer.Get("known_fix.count").Int(), int64(3))
			equal(t, "outcome so far", answer.Get("subject.verdict.outcome").Str, "errored")
			equal(t, "goes on", answer.Get("subject.live").Bool(), true)
			equal(t, "failed", answer.Get("failed").Int(), int64(1))
			equal(t, "errors", answer.Get("subject.classes").Raw, `[{"class":"conflict","count":3}]`)
		})
	}
}
