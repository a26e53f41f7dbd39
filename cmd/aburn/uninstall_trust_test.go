//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/install"
	"aburn/internal/lab/world"
)

// appServer is a codex that keeps what it is told and writes what Codex 0.169.0 would have written.
const appServer = `#!/bin/sh
while read -r line; do
	echo "$line" >>"$HOME/told"
	case $line in *batchWrite*) cp "$HOME/after.toml" "$HOME/.codex/config.toml" ;; esac
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	[ -n "$id" ] && echo "{\"id\":$id,\"result\":{}}"
done
`

// TestUninstallTakesOutTrust: with the hooks go Codex' records of trust in them, through Codex, and nobody else's.
func TestUninstallTakesOutTrust(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	const mine = "model = \"x\"\n"
	for _, c := range []struct {
		name    string
		others  string // records of others
		program bool
		told    []string
		not     string
		says    string
	}{
		{"ours alone", "", true, []string{`"keyPath":"hooks.state","mergeStrategy":"replace","value":null`}, "hooks.state.",
			"Codex removed its 13 records of trust in them from "},
		{"beside others", "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n", true,
			[]string{`"keyPath":"hooks.state.\"HOME/.codex/hooks.json:stop:0:0\""`, `"keyPath":"hooks.state.\"HOME/.codex/hooks.json:session_end:0:0\""`},
			"/x/hooks.json", "Codex removed its 13 records"},
		{"without codex", "", false, nil, "", "Codex still has 13 records of trust in HOME/.codex/config.toml: no codex on PATH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			env := func(name string) string { return map[string]string{"HOME": home}[name] }
			file := func(name, text string, mode os.FileMode) {
				t.Helper()
				path := filepath.Join(home, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			aburn := func(args ...string) string {
				t.Helper()
				cmd := aburnIn(dir, args...)
				cmd.Env = append(cmd.Env, "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return strings.ReplaceAll(string(out), home, "HOME")
			}
			file("bin/aburn-hook", "#!/bin/sh\n", 0o755)
			if c.program {
				file("bin/codex", appServer, 0o755)
			}
			file("after.toml", mine+c.others, 0o600)
			aburn("install-hooks", "--yes", "--agent", "codex", "--no-init")
			config := mine + "\n[hooks.state]\n" + c.others
			for _, s := range install.Inspect(install.Codex, dir, env) {
				for _, r := range s.Own() {
					config += fmt.Sprintf("\n[hooks.state.%q]\ntrusted_hash = %q\n", r.TrustKey, r.TrustHash)
				}
			}
			file(".codex/config.toml", config, 0o600)
			if shown := aburn("uninstall-hooks", "--dry-run"); !strings.Contains(shown,
				"Codex removes its 13 records of trust in them from HOME/.codex/config.toml\n") {
				t.Errorf("not announced:\n%s", shown)
			}
			if shown := aburn("uninstall-hooks", "--yes"); !strings.Contains(shown, c.says) {
				t.Errorf("want %q in\n%s", c.says, shown)
			}
			data, _ := os.ReadFile(filepath.Join(home, "told"))
			told := strings.ReplaceAll(string(data), home, "HOME")
			for _, want := range c.told {
				if !strings.Contains(told, want) {
					t.Errorf("Codex was not told %s:\n%s", want, told)
				}
			}
			if c.not != "" && strings.Contains(told, c.not) {
				t.Errorf("Codex was told of %s:\n%s", c.not, told)
			}
			if now, _ := os.ReadFile(filepath.Join(home, ".codex", "config.toml")); c.program && string(now) != mine+c.others {
				t.Errorf("config.toml is now\n%s", now)
			}
		})
	}
}
