package report

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/trace"
)

// The page of the pile, read and checked number by number against what stands at pile.
func TestMarkdown(t *testing.T) {
	want, err := os.ReadFile("testdata/pile.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := made().Markdown(); got != string(want) {
		t.Errorf("the page is\n%s", got)
	}
}

// hostile is many units of everything, all of it longer and worse than what readers let through.
func hostile() *Report {
	bad := strings.Repeat("`|# \x1b[31m\u202e\n<img>", 20)
	var list []*insight.Digest
	for i := range 100 {
		name := fmt.Sprintf("%d %s", i, bad)
		list = append(list, &insight.Digest{
			Source: name, ID: name, Agent: trace.Agent{Name: name}, End: day(1).AddDate(0, 0, 7*i), Verdict: insight.Verdict{Outcome: insight.Errored, Rule: name},
			Keys: insight.Keys{Coarse: name, Fine: name}, Classes: []insight.ClassCount{{Class: failure.Class(name), Count: 1}},
			Errors: []insight.ErrorGroup{{Class: failure.Build, Tool: name, Head: name, Text: name, Count: 1, First: 1}},
			Loops:  []insight.EditLoop{{Path: name, Edits: i}}, Tools: []insight.ToolUse{{Type: trace.ToolType(fmt.Sprint(i)), Calls: 1}},
			Slow: []insight.SlowCall{{Tool: name, What: name, MS: 1}}, Phases: []insight.PhaseUse{{Command: name, Tools: []insight.ToolFailed{{Tool: name, Failed: 1}}}},
			Usage: trace.Usage{Input: 1},
		})
	}
	tried := make([]remedy.Measured, 100)
	for i := range tried {
		tried[i].Key, tried[i].Note = bad, bad
	}
	return Make(list, Options{Now: time.Now(), Chosen: Chosen{Source: bad, Project: bad, Since: day(1), Until: day(2)}, Remedies: tried})
}

func TestMarkdownIsBounded(t *testing.T) {
	text := hostile().Markdown()
	if len(text) > MaxMarkdown || len(text) < MaxMarkdown/2 {
		t.Errorf("%d bytes", len(text))
	}
	for _, part := range []string{"Failures by shape", "Main errors", "Errors by class", "Files changed again and again", "Tools", "Phases", "By week",
		"Remedies", "left out"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Count(line, "`")%2 != 0 {
			t.Errorf("a code span is open: %s", line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }); i >= 0 {
			t.Errorf("character %q in %q", line[i:], line)
		}
		for i, outside := range strings.Split(line, "`") {
			if i%2 == 0 && strings.Contains(outside, "<img>") {
				t.Errorf("markup outside of a code span: %s", line)
			}
		}
	}
}

// Nothing here is called a remedy that works.
func TestMarkdownClaimsNothing(t *testing.T) {
	for _, r := range []*Report{made(), hostile(), Make(nil, Options{})} {
		if text := strings.ToLower(r.Markdown()); strings.Contains(text, "fix") {
			t.Errorf("the word fix is in\n%s", text)
		}
	}
}

// Files of several projects can have one path, and where no record tells of tokens it is not said that there were none.
func TestMarkdownTellsProjectsApart(t *testing.T) {
	r := &Report{
		Loops: []Loop{
			{Path: "a.go", Project: "/work/one", Units: 1, Edits: 5, Most: 5, Worst: Place{Source: "claude", Session: "s1", Event: 3}},
			{Path: "a.go", Project: "/work/two", Units: 2, Edits: 8, Most: 4, Identical: 1, Worst: Place{Source: "claude", Session: "s2", Event: 7}},
			{Path: "b.go", Units: 1, Edits: 4, Most: 4, Worst: Place{Source: "own", Session: "s3", Event: 2}},
		},
		Phases: []Phase{{Command: "build", Phase: "RED", Runs: 2, Completed: 1, Failed: 1, ActiveMS: 4000, Calls: 6, BadCalls: 1},
			{Command: "ship", Runs: 1, Completed: 1, ActiveMS: 1000, Tokens: 70, Calls: 1}},
	}
	page := r.Markdown()
	for _, row := range []string{
		"| `a.go` in `/work/one` | 5 | 0 of 5 | 1 | `claude/s1` event 3 |\n",
		"| `a.go` in `/work/two` | 4 | 1 of 8 | 2 | `claude/s2` event 7 |\n",
		"| `b.go` | 4 | 0 of 4 | 1 | `own/s3` event 2 |\n",
		"| `build:RED` | 1 of 2 | 1 of 2 | 4s | - | 1 of 6 |",
		"| `ship` | 1 of 1 | 0 of 1 | 1s | 70 | 0 of 1 |",
	} {
		if !strings.Contains(page, row) {
			t.Errorf("no row %q in\n%s", row, page)
		}
	}
}
