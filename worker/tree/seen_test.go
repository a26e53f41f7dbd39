//go:build unix

package tree

import (
	"bytes"
	"crypto/rand"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
	"aburn/internal/snapshot"
)

// What is left out of a snapshot never comes into the objects of the repository, also not to tell a difference.
func TestWhatIsLeftOutIsNotWritten(t *testing.T) {
	w := newWorld(t)
	tree := w.create("w")
	from := BeginningOf(t.Context(), w.repo, w.head, "main")
	large := make([]byte, snapshot.MaxUntracked+1<<20)
	before, seen := w.objects(), Seen{}
	for i := range 2 {
		rand.Read(large)
		w.must(os.WriteFile(filepath.Join(tree.Path, "large"), large, 0o600))
		w.write(tree.Path, "small", strconv.Itoa(i))
		k, now, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, seen)
		w.must(err)
		if seen = now; !slices.Equal(k.Skipped, []string{"large: more than 10 MiB"}) || !slices.Equal(now.Files, []string{"large", "small"}) {
			t.Errorf("%+v, %+v", k, now)
		}
		for _, form := range []Form{Patch, Stat, List} {
			text, left, err := tree.Diff(t.Context(), w.scratch, w.head, "main", form)
			w.must(err)
			if strings.Contains(text, "large") || !strings.Contains(text, "small") || !slices.Equal(left, k.Skipped) {
				t.Errorf("%s\n%q", text, left)
			}
		}
		_, err = tree.Sketch(t.Context(), w.scratch, from, Seen{})
		w.must(err)
		_, err = tree.Contents(t.Context())
		w.must(err)
		if _, err := tree.Pack(t.Context(), w.scratch, "all"); err == nil {
			t.Error("a file that nobody added would be committed")
		}
	}
	if after := w.objects(); after-before > 1<<20 {
		t.Errorf("the objects grew from %d to %d bytes", before, after)
	}
}

// objects is the size of the repository's objects in bytes.
func (w *world) objects() (size int64) {
	w.Helper()
	w.must(filepath.WalkDir(filepath.Join(w.repo.Root, ".git", "objects"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		size += st.Size()
		return err
	}))
	return size
}

// What was seen of a tree never stands for another state: whatever happens, a snapshot with it is the one without. A difference as
// the files stand is that of the snapshot.
func TestSeenIsTheState(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	seed := mrand.Uint64()
	for i := range storms(t) / 2 {
		r := mrand.New(mrand.NewPCG(seed, uint64(i)))
		tree := w.create("w" + strconv.Itoa(i))
		from, seen, story := BeginningOf(t.Context(), w.repo, w.head, "main"), Seen{}, []string{}
		for step := range 4 {
			if step%2 == 0 {
				story = append(story, w.muddle(r, tree.Path, 1+r.IntN(4))...)
			}
			refs := Refs{Below: "refs/aburn/snap/" + strconv.Itoa(i), Next: 1}
			k, now, err := tree.Snapshot(t.Context(), w.scratch, refs, from, seen)
			w.must(err)
			whole, plain, err := tree.Snapshot(t.Context(), w.scratch, refs, from, Seen{})
			w.must(err)
			one, err := snapshot.TreesOf(t.Context(), w.repo.g, k.Commit)
			w.must(err)
			if two, err := snapshot.TreesOf(t.Context(), w.repo.g, whole.Commit); one != two || err != nil || k.Changes != whole.Changes ||
				!slices.Equal(now.Files, plain.Files) {
				t.Fatalf("seed %d, tree %d, step %d: %+v, want %+v\n%s", seed, i, step, one, two, story)
			}
			stands, left, err := tree.Diff(t.Context(), w.scratch, w.head, "main", Patch)
			w.must(err)
			if kept, err := DiffSnapshot(t.Context(), w.repo, k.Commit, w.head, "main", Patch); err != nil || stands != kept && len(left) == 0 {
				t.Fatalf("seed %d, tree %d, step %d: %v\n%s\n--- the snapshot\n%s\n--- %s", seed, i, step, err, stands, kept, story)
			}
			seen = now
		}
	}
}

// A tree in which nothing changed is seen from one call of git, and one of the same size and time is not taken for it.
func TestUnchangedTreeIsOneCall(t *testing.T) {
	w := newWorld(t)
	tree := w.create("w")
	from := BeginningOf(t.Context(), w.repo, w.head, "main")
	if c, err := tree.Contents(t.Context()); err != nil || c != (Contents{Head: w.head}) {
		t.Errorf("%+v, %v", c, err)
	}
	w.write(tree.Path, "-dash", "one\n")
	w.write(tree.Path, "new", "one\n")
	long := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(filepath.Join(tree.Path, "new"), long, long))
	w.settle(tree, "-dash", "new")
	calls := lab.CountGit(t)
	_, seen, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, Seen{})
	w.must(err)
	if first := calls(); len(first) > 9 || seen.Key == "" {
		t.Errorf("%d calls: %q", len(first), first)
	}
	again, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, seen)
	w.must(err)
	if list := calls(); len(list) != 1 || again.Commit != seen.Commit {
		t.Errorf("%d calls: %q", len(list), list)
	}
	w.write(tree.Path, "new", "two\n")
	w.must(os.Chtimes(filepath.Join(tree.Path, "new"), long, long))
	if other, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, seen); err != nil || other.Commit == seen.Commit {
		t.Error("a file with the size and the time that it had is taken for the same", err)
	}
}

// settle waits until the index and these files are so old that each further change shows.
func (w *world) settle(tree *Tree, files ...string) {
	w.Helper()
	index, err := tree.index(w.Context())
	w.must(err)
	paths := []string{index}
	for _, file := range files {
		paths = append(paths, filepath.Join(tree.Path, file))
	}
	for _, path := range paths {
		for ok := false; !ok; _, ok = snapshot.Stamp(path, time.Now()) {
			time.Sleep(time.Millisecond)
		}
	}
}

// A merge that is not finished is told apart from its outcome, and its difference is that of the files.
func TestDiffOfAnUnfinishedMerge(t *testing.T) {
	w := newWorld(t)
	tree := w.create("w")
	w.git(tree.Path, "checkout", "-q", "-b", "side")
	w.write(tree.Path, "-dash", "side\n")
	w.git(tree.Path, "commit", "-qam", "side")
	w.git(tree.Path, "checkout", "-q", "-")
	w.write(tree.Path, "-dash", "other\n")
	w.git(tree.Path, "commit", "-qam", "other")
	exec.Command("git", "-C", tree.Path, "merge", "side").Run()
	patch, _, err := tree.Diff(t.Context(), w.scratch, w.head, "main", Patch)
	w.must(err)
	content, err := os.ReadFile(filepath.Join(tree.Path, "-dash"))
	w.must(err)
	if !bytes.Contains(content, []byte("<<<<<<<")) || !strings.Contains(patch, "+<<<<<<<") || !strings.Contains(patch, "+other") ||
		strings.Contains(patch, "Unmerged") {
		t.Errorf("%s\n%s", content, patch)
	}
	before, err := tree.Contents(t.Context())
	w.must(err)
	w.write(tree.Path, "-dash", "both\n")
	if after, err := tree.Contents(t.Context()); after == before || err != nil {
		t.Error("a changed file is not seen", err)
	}
}

// Many pairs are merged in one call of git, with the outcome that each has alone.
func TestJoins(t *testing.T) {
	w := newWorld(t)
	var heads []string
	for i := range 4 {
		tree := w.create("w" + strconv.Itoa(i))
		w.write(tree.Path, "d0/f0", strings.Repeat("x\n", i%3)+"file 0\nof the\nfirst commit\n")
		w.write(tree.Path, "n"+strconv.Itoa(i%2), strconv.Itoa(i))
		w.git(tree.Path, "add", "-A")
		w.git(tree.Path, "commit", "-qm", "work")
		heads = append(heads, w.git(tree.Path, "rev-parse", "HEAD"))
	}
	var pairs [][2]string
	for i := range heads {
		for j := range i {
			pairs = append(pairs, [2]string{heads[j], heads[i]})
		}
	}
	calls := lab.CountGit(t)
	list, errs := MergeAll(t.Context(), w.repo, pairs)
	if n := len(calls()); n != 1 {
		t.Errorf("%d calls of git", n)
	}
	clash := 0
	for i, p := range pairs {
		one, err := MergeTrees(t.Context(), w.repo, p[0], p[1])
		w.must(err)
		if errs[i] != nil || list[i].Tree != one.Tree || !slices.Equal(list[i].Conflicts, one.Conflicts) {
			t.Errorf("%v: %+v, want %+v", errs[i], list[i], one)
		}
		clash += len(one.Conflicts)
	}
	if clash == 0 {
		t.Error("no pair conflicts")
	}
	orphan := w.git(w.repo.Root, "commit-tree", "-m", "no history", heads[0]+"^{tree}")
	if list, errs = MergeAll(t.Context(), w.repo, [][2]string{pairs[0], {heads[0], orphan}}); errs[0] != nil || errs[1] != ErrUnrelated || list[0].Tree == "" {
		t.Error(errs)
	}
}
