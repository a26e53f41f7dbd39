package shell

import (
	"strings"
	"testing"
)

func TestProgram(t *testing.T) {
	for line, want := range map[string]string{
		"":                                    "",
		"go test ./...":                       "go test ./...",
		"A=1 if B=2 make":                     "make",
		"env":                                 "",
		"sudo -n -u me make all":              "make all",
		"sudo --user=me make":                 "make",
		"/usr/bin/env -u X A=b node a.js":     "node a.js",
		"nice -n 10 make":                     "make",
		"timeout 30 make":                     "make",
		"timeout -k 5 --foreground 60s make":  "make",
		"timeout":                             "timeout",
		"time -p go test":                     "go test",
		"xargs -0 -n 1 -I {} rm {}":           "rm {}",
		"npx --yes -p typescript tsc -p .":    "tsc -p .",
		"pnpm --filter app exec tsc":          "tsc",
		"pnpm install":                        "pnpm install",
		"uv run --with x pytest -x":           "pytest -x",
		"uv add pytest":                       "uv add pytest",
		"python -m pytest -q":                 "pytest -q",
		"python3 -W ignore -m unittest":       "unittest",
		"python -m coverage run -m pytest":    "pytest",
		"python a.py -m x":                    "python a.py -m x",
		"docker exec -it -u root web ls /":    "ls /",
		"docker compose -f a.yml exec web ls": "ls",
		"docker compose up":                   "docker compose up",
		"docker exec -it":                     "docker exec -it",
		"sudo env timeout 5 nice nohup make":  "make",
		// what the project itself calls so
		"yarn test":        "yarn test",
		"yarn exec jest":   "jest",
		"hatch run test":   "hatch run test",
		"bash scripts/a":   "bash scripts/a",
		"sudo bash -c 'a'": "bash -c 'a'",
		// no wrapper by its beginning alone
		"timeouts 3 x": "timeouts 3 x",
		"n x":          "n x",
	} {
		if got := strings.Join(Program(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

func TestWrapper(t *testing.T) {
	for line, want := range map[string]int{
		"go test":                           0,
		"sudo -u me make":                   1,
		"timeout -k 5 60s make":             4,
		"yarn jest":                         1,
		"yarn exec jest":                    2,
		"bash run.sh":                       1,
		"hatch run cov":                     2,
		"docker compose exec -T web pytest": 5,
		"pnpm --filter app exec tsc":        4,
		"pnpm --unknown app exec tsc":       4,
		"pnpm run exec":                     0,
	} {
		if got := Wrapper(strings.Fields(line)); got != want {
			t.Errorf("%q: %d, not %d", line, got, want)
		}
	}
}

// A form that stands behind a shorter one of its program would never be found.
func TestWrappersOrder(t *testing.T) {
	for i, w := range wrappers {
		line := strings.ReplaceAll(w.words, "*", "x")
		if got, n := wrapperOf(strings.Fields(line)); got != &wrappers[i] || n != len(strings.Fields(line)) {
			t.Errorf("%q: %+v, %d", line, got, n)
		}
	}
}

// Whatever the words, what is left is their end.
func FuzzProgram(f *testing.F) {
	f.Add("sudo -u me docker compose -f x exec -T web timeout -k 5 6 a=b yarn x")
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Fields(line)
		rest := Program(words)
		if len(rest) > len(words) || !strings.HasSuffix(strings.Join(words, " "), strings.Join(rest, " ")) {
			t.Fatalf("%q: %q", words, rest)
		}
		if len(rest) > 0 && Wrapper(rest) > len(rest) {
			t.Fatalf("%q: %d words of %q", words, Wrapper(rest), rest)
		}
	})
}
