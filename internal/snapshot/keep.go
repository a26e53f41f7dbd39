package snapshot

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/git"
)

// Trees are what a state is made of: the commit that is checked out, and the trees of the index, the files and the untracked files. Two
// equal ones are the same state.
type Trees struct{ Head, Index, Work, Untracked string }

func (s Trees) String() string {
	return strings.Join([]string{s.Head, s.Index, s.Work, s.Untracked}, " ")
}

// TreesOf are the trees of a kept state.
func TreesOf(ctx context.Context, g *git.Git, commit string) (s Trees, err error) {
	// ends at the first that is not there
	out, err := g.Out(ctx, "rev-parse", "--revs-only", commit+"^1^{commit}", commit+"^2^{tree}", commit+"^{tree}", commit+"^3^{tree}")
	says := strings.Split(out, "\n")
	if err != nil || len(says) < 3 {
		return s, fmt.Errorf("%s is no kept state", commit)
	}
	s.Head, s.Index, s.Work = says[0], says[1], says[2]
	if len(says) > 3 {
		s.Untracked = says[3]
	}
	return s, nil
}

// Kept is the whole state of a tree in one commit, in the shape of a stash: its parents are the commit that was checked
// out, the index, and the untracked files if there are any.
type Kept struct {
	Commit, Ref string
	Head        string
	Changes     int      // files that differ from Head
	Skipped     []string // what it does not hold, with the reason
}

// Refs are the names that kept states get: numbers below a name.
type Refs struct {
	Below string
	Next  int // the first number that may be free
}

// Keep makes the commits of what was written and puts the last one under a free ref; without refs nothing names it.
func (t *Tree) Keep(ctx context.Context, scratch string, refs Refs, w *Written) (Kept, error) {
	k := Kept{Head: w.Head, Changes: len(w.Look.Changes), Skipped: w.Skipped()}
	var err error
	if k.Commit, err = t.commits(ctx, scratch, w.Trees); err != nil || refs.Below == "" {
		return k, err
	}
	k.Ref, err = t.Name(ctx, refs, k.Commit)
	return k, err
}

// Name puts a commit under the first free number of refs. A number whose ref is locked is not waited for: a git that was killed leaves its
// lock, and the next number is as good.
func (t *Tree) Name(ctx context.Context, refs Refs, commit string) (ref string, err error) {
	none := strings.Repeat("0", len(commit))
	for n := refs.Next; ; n++ {
		ref = refs.Below + "/" + strconv.Itoa(n)
		if _, err = t.Git.Impatient().Out(ctx, "update-ref", ref, commit, none); err != nil && !isLocked(err, ref) {
			_, err = t.Git.Out(ctx, "update-ref", ref, commit, none)
		}
		if err == nil || !isLocked(err, ref) && !Taken(ctx, t.Git, ref) {
			return ref, err
		}
	}
}

func isLocked(err error, ref string) bool {
	var failed *git.Error
	return errors.As(err, &failed) && strings.Contains(failed.Text, ref+".lock': File exists")
}

// Taken reports whether there is a ref of this name.
func Taken(ctx context.Context, g *git.Git, ref string) bool {
	code, _, err := g.Code(ctx, "show-ref", "--verify", "--quiet", ref)
	return err == nil && code == 0
}

// commits writes the commits of a state in one call. The last one is the state.
func (t *Tree) commits(ctx context.Context, scratch string, s Trees) (string, error) {
	dir, err := os.MkdirTemp(scratch, ".commits-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var files, ids []string
	commit := func(tree, message string, parents ...string) {
		text := "tree " + tree + "\n"
		for _, p := range parents {
			text += "parent " + p + "\n"
		}
		who := fmt.Sprintf("aburn <aburn@localhost> %d +0000", time.Now().Unix())
		text += "author " + who + "\ncommitter " + who + "\n\n" + message + " " + filepath.Base(t.Path) + "\n"
		file := filepath.Join(dir, strconv.Itoa(len(files)))
		err = errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
		files, ids = append(files, file), append(ids, ObjectID(len(s.Head), "commit", text))
	}
	commit(s.Index, "index of", s.Head)
	parents := []string{s.Head, ids[0]}
	if s.Untracked != "" {
		commit(s.Untracked, "untracked files of")
		parents = append(parents, ids[1])
	}
	commit(s.Work, "aburn: state of", parents...)
	if err != nil {
		return "", err
	}
	out, err := t.Git.Out(ctx, append([]string{"hash-object", "-t", "commit", "-w", "--no-filters", "--"}, files...)...)
	if err == nil && out != strings.Join(ids, "\n") {
		err = fmt.Errorf("git gave commits other names than %s: %q", strings.Join(ids, ", "), out)
	}
	return ids[len(ids)-1], err
}

// ObjectID is the name of an object in a repository whose names have so many digits.
func ObjectID(digits int, kind, content string) string {
	text := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	if digits == 2*sha256.Size {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Fill brings a fresh worktree into a state: tracked files, then untracked ones, then the index.
func (t *Tree) Fill(ctx context.Context, scratch string, s Trees) error {
	if _, err := t.Git.Out(ctx, "read-tree", "--reset", "-u", s.Work); err != nil {
		return err
	}
	if s.Untracked != "" {
		dir, err := os.MkdirTemp(scratch, ".index-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		g := t.Git.With("GIT_INDEX_FILE=" + filepath.Join(dir, "others"))
		if _, err := g.Out(ctx, "read-tree", s.Untracked); err != nil {
			return err
		}
		if _, err := g.Out(ctx, "checkout-index", "--all"); err != nil {
			return err
		}
	}
	if _, err := t.Git.Out(ctx, "read-tree", s.Index); err != nil {
		return err
	}
	t.Git.Code(ctx, "update-index", "-q", "--refresh") // 1 where files differ, which they may
	return nil
}
