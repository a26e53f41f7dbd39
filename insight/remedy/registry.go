package remedy

import (
	"slices"

	"aburn/insight/failure"
	"aburn/internal/agentcli"
	"aburn/trace"
)

// Registry returns the built-in rules. Each rests on what the tool's own document or source says
// about the exact message that its gate requires. Its test holds that message as the tool printed
// it.
func Registry() []Rule { return slices.Concat(ofAgents(), ofGit(), ofTools()) }

func ofAgents() []Rule {
	return []Rule{
		{
			Name: "claude-edit-unread", Class: failure.ToolMisuse,
			Gate:    Gate{Agent: agentcli.Claude.Name, Type: trace.EditTool, Words: []string{"File has not been read yet"}},
			Text:    "Read the file with the Read tool first, then change it.",
			Pointer: "https://code.claude.com/docs/en/tools-reference",
		},
		{
			Name: "claude-edit-no-match", Class: failure.EditMismatch,
			Gate:    Gate{Agent: agentcli.Claude.Name, Type: trace.EditTool, Words: []string{"String to replace not found in file"}},
			Text:    "Read the file again, and take the text to replace from what it shows, blanks and line ends included.",
			Pointer: "https://code.claude.com/docs/en/tools-reference",
		},
		{
			Name: "codex-patch-no-file", Class: failure.NotFound,
			Gate:    Gate{Agent: agentcli.Codex.Name, Words: []string{"apply_patch verification failed", "No such file or directory"}},
			Text:    "The patch updates a file that is not there: check its path, and use \"*** Add File\" for a new one.",
			Pointer: "https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md",
		},
	}
}

func ofGit() []Rule {
	return []Rule{
		{
			Name: "git-dubious-ownership", Class: failure.Permission,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"detected dubious ownership in repository"}},
			Text:    "The repository belongs to another user: run git as that one, or, if you trust it, add its path to safe.directory in your global configuration.",
			Pointer: "https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory",
		},
		{
			Name: "git-index-lock", Class: failure.Conflict,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"index.lock", "File exists"}},
			Text:    "Wait for the other git process in this repository to end. Only if there is none, remove the index.lock that the message names.",
			Pointer: "https://github.com/git/git/blob/v2.39.5/lockfile.c",
		},
		{
			Name: "git-push-behind", Class: failure.Conflict,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"[rejected]", "failed to push some refs", "fetch first"}},
			Text:    "Fetch the branch and integrate what the remote has before pushing again.",
			Pointer: "https://git-scm.com/docs/git-push#_note_about_fast_forwards",
		},
		{
			Name: "git-push-not-forward", Class: failure.Conflict,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"[rejected]", "failed to push some refs", "non-fast-forward"}},
			Text:    "The branch is behind the remote one: integrate that one before pushing again.",
			Pointer: "https://git-scm.com/docs/git-push#_note_about_fast_forwards",
		},
	}
}

func ofTools() []Rule {
	return []Rule{
		{
			Name: "go-sum-missing", Class: failure.Build,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"missing go.sum entry for module providing package"}},
			Text:    "Run the go get that the message names, or go mod tidy, so that go.sum has the module's hashes.",
			Pointer: "https://go.dev/ref/mod#go-sum-files",
		},
		{
			Name: "go-toolchain-local", Class: failure.Build,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"go.mod requires go", "GOTOOLCHAIN=local"}},
			Text:    "The module wants a newer Go: install that version, or let the go command get it with GOTOOLCHAIN=auto.",
			Pointer: "https://go.dev/doc/toolchain",
		},
		{
			Name: "go-no-module", Class: failure.NotFound,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"go.mod file not found in current directory or any parent directory"}},
			Text:    "Run it in the folder that has the module's go.mod; a new module begins with go mod init.",
			Pointer: "https://go.dev/ref/mod#go-mod-init",
		},
		{
			Name: "npm-ci-no-lock", Class: failure.Other,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"code EUSAGE", "can only install with an existing package-lock.json"}},
			Text:    "npm ci needs a package-lock.json: make one with npm install, and keep it with package.json.",
			Pointer: "https://docs.npmjs.com/cli/commands/npm-ci",
		},
		{
			Name: "pip-externally-managed", Class: failure.Permission,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"externally-managed-environment"}},
			Text:    "This Python belongs to the system: make a virtual environment (python3 -m venv) and install into that.",
			Pointer: "https://packaging.python.org/en/latest/specifications/externally-managed-environments/",
		},
		{
			Name: "docker-no-daemon", Class: failure.Network,
			Gate:    Gate{Type: trace.ShellTool, Words: []string{"Cannot connect to the Docker daemon"}},
			Text:    "Start the Docker daemon, or point DOCKER_HOST at one that runs.",
			Pointer: "https://docs.docker.com/engine/daemon/troubleshoot/",
		},
	}
}
