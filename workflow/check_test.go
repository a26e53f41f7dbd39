package workflow

import "testing"

func TestCheck(t *testing.T) {
	m := Default()
	for line, want := range map[string]Check{
		"go test ./...":                          Tests,
		"cd web && npm test":                     Tests,
		"go vet ./... && go test ./...":          Tests,
		"go build ./...":                         Build,
		"cargo check --all":                      Build,
		"./gradlew assembleDebug":                Build,
		"cmake --build build":                    Build,
		"npm run build":                          Build,
		"cd app && npx vite build":               Build,
		"npx tsc --noEmit":                       Types,
		"mypy src":                               Types,
		"pnpm run typecheck":                     Types,
		"npx eslint . --fix":                     Lint,
		"cargo clippy -- -D warnings":            Lint,
		"golangci-lint run ./...":                Lint,
		"bash -c 'ruff check .'":                 Lint,
		"grep -rn pytest .":                      NoCheck,
		"pip install mypy":                       NoCheck,
		"npm install eslint":                     NoCheck,
		"echo tsc":                               NoCheck,
		"cat Makefile":                           NoCheck,
		"git commit -m 'go build works'":         NoCheck,
		"make":                                   NoCheck,
		"docker build .":                         NoCheck,
		"which gcc":                              NoCheck,
		"cargo --version":                        NoCheck,
		"ls build && echo make all":              NoCheck,
		"npm run dev":                            NoCheck,
		"cat <<EOF > run.sh\nnpm run build\nEOF": NoCheck,
	} {
		if got, _ := m.Check(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]bool{
		"make": true, "./ci.sh": true, "docker compose up": true, "npm run dev": true, "git commit -m x": false, "ls && cat a": false, "npm install x": false,
		"cd a && go mod tidy": false, "curl http://x": false, "": false,
	} {
		if MayCheck(line) != want {
			t.Errorf("%q may be a check: %t", line, !want)
		}
	}
	if _, run := m.Check("npx tsc --noEmit | head"); run.Pass || run.Fail {
		t.Error("behind a pipe the exit code says something")
	}
	if _, run := m.Check("npx tsc --noEmit"); !run.Pass || !run.Fail {
		t.Error("the exit code of a type check says nothing")
	}
}
