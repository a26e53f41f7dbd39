//go:build unix

package crew

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// blobs are the contents that commits have, as plain git says.
func (y *yard) blobs(args ...string) (ids []string) {
	y.Helper()
	out, err := y.git(y.main, append([]string{"rev-list", "--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects"}, args...)...)
	y.must(err)
	return strings.Fields(out)
}

// TestExpire draws what a worker commits, leaves and snapshots. A month after its tree went, a snapshot goes exactly if each file of it
// stands in a commit; the last one stays, and nothing goes earlier, in a dry run, or twice.
func TestExpire(t *testing.T) {
	world.Slow(t)
	dropped, kept := 0, 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 4))
		y := newYard(t, "lines 9 > a; lines 9 > b")
		for n := range 6 {
			y.sh(y.tree, fmt.Sprintf("echo %d-%d > %s", seed, n, []string{"a", "new", "b"}[r.IntN(3)]))
			if r.IntN(3) == 0 {
				y.sh(y.tree, "git add -A")
			}
			if _, fresh, err := y.crew.Snapshot(t.Context(), y.repo, y.member("w")); err != nil || !fresh {
				t.Fatal(fresh, err)
			}
			if r.IntN(2) == 0 {
				y.sh(y.tree, "save")
			}
		}
		if c, err := y.crew.Cleanup(t.Context(), y.repo, y.member("w"), CleanupOptions{Preserve: true}); err != nil || !c.Removed {
			t.Fatal(c, err)
		}
		if r.IntN(2) == 0 { // its work was merged, and its branch is gone
			y.sh(y.main, "git merge -q --squash aburn/w; save; git branch -D -q aburn/w")
		}
		m, now := y.member("w"), time.Now()
		refs, _ := y.git(y.main, "for-each-ref", "refs/aburn")
		for _, c := range []struct {
			after time.Duration
			dry   bool
		}{{29 * 24 * time.Hour, false}, {-90 * 24 * time.Hour, false}, {31 * 24 * time.Hour, true}} {
			_, err := y.crew.Expire(t.Context(), y.repo, m, now.Add(c.after), c.dry)
			if left, _ := y.git(y.main, "for-each-ref", "refs/aburn"); err != nil || left != refs {
				t.Fatalf("seed %d, after %v: %v\n%s", seed, c.after, err, left)
			}
		}
		n, err := y.crew.Expire(t.Context(), y.repo, m, now.Add(31*24*time.Hour), false)
		y.must(err)
		all := Snapshots(y.member("w").Ledger)
		have := y.blobs("--branches", "--tags", "--remotes")
		for i, s := range all {
			needed := slices.ContainsFunc(y.blobs(s.Commit), func(id string) bool { return !slices.Contains(have, id) })
			stays := y.repo.Holds(t.Context(), s.Ref, s.Commit)
			if last := i == len(all)-1; stays != (needed || last) {
				t.Errorf("seed %d: snapshot %d stays %t, the only place of a file %t", seed, i+1, stays, needed)
			}
			if stays == HasExpired(y.member("w").Ledger, s.Ref) {
				t.Errorf("seed %d: snapshot %d stays %t, and the ledger says otherwise", seed, i+1, stays)
			}
			if stays {
				kept++
			} else {
				n--
				dropped++
			}
		}
		if n != 0 {
			t.Errorf("seed %d: %d more were said to go", seed, n)
		}
		if n, err := y.crew.Expire(t.Context(), y.repo, y.member("w"), now.Add(32*24*time.Hour), false); n != 0 || err != nil {
			t.Error(seed, n, err)
		}
	}
	if dropped == 0 || kept < 4 {
		t.Errorf("%d dropped, %d kept: that shows little", dropped, kept)
	}
}
