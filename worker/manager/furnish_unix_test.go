//go:build unix

package manager

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/worker/tree"
)

// What stands where the list of files is looked for came with a repository, or from an agent: it may be endless, or nothing at all.
func TestListOfFilesThatIsNone(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device": func(path string) error { return os.Symlink("/dev/null", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a large file": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("# a comment\n", 100_000)), 0o600)
		},
	} {
		repo := &tree.Repo{Main: t.TempDir()}
		if err := put(filepath.Join(repo.Main, includeFile)); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, _, err := (&Furniture{}).Files(t.Context(), repo, repo.Main)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), includeFile) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(2 * time.Minute):
			t.Errorf("%s: it waits", name)
		}
	}
	if _, _, err := (&Furniture{}).Files(t.Context(), &tree.Repo{Main: t.TempDir()}, t.TempDir()); err != nil {
		t.Error(err)
	}
}
