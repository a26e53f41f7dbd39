//go:build unix

package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"aburn/internal/git"
	lab "aburn/internal/lab/world"
	"aburn/internal/snapshot"
)

// world is a repository and a place for worktrees.
type world struct {
	testing.TB
	repo               *Repo
	dir, scratch, head string
}

// pointer is what git-lfs puts into the index.
const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

func newWorld(t testing.TB) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	w := &world{TB: t, dir: t.TempDir(), scratch: t.TempDir()}
	main := filepath.Join(w.dir, "main")
	w.must(os.Mkdir(main, 0o755))
	w.git(main, "init", "-q", "-b", "main")
	w.git(main, "config", "user.name", "T")
	w.git(main, "config", "user.email", "t@example.com")
	for i := range 12 {
		w.write(main, "d"+strconv.Itoa(i%3)+"/f"+strconv.Itoa(i), fmt.Sprintf("file %d\nof the\nfirst commit\n", i))
	}
	w.write(main, "odd name\n[*] \xc3\xa4\t\"q\"", "odd\n")
	w.write(main, "-dash", "dash\n")
	w.write(main, "big.bin", pointer)
	w.write(main, "crlf.txt", "a\r\nb\r\n")
	w.write(main, ".gitignore", "*.ign\n/secret/\n")
	w.write(main, "run.sh", "#!/bin/sh\n")
	w.must(os.Chmod(filepath.Join(main, "run.sh"), 0o755))
	w.must(os.Symlink("d0/f0", filepath.Join(main, "link")))
	w.git(main, "add", "-A")
	w.git(main, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("a", 40)+",sub")
	w.git(main, "commit", "-q", "-m", "first")
	var err error
	w.repo, err = Open(t.Context(), main, os.Environ())
	w.must(err)
	w.head = w.git(main, "rev-parse", "HEAD")
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// git runs plain git, as a person would.
func (w *world) git(dir string, args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q in %s: %v: %s", args, dir, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (w *world) write(dir, name, content string) {
	w.Helper()
	path := filepath.Join(dir, name)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(content), 0o644))
}

func (w *world) create(name string) *Tree {
	w.Helper()
	t, err := CreateWorktree(w.Context(), w.repo, filepath.Join(w.dir, "trees", name), "aburn/"+name, "HEAD")
	w.must(err)
	return t
}

func (w *world) clean(t *Tree) (Proof, error) {
	s, err := t.State(w.Context())
	if err != nil {
		return Proof{}, err
	}
	return t.Clean(w.Context(), w.scratch, s)
}

func (w *world) keep(t *Tree, refs Refs, giveUpIgnored bool) (Kept, Proof, error) {
	s, err := t.State(w.Context())
	if err != nil {
		return Kept{}, Proof{}, err
	}
	return t.Keep(w.Context(), w.scratch, refs, s, giveUpIgnored)
}

// picture is everything of a tree that must come back: status, index, and each file's kind, mode and bytes.
func (w *world) picture(dir string) string {
	w.Helper()
	var b strings.Builder
	b.WriteString(w.git(dir, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all") + "\n")
	b.WriteString(w.git(dir, "ls-files", "--stage", "-z") + "\n")
	var files []string
	w.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == filepath.Join(dir, ".git") {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil || strings.HasSuffix(rel, ".ign") {
			return err
		}
		content, _ := os.Readlink(path)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			w.must(err)
			content = string(data)
		}
		files = append(files, fmt.Sprintf("%q %v %q", rel, info.Mode()&(fs.ModeType|0o100), content))
		return nil
	}))
	sort.Strings(files)
	return b.String() + strings.Join(files, "\n")
}

// muddle does n random things to a tree, as agents and people do them.
func (w *world) muddle(r *rand.Rand, dir string, n int) (story []string) {
	fresh := 0
	for range n {
		list := strings.Split(strings.TrimSuffix(w.git(dir, "ls-files", "-z"), "\x00"), "\x00")
		list = slices.DeleteFunc(list, func(p string) bool { return p == "sub" || p == ".gitignore" })
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) == 0 {
			return story
		}
		file := list[r.IntN(len(list))]
		path := filepath.Join(dir, file)
		text := fmt.Sprintf("changed %d\n%s", r.IntN(1000), strings.Repeat("x\n", r.IntN(5)))
		fresh++
		name := fmt.Sprintf("new%d/ö [%d].txt", fresh%3, fresh)
		op := r.IntN(16)
		story = append(story, fmt.Sprintf("%d %q", op, file))
		git := func(args ...string) { exec.Command("git", append([]string{"-C", dir}, args...)...).Run() } // may refuse
		switch op {
		case 0, 1: // change
			os.Remove(path)
			os.MkdirAll(filepath.Dir(path), 0o755)
			os.WriteFile(path, []byte(text), 0o644)
		case 2: // change and stage
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
				os.WriteFile(path, []byte("staged "+text), 0o644)
				git("--literal-pathspecs", "add", "--", file)
			}
		case 3: // stage, then change again
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
				os.WriteFile(path, []byte("first "+text), 0o644)
				git("--literal-pathspecs", "add", "--", file)
				os.WriteFile(path, []byte("then "+text), 0o644)
			}
		case 4:
			os.RemoveAll(path)
		case 5:
			git("--literal-pathspecs", "rm", "-q", "-f", "--", file)
		case 6: // out of the index, yet there
			git("--literal-pathspecs", "rm", "-q", "--cached", "--", file)
		case 7:
			git("--literal-pathspecs", "mv", "--", file, file+".moved")
		case 8:
			w.write(dir, name, text)
		case 9: // staged as new, then changed or removed
			w.write(dir, name, text)
			git("--literal-pathspecs", "add", "--", name)
			if r.IntN(2) == 0 {
				w.write(dir, name, "more "+text)
			} else if r.IntN(2) == 0 {
				os.Remove(filepath.Join(dir, name))
			}
		case 10:
			os.Chmod(path, []fs.FileMode{0o644, 0o755}[r.IntN(2)])
		case 11, 12, 13:
			reshape(op, dir, path, text)
		case 14: // the submodule moves on
			git("update-index", "--cacheinfo", "160000,"+strings.Repeat([]string{"b", "c"}[r.IntN(2)], 40)+",sub")
		case 15:
			os.WriteFile(filepath.Join(dir, "big.bin"), []byte(strings.Replace(pointer, "12345", strconv.Itoa(r.IntN(99999)), 1)), 0o644)
			if r.IntN(2) == 0 {
				git("add", "big.bin")
			}
		}
	}
	return story
}

// reshape makes something of another kind of a file or folder.
func reshape(op int, dir, path, text string) {
	switch op {
	case 11: // a file becomes a link
		os.RemoveAll(path)
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.Symlink("anywhere "+text, path)
	case 12: // a file becomes a folder
		os.RemoveAll(path)
		if os.MkdirAll(path, 0o755) == nil {
			os.WriteFile(filepath.Join(path, "inner"), []byte(text), 0o644)
		}
	case 13: // a folder becomes a file
		os.RemoveAll(filepath.Join(dir, "d1"))
		os.WriteFile(filepath.Join(dir, "d1"), []byte(text), 0o644)
	}
}

// storms is how many random trees are tried.
func storms(t testing.TB) int {
	n := 6
	if testing.Short() {
		n = 3
	}
	if more, err := strconv.Atoi(os.Getenv("ABURN_STORM")); err == nil && more > 0 {
		n *= more
	}
	t.Logf("%d random trees", n)
	return n
}

// Whatever stood in a tree comes back byte for byte: by our own restore, and by plain git.
func TestKeptStateComesBack(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	seed := rand.Uint64()
	for i := range storms(t) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		name := "w" + strconv.Itoa(i)
		tree := w.create(name)
		story := w.muddle(r, tree.Path, 1+r.IntN(12))
		before := w.picture(tree.Path)
		state, err := tree.State(t.Context())
		w.must(err)
		kept, proof, err := w.keep(tree, Refs{Below: "refs/aburn/snap/" + name, Next: 1}, false)
		w.must(err)
		if after := w.picture(tree.Path); after != before {
			t.Fatalf("seed %d, tree %d: keeping changed the tree\n%s\n--- before\n%s\n--- after\n%s", seed, i, story, before, after)
		}
		if kept.Changes != len(state.Changes) {
			t.Errorf("%d changes are kept of %d", kept.Changes, len(state.Changes))
		}
		w.must(tree.Remove(t.Context(), w.scratch, proof))
		if _, err := os.Lstat(tree.Path); err == nil {
			t.Fatal("the tree is still there")
		}
		onBranch, err := Restore(t.Context(), w.repo, w.scratch, tree.Path, "aburn/"+name, kept.Commit)
		w.must(err)
		if after := w.picture(tree.Path); after != before || !onBranch {
			t.Fatalf("seed %d, tree %d: restored differently (on its branch: %v)\n%s\n--- before\n%s\n--- after\n%s", seed, i, onBranch, story, before, after)
		}
		w.git(w.repo.Root, "worktree", "remove", "--force", tree.Path)
		w.git(w.repo.Root, "worktree", "add", "-q", tree.Path, "aburn/"+name)
		if kept.Changes > 0 {
			w.git(tree.Path, "stash", "apply", "-q", "--index", kept.Commit)
		}
		if after := w.picture(tree.Path); after != before {
			t.Fatalf("seed %d, tree %d: git stash apply gives something else\n%s\n--- before\n%s\n--- after\n%s", seed, i, story, before, after)
		}
		w.git(w.repo.Root, "worktree", "remove", "--force", tree.Path)
	}
}

func TestCleanTreeIsRemovedAndOthersAreNot(t *testing.T) {
	lab.Slow(t)
	for name, c := range map[string]struct {
		do   func(w *world, dir string)
		why  string // "" is clean
		kept bool   // Keep proves that nothing is lost
	}{
		"fresh": {func(w *world, dir string) {}, "", true},
		"committed": {func(w *world, dir string) {
			w.write(dir, "a", "a")
			w.git(dir, "add", "a")
			w.git(dir, "commit", "-qm", "a")
		}, "", true},
		"changed":   {func(w *world, dir string) { w.write(dir, "-dash", "b") }, "1 changed: -dash", true},
		"untracked": {func(w *world, dir string) { w.write(dir, "n/a", "b") }, "1 changed: n/a", true},
		"hidden": {func(w *world, dir string) {
			w.git(dir, "update-index", "--assume-unchanged", "crlf.txt")
			w.write(dir, "secret/key", "b")
			w.write(dir, "x.ign", "b")
		}, "2 ignored by git, which no snapshot holds: secret/, x.ign", false},
		"hidden alone": {func(w *world, dir string) {
			w.git(dir, "update-index", "--assume-unchanged", "crlf.txt")
			w.write(dir, "crlf.txt", "work of hours")
		}, "it has changes that a mark hides from git status, or that came meanwhile", true},
		"nested": {func(w *world, dir string) { w.git(dir, "init", "-q", "inner") }, "1 changed: inner/; 1 with a repository of its own: inner/", false},
		"nested deeper": {func(w *world, dir string) {
			w.git(dir, "init", "-q", "vendor/x")
			w.write(dir, "vendor/x/work", "of the inner repository")
			w.write(dir, "vendor/beside", "untracked")
		}, "2 changed: vendor/beside, vendor/x/; 1 with a repository of its own: vendor/x/", false},
		"nested, ignored": {func(w *world, dir string) {
			w.git(dir, "init", "-q", "secret")
		}, "1 ignored by git, which no snapshot holds: secret/; 1 with a repository of its own: secret/", false},
		"nested, broken": {func(w *world, dir string) {
			w.write(dir, "inner/.git/objects", "what git takes for no repository")
		}, "1 with a repository of its own: inner/", false},
		"submodule": {func(w *world, dir string) {
			w.must(os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
			w.git(filepath.Join(dir, "sub"), "init", "-q")
			w.git(filepath.Join(dir, "sub"), "-c", "user.name=T", "-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-m", "inner")
		}, "1 changed: sub; 1 with a repository of its own: sub", false},
		"merging": {func(w *world, dir string) {
			w.git(dir, "checkout", "-q", "-b", "side")
			w.write(dir, "-dash", "side\n")
			w.git(dir, "commit", "-qam", "side")
			w.git(dir, "checkout", "-q", "-")
			w.write(dir, "-dash", "other\n")
			w.git(dir, "commit", "-qam", "other")
			exec.Command("git", "-C", dir, "merge", "side").Run()
		}, "1 changed: -dash; a merge is not finished", false},
		"detached": {func(w *world, dir string) {
			w.git(dir, "checkout", "-q", "--detach")
			w.git(dir, "commit", "-q", "--allow-empty", "-m", "nowhere")
		}, "its commits are on no branch", true},
		"on a ref that is no branch": {func(w *world, dir string) {
			w.git(dir, "checkout", "-q", "--detach")
			w.git(dir, "commit", "-q", "--allow-empty", "-m", "nowhere")
			w.git(dir, "update-ref", "refs/other/x", "HEAD")
			w.git(dir, "symbolic-ref", "HEAD", "refs/other/x")
		}, "its commits are on no branch", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tree := w.create("w")
			c.do(w, tree.Path)
			proof, err := w.clean(tree)
			var not *NotClean
			if c.why == "" {
				w.must(err)
				w.must(tree.Remove(t.Context(), w.scratch, proof))
				return
			}
			if !errors.As(err, &not) || not.Why != c.why {
				t.Fatalf("%v, want %q", err, c.why)
			}
			if err := tree.Remove(t.Context(), w.scratch, proof); err == nil {
				t.Fatal("a tree without proof was removed")
			}
			_, proof, err = w.keep(tree, snaps, false)
			if (err == nil) != c.kept {
				t.Fatal(err)
			}
			if !c.kept {
				if err := tree.Remove(t.Context(), w.scratch, proof); err == nil {
					t.Fatal("a tree without proof was removed")
				}
				return
			}
			w.write(tree.Path, "late", "written after the proof")
			if err := tree.Remove(t.Context(), w.scratch, proof); !errors.As(err, &not) {
				t.Fatal(err)
			}
			w.must(os.Remove(filepath.Join(tree.Path, "late")))
			w.must(tree.Remove(t.Context(), w.scratch, proof))
		})
	}
}

// Commits on no branch come back with the kept state, whose first parent they are.
func TestKeptStateHoldsCommitsOnNoBranch(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	tree := w.create("w")
	w.git(tree.Path, "checkout", "-q", "--detach")
	w.git(tree.Path, "commit", "-q", "--allow-empty", "-m", "nowhere")
	head := w.git(tree.Path, "rev-parse", "HEAD")
	kept, proof, err := w.keep(tree, snaps, false)
	w.must(err)
	w.must(tree.Remove(t.Context(), w.scratch, proof))
	w.git(w.repo.Root, "reflog", "expire", "--expire=now", "--all")
	w.git(w.repo.Root, "gc", "-q", "--prune=now")
	onBranch, err := Restore(t.Context(), w.repo, w.scratch, tree.Path, "aburn/w", kept.Commit)
	w.must(err)
	if got := w.git(tree.Path, "rev-parse", "HEAD"); got != head || onBranch {
		t.Errorf("%s on its branch %v, want %s", got, onBranch, head)
	}
}

// A change that a mark hides from git status is kept all the same, and an ignored one is given up only in so many words.
func TestHiddenChangesAreKept(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	tree := w.create("w")
	for _, mark := range []string{"--assume-unchanged", "--skip-worktree"} {
		file := map[string]string{"--assume-unchanged": "crlf.txt", "--skip-worktree": "-dash"}[mark]
		w.git(tree.Path, "update-index", mark, "--", file)
		w.write(tree.Path, file, "hidden\n")
	}
	w.write(tree.Path, "x.ign", "b")
	kept, proof, err := w.keep(tree, snaps, true)
	w.must(err)
	w.write(tree.Path, "y.ign", "b")
	if err := tree.Remove(t.Context(), w.scratch, proof); err == nil {
		t.Fatal("another ignored file was given up")
	}
	w.must(os.Remove(filepath.Join(tree.Path, "y.ign")))
	w.must(tree.Remove(t.Context(), w.scratch, proof))
	into := filepath.Join(w.dir, "into")
	_, err = Restore(t.Context(), w.repo, w.scratch, into, "", kept.Commit)
	w.must(err)
	for _, file := range []string{"crlf.txt", "-dash"} {
		if got, err := os.ReadFile(filepath.Join(into, file)); string(got) != "hidden\n" {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

// snaps is where a worker's snapshots go.
var snaps = Refs{Below: "refs/aburn/snap/w", Next: 1}

func TestSnapshotOfTheSameStateIsTheSame(t *testing.T) {
	w := newWorld(t)
	tree := w.create("w")
	from := BeginningOf(t.Context(), w.repo, w.head, "main")
	w.write(tree.Path, "a", "1")
	first, seen, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, Seen{})
	w.must(err)
	for _, last := range []Seen{seen, {Commit: first.Commit, Kept: true}} {
		again, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, last)
		w.must(err)
		if again.Commit != first.Commit || again.Ref != "" || again.Changes != 1 {
			t.Errorf("%+v, want %+v", again, first)
		}
	}
	w.write(tree.Path, "a", "2")
	other, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, from, seen)
	w.must(err)
	if other.Commit == first.Commit || other.Changes != 1 || other.Ref != "refs/aburn/snap/w/2" {
		t.Errorf("%+v: a snapshot was overwritten, or is not new", other)
	}
}

// A snapshot leaves out large files and says so; what is kept before a tree goes holds them.
func TestLargeFiles(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	tree := w.create("w")
	w.write(tree.Path, "large", strings.Repeat("x", snapshot.MaxUntracked+1))
	w.write(tree.Path, "small", "x")
	k, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, Beginning{Base: w.head}, Seen{})
	w.must(err)
	if !slices.Equal(k.Skipped, []string{"large: more than 10 MiB"}) || w.git(w.repo.Root, "ls-tree", "-r", "--name-only", k.Commit+"^3") != "small" {
		t.Errorf("%+v", k)
	}
	k, proof, err := w.keep(tree, snaps, false)
	w.must(err)
	if w.git(w.repo.Root, "ls-tree", "-r", "--name-only", k.Commit+"^3") != "large\nsmall" || len(k.Skipped) > 0 {
		t.Errorf("%+v", k)
	}
	w.must(tree.Remove(t.Context(), w.scratch, proof))
}

func TestDiffs(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	tree := w.create("w")
	w.write(tree.Path, "committed", "c\n")
	w.git(tree.Path, "add", "-A")
	w.git(tree.Path, "commit", "-qm", "c")
	w.write(tree.Path, "open", "o\n")
	w.write(w.repo.Root, "elsewhere", "e\n")
	w.git(w.repo.Root, "add", "elsewhere")
	w.git(w.repo.Root, "commit", "-qm", "e")
	w.git(tree.Path, "merge", "-q", "main")
	now, _, err := tree.Diff(t.Context(), w.scratch, w.head, "main", Stat)
	w.must(err)
	kept, _, err := tree.Snapshot(t.Context(), w.scratch, snaps, Beginning{Base: w.head}, Seen{})
	w.must(err)
	then, err := DiffSnapshot(t.Context(), w.repo, kept.Commit, w.head, "main", Stat)
	w.must(err)
	branch, err := DiffBranch(t.Context(), w.repo, "aburn/w", w.head, "main", Stat)
	w.must(err)
	if now != then || !strings.Contains(now, "committed") || !strings.Contains(now, "open") || strings.Contains(now, "elsewhere") {
		t.Errorf("%s\n---\n%s", now, then)
	}
	if !strings.Contains(branch, "committed") || strings.Contains(branch, "open") {
		t.Error(branch)
	}
	patch, _, err := tree.Diff(t.Context(), w.scratch, w.head, "main", Patch)
	w.must(err)
	cmd := exec.Command("git", "-C", w.repo.Root, "apply", "--check")
	cmd.Stdin = strings.NewReader(patch + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %s", err, out)
	}
}

func TestRepositoriesWithoutRoomForWorkers(t *testing.T) {
	w := newWorld(t)
	w.git(w.dir, "init", "-q", "--bare", "bare")
	w.git(w.dir, "init", "-q", "unborn")
	w.git(w.dir, "clone", "-q", "--depth=1", "file://"+w.repo.Root, "shallow")
	w.must(os.Mkdir(filepath.Join(w.dir, "none"), 0o700))
	linked, err := Open(t.Context(), w.create("linked").Path, os.Environ())
	if w.must(err); linked.Main != w.repo.Root || linked.Root == linked.Main {
		t.Errorf("%+v", linked)
	}
	for name, want := range map[string]string{
		"bare":    "the repository is bare: there is no checkout to begin from",
		"shallow": "the repository is shallow: what a worker changed could not be compared or merged",
		"none":    filepath.Join(w.dir, "none") + " is in no git repository",
		"unborn":  "the branch has no commit yet: a worker has nothing to begin from",
	} {
		r, err := Open(t.Context(), filepath.Join(w.dir, name), os.Environ())
		if err == nil {
			_, err = r.Commit(t.Context(), "HEAD")
		}
		var problem *Problem
		if !errors.As(err, &problem) || problem.Text != want || problem.Hint() == "" {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := w.repo.Commit(t.Context(), "--nothing"); err == nil {
		t.Error("a flag is a commit")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(t.Context(), w.repo.Root, os.Environ()); err == nil || errors.Is(err, git.ErrNone) {
		t.Error(err)
	}
}

// TestStand names commit and branch, where a tag has the branch's name and on no branch too.
func TestStand(t *testing.T) {
	w := newWorld(t)
	same := func(when, on string) {
		t.Helper()
		commit, branch, err := CurrentCheckout(t.Context(), w.repo)
		if commit != w.head || branch != on || err != nil {
			t.Errorf("%s: %s, %q, %v; want %s, %q", when, commit, branch, err, w.head, on)
		}
		again, err := Open(t.Context(), w.repo.Root, os.Environ())
		if err != nil || again.at == "" {
			t.Fatal(again, err)
		}
		if atOpen, on, err := CheckoutAtOpen(t.Context(), again); atOpen != commit || on != branch || err != nil {
			t.Errorf("%s: at the time of Open it stood on %s, %q, %v", when, atOpen, on, err)
		}
	}
	same("on main", "main")
	w.git(w.repo.Root, "tag", "main")
	same("beside a tag", "main")
	w.git(w.repo.Root, "checkout", "-q", "--detach")
	same("on no branch", "")
	w.git(w.repo.Root, "checkout", "-q", "--orphan", "new")
	unborn, err := Open(t.Context(), w.repo.Root, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	for _, stand := range []func(context.Context) (string, string, error){
		func(ctx context.Context) (string, string, error) { return CurrentCheckout(ctx, w.repo) },
		func(ctx context.Context) (string, string, error) { return CheckoutAtOpen(ctx, unborn) },
	} {
		_, _, err := stand(t.Context())
		var problem *Problem
		if !errors.As(err, &problem) || problem.Text != "the branch has no commit yet: a worker has nothing to begin from" {
			t.Error(err)
		}
	}
}

// TestBehind counts what a branch's own upstream has, and nothing of a branch below its name.
func TestBehind(t *testing.T) {
	w := newWorld(t)
	mine := filepath.Join(w.dir, "mine")
	w.git(w.dir, "clone", "-q", w.repo.Root, "mine")
	w.git(mine, "-c", "user.name=T", "-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-m", "mine")
	w.git(mine, "branch", "-q", "--no-track", "local")
	w.git(mine, "branch", "-q", "--track", "below/main", "origin/main")
	for range 2 {
		w.git(w.repo.Root, "commit", "-q", "--allow-empty", "-m", "more")
	}
	w.git(mine, "fetch", "-q")
	r, err := Open(t.Context(), mine, os.Environ())
	w.must(err)
	for branch, want := range map[string]string{"main": "origin/main 2", "below/main": "origin/main 2", "local": " 0", "below": " 0", "none": " 0", "": " 0"} {
		if upstream, n := Behind(t.Context(), r, branch); fmt.Sprint(upstream, " ", n) != want {
			t.Errorf("%q: %q %d, want %q", branch, upstream, n, want)
		}
	}
}

// TestCommitsOfATreeThatLies: the folders that a commit writes are those that git names, and a file .git that an agent changed
// gives it no other folder: neither one with settings and hooks, nor what is another worker's.
func TestCommitsOfATreeThatLies(t *testing.T) {
	w := newWorld(t)
	made := w.create("w")
	asked := func() (list []string) {
		for _, what := range []string{"--git-dir", "--git-common-dir"} {
			list = append(list, w.git(made.Path, "rev-parse", "--path-format=absolute", what))
		}
		return commits(strings.TrimSpace(list[0]), strings.TrimSpace(list[1]))
	}
	got, err := made.Commits(t.Context())
	if w.must(err); len(got) < 3 || !slices.Equal(got, asked()) || !slices.Equal(got, w.repo.WouldCommit(made.Path)) {
		t.Errorf("%q, git says %q", got, asked())
	}
	w.must(os.Mkdir(filepath.Join(w.dir, "secrets"), 0o700))
	w.create("other")
	w.git(w.dir, "init", "-q", "elsewhere")
	store := filepath.Join(w.repo.Root, ".git")
	for _, lie := range []string{
		filepath.Join(w.dir, "secrets"), filepath.Join(store, "worktrees", "..", "hooks"), "/", store, filepath.Join(store, "worktrees", "other"),
		filepath.Join(w.dir, "elsewhere", ".git"),
	} {
		w.must(os.WriteFile(filepath.Join(made.Path, ".git"), []byte("gitdir: "+lie+"\n"), 0o600))
		if got, err := made.Commits(t.Context()); err == nil {
			t.Errorf("%s gives %q", lie, got)
		}
	}
}

// TestPlainNamesAreBranches: what is not asked of git, git would take.
func TestPlainNamesAreBranches(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"aburn/fix-it", "a", "a/b/c", "0", "a-/b-", "head", "-a", "a//b", "/a", "a/", "", "a/-b", "HEAD", "a.lock", "a..b", "@",
		"refs"} {
		cmd := exec.Command("git", "check-ref-format", "--branch", name)
		cmd.Dir = w.repo.Root
		if plainName(name) && cmd.Run() != nil {
			t.Errorf("%q is no branch for git", name)
		}
	}
	if !plainName("aburn/fix-it-2") {
		t.Error("git is asked about the usual name")
	}
}

// What a spawn made is not taken away where an agent may have worked and git cannot say what it did.
func TestUndoKeepsWhatNobodyCanSee(t *testing.T) {
	w := newWorld(t)
	base := strings.TrimSpace(w.git(w.repo.Root, "rev-parse", "HEAD"))
	for name, spoil := range map[string]func(path string) error{
		"gone": func(path string) error { return os.Remove(filepath.Join(path, ".git")) },
		"broken": func(path string) error {
			return os.WriteFile(filepath.Join(path, ".git"), []byte("gitdir: /nowhere\n"), 0o600)
		},
	} {
		made := w.create(name)
		w.write(made.Path, "work", "of hours")
		w.must(spoil(made.Path))
		if UndoWorktree(t.Context(), w.repo, made.Path, name, base, SomebodyMayHaveWorked) {
			t.Errorf("%s: it was taken away", name)
		}
		if _, err := os.Stat(filepath.Join(made.Path, "work")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if made := w.create("clean"); !UndoWorktree(t.Context(), w.repo, made.Path, "clean", base, SomebodyMayHaveWorked) {
		t.Error("a clean one stays")
	}
	if !UndoWorktree(t.Context(), w.repo, filepath.Join(w.dir, "never"), "never", base, SomebodyMayHaveWorked) {
		t.Error("one that was never made stays")
	}
}

// A creation that fails leaves neither tree nor branch.
func TestFailedCreationIsUndone(t *testing.T) {
	w := newWorld(t)
	before := w.git(w.repo.Root, "for-each-ref") + w.git(w.repo.Root, "worktree", "list", "--porcelain")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(w.dir, "trees", "w")
	if _, err := CreateWorktree(ctx, w.repo, path, "aburn/w", "HEAD"); err == nil {
		t.Error("it was created")
	}
	w.must(os.MkdirAll(filepath.Join(w.dir, "trees"), 0o700))
	if _, err := CreateWorktree(t.Context(), w.repo, path, "aburn/w", "no-such-commit"); err == nil {
		t.Error("it was created")
	}
	w.write(path, "mine", "of a person")
	if _, err := CreateWorktree(t.Context(), w.repo, path, "aburn/w", "HEAD"); err == nil {
		t.Error("it was created")
	}
	if _, err := os.Stat(filepath.Join(path, "mine")); err != nil {
		t.Error(err)
	}
	w.must(os.RemoveAll(path))
	if after := w.git(w.repo.Root, "for-each-ref") + w.git(w.repo.Root, "worktree", "list", "--porcelain"); after != before {
		t.Errorf("%s\nwant %s", after, before)
	}
	w.git(w.repo.Root, "branch", "others")
	if _, err := CreateWorktree(t.Context(), w.repo, path, "others", "HEAD"); err == nil || !w.repo.Taken(t.Context(), "refs/heads/others") {
		t.Error("a branch of somebody else's was taken, or away", err)
	}
	branch, err := w.repo.FreeBranch(t.Context(), "main")
	if w.must(err); branch != "main-2" {
		t.Error(branch)
	}
	if _, err := w.repo.FreeBranch(t.Context(), "a..b"); err == nil {
		t.Error("a..b is a branch")
	}
}

// TestFreeBranch: a branch is seen wherever git keeps it: in a file, packed, in a table, and below a name that is longer.
func TestFreeBranch(t *testing.T) {
	for _, format := range []string{"files", "reftable"} {
		t.Run(format, func(t *testing.T) {
			w := newWorld(t)
			if format == "reftable" {
				if out, err := exec.Command("git", "-C", w.repo.Root, "refs", "migrate", "--ref-format=reftable").CombinedOutput(); err != nil {
					t.Skipf("git has no tables of refs here: %s", out)
				}
			}
			w.git(w.repo.Root, "branch", "packed/one")
			w.git(w.repo.Root, "pack-refs", "--all")
			w.git(w.repo.Root, "branch", "loose/one")
			for want, free := range map[string]string{
				"packed/one": "packed/one-2", "loose/one": "loose/one-2", "main": "main-2", "packed/on": "packed/on", "one": "one", "new/one": "new/one",
			} {
				if got, err := w.repo.FreeBranch(t.Context(), want); err != nil || got != free {
					t.Errorf("%s: %s, %v, want %s", want, got, err, free)
				}
			}
		})
	}
}

// Where refs are files, no process says that a branch is free.
func TestFreeBranchAsksNobody(t *testing.T) {
	w := newWorld(t)
	w.git(w.repo.Root, "branch", "loose")
	w.git(w.repo.Root, "pack-refs", "--all")
	t.Setenv("PATH", t.TempDir())
	repo := &Repo{Root: w.repo.Root, Main: w.repo.Main, own: w.repo.own, common: w.repo.common}
	repo.g = git.In(repo.Root, []string{"PATH=" + t.TempDir()})
	for want, free := range map[string]string{"loose": "loose-2", "new": "new"} {
		if got, err := repo.FreeBranch(t.Context(), want); err != nil || got != free {
			t.Errorf("%s: %s, %v, want %s", want, got, err, free)
		}
	}
}

// Trees come and go while others look. Git alone refuses some of these calls.
func TestTreesTogether(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 3 {
				name := fmt.Sprintf("w%d-%d", n, i)
				tree, err := CreateWorktree(t.Context(), w.repo, filepath.Join(w.dir, "trees", name), "aburn/"+name, w.head)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := Open(t.Context(), tree.Path, os.Environ()); err != nil {
					t.Error(err)
				}
				if at, err := w.repo.CheckedOut(t.Context(), "aburn/"+name); err != nil || at != tree.Path {
					t.Error(at, err)
				}
				proof, err := w.clean(tree)
				if err == nil {
					err = tree.Remove(t.Context(), w.scratch, proof)
				}
				if err != nil || !DropBranch(t.Context(), w.repo, "aburn/"+name, w.head) {
					t.Error("it stays", err)
				}
			}
		})
	}
	all.Wait()
}

// What git lists of a difference is read file by file, whatever the paths are.
func TestChangedFiles(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	tree := w.create("w")
	w.git(tree.Path, "mv", "d0/f0", "moved to")
	w.git(tree.Path, "rm", "-q", "d1/f1")
	w.must(os.Remove(filepath.Join(tree.Path, "link")))
	w.write(tree.Path, "link", "no link\n")
	w.write(tree.Path, "odd name\n[*] \xc3\xa4\t\"q\"", "odd\nmore\n")
	w.write(tree.Path, "picture", "\x00\x01")
	list, _, err := tree.Diff(t.Context(), w.scratch, w.head, "main", List)
	w.must(err)
	files, err := ChangedFiles(list)
	w.must(err)
	said := map[string]string{}
	for _, f := range files {
		lines := "no text"
		if f.Added != nil {
			lines = fmt.Sprintf("+%d -%d", *f.Added, *f.Deleted)
		}
		said[f.Path] = strings.Join([]string{f.Change, f.From, lines}, "|")
	}
	for path, want := range map[string]string{
		"moved to": "renamed|d0/f0|+0 -0", "d1/f1": "deleted||+0 -3", "link": "type||+1 -1", "odd name\n[*] \xc3\xa4\t\"q\"": "modified||+1 -0",
		"picture": "added||no text",
	} {
		if said[path] != want {
			t.Errorf("%q: %q, want %q", path, said[path], want)
		}
	}
	if len(files) != 5 {
		t.Errorf("%+v", said)
	}
	if none, err := ChangedFiles(""); len(none) > 0 || err != nil {
		t.Error(none, err)
	}
}
