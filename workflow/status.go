package workflow

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// status tracks what decides a script's exit code. In doubt it says that the code means nothing.
type status struct {
	runs bool    // tests ran somewhere
	lost bool    // some test results do not affect the code
	odd  bool    // conditions, loops: the deciding command is unknown
	list TestRun // the current list, up to the last operator
	pipe TestRun // the current pipe
	op   string  // the operator before the pipe

	pipefail, errexit bool
}

// add handles the next simple command: what it says about tests, and the operator after it.
func (s *status) add(t TestRun, words []string, operator string, inner bool) {
	s.runs = s.runs || t.Runs
	s.lost = s.lost || t.Runs && inner
	if inner {
		return
	}
	s.options(words)
	if s.op == ";" || s.op == "\n" {
		s.next()
	}
	s.odd = s.odd || shell.IsReserved(words[0]) && words[0] != "{"
	s.pipe = both(s.pipe, t, s.pipefail && harmless(words))
	if operator == "|" {
		if !s.pipefail {
			s.drop(&s.pipe)
		}
		return
	}
	s.join(words)
	s.op, s.pipe = operator, TestRun{}
	if operator == "&" {
		s.drop(&s.list)
	}
}

// next ends the current list and begins another.
func (s *status) next() {
	if s.errexit {
		s.op = "&&"
		return
	}
	s.drop(&s.list)
	s.op = ""
}

// join adds a whole pipe, whose last command is words, to the list.
func (s *status) join(words []string) {
	switch {
	case s.op == "||" && endsBadly(words): // the code stays nonzero
	case s.op == "||" && (s.list.Runs || s.pipe.Runs):
		s.list = TestRun{Runs: true}
	default:
		s.list = both(s.list, s.pipe, harmless(words))
	}
}

// drop discards a result that no longer affects the code.
func (s *status) drop(t *TestRun) {
	s.lost = s.lost || t.Runs
	*t = TestRun{}
}

func (s *status) result() TestRun {
	known := s.list.Runs && !s.odd
	return TestRun{Runs: s.runs, Pass: known && s.list.Pass && !s.lost, Fail: known && s.list.Fail}
}

// both is a && b. What precedes the tests builds them: if it fails, they fail. What follows them
// may fail by itself, unless it is harmless.
func both(a, b TestRun, harmless bool) TestRun {
	switch {
	case !a.Runs:
		return b
	case !b.Runs:
		return TestRun{Runs: true, Pass: a.Pass, Fail: a.Fail && harmless}
	}
	return TestRun{Runs: true, Pass: a.Pass && b.Pass, Fail: a.Fail && b.Fail}
}

// options handles the options of `set` that change what decides the exit code.
func (s *status) options(words []string) {
	if words[0] != "set" {
		return
	}
	for i, w := range words[1:] {
		s.errexit = s.errexit || strings.HasPrefix(w, "-") && strings.Contains(w, "e") || w == "errexit" // w may be empty
		s.pipefail = s.pipefail || w == "pipefail" && shell.IsOption(words[i])
	}
}

func endsBadly(words []string) bool {
	return (words[0] == "exit" || words[0] == "return") && (len(words) == 1 || words[1] != "0") || words[0] == "false"
}

// harmless reports whether a command practically never fails.
func harmless(words []string) bool {
	switch path.Base(words[0]) {
	case "cd", "echo", "printf", "true", "date", "tail", "head", "tee", "cat", "sort", "sed", "awk", "wc":
		return true
	}
	return false
}
