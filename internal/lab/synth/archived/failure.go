package archived

import (
	"fmt"
	"math/rand/v2"

	"aburn/trace"
)

// agent is an agent and its names for tools.
type agent struct {
	name                           string
	shell, read, edit, search, web string
}

var agents = [...]agent{
	{"claude", "Bash", "Read", "Edit", "Grep", "WebFetch"},
	{"codex", "exec_command", "read_file", "apply_patch", "grep_files", "web_search"},
	{"opencode", "bash", "read", "edit", "grep", "webfetch"},
}

func (a *agent) tool(t trace.ToolType) string {
	switch t {
	case trace.ShellTool:
		return a.shell
	case trace.ReadTool:
		return a.read
	case trace.EditTool:
		return a.edit
	case trace.SearchTool:
		return a.search
	case trace.WebTool:
		return a.web
	}
	return "Task"
}

// noExit stands for a missing exit code.
const noExit = -1

// failure is a way in which a call fails. Its texts differ only in parts that insight ignores, so each failure is one
// error.
type failure struct {
	name    string
	class   string
	typ     trace.ToolType
	exit    int
	command string
	denied  string
	text    func(r *rand.Rand) string
}

var failures = []failure{
	{"test", "test", trace.ShellTool, 1, "go test ./...", "", func(r *rand.Rand) string {
		return fmt.Sprintf("--- FAIL: TestParse (%d.%02ds)\n    parse_test.go:%d: got %d, want %d\nFAIL", r.IntN(9), r.IntN(100), 10+r.IntN(90), r.IntN(50),
			r.IntN(50))
	}},
	{"build", "build", trace.ShellTool, 2, "make all", "", func(r *rand.Rand) string {
		return fmt.Sprintf("make: *** [Makefile:%d: all] Error %d", 1+r.IntN(80), 1+r.IntN(4))
	}},
	{"type", "type", trace.ShellTool, 2, "npx tsc --noEmit", "", func(r *rand.Rand) string {
		return fmt.Sprintf("src/index.ts(%d,%d): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.", 1+r.IntN(400),
			1+r.IntN(80))
	}},
	{"lint", "lint", trace.ShellTool, 1, "npx eslint .", "", func(r *rand.Rand) string {
		return fmt.Sprintf("%s/src/app.js\n  %d:%d  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ %d problems", project(r), 1+r.IntN(300),
			1+r.IntN(80), 2+r.IntN(9))
	}},
	{"connect", "network", trace.ShellTool, 7, "curl -sS https://api.example/v1", "", func(r *rand.Rand) string {
		return fmt.Sprintf("curl: (7) Failed to connect to api.example port 443 after %d ms: Couldn't connect to server", r.IntN(3000))
	}},
	{"permission", "permission", trace.ShellTool, 126, "./run.sh", "", func(r *rand.Rand) string {
		return fmt.Sprintf("bash: %s/run.sh: Permission denied", project(r))
	}},
	{"missing", "not_found", trace.ShellTool, 1, "cat notes.md", "", func(r *rand.Rand) string {
		return fmt.Sprintf("cat: %s/notes.md: No such file or directory", project(r))
	}},
	{"timeout", "timeout", trace.ShellTool, noExit, "npm run e2e", "", func(r *rand.Rand) string {
		return fmt.Sprintf("Command timed out after %dm %ds", 1+r.IntN(9), r.IntN(60))
	}},
	{"conflict", "conflict", trace.ShellTool, 1, "git merge main", "", func(r *rand.Rand) string {
		return "CONFLICT (content): Merge conflict in a.go\nAutomatic merge failed; fix conflicts and then commit the result."
	}},
	{"syntax", "syntax", trace.ShellTool, 1, "python3 tool.py", "", func(r *rand.Rand) string {
		return fmt.Sprintf("  File \"%s/tool.py\", line %d\nSyntaxError: invalid syntax", project(r), 1+r.IntN(200))
	}},
	{"mismatch", "edit_mismatch", trace.EditTool, noExit, "", "", func(r *rand.Rand) string {
		return "String to replace not found in file.\nString: foo"
	}},
	{"unread", "tool_misuse", trace.EditTool, noExit, "", "", func(r *rand.Rand) string {
		return "File has not been read yet. Read it first before writing to it."
	}},
	{"nofile", "not_found", trace.ReadTool, noExit, "", "", func(r *rand.Rand) string {
		return "File does not exist."
	}},
	{"unknown", "other", trace.ShellTool, 3, "./frobnicate", "", func(r *rand.Rand) string {
		return fmt.Sprintf("zork %d: the moon is in the seventh house", r.IntN(90))
	}},
	{"unauthorized", "auth", trace.WebTool, noExit, "", "", func(r *rand.Rand) string {
		return "Request failed with status code 401: Unauthorized"
	}},
}

// registryFailure is the failure that the remedy prevents. Only the scenario "unreachable" has it.
var registryFailure = failure{RemedyFailure, "network", trace.ShellTool, 1, "npm install", "", func(r *rand.Rand) string {
	return fmt.Sprintf("npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED\nnpm error FetchError: request to https://registry.example/left-pad failed, "+
		"reason: connect ECONNREFUSED 10.0.%d.%d:443", r.IntN(256), r.IntN(256))
}}

var refusedCalls = []failure{
	{"by-user", "permission", trace.ShellTool, noExit, "git push --force", "user", func(r *rand.Rand) string {
		return "The user doesn't want to proceed with this tool use. The tool use was rejected."
	}},
	{"by-rule", "permission", trace.ShellTool, noExit, "rm -rf build", "rule", func(r *rand.Rand) string {
		return "Permission to use Bash with command rm -rf build has been denied."
	}},
}

// sessionError is an error outside of calls.
type sessionError struct {
	name, class, code string
	status            int
	text              string
}

var sessionErrors = []sessionError{
	{"limit", "rate_limit", "rate_limit", 429, "API Error: 429 rate limit exceeded, please try again later"},
	{"login", "auth", "authentication_failed", 401, "API Error: 401 invalid authentication credentials"},
	{"server", "api", "server_error", 500, "API Error: 500 Internal server error"},
}

var names = [...]string{"harbor", "lantern", "meadow", "anvil", "orchard", "quarry", "saddle", "tundra", "willow", "zephyr"}

func project(r *rand.Rand) string { return home + "/" + names[r.IntN(len(names))] }
