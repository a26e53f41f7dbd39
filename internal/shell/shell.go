// Package shell tells the commands that a shell script runs from what is only text in it, without running anything.
//
// It knows enough of the grammar for that: quotes, escapes, comments, separators, redirections, groups, substitutions
// outside of double quotes, here-documents. It never fails: what is unclosed ends with the text.
package shell

import "strings"

// Command is one simple command.
type Command struct {
	Words []string // without quotes, assignments and reserved words included
	Inner bool     // it stands in a substitution, $(…) or `…`; it comes before the command that it is part of
	After string   // what stands behind it: && || ; | & or a newline; "" at the end of the script, group or substitution
}

// Commands lists the simple commands of a script in the order in which a shell would begin them.
func Commands(script string) []Command {
	l := lexer{in: script}
	l.frame.last = -1
	l.run()
	return l.commands
}

// IsShell says whether a program of that name runs scripts of this grammar.
func IsShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh":
		return true
	}
	return false
}

// DashC is the script of `sh -c SCRIPT` and `bash -lc SCRIPT`, from the words behind the shell's name; "" without one.
func DashC(words []string) string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// IsReserved says whether a word in front of a command is one of the grammar's.
func IsReserved(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "!", "{":
		return true
	}
	return false
}

// IsAssignment says whether a word in front of a command sets a variable.
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
