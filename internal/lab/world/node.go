package world

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TypeNode puts a node that takes types off TypeScript first on PATH. That is the one there, if it does, else the one of
// npm in the user's cache. ABURN_TYPESCRIPT=1 installs that; without it a test skips where there is none.
func TypeNode(t testing.TB) {
	t.Helper()
	takes := func(node string) bool {
		return exec.Command(node, "-e", "process.exit(require('node:module').stripTypeScriptTypes ? 0 : 1)").Run() == nil
	}
	if takes("node") {
		return
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	pkg := "node-" + runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	home := filepath.Join(cache, "aburn-node")
	bin := filepath.Join(home, "node_modules", pkg, "bin")
	if !takes(filepath.Join(bin, "node")) {
		if os.Getenv("ABURN_TYPESCRIPT") == "" {
			t.Skip("no node 22.13 or later here; ABURN_TYPESCRIPT=1 installs one from npm")
		}
		out, err := exec.Command("npm", "install", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", pkg+"@22").CombinedOutput()
		if err != nil {
			t.Fatalf("npm: %v\n%s", err, out)
		}
	}
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	if tt, ok := t.(interface{ Setenv(key, value string) }); ok {
		tt.Setenv("PATH", path)
	}
}
