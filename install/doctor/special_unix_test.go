//go:build unix

package doctor

import (
	"os"
	"testing"

	"aburn/install"
	lab "aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
)

// TestSettingsThatNeverEnd: a pipe or a device in the place of a settings file holds up nobody.
func TestSettingsThatNeverEnd(t *testing.T) {
	w := newWorld(t)
	w.readers = []trace.Reader{claude.New()} // which asks the settings how long sessions are kept
	w.install(install.User, install.Claude)
	for is, make := range map[string]func(string) error{
		"~/.claude/settings.json is not a regular file": lab.Mkfifo,
		"/dev/zero is not a regular file":               func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		path := w.path(".claude/settings.json")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		w.expect(w.run(w.root), "claude bad "+is)
	}
}
