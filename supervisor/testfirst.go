package supervisor

import (
	"path"
	"slices"
	"strings"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// testFirst finds production code that was edited in a phase that is for tests
// only, and phases after one that should have shown a failing test and did not.
func (j *judgement) testFirst(v *view) {
	v.runs(func(agent string, r *state.Run) {
		for i, p := range r.Phases {
			if p.Edited > 0 {
				j.editedTooEarly(v, agent, r, p)
			}
			if i+1 < len(r.Phases) {
				j.notSeenFailing(v, agent, r, p, r.Phases[i+1])
			}
		}
	})
}

func (j *judgement) editedTooEarly(v *view, agent string, r *state.Run, p *state.Phase) {
	var paths []string
	var marks []state.Mark
	unclear := 0
	for _, e := range p.Edits {
		if holdsTests(e.Path) || likelyTest(e.Path) {
			continue
		}
		marks = append(marks, e.Mark)
		if perhapsTest(e.Path) {
			unclear++
		}
		if !slices.Contains(paths, e.Path) {
			paths = append(paths, e.Path)
		}
	}
	if len(marks) == 0 {
		return
	}
	c := min(0.97, 0.9+0.03*float64(len(marks)))
	if unclear == len(marks) {
		c = 0.7
	}
	j.add(Issue{
		Type: limits.TDDViolation, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.TDDViolation, v.ID, "edit", p.Name, p.Start.Anchor()),
		Evidence:  append(marks, p.Start), Since: marks[0],
		Says:    "production code was edited in the phase " + quoted(p.Name) + " of " + quoted(r.Cmd) + ": " + list(paths, 3),
		Healthy: "in this phase only tests and their fixtures are edited, until one fails for the right reason",
		Suggest: "Take the change of production code back, or set it aside, until a test fails that asks for it.",
	})
}

// notSeenFailing judges the phase next by the phase p before it. If the result of a
// test command in p is unknown (behind a pipe), it reports nothing.
func (j *judgement) notSeenFailing(v *view, agent string, r *state.Run, p, next *state.Phase) {
	kind, ok := j.model.Phase(p.Name)
	if _, known := j.model.Phase(next.Name); !ok || !known || !kind.FailingTest || next.Name == p.Name || next.Skipped != "" {
		return
	}
	if v.Source == "" || v.sawFailing(r, p, next) || !p.Start.Is() || !next.Start.Is() || p.Failed || p.Declared || p.TestFailed.Is() || p.TestUnsure > 0 {
		return
	}
	c, says := 0.93, "no test command ran in it"
	if p.TestPassed.Is() {
		c, says = 0.95, "the tests that ran in it passed"
	}
	switch failed, all := v.failedIn(p, next.Start); {
	case slices.ContainsFunc(failed, mayTest), ranTheTest(j.model, v, p, failed):
		return
	case len(failed) > 0:
		c, says = min(c, 0.85), says+"; "+count(len(failed), "other call")+" failed"
	case !all:
		c = 0.85 // what else failed in it is forgotten
	}
	j.add(Issue{
		Type: limits.TDDViolation, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.TDDViolation, v.ID, "unseen", p.Name, p.Start.Anchor()),
		Evidence:  []state.Mark{p.Start, p.TestPassed, p.End, next.Start}, Since: next.Start,
		Says: "the phase " + quoted(next.Name) + " of " + quoted(r.Cmd) + " was begun" + next.Start.Cited() + ", and " + quoted(p.Name) +
			" before it neither showed nor declared a failing test: " + says,
		Healthy: "a test was run and failed for the right reason before the code that makes it pass is written",
		Suggest: "Run the new test without the new code and read its failure; then log it (--metric tests_failing=N).",
	})
}

// sawFailing reports whether a test failed since the phase before p ended, which also
// covers phases that were logged late.
func (v *view) sawFailing(r *state.Run, p, next *state.Phase) bool {
	from := r.Start
	for _, q := range r.Phases {
		if q == p {
			break
		}
		from = q.End
	}
	return slices.ContainsFunc(v.Tests, func(t *state.Test) bool {
		return from.Is() && t.LastFail.Ord > from.Ord && t.LastFail.Ord < next.Start.Ord
	})
}

// mayTest reports whether a call that no pattern of the model matches may be a test.
func mayTest(d *state.Did) bool {
	line := strings.ToLower(d.Input)
	for _, word := range []string{"test", "spec", "check", "verify", "suite", "coverage", "run-ci", "tox", "nox"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return strings.Contains(line, "…")
}

// ranTheTest reports whether one of the failed calls came after a test was written in
// the phase and may have run it: projects have scripts of their own.
func ranTheTest(m *workflow.Model, v *view, p *state.Phase, failed []*state.Did) bool {
	written := state.Mark{}
	for _, l := range v.allLines() {
		for i := range l.Recent {
			if d := &l.Recent[i]; d.Edit && !d.Failed && !d.Denied && d.Ord > p.Start.Ord && (!written.Is() || d.Ord < written.Ord) && m.IsTestPath(d.Input) {
				written = d.Mark
			}
		}
	}
	return written.Is() && slices.ContainsFunc(failed, func(d *state.Did) bool { return d.Ord > written.Ord && !cannotTest(d) })
}

// cannotTest reports whether a shell call runs a program that runs no tests. Compilers
// are not among them: a test of code that does not exist yet does not compile.
func cannotTest(d *state.Did) bool {
	if asksService(d) {
		return true
	}
	words := strings.Fields(d.Input)
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "git", "cd", "mkdir", "rm", "cp", "mv", "ln", "touch", "chmod", "chown", "export", "source", "kill", "pkill", "sleep", "aburn",
		"pip", "pip3", "apt", "apt-get", "brew", "apk", "dnf", "yum", "curl", "wget", "ssh", "scp", "rsync", "kubectl", "helm", "terraform", "gh", "psql", "mysql",
		"redis-cli":
		return true
	}
	for _, word := range words[1:min(len(words), 4)] {
		switch word {
		case "install", "i", "ci", "add", "remove", "update", "upgrade", "fetch", "pull", "push", "login", "publish", "deploy", "start", "serve", "dev", "fmt",
			"format":
			return true
		}
	}
	return false
}

// failedIn are the shell calls that failed between the phase's start and the mark
// and are not known as tests; all is false where some are forgotten.
func (v *view) failedIn(p *state.Phase, to state.Mark) (failed []*state.Did, all bool) {
	all = !v.End.Is() && len(v.Own.Recent) < state.MaxRecent || len(v.Own.Recent) > 0 && v.Own.Recent[0].Ord < p.Start.Ord
	for _, a := range v.Agents { // whose calls are forgotten when it ends
		all = all && (a.Running() || a.Last.Ord < p.Start.Ord || a.Begun.Ord > to.Ord)
	}
	for _, l := range v.allLines() {
		for i := range l.Recent {
			if d := &l.Recent[i]; d.Failed && state.IsShell(d.Tool) && !onlyLooks(d) && !state.AnswersNo(d) && d.Ord > p.Start.Ord && d.Ord < to.Ord {
				failed = append(failed, d)
			}
		}
	}
	return failed, all
}

// holdsTests reports whether production code of this language has its tests in the
// same file, so that an edit of it says nothing.
func holdsTests(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".rs", ".zig", ".d", ".rkt", ".ml", ".roc", ".odin", ".v":
		return true
	}
	return false
}

// likelyTest reports whether a word of the path says that it is a test or what tests
// need, although no pattern of the model matches it: no list has every layout.
func likelyTest(path string) bool {
	for _, word := range words(path) {
		switch {
		case slices.Contains(testWords, word):
			return true
		case slices.Contains(noTestWords, word):
		case strings.HasPrefix(word, "test"), strings.HasSuffix(word, "test"), strings.HasSuffix(word, "tests"), strings.HasSuffix(word, "spec"),
			strings.HasSuffix(word, "specs"):
			return true
		}
	}
	return false
}

var testWords = []string{
	"spec", "e2e", "bdd", "behave", "cucumber", "gherkin", "stepdef", "stepdefs", "fixture", "fixtures", "mock", "mocks", "stub", "stubs", "fake", "fakes",
	"acceptance", "conftest", "golden", "goldens", "cypress", "playwright", "smoke", "qa", "itest", "t",
}

// mayTestWords stand in paths of tests and of production code alike.
var mayTestWords = []string{
	"step", "steps", "feature", "features", "factory", "factories", "integration", "functional", "unit", "example", "examples", "sample", "samples",
	"snapshot", "snapshots", "double", "doubles", "dummy", "bench", "benches", "benchmark", "benchmarks", "regression", "stories", "harness", "support", "it",
}

// perhapsTest is likelyTest for words that prove less.
func perhapsTest(path string) bool {
	return slices.ContainsFunc(words(path), func(word string) bool { return slices.Contains(mayTestWords, word) })
}

var noTestWords = []string{
	"latest", "fastest", "greatest", "shortest", "lightest", "contest", "contests", "attest", "protest", "protests", "detest",
	"testimonial", "testimonials", "testament", "testify", "inspec",
}

// words are the words of a path in lower case: FooTest_bar/x-y.go has foo, test, bar, x,
// y and go.
func words(path string) []string {
	var list []string
	from := 0
	end := func(i int) {
		if i > from {
			list = append(list, strings.ToLower(path[from:i]))
		}
		from = i
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'A' <= c && c <= 'Z':
			if i > 0 && !('A' <= path[i-1] && path[i-1] <= 'Z') {
				end(i)
			}
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
		default:
			end(i)
			from = i + 1
		}
	}
	end(len(path))
	return list
}
