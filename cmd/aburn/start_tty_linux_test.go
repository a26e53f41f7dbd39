package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// aburn alone says on a terminal what is there and what to do next, and each step changes what comes next. Without a
// terminal it prints the help.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	app := filepath.Join(home, "app")
	bin := filepath.Join(home, "bin")
	for _, d := range []string{app, bin, filepath.Join(home, ".claude")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "aburn-hook"), []byte("an executable"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + bin, "NO_COLOR=1"}
	expect := func(columns uint16, want ...string) {
		t.Helper()
		shown := onColumns(t, columns, "", app, env)
		flowing := strings.Join(strings.Fields(shown), " ")
		for _, w := range want {
			if !strings.Contains(flowing, w) {
				t.Errorf("%d columns, no %q:\n%s", columns, w, shown)
			}
		}
		for line := range strings.Lines(shown) {
			if w := plain.Width(strings.TrimSuffix(line, "\n")); columns > 100 && w > int(columns) {
				t.Errorf("%d columns, and %d cells: %q", columns, w, line)
			}
		}
	}
	expect(130, "No hooks are installed yet. Found here: Claude Code.", "1 aburn ingest && aburn report", "2 aburn install-hooks", "3 aburn doctor",
		"All commands: aburn help all")
	for _, args := range [][]string{{"install-hooks", "--yes", "--no-init"}} {
		if out := onColumns(t, 130, "", app, env, args...); !strings.Contains(out, "installed") {
			t.Fatal(out)
		}
	}
	expect(130, "aburn records Claude Code, but not in this folder", "1 aburn init")
	onColumns(t, 130, "", app, env, "init")
	expect(130, "aburn records Claude Code in this project.", "1 aburn status", "2 aburn tail -f", "3 aburn ingest && aburn report")
	cmd := aburnIn(app)
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "uninstall-hooks") {
		t.Errorf("without a terminal: %v\n%s", err, out)
	}
}
