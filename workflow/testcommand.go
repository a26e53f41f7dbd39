package workflow

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// TestRun is what a shell command says about tests.
type TestRun struct {
	Runs bool // it runs some
	Pass bool // exit code 0 means that they passed; false behind a pipe, before `|| true`, or where the text was cut
	Fail bool // another exit code means that one failed
}

// IsTestCommand says whether a shell command, or the first part of one, runs tests: one of the model's TestCommands
// stands where a command's name stands, also behind `cd x &&`, assignments, `sh -c` and programs that run another one.
func (m *Model) IsTestCommand(head string) bool { return m.TestRun(head).Runs }

// TestRun says whether a shell command runs tests and what its exit code then means. Head is the script or what entries
// keep of it: its start, with blanks for newlines and an ellipsis for what was left out.
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
		return TestRun{Runs: true} // the comment may have ended where the newline was lost
	}
	return s.result()
}

// lostNewline splits what can only be two commands: an entry's head is one line.
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

// leading is how many words of a command belong to it when all but the first have to be as is says; all of them when
// not even one is.
func leading(words []string, is func(i int) bool) int {
	for i := 1; i < len(words); i++ {
		if !is(i) && i > 1 {
			return i
		}
	}
	return len(words)
}

// simple says what one simple command is to tests.
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

// script is what a shell is given by -c, "" for another command.
func script(words []string) string {
	if !shell.IsShell(path.Base(words[0])) {
		return ""
	}
	return shell.DashC(words[1:])
}

// isTest says whether words begin as one of the TestCommands.
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

// testPath stands in a pattern for the path of a test: see IsTestPath.
const testPath = "<test>"

// mayBegin is false for nearly all patterns, and quickly.
func mayBegin(base, pattern string) bool {
	return pattern != "" && base != "" && (pattern[0] == base[0] || pattern[0] == '<' || pattern[0] == '*')
}

// begins is how many words match the pattern, 0 if they do not. Options, and one word behind each, may stand between.
// In a pattern test* is a word that begins so, *:test* one that holds it, and * any word; none of them is an option.
// A command's name is compared without its folder, which base is.
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

// isWord says whether the first of words, if there is one, is what a pattern wants.
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

// isAmount says whether a word is a number or a time, as in `timeout 60s`.
func isAmount(word string) bool {
	return word != "" && '0' <= word[0] && word[0] <= '9' && strings.Trim(word, "0123456789.smhd") == ""
}
