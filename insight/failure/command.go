package failure

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// CommandWord names what a command line runs: its first program that does more than move about or
// print, with its subcommand ("go test", "npm run", "git"). It is empty without one.
func CommandWord(head string) string {
	if words := commandWords(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// commandWords lists the CommandWord of each program, in order.
func commandWords(head string) []string {
	var all []string
	for _, c := range shell.Commands(head) {
		words := shell.Program(c.Words)
		if len(words) == 0 {
			continue
		}
		if shell.IsShell(path.Base(words[0])) {
			if script := shell.DashC(words[1:]); script != "" && len(script) < len(head) {
				all = append(all, commandWords(script)...)
				continue
			}
		}
		if w := programWord(words); w != "" {
			all = append(all, w)
		}
	}
	return all
}

// programWord is the program's name and, if the next word looks like one, its subcommand. It is
// empty for programs that only move about or print.
func programWord(words []string) string {
	name := path.Base(words[0])
	switch name {
	case "cd", "echo", "printf", "export", "set", "source", ".", "true", "false", "sleep", "tail", "head", "tee", "pwd", "/", "exit", "read", "wait", "for",
		"select", "case", "[", "[[",
		"test", "return", "local", "unset", "trap", "shift", "break", "continue", ":":
		return ""
	}
	name = strings.TrimSuffix(name, ".exe")
	if len(words) < 2 || !isSubcommand(words[1]) {
		return name
	}
	if words[1] == "run" && len(words) > 2 && isSubcommand(words[2]) {
		return name + " run " + words[2]
	}
	return name + " " + words[1]
}

// isSubcommand reports whether word consists of lower-case letters, dashes and colons.
func isSubcommand(word string) bool {
	return len(word) < 20 && word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-:") == "" && word[0] != '-' && word[0] != ':'
}
