package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/fakegh"
	"aburn/internal/lab/world"
)

// plantedForge is gh with a state, and a remote that is a folder.
func (s *site) plantedForge() (state string) {
	s.Helper()
	state = filepath.Join(s.home, "gh.json")
	s.shim("gh", "#!/bin/sh\ncd \"$HOME\" && FAKE_GH=$HOME/gh.json exec fake-gh \"$@\"\n")
	s.shim("ssh", "#!/bin/sh\nfor last; do :; done\nwhat=${last%% *}\nexec git ${what#git-} \"$HOME/cart.git\"\n")
	s.more = append(s.more, "GIT_SSH_COMMAND="+filepath.Join(s.shims, "ssh"))
	s.must(os.WriteFile(state, []byte(`{"Repo": "acme/cart", "Git": "cart.git", "Login": "ann"}`), 0o600))
	s.ok("git", "init", "-q", "--bare", "-b", "main", filepath.Join(s.home, "cart.git"))
	s.ok("git", "remote", "add", "origin", "git@github.com:acme/cart.git")
	s.ok("git", "push", "-q", "origin", "main")
	return state
}

// What is between a worker and those who tell it something goes by word of mouth: these files hold it until it was said, or as long as the
// tree stands (docs/formats/ledger.md).
var wordForWord = []string{"/outbox/", "/inbox/", "/said.", "/say.", "/errs.", "/talk."}

// No page, ledger, log, notice or answer holds a secret of a worker's task, its messages, its questions, its gates, or its pull request's
// title, comments and logs.
func TestPlantedSecretsOfWorkersStayHidden(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	p := newPlanted()
	var plain []int // kinds that this agent's shell can say
	for i, kind := range plantedKinds {
		if !strings.ContainsAny(strings.ReplaceAll(kind[1], "+", ""), "\"'\\\n%$&") {
			plain = append(plain, i)
		}
	}
	n := 0
	next := func(way string) string {
		n++
		return p.text(plain[n%len(plain)], way)
	}
	s, w := newBoard(t)
	state := s.plantedForge()
	agent := strings.NewReplacer("the export is there", "done, "+next("aburn done"), `"I changed cart.txt"`,
		`"I changed cart.txt with `+next("answer of a worker")+`"`,
		`ALTER TABLE carts ADD COLUMN total numeric`, next("permission of a worker")).Replace(boarding)
	s.shim("claude", agent)
	told := filepath.Join(s.home, "notices")
	s.must(os.MkdirAll(filepath.Join(s.home, ".config", "aburn"), 0o700))
	s.must(os.WriteFile(filepath.Join(s.home, ".config", "aburn", "settings.json"),
		[]byte(fmt.Sprintf(`{"notify": {"desktop": false, "command": ["tee", "-a", %q]}}`, told)), 0o600))
	output := filepath.Join(s.home, "output")
	s.must(os.WriteFile(output, []byte(next("gate's output")+"\n"), 0o600))
	s.headless("migrate-carts", "migrate the carts; "+next("task"))
	s.headless("fix-rounding", next("task")+" and fix the rounding")
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--gate", "echo "+next("gate's line")+"; cat "+output+"; exit 1", "--name", "export",
		"finish the export, "+next("task"))
	for name, states := range map[string][]string{"migrate-carts": {"needs_input"}, "fix-rounding": {"idle"}} {
		s.until(name+" is "+states[0], s.is(name, states[0]))
	}
	for range 8 * world.Storm(1) {
		s.ok("aburn", "send", "--wait", longWait.String(), "fix-rounding", "look: "+next("message"))
	}
	tree := s.tree("fix-rounding")
	s.must(os.WriteFile(filepath.Join(tree, p.text(0, "file of a worker")+".txt"), []byte(next("change")+"\n"), 0o600))
	s.ok("git", "-C", tree, "add", "-A")
	s.ok("git", "-C", tree, "commit", "-q", "-m", "Fix "+next("commit"))
	s.ok("aburn", "pr", "fix-rounding")
	s.must(fakegh.Change(state, func(f *fakegh.State) {
		pull := f.Pulls[len(f.Pulls)-1]
		pull.Title, pull.Body, pull.Decision = next("title of a pull request"), next("body of a pull request"), "CHANGES_REQUESTED"
		pull.Checks = []fakegh.Check{{ID: 7, Name: "test " + p.text(1, "name of a check"), Conclusion: "FAILURE"}}
		pull.Reviews = []fakegh.Comment{{ID: "R1", Author: "bob", Type: "User", Association: "MEMBER", State: "CHANGES_REQUESTED", Body: next("review"),
			Head: pull.Head}}
		pull.Threads = []*fakegh.Thread{{ID: "T1", Path: "cart.txt", Line: 1,
			Comments: []fakegh.Comment{{ID: "C1", Author: "bob", Type: "User", Association: "MEMBER", Body: next("comment")}}}}
		f.Logs = map[string]fakegh.Log{"7": {Step: "Run go test", Text: "2026-11-22T12:00:00.1Z " + next("log of a check") +
			"\n2026-11-22T12:00:00.2Z ##[error]exit code 1\n"}}
	}))
	s.ok("aburn", "daemon", "start")
	t.Cleanup(func() { s.command("aburn", "daemon", "stop", "--yes").Run() })
	w.serve("--no-ingest")
	events := w.stream()
	w.until("/", "Permission for Bash")
	heard := func() bool {
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(tree), "told-fix-rounding"))
		return strings.Contains(string(text), "checks failed") && strings.Contains(string(text), "review")
	}
	s.until("fix-rounding was told of its pull request", heard)
	s.until("a person was told something", func() bool { return fileExists(told) })

	kinds := len(p.all)
	pages := w.crawl(func(at, page string) { p.leaks(t, at, page) }, "/", "/sessions?kind=all", "/health", "/marks")
	p.leaks(t, "/events", events())
	for _, args := range [][]string{{"ps"}, {"ps", "--all", "--json"}, {"ps", "fix-rounding"}, {"ps", "export"}, {"ps", "migrate-carts"},
		{"ps", "fix-rounding", "--json"}, {"ps", "migrate-carts", "--json"}, {"ps", "export", "--json"},
		{"pr", "--check", "fix-rounding"}, {"status", "--json"}, {"tail"}, {"query", "--json"}, {"top", "--once"}, {"overlap"}, {"ingest", "--json"},
		{"show", "fix-rounding@"}, {"show", "fix-rounding@", "--calls", "--all"}, {"show", "migrate-carts@", "--json"}} {
		cmd := s.command("aburn", args...)
		out, _ := cmd.CombinedOutput()
		p.leaks(t, "aburn "+strings.Join(args, " "), string(out))
	}
	notices, _ := os.ReadFile(told)
	p.leaks(t, "a notice", string(notices))
	agents, _ := os.ReadFile(filepath.Join(filepath.Dir(tree), "told-fix-rounding"))
	for secret, of := range p.all { // its person may tell it secrets; a forge must not
		if strings.Contains(of, "check") || strings.Contains(of, "review") || strings.Contains(of, "comment") {
			if strings.Contains(string(agents), secret) {
				t.Errorf("the agent is told a secret: %s", of)
			}
		}
	}
	said := ""
	s.until("the gate failed", func() bool {
		log, _ := os.ReadFile(filepath.Join(s.home, ".local", "state", "aburn", "daemon", "log"))
		said = string(log)
		return strings.Contains(said, "a gate failed with 1")
	})
	p.leaks(t, "the log of aburn daemon start", said)
	for secret, of := range p.all { // a ledger holds the lines of gates, because they are run
		if strings.Contains(of, "gate's line") {
			delete(p.all, secret)
		}
	}
	files := p.leaksInFiles(t, s.home, func(path string) bool {
		for _, part := range append(wordForWord, "/gh.json", "/cart.git/", "/.git/", "/trees/", "/output") {
			if strings.Contains(path, part) {
				return false
			}
		}
		return true
	})
	t.Logf("%d secrets, %d pages, %d files", kinds, pages, files)
	if kinds < 25 || pages < 15 || files < 20 {
		t.Error("that is too few")
	}
}
