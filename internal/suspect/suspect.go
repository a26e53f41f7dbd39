// Package suspect tells quickly which calls no enabled rule of guard can be about. It compares words and parses nothing, because
// every hook of every call pays for it. It may suspect too many calls, which are then judged in full, and none too few.
package suspect

import (
	"errors"
	"os"
	"strings"
)

// File is the name of the compiled words below the user's state folder. Without it guard is off.
const File = "guard.words"

// head is the first line: what the file is, and its version.
const head = "aburn guard words 1"

// maxFile bounds the file, in bytes.
const maxFile = 256 << 10

// ErrVersion says that another version of aburn wrote the file.
var ErrVersion = errors.New("guard.words is of another version: run aburn guard ls")

// Clause is words of which a call has to hold one of each set. Without sets every call is meant.
type Clause struct {
	// Files: the call is one of a tool for files or the web, whose input is an object with a path. Otherwise it is any call.
	Files bool
	Sets  [][]string
}

// Words are the clauses of all enabled rules.
type Words []Clause

// Bytes is the file. Sets are separated by tabs, words by blanks.
func (w Words) Bytes() []byte {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, c := range w {
		b.WriteString(map[bool]string{true: "f", false: "a"}[c.Files])
		for _, set := range c.Sets {
			b.WriteString("\t" + strings.Join(set, " "))
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// Read reads the file. ok is false, without an error, if there is none.
func Read(path string) (text string, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		if os.IsNotExist(err) {
			err = nil
		}
		return "", false, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", false, err
	case !st.Mode().IsRegular() || st.Size() > maxFile:
		return "", false, errors.New("guard.words is no file of words")
	}
	b := make([]byte, st.Size())
	n, err := f.Read(b)
	if err != nil {
		return "", false, err
	}
	text, found := strings.CutPrefix(string(b[:n]), head+"\n")
	if !found {
		return "", false, ErrVersion
	}
	return text, true, nil
}

// Call reports whether a rule could be about a call with this input, as the agent wrote it. shell says that the tool runs
// shell texts. extra is what a path of the input means: where its links lead.
func Call(words, input string, shell bool, extra string) bool {
	text, strange := flat(input)
	if strange && shell {
		return true
	}
	text += " " + strings.ToLower(extra) + " "
	for line := range strings.Lines(words) {
		kind, sets, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if kind == "f" && shell {
			continue
		}
		if holds(text, sets) {
			return true
		}
	}
	return false
}

func holds(text, sets string) bool {
	for sets != "" {
		var set string
		set, sets, _ = strings.Cut(sets, "\t")
		if !holdsOne(text, set) {
			return false
		}
	}
	return true
}

func holdsOne(text, set string) bool {
	for set != "" {
		var word string
		word, set, _ = strings.Cut(set, " ")
		if word != "" && holdsWord(text, word) {
			return true
		}
	}
	return false
}

// holdsWord looks for a word that no letter or digit continues on a side where it ends in one, or in a star.
func holdsWord(text, word string) bool {
	free, open := word[0] == '*', len(word) > 1 && word[len(word)-1] == '*'
	if free && len(word) > 1 {
		word = word[1:]
	}
	if open && len(word) > 1 {
		word = word[:len(word)-1]
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (free || !alnum(word[0]) || i == 0 || !alnum(text[i-1])) && (open || !alnum(word[len(word)-1]) || end == len(text) || !alnum(text[end])) {
			return true
		}
		from = i + 1
	}
}

func alnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// flat is the input as a shell would join it: in lower case, without quotes and backslashes. strange says that the input
// could hold words which are not in its bytes.
func flat(input string) (text string, strange bool) {
	input = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(input), "{"), "}")
	b := make([]byte, 0, len(input)+2)
	b = append(b, ' ')
	for i := 0; i < len(input); i++ {
		c := input[i]
		switch {
		case c == '\\' && strings.HasPrefix(input[i:], `\\\n`): // a line that goes on
			i += 3
		case c == '\\' && i+1 < len(input):
			switch input[i+1] {
			case 'n', 't', 'r':
				b = append(b, ' ')
				i++
			case 'u':
				strange = true
			}
		case c == '>' && i+2 < len(input) && input[i+1] == '&' && input[i+2] >= '0' && input[i+2] <= '9': // 2>&1
			b = append(b, ' ')
			i++
		case c == '"' || c == '\'' || c == '\\':
		case c == '$' || c == '{' || c == '`':
			strange = true
			b = append(b, c)
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return string(b), strange
}
