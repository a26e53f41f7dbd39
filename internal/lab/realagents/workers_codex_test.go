//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// codexScript answers Codex's request for a title beside the turns.
func codexScript(turns ...model.Turn) model.Script {
	title := model.Conversation{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true,
		Turns: []model.Turn{model.Text("a title")}}
	return append(model.Script{&title}, one(turns...)()...)
}

// codexUser is a user of Codex who trusts the project and aburn's hooks.
func (w *world) codexUser() {
	w.Helper()
	w.write(filepath.Join(w.home, ".codex", "config.toml"), agents.CodexConfig(w.model.URL(), w.codex, "", "on-request", w.project))
	w.install("--agent", "codex", "--trust-codex")
}

// privateTmux gives this world's spawn a server of its own.
func (w *world) privateTmux() {
	w.Helper()
	sockets := filepath.Join(filepath.Dir(w.home), "t")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		w.Fatal(err)
	}
	w.more = append(w.more, "TMUX_TMPDIR="+sockets, "TERM=xterm-256color")
}

// sandboxed is what a worker of Codex may and may not do with git: it commits, and neither settings nor hooks nor the main
// checkout change.
const sandboxed = `echo made > made.txt && git add made.txt && git -c user.name=u -c user.email=u@example.invalid commit -qm made && echo committed
git config user.name evil; touch "$(git rev-parse --git-common-dir)/hooks/post-commit"; echo x > '$PROJECT/.oss/evil'; echo x > '$PROJECT/evil'; true`

// TestCodexIsAWorkerInTmux: the task arrives, the worker commits from within its sandbox and changes nothing else of the
// repository, and kill ends it.
func TestCodexIsAWorkerInTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(model.Calls(command(sandboxed)), model.Text("all done")), nil)
	w.privateTmux()
	w.codexUser()
	w.aburn("init")
	const task = "--first line\nsecond \"line\" $HOME"
	if out := w.aburn("spawn", "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "--", task); !strings.Contains(out,
		"has the task") {
		t.Error(out)
	}
	r := w.worker("idle")
	tree := r.Get("tree").String()
	if n := w.git("rev-list", "--count", "main..aburn/w"); strings.TrimSpace(n) != "1" {
		t.Errorf("%s commits; the model was told: %s", n, w.asked(len(w.model.Asked())-1).Last())
	}
	for _, evil := range []string{filepath.Join(w.project, ".git", "hooks", "post-commit"), filepath.Join(w.project, ".oss", "evil"),
		filepath.Join(w.project, "evil")} {
		if isFile(evil) {
			t.Errorf("the worker made %s", evil)
		}
	}
	if strings.Contains(w.read(filepath.Join(w.project, ".git", "config")), "evil") {
		t.Error("the worker changed the settings of git")
	}
	told := w.model.Asked()
	if !slices.ContainsFunc(told, func(r *model.Request) bool {
		return slices.ContainsFunc(r.Items, func(i model.Item) bool { return strings.Contains(i.Text, task) })
	}) || !slices.ContainsFunc(told, func(r *model.Request) bool { return strings.Contains(string(r.Body), "git worktree of your own") }) {
		t.Error("the model was not told the task and the rules")
	}
	if out := w.aburn("kill", "w"); !strings.Contains(out, "killed") {
		t.Error(out)
	}
	w.worker("terminated")
	events := w.events(tree)
	for _, once := range []logfmt.Event{logfmt.SessionStart, logfmt.Prompt, logfmt.Tool, logfmt.Stop} {
		if n := len(slices.DeleteFunc(slices.Clone(events), func(e string) bool { return e != string(once) })); n != 1 {
			t.Errorf("%d of %s: %v", n, once, events)
		}
	}
}

// TestCodexIsAWorkerHere: spawn --attach. Under ask nothing is written unasked, and a question is seen as such.
func TestCodexIsAWorkerHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(model.Calls(command("echo x > unasked.txt")), model.Calls(escalated("echo made > made.txt")), model.Text("all done")),
		nil)
	w.codexUser()
	w.aburn("init")
	term := w.terminal("aburn", "spawn", "--attach", "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "make it")
	term.see("Would you like to")
	r := w.worker("needs_input")
	tree := r.Get("tree").String()
	term.insist("y", func() bool { return isFile(filepath.Join(tree, "made.txt")) })
	term.see("all done")
	w.worker("idle")
	term.insist("C-u", func() bool { return true })
	term.say("/quit")
	term.gone()
	r = w.worker("terminated")
	if r.Get("exit").Raw != "0" || r.Get("changes").Int() != 1 || isFile(filepath.Join(tree, "unasked.txt")) {
		t.Error(r.Raw)
	}
}

// TestCodexGatesRunInItsSandbox: gates run scripts that the worker may have written, so they write where its own commands may, and
// nowhere else, unless the person's own file lets them out.
func TestCodexGatesRunInItsSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker",
		codexScript(model.Calls(command("echo made > made.txt && git add made.txt && git -c user.name=u -c user.email=u@example.invalid commit -qm made")),
			model.Text("all done")), nil)
	w.privateTmux()
	w.codexUser()
	w.aburn("init")
	w.aburn("spawn", "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "make it")
	w.worker("idle")
	w.aburn("kill", "w")
	w.worker("terminated")
	evil := filepath.Join(w.project, "evil")
	gate := "test -e made.txt && touch \"$(git rev-parse --git-dir)/probe\" && ! touch '" + evil + "' && ! git config user.name evil"
	if out := w.aburn("merge", "--check", "w"); !strings.Contains(out, "would merge") {
		t.Error(out)
	}
	if out := w.aburn("merge", "--gate", gate, "w"); !strings.Contains(out, "merged into") || isFile(evil) {
		t.Errorf("%s; evil: %v", out, isFile(evil))
	}
	w.write(filepath.Join(w.home, ".config", "aburn", "workers.yaml"), "gates: {unsandboxed: true}\n")
	w.git("reset", "-q", "--hard", "HEAD~1")
	if out := w.aburn("merge", "--gate", "touch '"+evil+"'", "w"); !strings.Contains(out, "merged into") || !isFile(evil) {
		t.Errorf("%s; evil: %v", out, isFile(evil))
	}
}
