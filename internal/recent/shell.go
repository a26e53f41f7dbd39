package recent

import (
	"path"
	"strings"

	"aburn/internal/shell"
)

// RunsLog reports whether a shell command runs `aburn log`, `aburn done` or `aburn ask`, which write
// entries: aburn is a command's name there, not part of a quoted text, a comment or a here-document.
func RunsLog(command string) bool { return runsLog(command, 0) }

func runsLog(command string, depth int) bool {
	for _, c := range shell.Commands(command) {
		words := shell.Program(c.Words)
		if len(words) == 0 {
			continue
		}
		switch name := path.Base(words[0]); {
		case name == "aburn" || name == "aburn.exe":
			switch subcommand(words[1:]) {
			case "log", "done", "ask":
				return true
			}
		case depth < 2 && shell.IsShell(name):
			if script := shell.DashC(words[1:]); script != "" && runsLog(script, depth+1) {
				return true
			}
		}
	}
	return false
}

// MentionsLog reports whether text, a command's head on one line, contains the words `aburn … log
// CMD EVENT` in this order.
func MentionsLog(text, cmd, event string) bool {
	words := strings.Fields(text)
	for i := range words {
		name := path.Base(strings.TrimLeft(words[i], "(\"'`$"))
		if (name != "aburn" && name != "aburn.exe") || subcommand(words[i+1:]) != "log" {
			continue
		}
		for j := i + 2; j+1 < len(words); j++ {
			if strings.EqualFold(unquote(words[j]), cmd) && strings.EqualFold(unquote(words[j+1]), event) {
				return true
			}
		}
	}
	return false
}

func unquote(w string) string { return strings.Trim(w, "\"';)`&|…") }

// subcommand is the first word that is not a flag. -C and --dir take a value.
func subcommand(words []string) string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C":
			i++
		case !strings.HasPrefix(w, "-"):
			return w
		}
	}
	return ""
}
