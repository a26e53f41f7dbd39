package failure_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"aburn/insight/failure"
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
		one := failure.Failure{Type: trace.ToolType(parts[1]), Tool: "a tool", Command: parts[2], Head: parts[4]}
		if code, err := strconv.Atoi(parts[3]); err == nil {
			one.Exit = &code
		}
		if got := failure.Classify(one); string(got) != parts[0] {
			t.Errorf("%s, not %s: %s: %s", got, parts[0], parts[2], parts[4])
		}
	}
	if n < 170 {
		t.Errorf("only %d errors were read", n)
	}
}

// What the agent, the provider and the exit code tell beside the text.
func TestClassOfTheRest(t *testing.T) {
	shell := failure.Failure{Type: trace.ShellTool, Tool: "Bash", Command: "x"}
	for _, c := range []struct {
		what string
		f    failure.Failure
		want failure.Class
	}{
		{"nothing", failure.Failure{}, failure.Other},
		{"refused, whatever it says", failure.Failure{Type: trace.EditTool, Tool: "Edit", Denied: "user", Head: "no such file"}, failure.Permission},
		{"a bare exit code", with(shell, func(f *failure.Failure) { f.Exit, f.Head = exit(1), "Exit code 1" }), failure.Other},
		{"137", with(shell, func(f *failure.Failure) { f.Exit = exit(137) }), failure.OOM},
		{"137 of a program that stopped itself", with(shell, func(f *failure.Failure) { f.Exit, f.Stopped = exit(137), true }), failure.Cancelled},
		{"the same, as its text says it", with(shell, func(f *failure.Failure) { f.Stopped, f.Head = true, "signal: killed" }), failure.Cancelled},
		{"memory ran out, and it stopped", with(shell, func(f *failure.Failure) { f.Exit, f.Stopped, f.Head = exit(137), true, "JavaScript heap out of memory" }),
			failure.OOM},
		{"another failure, and it stopped", with(shell, func(f *failure.Failure) { f.Exit, f.Stopped, f.Head = exit(127), true, "x: command not found" }),
			failure.NotFound},
		{"137 of what is no command", failure.Failure{Type: trace.MCPTool, Tool: "m", Exit: exit(137)}, failure.Other},
		{"status 429", failure.Failure{Status: 429}, failure.RateLimit},
		{"status 401", failure.Failure{Status: 401, Head: "no"}, failure.Auth},
		{"status 529", failure.Failure{Status: 529, Head: "529 overloaded"}, failure.API},
		{"status 400", failure.Failure{Status: 400, Code: "unknown", Head: "API Error: 400 bad thing"}, failure.API},
		{"what is used up over the status", failure.Failure{Status: 403, Head: "you exceeded your current quota"}, failure.RateLimit},
		{"a code", failure.Failure{Code: "rate_limit"}, failure.RateLimit},
		{"a code of the network's", failure.Failure{Code: "ECONNRESET", Head: "Connection dropped (ECONNRESET)"}, failure.Network},
		{"a code that says nothing", failure.Failure{Code: "max_turns_reached", Head: "the limit of turns was reached"}, failure.Other},
		{"too much context", failure.Failure{Code: "other", Head: "Your input exceeds the context window of this model."}, failure.API},
		{"the same words of a command", with(shell, func(f *failure.Failure) { f.Head = "overloaded operator in context window" }), failure.API},
	} {
		if got := failure.Classify(c.f); got != c.want {
			t.Errorf("%s: %s, not %s", c.what, got, c.want)
		}
	}
}

func with(f failure.Failure, change func(*failure.Failure)) failure.Failure {
	change(&f)
	return f
}

// What a command line runs: past folders, variables, wrappers and shells, with the subcommand.
func TestCommandWord(t *testing.T) {
	for line, want := range map[string]string{
		"":                                         "",
		"go test ./...":                            "go test",
		"cd /x && go test ./...":                   "go test",
		"FOO=1 BAR=2 npm run build -- --x":         "npm run build",
		"sudo -n timeout 30 make all":              "make all",
		"bash -lc 'cd x; pytest -q'":               "pytest",
		"python3 -m pytest tests":                  "pytest tests",
		"/usr/bin/git status":                      "git status",
		"git -C /x status":                         "git",
		"./gradlew test":                           "gradlew test",
		"sudo -u root make all":                    "make all",
		"docker compose exec -T web npm run build": "npm run build",
		"npm exec -- tsc -p .":                     "tsc",
		"yarn test":                                "yarn test",
		"env":                                      "",
		"npx --yes tsc --noEmit":                   "tsc",
		"echo hi":                                  "",
		"for i in 1 2; do curl http://x; done":     "curl",
		"cat a.go | grep x":                        "cat",
		"ls /tmp":                                  "ls",
		"node a.js":                                "node",
	} {
		if got := failure.CommandWord(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

func exit(code int) *int { return &code }
