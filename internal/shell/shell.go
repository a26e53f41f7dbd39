// Package shell lists the commands that a shell script runs, and tells them from what is only
// text. It runs nothing.
//
// It knows enough of the grammar for that: quotes, escapes, comments, separators, redirections,
// groups, substitutions outside of double quotes, here-documents. It never fails: whatever is
// unclosed ends with the text.
package shell

import (
	"strings"
)

type Command struct {
	Words []string // without quotes; includes assignments and reserved words
	Inner bool     // in a substitution, $(…) or `…`; it comes before the command that contains it
	After string   // the operator that follows: && || ; | & or a newline; "" at the end of the script, group or substitution
}

// Commands lists the simple commands of a script in the order in which a shell would start them.
func Commands(script string) []Command {
	l := lexer{in: script}
	l.frame.last = -1
	l.run()
	return l.commands
}

// IsShell reports whether a program of that name runs scripts of this grammar.
func IsShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh":
		return true
	}
	return false
}

// DashC returns the script of `sh -c SCRIPT` or `bash -lc SCRIPT` from the words after the
// shell's name, or "".
func DashC(words []string) string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// IsReserved reports whether a leading word of a command is a reserved word.
func IsReserved(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "!", "{":
		return true
	}
	return false
}

// IsAssignment reports whether a leading word of a command is an assignment.
func IsAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isName(name)
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Quote quotes a text so that a shell takes it as one word.
func Quote(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._/-+", r))
	}) < 0 && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
