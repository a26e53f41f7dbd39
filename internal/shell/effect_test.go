package shell

import "testing"

func TestEffectOf(t *testing.T) {
	for script, want := range map[string]Effect{
		"ls -la && cat a | grep b 2>/dev/null": Reads,
		"git status; git diff --stat":          Reads,
		"sed -n 1,5p a":                        Reads,
		"find . -name '*.go'":                  Reads,
		"":                                     Reads,
		"go test ./... 2>&1 | tail -5":         Checks,
		"cd web && npm run test:unit":          Checks,
		"bash -lc 'go vet ./...'":              Checks,
		"ruff check .":                         Checks,
		"rm -rf old":                           Writes,
		"sed -i s/a/b/ f":                      Writes,
		"find . -name x -delete":               Writes,
		"echo a > f":                           Writes,
		"gofmt -w .":                           Writes,
		"git checkout .":                       Writes,
		"git commit -m x":                      Writes, // its hooks may
		"ls; sh -c 'rm a'":                     Writes,
		"ruff check --fix .":                   Writes,
		"./script":                             Writes,
	} {
		if got := EffectOf(script); got != want {
			t.Errorf("%q: %d, not %d", script, got, want)
		}
	}
}
