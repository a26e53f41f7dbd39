//go:build unix

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	lab "aburn/internal/lab/world"
)

// A branch that is fetched moves on, and never back; commits of one's own stay. Snapshots come along.
func TestFetchLosesNothing(t *testing.T) {
	w := newWorld(t)
	r, base, ctx := w.repo, w.head, t.Context()
	there := filepath.Join(t.TempDir(), "there")
	run := func(dir string, args ...string) string {
		t.Helper()
		out, err := r.g.At(dir).With("GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com").Out(ctx,
			args...)
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return out
	}
	if err := os.MkdirAll(there, 0o700); err != nil {
		t.Fatal(err)
	}
	run(there, "init", "-q", ".")
	to := Elsewhere{URL: there}
	if err := PushCommit(ctx, r, to, base, "refs/aburn/base/w"); err != nil {
		t.Fatal(err)
	}
	commit := func(dir, branch, parent string) string {
		id := run(dir, "commit-tree", "-p", parent, "-m", "work of "+branch+parent, parent+"^{tree}")
		run(dir, "update-ref", "refs/heads/"+branch, id)
		return id
	}
	one := commit(there, "aburn/w", base)
	run(there, "update-ref", "refs/aburn/snap/w/1", one)
	fetch := func() (string, error) { return Fetch(ctx, r, to, "aburn/w", "refs/aburn/far/w", "refs/aburn/snap/w") }
	if got, err := fetch(); err != nil || got != one || r.Tip(ctx, "aburn/w") != one || !r.Holds(ctx, "refs/aburn/snap/w/1", one) {
		t.Fatalf("%s %v", got, err)
	}
	two := commit(there, "aburn/w", one)
	if got, err := fetch(); err != nil || got != two || r.Tip(ctx, "aburn/w") != two {
		t.Fatalf("%s %v", got, err)
	}
	own := commit(r.Root, "aburn/w", two)
	if got, err := fetch(); !errors.Is(err, ErrRewritten) || got != two || r.Tip(ctx, "aburn/w") != own || !r.Holds(ctx, "refs/aburn/far/w", two) {
		t.Fatalf("%s %v", got, err)
	}
	run(there, "update-ref", "refs/heads/aburn/w", base) // it was moved back there
	if _, err := fetch(); !errors.Is(err, ErrRewritten) || r.Tip(ctx, "aburn/w") != own {
		t.Fatal(err)
	}
}

// Several bring the same work here at once, such as a diff and what looks after workers. What one has brought is no failure of
// the others.
func TestFetchTogether(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	there := filepath.Join(w.dir, "there")
	w.git(w.dir, "clone", "-q", "--bare", w.repo.Root, there)
	at := w.head
	for range 5 {
		at = w.git(there, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit-tree", "-p", at, "-m", "next", "HEAD^{tree}")
		w.git(there, "update-ref", "refs/heads/aburn/w", at)
		w.git(there, "update-ref", "refs/aburn/snap/w/"+at, at)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if got, err := Fetch(t.Context(), w.repo, Elsewhere{URL: there}, "aburn/w", "refs/aburn/far/w", "refs/aburn/snap/w"); err != nil || got != at {
					t.Error(got, err)
				}
			})
		}
		all.Wait()
	}
	if n := strings.Count(w.git(w.repo.Root, "for-each-ref", "--format=.", "refs/aburn/snap/w"), "."); n != 5 || w.repo.Tip(t.Context(), "aburn/w") != at {
		t.Errorf("%d refs are here", n)
	}
}
