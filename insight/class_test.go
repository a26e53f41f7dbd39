package insight_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"aburn/insight"
	"aburn/trace"
)

// What tools say has the class that a person gave it.
func TestClasses(t *testing.T) {
	f, err := os.Open("testdata/classes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for in := bufio.NewScanner(f); in.Scan(); {
		parts := strings.SplitN(in.Text(), "|", 5)
		if len(parts) < 5 {
			continue
		}
		n++
		failure := insight.Failure{Type: trace.ToolType(parts[1]), Tool: "a tool", Command: parts[2], Head: parts[4]}
		if code, err := strconv.Atoi(parts[3]); err == nil {
			failure.Exit = &code
		}
		if got := insight.Classify(failure); string(got) != parts[0] {
			t.Errorf("%s, not %s: %s: %s", got, parts[0], parts[2], parts[4])
		}
	}
	if n < 170 {
		t.Errorf("only %d errors were read", n)
	}
}

// What the agent, the provider and the exit code tell beside the text.
func TestClassOfTheRest(t *testing.T) {
	shell := insight.Failure{Type: trace.ShellTool, Tool: "Bash", Command: "x"}
	for _, c := range []struct {
		what string
		f    insight.Failure
		want insight.Class
	}{
		{"nothing", insight.Failure{}, insight.Other},
		{"refused, whatever it says", insight.Failure{Type: trace.EditTool, Tool: "Edit", Denied: "user", Head: "no such file"}, insight.Permission},
		{"a bare exit code", with(shell, func(f *insight.Failure) { f.Exit, f.Head = number(1), "Exit code 1" }), insight.Other},
		{"137", with(shell, func(f *insight.Failure) { f.Exit = number(137) }), insight.OOM},
		{"137 of what is no command", insight.Failure{Type: trace.MCPTool, Tool: "m", Exit: number(137)}, insight.Other},
		{"status 429", insight.Failure{Status: 429}, insight.RateLimit},
		{"status 401", insight.Failure{Status: 401, Head: "no"}, insight.Auth},
		{"status 529", insight.Failure{Status: 529, Head: "529 overloaded"}, insight.API},
		{"status 400", insight.Failure{Status: 400, Code: "unknown", Head: "API Error: 400 bad thing"}, insight.API},
		{"what is used up over the status", insight.Failure{Status: 403, Head: "you exceeded your current quota"}, insight.RateLimit},
		{"a code", insight.Failure{Code: "rate_limit"}, insight.RateLimit},
		{"a code of the network's", insight.Failure{Code: "ECONNRESET", Head: "Connection dropped (ECONNRESET)"}, insight.Network},
		{"a code that says nothing", insight.Failure{Code: "max_turns_reached", Head: "the limit of turns was reached"}, insight.Other},
		{"too much context", insight.Failure{Code: "other", Head: "Your input exceeds the context window of this model."}, insight.API},
		{"the same words of a command", with(shell, func(f *insight.Failure) { f.Head = "overloaded operator in context window" }), insight.API},
	} {
		if got := insight.Classify(c.f); got != c.want {
			t.Errorf("%s: %s, not %s", c.what, got, c.want)
		}
	}
}

func with(f insight.Failure, change func(*insight.Failure)) insight.Failure {
	change(&f)
	return f
}

// What a command line runs: past folders, variables, wrappers and shells, with the subcommand.
func TestCommandWord(t *testing.T) {
	for line, want := range map[string]string{
		"":                                     "",
		"go test ./...":                        "go test",
		"cd /x && go test ./...":               "go test",
		"FOO=1 BAR=2 npm run build -- --x":     "npm run build",
		"sudo -n timeout 30 make all":          "make all",
		"bash -lc 'cd x; pytest -q'":           "pytest",
		"python3 -m pytest tests":              "pytest tests",
		"/usr/bin/git status":                  "git status",
		"git -C /x status":                     "git",
		"./gradlew test":                       "gradlew test",
		"npx --yes tsc --noEmit":               "tsc",
		"echo hi":                              "",
		"for i in 1 2; do curl http://x; done": "curl",
		"cat a.go | grep x":                    "cat",
		"ls /tmp":                              "ls",
		"node a.js":                            "node",
	} {
		if got := insight.CommandWord(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}
