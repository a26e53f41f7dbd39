package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// TestCostByCommit: what a session cost is divided among the commits that it made, without a rest; a commit that was reworded later counts
// under its newest name, and what led to no commit is said.
func TestCostByCommit(t *testing.T) {
	world.Slow(t)
	h := newHistoried(t)
	h.write("README", "one\n")
	h.git("add", ".")
	h.git("commit", "-qm", "start")
	h.prompt("write a parser")
	h.creates("parser.go", "package parser\n")
	h.bash(`git add -A && git commit -m "add the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "add the parser") })
	first := h.git("rev-parse", "HEAD")
	h.creates("parser_test.go", "package parser\n")
	h.bash(`git add -A && git commit -qm "test"`, func() string { h.git("add", "-A"); return h.git("commit", "-qm", "test") })
	h.creates("more.go", "package parser\n")
	h.now = h.now.Add(time.Hour)
	h.git("add", "-A") // a person changes the message, and nothing else
	h.git("reset", "-q")
	h.git("commit", "-q", "--amend", "--only", "-m", "test the parser")
	second := h.git("rev-parse", "HEAD")

	out, errs, code := h.run("-C", h.repo, "cost", "--by", "commit", "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	var a struct {
		Rows []struct {
			Name      string
			Responses int
		}
		Total struct{ Responses int }
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	got, sum := map[string]int{}, 0
	for _, r := range a.Rows {
		got[r.Name] = r.Responses
		sum += r.Responses
	}
	if len(got) != 3 || got[first] != 2 || got[second] != 2 || got[""] != 1 || sum != a.Total.Responses || sum != 5 {
		t.Errorf("first %s, second %s: %v of %d\n%s", first, second, got, a.Total.Responses, out)
	}
	text, _, _ := h.run("-C", h.repo, "cost", "commits")
	for _, want := range []string{first[:10], second[:10], "no commit", "add the parser", "test the parser"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, errs, code := h.run("-C", h.home, "cost", "commits"); code == 0 || !strings.Contains(errs, "git") {
		t.Errorf("outside of a repository: %d, %s", code, errs)
	}
}
