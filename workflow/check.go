package workflow

import (
	"path"
	"slices"

	"aburn/internal/shell"
)

// Check is a kind of check of the code.
type Check string

// The kinds. A line that runs tests and more is Tests.
const (
	NoCheck Check = ""
	Tests   Check = "tests"
	Build   Check = "build"
	Types   Check = "types"
	Lint    Check = "lint"
)

// Check says which check a shell command runs, and what its exit code then means; see TestRun. A command that only names a
// runner (`grep pytest`, `pip install pytest`) runs none.
func (m *Model) Check(head string) (Check, TestRun) {
	if t := m.TestRun(head); t.Runs {
		return Tests, t
	}
	for _, kind := range [...]Check{Build, Types, Lint} {
		other := Model{TestCommands: kind.commands()}
		if t := other.TestRun(head); t.Runs {
			return kind, t
		}
	}
	return NoCheck, TestRun{}
}

// commands are the beginnings of shell commands that run such a check, in the notation of TestCommands.
func (c Check) commands() []string {
	switch c {
	case Build:
		return []string{
			"go build", "go install", "mage build", "cargo build", "cargo check", "rustc", "zig build", "swift build", "xcodebuild build", "swiftc",
			"make build*", "make all", "make compile*", "just build*", "task build*", "cmake build*", "ninja", "meson compile", "bazel build",
			"buck build", "buck2 build", "pants package",
			"gradle build*", "gradle assemble*", "gradle compile*", "gradlew build*", "gradlew assemble*", "gradlew compile*",
			"mvn compile", "mvn package", "mvn install", "mvn verify", "mvnw compile", "mvnw package", "mvnw install", "mvnw verify", "ant",
			"javac", "kotlinc", "scalac",
			"sbt compile", "mill *compile", "lein compile", "dotnet build", "dotnet publish", "msbuild",
			"npm run build*", "npm run compile*", "yarn build*", "yarn run build*", "pnpm build*", "pnpm run build*", "bun run build*", "bun build",
			"deno check",
			"turbo build", "turbo run build", "nx build", "vite build", "next build", "nuxt build", "webpack", "rollup", "esbuild", "ng build",
			"astro build",
			"mix compile", "rebar3 compile", "stack build", "cabal build", "ghc", "dune build", "elm make", "crystal build", "nim c",
			"flutter build", "dart compile",
			"gcc", "g++", "clang", "clang++", "python -m build", "python3 -m build", "python -m compileall", "python3 -m compileall",
			"python3 -m py_compile",
			"python -m py_compile", "poetry build", "uv build",
		}
	case Types:
		return []string{
			"tsc", "vue-tsc", "svelte-check", "flow check", "mypy", "python -m mypy", "python3 -m mypy", "pyright", "basedpyright", "pyre check",
			"ty check", "pytype",
			"npm run typecheck*", "npm run type-check*", "npm run types*", "npm run check-types*", "yarn typecheck*", "yarn type-check*",
			"pnpm typecheck*", "pnpm type-check*",
			"pnpm run typecheck*", "pnpm run type-check*", "bun run typecheck*", "make typecheck*", "make types", "just typecheck*",
			"phpstan analy*", "psalm", "srb tc", "steep check", "mix dialyzer", "rebar3 dialyzer",
		}
	case Lint:
		return []string{
			"eslint", "npm run lint*", "yarn lint*", "yarn run lint*", "pnpm lint*", "pnpm run lint*", "bun run lint*", "biome check", "biome lint",
			"biome ci", "oxlint", "stylelint",
			"tslint", "standard", "deno lint", "next lint", "ng lint", "ruff check", "flake8", "pylint", "python -m flake8", "python3 -m flake8",
			"python -m pylint", "bandit",
			"golangci-lint run", "go vet", "staticcheck", "revive", "cargo clippy", "rubocop", "standardrb", "swiftlint", "ktlint", "detekt",
			"checkstyle", "shellcheck", "hlint",
			"clang-tidy", "cppcheck", "phpcs", "mix credo", "dart analyze", "flutter analyze", "scalafix", "make lint*", "make check-lint",
			"just lint*", "task lint*", "hadolint",
			"markdownlint*", "yamllint", "pre-commit run", "luacheck", "credo",
		}
	}
	return nil
}

// MayCheck reports whether a shell command may be a check under a name that aburn does not know: a script, a target of make.
func MayCheck(head string) bool {
	return slices.ContainsFunc(shell.Commands(head), func(c shell.Command) bool {
		words := shell.Program(c.Words)
		if len(words) == 0 {
			return false
		}
		switch path.Base(words[0]) {
		case "cd", "ls", "cat", "head", "tail", "grep", "rg", "find", "wc", "sed", "awk", "sort", "uniq", "diff", "cut", "tr", "tree", "stat",
			"file", "du", "df", "pwd", "jq", "nl",
			"git", "gh", "glab", "aburn", "mkdir", "touch", "rm", "cp", "mv", "ln", "chmod", "chown", "echo", "printf", "export", "set", "source",
			".", "sleep", "wait", "kill",
			"pkill", "curl", "wget", "open", "gofmt", "goimports", "prettier", "black", "rustfmt", "which", "command", "type", "env", "date",
			"true", "false", "test", "[", "ps", "tee",
			"xargs", "seq", "basename", "dirname", "realpath", "readlink", "pip", "pip3", "brew", "apt", "apt-get", "tar", "unzip", "ssh", "scp", "rsync":
			return false
		case "npm", "yarn", "pnpm", "bun", "go", "cargo", "poetry", "uv", "bundle", "composer", "mix", "dotnet":
			return len(words) < 2 || !slices.Contains([]string{"install", "i", "ci", "add", "remove", "get", "mod", "fmt", "update", "sync", "lock",
				"deps.get", "restore", "version",
				"list", "env", "doc"}, words[1])
		}
		return true
	})
}
