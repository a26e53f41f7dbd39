//go:build agents

package realagents

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// TestWhy: commits that Claude Code and Codex make in one repository, in turns with a person, are those of their sessions, whole, amended,
// rebased, picked and squashed; what the person committed is nobody's; and a line leads to its prompt.
func TestWhy(t *testing.T) {
	t.Parallel()
	commits := func(call func(string) model.Call, name string) []model.Turn {
		return []model.Turn{
			model.Calls(call("printf '" + name + " one\\n' > " + name + ".txt && git add -A && git commit -m '" + name + " begins'")),
			model.Calls(call("printf '" + name + " two\\n' >> " + name + ".txt; git commit -qam '" + name + " goes on' && git status --short")),
			model.Text("done"),
		}
	}
	w := newWorld(t, "bare", conversations(commits(bash, "a"), commits(command, "b")), nil)
	w.more = []string{"GIT_COMMITTER_DATE="} // git takes the time that it is
	w.git("config", "user.name", "u")
	w.git("config", "user.email", "u@example.invalid")
	w.codexConfig("danger-full-access")
	person := func(name string) {
		w.Helper()
		w.write(w.project+"/"+name, name+"\n")
		w.commit("the person adds " + name)
	}
	head := func() string { return strings.TrimSpace(w.git("rev-parse", "HEAD")) }
	why := func(word string) (degree string, sessions []string) {
		w.Helper()
		r := w.run(w.project, "aburn", "why", "--json", word)
		for _, s := range gjson.Get(r.stdout, "commits.0.sessions.#.source").Array() {
			sessions = append(sessions, s.String())
		}
		if r.code > 1 {
			t.Fatalf("why %s: exit %d, %s", word, r.code, r.stderr)
		}
		return gjson.Get(r.stdout, "commits.0.degree").String(), sessions
	}
	is := func(word, degree string, sessions ...string) {
		w.Helper()
		if d, s := why(word); d != degree || !slices.Equal(s, sessions) {
			t.Errorf("%s is %s %v, want %s %v: %s", word, d, s, degree, sessions, w.git("log", "-1", "--format=%h %s", word))
		}
	}

	person("mine")
	w.git("checkout", "-qb", "topic")
	w.startClaude(w.project, "first prompt of a", free(sessionA)...).wait()
	person("between")
	w.startCodex(w.project, "first prompt of b").wait()
	is("HEAD", "made", "codex")
	is("HEAD~1", "made", "codex")
	if degree, _ := why("HEAD~2"); degree != "none" && degree != "during" { // it may be of the second in which the session ended
		t.Errorf("the person's is %s", degree)
	}
	is("HEAD~3", "made", "claude")
	is("HEAD~4", "made", "claude")
	if r := w.run(w.project, "aburn", "why", "a.txt:1", "--json"); gjson.Get(r.stdout, "commits.0.sessions.0.prompt").String() != "first prompt of a" {
		t.Errorf("the line's prompt: %s%s", r.stdout, r.stderr)
	}

	last := head()
	w.git("commit", "-q", "--amend", "-m", "reworded")
	is("HEAD", "rewritten", "codex")
	w.git("checkout", "-q", "main")
	person("on main")
	w.git("checkout", "-q", "topic")
	w.git("rebase", "-q", "main")
	is("HEAD~4", "rewritten", "claude")
	is("HEAD~1", "rewritten", "codex")
	if degree, _ := why("HEAD~2"); degree != "none" && degree != "during" { // as above
		t.Errorf("the person's is %s after the rebase", degree)
	}
	w.git("checkout", "-q", "-b", "picked", "main")
	w.git("cherry-pick", last+"~1")
	is("HEAD", "rewritten", "codex")
	w.git("checkout", "-q", "main")
	w.git("merge", "-q", "--squash", "topic")
	w.git("commit", "-qm", "all of it")
	if degree, sessions := why("HEAD"); degree != "rewritten" || !slices.Contains(sessions, "claude") || !slices.Contains(sessions, "codex") {
		t.Errorf("the squash is %s %v", degree, sessions)
	}
	w.git("merge", "-q", "-m", "merged", "picked", "-s", "ours")
	is("HEAD", "merge")

	w.git("clone", "-q", w.project, w.home+"/clone")
	if r := w.run(w.home+"/clone", "aburn", "why", "HEAD~1"); r.code != 1 || !strings.Contains(r.stdout, "aburn knows no session of this repository") {
		t.Errorf("a clone says %s%s", r.stdout, r.stderr)
	}
}
