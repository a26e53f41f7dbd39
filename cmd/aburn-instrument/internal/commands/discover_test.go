package commands_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"aburn/cmd/aburn-instrument/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/internal/lab/world"
)

// TestDiscover: npm is asked only where a person says so, only about packages that are known to be public by their form,
// that package.json names and that no library covers. What it has is told.
func TestDiscover(t *testing.T) {
	world.Slow(t)
	w := world.New(t)
	w.Enter(t)
	var mu sync.Mutex
	var asked []string
	npm := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, q.URL.EscapedPath())
		if !strings.HasSuffix(q.URL.Path, "/@opentelemetry/instrumentation-carrier-pigeon") {
			http.NotFound(out, q)
			return
		}
		_, _ = out.Write([]byte(`{"dist-tags": {"latest": "0.3.1\u001b[31m"}}`))
	}))
	defer npm.Close()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"package.json": `{"name": "shop", "private": true, "dependencies": {"carrier-pigeon": "1", "slow-mail": "1", "@me/secret": "1", "pg": "8"}}`,
		"a.mjs": "import pigeon from 'carrier-pigeon';\nimport { post } from 'slow-mail';\nimport secret from '@me/secret';\nimport undeclared from " +
			"'undeclared';\nimport pg from 'pg';\nimport { readFile } from 'node:fs/promises';\nconst pool = new pg.Pool();\n" +
			"export async function send(order) {\n  await pigeon.fly(order);\n  await post(order);\n  await secret.tell(order);\n  await undeclared.tell(order);\n  " +
			"await pool.query('a');\n  await readFile('a');\n}\n",
	})
	t.Setenv("npm_config_registry", npm.URL+"/")
	scan := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: os.Getenv}
		if code := commands.Run(t.Context(), a, append([]string{"aburn-instrument", "-C", dir, "scan"}, args...)); code != 0 {
			t.Fatalf("exit %d\n%s%s", code, out.String(), errs.String())
		}
		return out.String() + errs.String()
	}
	if scan(); len(asked) > 0 {
		t.Errorf("asked without being told to: %v", asked)
	}
	if got := scan("--discover"); !strings.Contains(got, "\n  @opentelemetry/instrumentation-carrier-pigeon 0.3.1") || strings.Contains(got, "\x1b") ||
		strings.Contains(got, "slow-mail\n") {
		t.Error(got)
	}
	if want := []string{"/@opentelemetry%2finstrumentation-carrier-pigeon", "/@opentelemetry%2finstrumentation-slow-mail"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v", asked)
	}
	if got := scan("--discover", "--json"); !strings.Contains(got,
		`"discovered":[{"for":"carrier-pigeon","package":"@opentelemetry/instrumentation-carrier-pigeon"`) {
		t.Error(got)
	}
	npm.Close()
	if got := scan("--discover"); !strings.Contains(got, "npm could not be asked") || !strings.Contains(got, "1 candidate") {
		t.Error(got)
	}
}
