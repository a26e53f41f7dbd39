package remedy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"aburn/insight"
	"aburn/trace"
)

// printed is what the tools print, for the rule that knows it: seen on git 2.39.5, Go 1.26.8, npm 11.19.1, pip 23.0.1 of
// Debian 12 and docker 28.2.2, and in recorded sessions of Claude Code 2.1.329 and Codex 0.169.0.
var printed = map[string]struct {
	agent, command, head string
	exit                 int
	edit                 bool
}{
	"claude-edit-unread": {agent: "claude", edit: true,
		head: "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"},
	"claude-edit-no-match": {agent: "claude", edit: true, head: "<tool_use_error>String to replace not found in file. String: nope</tool_use_error>"},
	"codex-patch-no-file": {agent: "codex", edit: true,
		head: "apply_patch verification failed: Failed to read file to update /home/user/project/missing.txt: No such file or directory (os error 2)"},
	"git-dubious-ownership": {command: "git status", exit: 128,
		head: "fatal: detected dubious ownership in repository at '/srv/o' To add an exception for this directory, call: git config --global --add " +
			"safe.directory /srv/o"},
	"git-index-lock": {command: "git add a", exit: 128,
		head: "fatal: Unable to create '/home/user/l/.git/index.lock': File exists. Another git process seems to be running in this repository, e.g. an editor " +
			"opened by 'git commit'."},
	"git-push-behind": {command: "git push origin main", exit: 1,
		head: "To /srv/r.git ! [rejected] main -> main (fetch first) error: failed to push some refs to '/srv/r.git' hint: Updates were rejected because the " +
			"remote contains work that you do hint: not have locally."},
	"git-push-not-forward": {command: "git push origin main", exit: 1,
		head: "To /srv/r.git ! [rejected] main -> main (non-fast-forward) error: failed to push some refs to '/srv/r.git' hint: Updates were rejected because " +
			"the tip of your current branch is behind"},
	"go-sum-missing": {command: "go build .", exit: 1,
		head: "a.go:2:8: missing go.sum entry for module providing package rsc.io/quote (imported by m); to add: go get m"},
	"go-toolchain-local": {command: "go build .", exit: 1, head: "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)"},
	"go-no-module": {command: "go test .", exit: 1,
		head: "go: go.mod file not found in current directory or any parent directory; see 'go help modules'"},
	"npm-ci-no-lock": {command: "npm ci", exit: 1,
		head: "npm error code EUSAGE npm error npm error The `npm ci` command can only install with an existing package-lock.json or npm error npm-shrinkwrap.json"},
	"pip-externally-managed": {command: "pip install x", exit: 1, head: "error: externally-managed-environment × This environment is externally managed"},
	"docker-no-daemon": {command: "docker ps", exit: 1,
		head: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"},
}

// sessionWith is a session in which one call failed with this head.
func sessionWith(agent, command, head string, exit int, edit bool) *insight.Digest {
	yes := true
	call := &trace.ToolCall{Call: "c1", Index: 1, Tool: "Bash", Type: trace.ShellTool, Head: command}
	result := trace.ToolResultEvent{Call: "c1", CallIndex: 1, EventIndex: 2, Status: trace.StatusErrored, IsError: &yes, Head: head}
	if edit {
		call.Tool, call.Type, call.Head, call.Path = "Edit", trace.EditTool, "", "/home/user/project/a.go"
	} else {
		result.ExitCode = &exit
	}
	return insight.Make(&trace.SessionTrace{
		V: trace.Version, Source: agent, ID: "me", Agent: trace.Agent{Name: agent},
		Events:  []trace.Event{{Seq: 1, Body: call}, {Seq: 2, Body: &trace.ToolResult{Call: "c1"}}},
		Results: []trace.ToolResultEvent{result},
	}, false)
}

// Every built-in rule matches what the tool prints, as a session of an agent holds it, and nothing else that is printed here.
func TestRegistry(t *testing.T) {
	rules := Registry()
	var names []string
	for _, r := range rules {
		names = append(names, r.Name)
		if err := r.Check(); err != nil || r.User || !strings.HasPrefix(r.Pointer, "https://") || len(r.Gate.Words) == 0 {
			t.Errorf("%s: %v, %+v", r.Name, err, r)
		}
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(r.Text) && !strings.HasPrefix(r.Text, "npm ") {
			t.Errorf("%s: %s", r.Name, r.Text)
		}
	}
	for name, p := range printed {
		if !slices.Contains(names, name) {
			t.Errorf("there is no rule %s", name)
		}
		agents := []string{p.agent}
		if p.agent == "" {
			agents = []string{"claude", "codex"}
		}
		for _, agent := range agents {
			head := p.head
			if agent == "claude" && !p.edit { // as it begins the text of a failed command
				head = "Exit code 1 " + head
			}
			d := sessionWith(agent, p.command, head, p.exit, p.edit)
			a := ForSession(d, nil, rules)
			if a.Fix == nil || a.Fix.Rule != name {
				t.Errorf("%s of %s is classed %v: %+v", name, agent, d.Classes, a.Fix)
			}
		}
	}
	for _, name := range names {
		if _, ok := printed[name]; !ok {
			t.Errorf("%s: nothing that it matches", name)
		}
	}
}

// What looks like a rule's message and is none.
func TestRegistryLeavesAlone(t *testing.T) {
	for _, c := range []struct{ agent, command, head string }{
		{"claude", "go build .", "Exit code 1 a.go:2:8: undefined: missing"},
		{"claude", "git push", "Exit code 1 error: failed to push some refs to '/srv/r.git' remote: pre-receive hook declined"},
		{"codex", "touch x", "touch: cannot touch 'x': No such file or directory"},
		{"codex", "cat index.lock", "cat: index.lock: No such file or directory"},
		{"claude", "grep -r externally-managed-environments .", "Exit code 2 grep: x: Permission denied"},
	} {
		if a := ForSession(sessionWith(c.agent, c.command, c.head, 1, false), nil, Registry()); a.Fix != nil {
			t.Errorf("%s: %s", c.head, a.Fix.Rule)
		}
	}
}
