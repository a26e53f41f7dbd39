//go:build unix

package tree

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What a repository, or an agent, put in place of a file is not waited for, and no large file is read to see whether git-lfs fetched it.
func TestPointersReadSmallFiles(t *testing.T) {
	w := newWorld(t)

	w.write(w.repo.Root, ".gitattributes", "*.bin filter=lfs\n")
	w.write(w.repo.Root, "a.bin", pointer)
	w.write(w.repo.Root, "b.bin", pointer)
	w.git(w.repo.Root, "add", ".")
	w.git(w.repo.Root, "commit", "-qm", "pointers")
	made := w.create("w")
	w.must(os.WriteFile(filepath.Join(made.Path, "b.bin"), nil, 0o600))
	w.must(os.Truncate(filepath.Join(made.Path, "b.bin"), 1<<40)) // as a model that was fetched
	said := make(chan int, 2)
	go func() {
		said <- made.Pointers(t.Context())
		w.must(os.Remove(filepath.Join(made.Path, ".gitattributes")))
		w.must(syscall.Mkfifo(filepath.Join(made.Path, ".gitattributes"), 0o600))
		said <- made.Pointers(t.Context())
	}()
	for i, want := range []int{2, 0} {
		select {
		case n := <-said:
			if n != want {
				t.Errorf("%d: %d pointers", i, n)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("somebody waits for a pipe")
		}
	}
}
