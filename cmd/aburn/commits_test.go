package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// TestCommits: commits come with their sessions and checks, a filter leaves those of a session, and lines that somebody replaced don't survive.
func TestCommits(t *testing.T) {
	world.Slow(t)
	h := newHistoried(t)
	h.write("README", "one\n")
	h.git("add", ".")
	h.git("commit", "-qm", "start")
	h.prompt("write a parser")
	h.creates("parser.go", "package parser\n\nfunc A() {}\n\nfunc B() {}\n")
	h.bash("go test ./...", func() string { return "ok" })
	h.bash(`git add -A && git commit -m "add the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "add the parser") })
	made := h.git("rev-parse", "HEAD")
	h.now = h.now.Add(3 * 24 * time.Hour) // a person replaces one of its five lines
	h.write("parser.go", "package parser\n\nfunc A() {}\n\nfunc C() {}\n")
	h.git("commit", "-qam", "rename B")

	out, errs, code := h.run("-C", h.repo, "commits", "--survival", "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	var l struct {
		Commits []struct {
			Hash, Degree string
			Added        int
			Survives     []struct{ Days, Lines int }
			Sessions     []struct{ Session string }
		}
	}
	if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Commits) != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	c := l.Commits[1]
	days := map[int]int{}
	for _, s := range c.Survives {
		days[s.Days] = s.Lines
	}
	if c.Hash != made || c.Degree != "made" || c.Added != 5 || days[1] != 5 || days[7] != 4 || days[0] != 4 || c.Sessions[0].Session != whyID {
		t.Errorf("%+v", c)
	}
	text, _, _ := h.run("-C", h.repo, "commits", "--session", "7b1c", "--survival")
	for _, want := range []string{made[:10], "made", "7b1c2f91", "passed", "100 %", "80 %", "add the parser"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "rename B") {
		t.Errorf("a person's commit is a session's:\n%s", text)
	}
	for args, want := range map[string]string{"-n 0": "--limit", "--agent nobody": "one of", "nowhere": "no commit, range or branch", "--since soon": "--since"} {
		if _, errs, code := h.run(append([]string{"-C", h.repo, "commits"}, strings.Fields(args)...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %s", args, code, errs)
		}
	}
}
