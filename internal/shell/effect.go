package shell

import (
	"path"
	"slices"
	"strings"
)

// Effect says what a script may do to the files around it.
type Effect int

// The effects, the smaller ones first.
const (
	Reads  Effect = iota // it surely changes no file
	Checks               // it runs tests, a linter or a build: what it writes is output, not sources
	Writes               // it may change any file
)

// EffectOf is the largest effect of a script's commands. It knows the usual readers and checks; everything else writes.
func EffectOf(script string) Effect { return effectOf(script, 0) }

// mostNested bounds sh -c within sh -c.
const mostNested = 3

func effectOf(script string, depth int) (most Effect) {
	if redirects(script) {
		return Writes
	}
	for _, c := range Commands(script) {
		words := Program(c.Words)
		if len(words) == 0 {
			continue
		}
		name := path.Base(words[0])
		if inner := DashC(words[1:]); IsShell(name) && inner != "" && depth < mostNested {
			most = max(most, effectOf(inner, depth+1))
			continue
		}
		most = max(most, effectOfCommand(name, words[1:]))
	}
	return most
}

// harmless are redirections that write no file.
var harmless = [...]string{"2>&1", "1>&2", ">&2", "&>/dev/null", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null"}

func redirects(script string) bool {
	if !strings.Contains(script, ">") {
		return false
	}
	for _, s := range harmless {
		script = strings.ReplaceAll(script, s, "")
	}
	return strings.Contains(script, ">")
}

func effectOfCommand(name string, args []string) Effect {
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return a == w || strings.HasPrefix(a, w+"=") })
		})
	}
	first := ""
	if i := slices.IndexFunc(args, func(a string) bool { return !IsOption(a) }); i >= 0 {
		first = args[i]
	}
	switch name {
	case "ls", "cat", "head", "tail", "less", "more", "grep", "rg", "egrep", "fgrep", "fd", "pwd", "echo", "printf", "cd", "which", "type", "file", "stat", "wc",
		"uniq", "cut", "tr", "diff", "cmp", "tree", "du", "df", "ps", "printenv", "date", "whoami", "id", "uname", "hostname", "sleep", "true", "false", "test", "[",
		"jq", "awk", "basename", "dirname", "realpath", "readlink", "md5sum", "sha1sum", "sha256sum", "xxd", "hexdump", "od", "strings", "nl", "column", "comm",
		"join", "export", "set", "exit", "wait", "kill", "pgrep", "aburn", "gh", "man", "history", "seq":
		return Reads
	case "sort":
		if !has("-o", "--output") {
			return Reads
		}
	case "sed":
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place") }) {
			return Reads
		}
	case "find":
		if !has("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls") {
			return Reads
		}
	case "git":
		switch first {
		case "status", "log", "diff", "show", "blame", "branch", "rev-parse", "ls-files", "grep", "describe", "remote", "config", "fetch", "cat-file", "shortlog",
			"reflog", "tag", "add", "rev-list", "push", "ls-remote", "merge-base", "version":
			return Reads
		}
	case "go":
		if slices.Contains([]string{"test", "vet", "build", "list", "version", "env", "doc", "tool"}, first) {
			return Checks
		}
	case "npm", "pnpm", "yarn", "bun":
		if first == "test" || first == "run" && len(args) > 1 && strings.HasPrefix(args[1], "test") {
			return Checks
		}
	case "cargo":
		if slices.Contains([]string{"test", "check", "build", "clippy", "bench"}, first) && !has("--fix") {
			return Checks
		}
	case "make", "gradle", "gradlew", "mvn", "mvnw", "dotnet", "bazel", "just", "rake":
		if first == "test" || first == "check" {
			return Checks
		}
	case "pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "mypy", "pyright", "tsc", "staticcheck", "tox", "nox", "ctest":
		return Checks
	case "eslint", "ruff", "golangci-lint", "flake8", "pylint", "shellcheck", "stylelint":
		if !has("--fix", "--fix-only", "--unsafe-fixes", "format") {
			return Checks
		}
	}
	return Writes
}
