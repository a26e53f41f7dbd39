package supervisor

import (
	"slices"
	"strings"

	"aburn/supervisor/state"
)

// These functions classify calls by what calling again can mean. Only the beginning
// of a command line is known, so each rule takes an unknown call for one that acts.

// onlyLooks reports whether the call changes nothing, or only the agent's own notes.
func onlyLooks(d *state.Did) bool {
	switch d.Tool {
	case "Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch", "view_image",
		"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "update_plan":
		return true
	}
	return state.IsShell(d.Tool) && onlyPrints(d.Input)
}

// onlyWaits reports whether the call polls something that runs: repeating it is a way
// to wait.
func onlyWaits(d *state.Did) bool {
	if strings.Contains(d.Tool, "Output") || strings.Contains(d.Tool, "wait") || strings.Contains(d.Tool, "Wait") || d.Tool == "Monitor" || d.Tool == "Sleep" {
		return true
	}
	if !state.IsShell(d.Tool) {
		return false
	}
	for word := range strings.FieldsSeq(d.Input) {
		switch strings.Trim(word, "();'\"") {
		case "sleep", "Start-Sleep", "wait", "watch", "until", "--watch", "--wait", "--follow", "wait-for-it", "wait-on":
			return true
		}
	}
	return strings.Contains(d.Input, "rollout status") || strings.Contains(d.Input, "wait-for") || strings.Contains(d.Input, "tail -f")
}

// asksService reports whether a call asks for the state of something outside the
// files: a service, a queue, a build elsewhere.
func asksService(d *state.Did) bool {
	if !state.IsShell(d.Tool) {
		return false
	}
	line := strings.NewReplacer("&&", ";", "||", ";", "|", ";", "(", ";", "!", ";").Replace(d.Input)
	for command := range strings.SplitSeq(line, ";") {
		words := strings.Fields(command)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "timeout" || words[0] == "if" || words[0] == "while" || words[0][0] >= '0' &&
			words[0][0] <= '9') {
			words = words[1:]
		}
		if len(words) > 0 && isServiceQuery(words) {
			return true
		}
	}
	return false
}

func isServiceQuery(words []string) bool {
	switch words[0] {
	case "curl", "wget", "http", "https", "xh":
		return !slices.ContainsFunc(words[1:], func(w string) bool {
			return w == "POST" || w == "PUT" || w == "DELETE" || w == "PATCH" || w == "-d" || strings.HasPrefix(w, "--data")
		})
	case "nc", "ping", "dig", "nslookup", "pg_isready", "redis-cli", "mysqladmin", "journalctl", "squeue", "sacct", "qstat", "bjobs",
		"nvidia-smi", "ps", "pgrep", "top", "lsof", "ss", "netstat":
		return true
	case "gh", "glab", "hub", "kubectl", "oc", "helm", "argocd", "flux", "flyctl", "fly", "vercel", "netlify", "heroku", "railway", "aws", "gcloud", "az", "doctl",
		"docker", "podman", "docker-compose", "systemctl", "service", "supervisorctl", "pm2", "terraform", "consul", "nomad", "rabbitmqctl", "celery", "npm", "pip",
		"ssh", "psql":
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return slices.Contains(lookVerbs, w) || strings.HasPrefix(w, "describe-") || strings.HasPrefix(w, "list-") || strings.HasPrefix(w, "get-")
		})
	}
	if words[0] == "git" {
		return len(words) > 1 && (words[1] == "fetch" || words[1] == "ls-remote")
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc([]string{"health", "status", "ready", "alive", "queue"}, func(word string) bool { return strings.Contains(w, word) })
	})
}

// lookVerbs are the read-only sub-commands of programs that also act.
var lookVerbs = []string{
	"get", "describe", "list", "ls", "status", "view", "checks", "show", "logs", "log", "ps", "inspect", "watch", "wait", "top", "stats", "history", "version",
	"is-active", "index", "output",
}

// mayFollow reports whether a call may look at what runs in the background.
func mayFollow(d *state.Did) bool {
	if onlyWaits(d) || asksService(d) {
		return true
	}
	for _, word := range []string{"log", "out", "tmp", "status", "result", "progress", "pid", "jobs", "kill -0"} {
		if strings.Contains(d.Input, word) && !strings.Contains(d.Input, "git ") {
			return true
		}
	}
	return false
}

// hasState reports whether a tool has a state of its own (a browser, a server behind
// MCP), so that the same input is not the same action.
func hasState(d *state.Did) bool {
	if strings.HasPrefix(d.Tool, "mcp__") {
		return true
	}
	tool := strings.ToLower(d.Tool)
	for _, word := range []string{"browser", "playwright", "puppeteer", "computer", "navigate", "click", "screenshot"} {
		if strings.Contains(tool, word) {
			return true
		}
	}
	return false
}

// advancesEachTime reports whether each repetition of a call moves on: to the next
// commit of a bisection or a rebase, to the next line in a debugger.
func advancesEachTime(d *state.Did) bool {
	if !state.IsShell(d.Tool) {
		return false
	}
	for _, step := range []string{"git bisect", "git stash", "git rebase --", "git cherry-pick --", "git am --", "git revert --",
		"tmux send", "screen -S", "screen -X", "zellij action", "adb shell input", "xdotool ", "wmctrl ", "osascript"} {
		if strings.Contains(d.Input, step) {
			return true
		}
	}
	return false
}

// writes reports whether a shell call may have changed files, which leaves no hash.
func writes(d *state.Did) bool {
	if !state.IsShell(d.Tool) {
		return false
	}
	line := strings.NewReplacer("2>&1", "", "2>/dev/null", "", "&>/dev/null", "", ">/dev/null", "", "2> /dev/null", "", "> /dev/null", "", "->", "", "=>",
		"").Replace(d.Input)
	if strings.Contains(line, ">") {
		return true
	}
	for _, word := range []string{"sed -i", "perl -i", "perl -pi", "tee ", "patch", "mv ", "cp ", "git apply", "git checkout", "git restore", "git stash",
		"git merge", "git rebase", "git pull", "fmt", "format", "--fix", "--write", "generate"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// checksCode reports whether a shell call checks the code as tests do.
func checksCode(d *state.Did) bool {
	if !state.IsShell(d.Tool) {
		return false
	}
	for _, word := range []string{"build", "compile", "lint", "vet", "tsc", "check", "mypy", "clippy", "typecheck"} {
		if strings.Contains(d.Input, word) {
			return true
		}
	}
	return false
}

// isInstant reports whether a tool ends at once after it was allowed.
func isInstant(tool string) bool {
	switch tool {
	case "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "Grep", "Glob", "LS",
		"read_file", "write_file", "replace", "edit", "grep_search", "glob", "list_directory":
		return true
	}
	return false
}

// onlyPrints reports whether every command of the line only prints what is there.
func onlyPrints(line string) bool {
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
	case "cat", "ls", "ll", "grep", "rg", "ag", "head", "tail", "wc", "nl", "tree", "pwd", "cd", "which", "file", "stat", "du", "df", "ps", "env", "date", "echo",
		"jq", "diff", "cut", "sort", "uniq", "true", "test", "[":
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
