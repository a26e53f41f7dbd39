//go:build agents

package realagents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// TestGatesGoBackToAgents: Claude Code in tmux and without a terminal, and Codex without one, say that they are done too early. aburn daemon start
// runs their gates, each agent gets what these said once, mends it and says done again, and its gates pass.
func TestGatesGoBackToAgents(t *testing.T) {
	t.Parallel()
	shell := map[string]func(string) model.Call{"ann": bash, "bob": bash, "cid": command}
	script := model.Script{{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}}}
	for _, name := range []string{"ann", "bob", "cid"} {
		do := shell[name]
		script = append(script, &model.Conversation{Name: name, When: model.Contains("task of " + name), Turns: []model.Turn{
			model.Calls(do("sh commit.sh one one.txt")), model.Calls(do(`aburn done "` + name + ` is done"`)), model.Text("the end"),
			model.Calls(do("sh commit.sh pass pass.txt")), model.Calls(do(`aburn done "really"`)), model.Text("the end"),
		}})
	}
	w := newWorld(t, "worker", script, map[string]string{
		"commit.sh": "echo $1 > $2 && git add $2 && git -c user.name=u -c user.email=u@example.invalid commit -qm \"$1\"\n",
	})
	w.inTmux()
	w.codexUser()
	w.trusting()
	w.write(w.home+"/.claude/settings.json", `{"permissions": {"allow": ["Bash(sh commit.sh:*)"]}}`)
	w.write(w.home+"/.config/aburn/settings.json", `{"notify": {"desktop": false}}`)
	w.aburn("init")
	w.aburn("daemon", "start")
	w.Cleanup(func() { w.run(w.project, "aburn", "daemon", "stop", "--yes") })
	gate := []string{"--gate", "ls; test -e pass.txt"}
	w.aburn(append(spawned("ann", gate), "task of ann")...)
	w.aburn(append(spawned("bob", gate, "--runtime", "headless"), "task of bob")...)
	w.aburn(append(spawned("cid", gate, "--runtime", "headless", "--trust", "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY"),
		"task of cid")...)
	for _, name := range []string{"ann", "bob", "cid"} {
		r := w.named(name, inState("done"))
		if r.Get("says").String() != "really" || r.Get("messages").Exists() || r.Get("changes").Int() != 2 {
			t.Error(r.Raw)
		}
		told := 0
		for _, request := range w.model.Asked() {
			if text := fmt.Sprint(request.Items); strings.Contains(text, "task of "+name) {
				told = max(told, strings.Count(text, "from the gates of this project"))
			}
		}
		if told != 1 {
			t.Errorf("%s was told %d times", name, told)
		}
	}
}

func spawned(name string, gate []string, more ...string) []string {
	return append(append([]string{"spawn", "--name", name}, gate...), more...)
}

// TestDoneHoldsUntilThePrompt: Claude Code says that it is done and calls one more tool in the same turn. Its gates run all the same, and
// nobody is told that it did not say so.
func TestDoneHoldsUntilThePrompt(t *testing.T) {
	t.Parallel()
	script := model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		{Name: "main", When: model.Contains("the task"), Turns: []model.Turn{
			model.Calls(bash("sh commit.sh one one.txt")), model.Calls(bash("aburn done finished")), model.Calls(bash("git status")), model.Text("the end"),
		}},
	}
	w := newWorld(t, "worker", script, map[string]string{
		"commit.sh": "echo $1 > $2 && git add $2 && git -c user.name=u -c user.email=u@example.invalid commit -qm \"$1\"\n",
	})
	w.inTmux()
	w.trusting()
	w.write(w.home+"/.claude/settings.json", `{"permissions": {"allow": ["Bash(sh commit.sh:*)", "Bash(git status)"]}}`)
	told := filepath.Join(w.home, "told")
	w.write(w.home+"/bin/tell", "#!/bin/sh\ncat >> '"+told+"'; echo >> '"+told+"'\n")
	if err := os.Chmod(w.home+"/bin/tell", 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(w.home+"/.config/aburn/settings.json", `{"notify": {"desktop": false, "command": ["`+w.home+`/bin/tell"]}}`)
	w.aburn("init")
	w.aburn("daemon", "start")
	w.Cleanup(func() { w.run(w.project, "aburn", "stop", "--yes") })
	w.aburn(append(spawned("ann", []string{"--gate", "test -e one.txt"}), "the task")...)
	r := w.named("ann", inState("done"))
	if r.Get("says").String() != "finished" || r.Get("changes").Int() != 1 {
		t.Error(r.Raw)
	}
	w.waitFor(told)
	w.aburn("daemon", "stop", "--yes")
	if text := w.read(told); !strings.Contains(text, "agent-done") || strings.Contains(text, "agent-idle") || strings.Contains(text, "did not say") {
		t.Error(text)
	}
}
