//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/world"
)

// TestServerFileIsNone: where there is something else than a file, nothing waits for it, and nothing is touched.
func TestServerFileIsNone(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"pipe":   world.Mkfifo,
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, file := range []string{".claude.json", ".codex/config.toml"} {
			b := newServerBench(t, nil)
			b.program("codex")
			b.options.Agents = spliced()
			path := filepath.Join(b.home, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			for _, plan := range []func(Options) (*Change, error){Plan, PlanUninstall} {
				if _, err := plan(b.options); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
					t.Errorf("%s is a %s: %v", file, name, err)
				}
			}
			if exists(filepath.Join(b.home, ".local")) || exists(filepath.Join(b.home, ".claude", "settings.json")) {
				t.Errorf("%s is a %s: something was touched", file, name)
			}
		}
	}
}

// TestServerCannotBeWritten: the error names the file that the user knows, not a temporary one. Its name is as long as a name can
// be, so that none can be made beside it.
func TestServerCannotBeWritten(t *testing.T) {
	b := newServerBench(t, nil)
	real := filepath.Join(b.home, strings.Repeat("x", 250))
	if err := os.WriteFile(real, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, b.path); err != nil {
		t.Fatal(err)
	}
	c, err := Plan(b.options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(); !errors.Is(err, syscall.ENAMETOOLONG) || !strings.HasPrefix(err.Error(), real+" could not be written: ") {
		t.Errorf("error %v", err)
	}
	b.want("the file", b.read(), []byte("{}\n"))
}
