package failure

import (
	"path"
	"slices"
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
		words := c.Words
		for len(words) > 0 && (shell.IsAssignment(words[0]) || shell.IsReserved(words[0])) {
			words = words[1:]
		}
		words = unwrapped(words)
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

// wrapper is a program that runs what stands behind it, and how many words of its own it needs before that.
type wrapper struct {
	words string
	takes int
}

var wrappers = []wrapper{
	{"sudo", 0}, {"env", 0}, {"time", 0}, {"nice", 0}, {"nohup", 0}, {"exec", 0}, {"command", 0}, {"stdbuf", 0}, {"xargs", 0}, {"timeout", 1},
	{"npx", 0}, {"bunx", 0}, {"pnpx", 0}, {"pnpm exec", 0}, {"pnpm dlx", 0}, {"yarn exec", 0},
	{"uv run", 0}, {"uvx", 0}, {"poetry run", 0}, {"pipenv run", 0}, {"python -m", 0}, {"python3 -m", 0}, {"py -m", 0}, {"bundle exec", 0},
}

// wraps says whether the words begin with the wrapper.
func (w wrapper) wraps(words []string) bool {
	first, second, two := strings.Cut(w.words, " ")
	return len(words) > 0 && path.Base(words[0]) == first && (!two || len(words) > 1 && words[1] == second)
}

// maxWrapped is how many wrappers can stand before one program.
const maxWrapped = 4

// unwrapped is the words without the wrappers in front of the program, and their flags.
func unwrapped(words []string) []string {
	for range maxWrapped {
		i := slices.IndexFunc(wrappers, func(w wrapper) bool { return w.wraps(words) })
		if i < 0 {
			break
		}
		n := 1 + strings.Count(wrappers[i].words, " ")
		for n < len(words) && (strings.HasPrefix(words[n], "-") || shell.IsAssignment(words[n])) {
			n++
		}
		words = words[min(n+wrappers[i].takes, len(words)):]
	}
	return words
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
