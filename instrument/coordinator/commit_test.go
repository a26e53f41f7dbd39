//go:build unix

package coordinator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitIsAskedOnce: a run asks git about all its files together, and one question about a branch or a text is one process.
func TestGitIsAskedOnce(t *testing.T) {
	const many = filesAtOnce + 20
	p := newProject(t, many, nil)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho . >> "+log+"\nexec "+real+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r := newRepository(Options{Dir: p.dir, Config: p.config, Environ: os.Environ()})
	var files []string
	for i := range many {
		path, _ := work(i)
		files = append(files, path)
	}
	asked := func(n int, what string, ask func() error) {
		t.Helper()
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ask(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := len(lines(t, log)); n > 0 && got != n {
			t.Errorf("%s: %d processes, not %d", what, got, n)
		}
	}
	dirtyAre := func(n int, want ...string) {
		t.Helper()
		asked(n, fmt.Sprintf("dirty files %v", want), func() error {
			got, err := r.dirty(t.Context(), files)
			if !slices.Equal(got, want) {
				t.Errorf("%v are dirty, not %v", got, want)
			}
			return err
		})
	}
	dirtyAre(2)
	asked(1, "branch", func() error {
		on, err := r.on(t.Context())
		if on != "main" {
			t.Errorf("the branch is %q", on)
		}
		return err
	})
	asked(1, "text", func() error {
		text, err := r.at(t.Context(), "HEAD", files[0])
		if string(text) != p.read(files[0]) {
			t.Errorf("the text is %q", text)
		}
		return err
	})
	asked(0, "no such file", func() error {
		text, err := r.at(t.Context(), "HEAD", "src/none.mjs")
		if text != nil {
			t.Errorf("a file that is not there is %q", text)
		}
		return err
	})
	p.write(files[3], "other();\n")
	p.write(files[many-1], "other();\n")
	dirtyAre(0, files[3], files[many-1])
	p.git("checkout", "-q", "--detach")
	asked(0, "no branch", func() error {
		on, err := r.on(t.Context())
		if want := strings.TrimSpace(p.git("rev-parse", "HEAD")); on != want {
			t.Errorf("without a branch it is on %q, not %q", on, want)
		}
		return err
	})
}
