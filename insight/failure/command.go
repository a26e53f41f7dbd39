package failure

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// CommandWord says what a command line runs: its first program that does more than look about, with the subcommand that
// tells what it does ("go test", "npm run", "git"). It is empty if there is none.
func CommandWord(head string) string {
	if words := commandWords(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// commandWords is what the programs of a command line are called, in their order, as CommandWord has them.
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

// programWord is the program's name and, if it looks like one, its subcommand. What only moves about or prints is none.
func programWord(words []string) string {
	name := path.Base(words[0])
	switch name {
	case "cd", "echo", "printf", "export", "set", "source", ".", "true", "false", "sleep", "tail", "head", "tee", "pwd", "/", "exit", "read", "wait", "for", "select", "case", "[", "[[",
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

// isSubcommand says whether a word can be one: letters, with dashes and colons between them.
func isSubcommand(word string) bool {
	return len(word) < 20 && word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-:") == "" && word[0] != '-' && word[0] != ':'
}
