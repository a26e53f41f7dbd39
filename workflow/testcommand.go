package workflow

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// TestRun is what a shell command says about tests.
type TestRun struct {
	Runs bool // it runs tests
	Pass bool // exit code 0 means that they passed; false behind a pipe, before `|| true`, or if the text was cut
	Fail bool // a nonzero exit code means that one failed
}

// IsTestCommand reports whether a shell command, or the beginning of one, runs tests. One of the
// model's TestCommands must be a command's name there, also after `cd x &&`, assignments, `sh -c`
// and wrappers.
func (m *Model) IsTestCommand(head string) bool { return m.TestRun(head).Runs }

// TestRun says whether a shell command runs tests, and what its exit code then means. head is the
// script or an entry's version of it: its beginning, with blanks for newlines and an ellipsis for
// the rest.
func (m *Model) TestRun(head string) TestRun {
	t := m.testRun(head, 0)
	if strings.Contains(head, "…") {
		t.Pass, t.Fail = false, false
	}
	return t
}

func (m *Model) testRun(script string, depth int) TestRun {
	var s status
	for _, c := range shell.Commands(script) {
		for words, more := c.Words, []string(nil); len(words) > 0; words = more {
			words, more = lostNewline(words)
			after := c.After
			if len(more) > 0 {
				after = ";"
			}
			s.add(m.simple(words, depth), words, after, c.Inner)
		}
	}
	if i := strings.IndexByte(script, '#'); !s.runs && i >= 0 && m.mentions(strings.Fields(script[i+1:])) {
		return TestRun{Runs: true} // the comment may have ended at the lost newline
	}
	return s.result()
}

// lostNewline splits words that can only be two commands, because an entry's head has no
// newlines.
func lostNewline(words []string) (first, more []string) {
	end := len(words)
	switch words[0] {
	case "cd", "pushd", "source", ".":
		end = min(2, end)
	case "export":
		end = leading(words, func(i int) bool { return shell.IsAssignment(words[i]) })
	case "set":
		end = leading(words, func(i int) bool {
			return shell.IsOption(words[i]) || strings.HasSuffix(words[i-1], "o") && shell.IsOption(words[i-1])
		})
	}
	return words[:end], words[end:]
}

// leading is the number of words that belong to a command if every word after the first must
// satisfy is. If none does, it is all of them.
func leading(words []string, is func(i int) bool) int {
	for i := 1; i < len(words); i++ {
		if !is(i) && i > 1 {
			return i
		}
	}
	return len(words)
}

// simple says what one simple command means for tests.
func (m *Model) simple(words []string, depth int) TestRun {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if script := script(words[i:]); script != "" && depth < 2 {
			return m.testRun(script, depth+1)
		}
		if m.isTest(words[i:]) {
			return TestRun{true, true, true}
		}
		if n := shell.Wrapper(words[i:]); n > 0 {
			i += n - 1
			continue
		}
		if !shell.IsOption(w) && !isAmount(w) && !shell.IsAssignment(w) && !shell.IsReserved(w) && (i == 0 || !shell.IsOption(words[i-1])) {
			break
		}
	}
	return TestRun{}
}

// script is the argument of a shell's -c, or "".
func script(words []string) string {
	if !shell.IsShell(path.Base(words[0])) {
		return ""
	}
	return shell.DashC(words[1:])
}

// isTest reports whether words begin with one of the TestCommands.
func (m *Model) isTest(words []string) bool {
	base := path.Base(words[0])
	for _, pattern := range m.TestCommands {
		if mayBegin(base, pattern) && m.begins(words, base, pattern) > 0 {
			return true
		}
	}
	return false
}

func (m *Model) mentions(words []string) bool {
	for i := range words {
		if m.isTest(words[i:]) {
			return true
		}
	}
	return false
}

// testPath stands for the path of a test in a pattern; see IsTestPath.
const testPath = "<test>"

// mayBegin quickly rejects nearly all patterns.
func mayBegin(base, pattern string) bool {
	return pattern != "" && base != "" && (pattern[0] == base[0] || pattern[0] == '<' || pattern[0] == '*')
}

// begins is the number of words that match the pattern, or 0. Options, each with one word, may
// stand between. In a pattern, test* is a word with that prefix, *:test a word that contains it,
// and * any word; none of them matches an option. base, the command's name without its folder, is
// compared.
func (m *Model) begins(words []string, base, pattern string) int {
	want, rest, _ := strings.Cut(pattern, " ")
	if want == testPath {
		if !strings.Contains(words[0], "/") || !m.IsTestPath(words[0]) {
			return 0
		}
	} else if !wordMatches(want, base) {
		return 0
	}
	i := 1
	for rest != "" {
		want, rest, _ = strings.Cut(rest, " ")
		for !m.isWord(want, words[i:]) {
			if i++; i > len(words) || !shell.IsOption(words[i-1]) && !shell.IsOption(words[i-2]) {
				return 0
			}
		}
		i++
	}
	return i
}

// isWord reports whether the first of words, if any, matches want.
func (m *Model) isWord(want string, words []string) bool {
	if len(words) == 0 {
		return false
	}
	return wordMatches(want, words[0]) || want == testPath && !shell.IsOption(words[0]) && m.IsTestPath(words[0])
}

func wordMatches(want, word string) bool {
	start, open := strings.CutSuffix(want, "*")
	if !open {
		return word == want
	}
	if end, ok := strings.CutPrefix(start, "*"); ok && end != "" {
		return strings.Contains(word, end) && !shell.IsOption(word)
	}
	return strings.HasPrefix(word, start) && !shell.IsOption(word)
}

// isAmount reports whether a word is a number or a time, as in `timeout 60s`.
func isAmount(word string) bool {
	return word != "" && '0' <= word[0] && word[0] <= '9' && strings.Trim(word, "0123456789.smhd") == ""
}
