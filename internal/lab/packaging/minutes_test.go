package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// someone is a person who has aburn installed in some way.
type someone interface {
	run(stdin, name string, args ...string) (string, int)
}

// fiveMinutes runs what the README tells a new user, line by line. The home has a folder of Claude Code's settings, and
// the project is a work tree; project is its path for this person, and files its path for the test.
func fiveMinutes(t *testing.T, p someone, aburn, project, files string) {
	t.Helper()
	commands := readmeCommands(t)
	for _, command := range commands {
		args := strings.Fields(command)[1:]
		if args[0] == "install-hooks" {
			args = append(args, "--yes")
		}
		out, code := p.run("", aburn, args...)
		if code != 0 && args[0] != "doctor" && args[0] != "supervisor" || code > 1 { // these two have bad news here: no agent is installed
			t.Errorf("%s: exit %d: %s", command, code, out)
		}
		if args[0] == "install-hooks" {
			agentWorks(t, p, project, files)
		}
		if want := map[string]string{"tail": "go test ./cart", "doctor": "calls the hook at"}[args[0]]; !strings.Contains(out, want) {
			t.Errorf("%s does not say %q: %s", command, want, out)
		}
	}
	if len(commands) < 6 {
		t.Errorf("the README has only %q", commands)
	}
}

// readmeCommands are the README's commands of aburn with and without hooks, in its order. A command that follows the work runs
// once instead. The page, which serves until somebody ends it, is left out.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(rootOfSource, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Without hooks")
	section, _, _ = strings.Cut(section, "\n## With workers")
	for line := range strings.Lines(section) {
		command, _, _ := strings.Cut(line, "#")
		if command = strings.TrimSpace(command); strings.HasPrefix(command, "aburn ") && command != "aburn web" {
			commands = append(commands, regexp.MustCompile(` (-f|watch)$`).ReplaceAllString(command, ""))
		}
	}
	return commands
}

// agentWorks calls the registered hook as Claude Code does at a prompt and at a failing call.
func agentWorks(t *testing.T, p someone, project, files string) {
	t.Helper()
	for _, event := range []string{
		`"hook_event_name":"UserPromptSubmit","prompt":"make the test pass"`,
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"go test ./cart"}`,
		`"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"go test ./cart"},"tool_response":{"stdout":"ok",` +
			`"stderr":"","interrupted":false}`,
		`"hook_event_name":"Stop","stop_hook_active":false`,
	} {
		payload := fmt.Sprintf(`{"session_id":"5b0c2f91-0000-4000-8000-000000000001","cwd":%q,%s}`, project, event)
		command := hookCommand(t, filepath.Join(filepath.Dir(files), ".claude", "settings.json"))
		if out, code := p.run(payload, command[0], command[1:]...); code != 0 || out != "" {
			t.Errorf("the hook: exit %d: %s", code, out)
		}
	}
}
