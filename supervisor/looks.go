package supervisor

import (
	"slices"
	"strings"
)

// Tools and programs are told apart by what calling them again can mean. Of a
// command line only its beginning is known, so each rule takes what it does not
// know for something that acts.

// onlyLooks reports whether the call cannot have changed anything but the agent's
// own notes.
func onlyLooks(d *Did) bool {
	switch d.Tool {
	case "Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch", "view_image",
		"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "update_plan":
		return true
	}
	return isShell(d.Tool) && looking(d.Input)
}

// onlyWaits reports whether the call asks for the state of something that runs:
// asking again is how one waits.
func onlyWaits(d *Did) bool {
	if strings.Contains(d.Tool, "Output") || strings.Contains(d.Tool, "wait") || strings.Contains(d.Tool, "Wait") || d.Tool == "Monitor" || d.Tool == "Sleep" {
		return true
	}
	if !isShell(d.Tool) {
		return false
	}
	for word := range strings.FieldsSeq(d.Input) {
		if word == "sleep" || word == "wait" || word == "watch" {
			return true
		}
	}
	return false
}

func isShell(tool string) bool {
	switch tool {
	case "Bash", "PowerShell", "shell", "local_shell", "exec_command", "run_shell_command":
		return true
	}
	return false
}

// writes reports whether a shell call may have changed files, which leaves no hash.
func writes(d *Did) bool {
	if !isShell(d.Tool) {
		return false
	}
	line := strings.NewReplacer("2>&1", "", "2>/dev/null", "", "&>/dev/null", "", ">/dev/null", "", "2> /dev/null", "", "> /dev/null", "", "->", "", "=>", "").Replace(d.Input)
	if strings.Contains(line, ">") {
		return true
	}
	for _, word := range []string{"sed -i", "perl -i", "perl -pi", "tee ", "patch", "mv ", "cp ", "git apply", "git checkout", "git restore", "git stash", "git merge", "git rebase", "git pull", "fmt", "format", "--fix", "--write", "generate"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// checksCode reports whether a shell call checks the code as tests do.
func checksCode(d *Did) bool {
	if !isShell(d.Tool) {
		return false
	}
	for _, word := range []string{"build", "compile", "lint", "vet", "tsc", "check", "mypy", "clippy", "typecheck"} {
		if strings.Contains(d.Input, word) {
			return true
		}
	}
	return false
}

// atOnce reports whether a tool does its work at once when it may.
func atOnce(tool string) bool {
	switch tool {
	case "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "Grep", "Glob", "LS":
		return true
	}
	return false
}

// looking reports whether every command of the line only prints what is there.
func looking(line string) bool {
	if strings.ContainsAny(line, ">`$…") {
		return false
	}
	line = strings.NewReplacer("&&", ";", "||", ";", "|", ";", "&", ";").Replace(line)
	for command := range strings.SplitSeq(line, ";") {
		words := strings.Fields(command)
		if len(words) > 0 && !prints(words) {
			return false
		}
	}
	return true
}

func prints(words []string) bool {
	switch words[0] {
	case "cat", "ls", "ll", "grep", "rg", "ag", "head", "tail", "wc", "nl", "tree", "pwd", "cd", "which", "file", "stat", "du", "df", "ps", "env", "date", "echo", "jq", "diff", "cut", "sort", "uniq", "true", "test", "[":
		return true
	case "sed":
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place") })
	case "find":
		return !slices.ContainsFunc(words, func(w string) bool { return w == "-delete" || strings.HasPrefix(w, "-exec") || w == "-ok" })
	case "git":
		return len(words) > 1 && slices.Contains([]string{"status", "diff", "log", "show", "blame", "grep", "ls-files", "rev-parse"}, words[1])
	}
	return false
}
