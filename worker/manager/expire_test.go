//go:build unix

package manager

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// changes are what each commit of a list does to which paths, against its first parent, as plain git says.
func (y *yard) changes(revisions ...string) (list []string) {
	y.Helper()
	out, err := y.git(y.main, append([]string{"log", "--format=", "--diff-merges=first-parent", "--raw", "--no-abbrev", "--no-renames"}, revisions...)...)
	y.must(err)
	for line := range strings.Lines(out) {
		list = append(list, strings.Join(strings.Fields(line)[1:], " ")) // without the old mode
	}
	for i, line := range list { // and without the old content
		f := strings.Fields(line)
		list[i] = strings.Join([]string{f[0], f[2], f[4]}, " ")
	}
	return list
}

// TestExpire draws what a worker commits, leaves and snapshots. A month after its tree went, a snapshot goes exactly if each change of it
// was made by a commit; the last one stays, and nothing goes earlier, in a dry run, or twice.
func TestExpire(t *testing.T) {
	world.Slow(t)
	dropped, kept := 0, 0
	for seed := range uint64(world.Storm(2)) {
		r := rand.New(rand.NewPCG(seed, 4))
		y := newYard(t, "lines 9 > a; lines 9 > b")
		for n := range 6 {
			y.sh(y.tree, fmt.Sprintf([]string{"echo %[1]d-%[2]d > a", "echo %[1]d-%[2]d > new", "echo %[1]d-%[2]d > b",
				"git ls-files | head -n 1 | xargs rm -f; echo %[2]d > d",
				`f=$(git ls-files | grep -vxF "$(git ls-files -d)" | tail -n 1); if [ -n "$f" ]; then mv "$f" moved-%[2]d; else echo %[2]d > a; fi`,
				"find . -maxdepth 1 -type f ! -name .git -exec chmod +x {} +; echo %[2]d > e", "rm -rf l; ln -s to-%[2]d l"}[r.IntN(7)], seed, n))
			if r.IntN(3) == 0 {
				y.sh(y.tree, "git add -A")
			}
			if _, fresh, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.member("w")); err != nil || !fresh {
				t.Fatal(fresh, err)
			}
			if r.IntN(2) == 0 {
				y.sh(y.tree, "save")
			}
		}
		if c, err := RemoveTree(t.Context(), y.crew, y.repo, y.member("w"), CleanupOptions{Preserve: true}); err != nil || !c.Removed {
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
			_, err := ExpireSnapshots(t.Context(), y.crew, y.repo, m, now.Add(c.after), c.dry)
			if left, _ := y.git(y.main, "for-each-ref", "refs/aburn"); err != nil || left != refs {
				t.Fatalf("seed %d, after %v: %v\n%s", seed, c.after, err, left)
			}
		}
		n, err := ExpireSnapshots(t.Context(), y.crew, y.repo, m, now.Add(31*24*time.Hour), false)
		y.must(err)
		all := Snapshots(y.member("w").Ledger)
		have := y.changes("--branches", "--tags", "--remotes", "--not", m.Request.Base)
		for i, s := range all {
			only := y.changes(s.Commit, "--not", m.Request.Base, "--branches", "--tags", "--remotes")
			needed := slices.ContainsFunc(only, func(c string) bool { return !slices.Contains(have, c) })
			stays := y.repo.Holds(t.Context(), s.Ref, s.Commit)
			if last := i == len(all)-1; stays != (needed || last) {
				t.Errorf("seed %d: snapshot %d stays %t, the only place of a change %t", seed, i+1, stays, needed)
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
		if n, err := ExpireSnapshots(t.Context(), y.crew, y.repo, y.member("w"), now.Add(32*24*time.Hour), false); n != 0 || err != nil {
			t.Error(seed, n, err)
		}
	}
	if dropped == 0 || kept < 4 {
		t.Errorf("%d dropped, %d kept: that shows little", dropped, kept)
	}
}

// TestExpireKeepsWhatBringsNoContent: a snapshot stays whose work is a rename, a deletion, a mode, a place or a step back that no commit
// makes, though each content of it stands in a commit. Committed, the same goes.
func TestExpireKeepsWhatBringsNoContent(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; lines 8 > b; git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub; git commit -qm sub")
	n := 0
	for _, c := range []struct{ name, before, work, also string }{
		{name: "a deletion", work: "rm a"},
		{name: "a staged deletion whose file is there", work: "git rm -q --cached a"},
		{name: "a rename", work: "mv a c"},
		{name: "a staged rename", work: "git mv a c"},
		{name: "a mode", work: "chmod +x a"},
		{name: "a copy in another place", work: "mkdir d; cp a d/a"},
		{name: "a link in place of a file", work: "rm a; ln -s b a", also: "printf b > target"},
		{name: "a step back", before: "edit a 1 x; save", work: "git checkout -q HEAD~1 -- a; git reset -q"},
		{name: "a submodule's commit", work: "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; mkdir -p sub"},
	} {
		for _, committed := range []bool{false, true} {
			if committed && c.name == "a staged deletion whose file is there" {
				continue // it cannot be
			}
			n++
			w := fmt.Sprintf("worker-%d", n)
			y.worker(w)
			if c.before != "" {
				y.sh(y.tree, c.before)
			}
			y.sh(y.tree, c.work)
			if _, fresh, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.member(w)); err != nil || !fresh {
				t.Fatal(c.name, fresh, err)
			}
			end := "git reset -q --hard; git clean -qfd"
			if committed {
				end = "git add -A; git commit -qm committed"
			}
			y.sh(y.tree, end)
			if c.also != "" {
				y.sh(y.tree, c.also+"; save")
			}
			y.sh(y.tree, "echo last > last")
			_, _, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.member(w))
			y.must(err)
			if c, err := RemoveTree(t.Context(), y.crew, y.repo, y.member(w), CleanupOptions{Preserve: true}); err != nil || !c.Removed {
				t.Fatal(c, err)
			}
			first := Snapshots(y.member(w).Ledger)[0]
			_, err = ExpireSnapshots(t.Context(), y.crew, y.repo, y.member(w), time.Now().Add(31*24*time.Hour), false)
			y.must(err)
			if stays := y.repo.Holds(t.Context(), first.Ref, first.Commit); stays == committed {
				t.Errorf("%s, committed %t: stays %t", c.name, committed, stays)
			}
			y.sh(y.main, "git branch -q -D aburn/"+w+" 2> /dev/null || true") // other cases make the same changes
		}
	}
}
