package tree

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Replayed are commits set anew onto another one. Nothing names them yet.
type Replayed struct {
	Head      string
	Commits   int    // that were set
	Stopped   string // the commit that conflicts; "" if none does
	Subject   string // its first line
	Conflicts []Conflict
}

// Replay sets the commits of head that upstream has not onto another commit, as git rebase does: without merges, without what
// upstream has already in other words, and without what becomes empty. Nothing is touched.
func Replay(ctx context.Context, r *Repo, onto, upstream, head string) (p Replayed, err error) {
	if r.Contains(ctx, head, onto) && onto == upstream {
		merges, err := r.g.Out(ctx, "rev-list", "--merges", "--count", onto+".."+head, "--")
		if err != nil || merges == "0" {
			p.Head = head
			p.Commits, _ = r.Ahead(ctx, onto, head)
			return p, err
		}
	}
	out, err := r.g.Out(ctx, "rev-list", "--reverse", "--topo-order", "--no-merges", "--cherry-pick", "--right-only", upstream+"..."+head, "--")
	if err != nil {
		return p, err
	}
	p.Head = onto
	for _, commit := range strings.Fields(out) {
		next, clash, err := pickCommit(ctx, r, p.Head, commit)
		if err != nil || len(clash) > 0 {
			p.Stopped, p.Conflicts = commit, clash
			p.Subject, _ = r.g.Out(ctx, "log", "-1", "--no-color", "--format=%s", commit)
			return p, err
		}
		if next != p.Head {
			p.Commits++
		}
		p.Head = next
	}
	return p, nil
}

// pickCommit sets one commit onto another. git merge-tree takes no base before 2.40, so the target gets a stand-in whose only
// parent is the commit's own: their merge base is that one.
func pickCommit(ctx context.Context, r *Repo, onto, commit string) (string, []Conflict, error) {
	says, err := r.g.Out(ctx, "log", "-1", "--no-color", "--encoding=UTF-8", "--date=raw", "--format=%P%x00%T%x00%an%x00%ae%x00%ad%x00%B", commit)
	if err != nil {
		return "", nil, err
	}
	part := strings.SplitN(says, "\x00", 6)
	if len(part) != 6 || part[0] == "" {
		return "", nil, fmt.Errorf("%s has no commit before it", commit)
	}
	had, err := r.TreeOf(ctx, part[0])
	if err != nil {
		return "", nil, err
	}
	has, err := r.TreeOf(ctx, onto)
	if err != nil {
		return "", nil, err
	}
	standIn, err := WriteCommit(ctx, r, has, "stand-in", part[0])
	if err != nil {
		return "", nil, err
	}
	j, err := MergeTrees(ctx, r, standIn, commit)
	if err != nil || len(j.Conflicts) > 0 {
		return "", j.Conflicts, err
	}
	if j.Tree == has && part[1] != had {
		return onto, nil, nil
	}
	g := r.g.With("GIT_AUTHOR_NAME="+part[2], "GIT_AUTHOR_EMAIL="+part[3], "GIT_AUTHOR_DATE="+part[4])
	next, err := write(ctx, g, j.Tree, part[5], onto)
	return next, nil, err
}

// Rebased brings a tree, its files and its branch, to replayed commits. It is one call of git.
func (t *Tree) Rebased(ctx context.Context, branch, head, to string) error {
	if at, err := t.g.Out(ctx, "rev-parse", "HEAD"); err != nil || at != head {
		return errors.Join(err, ErrMoved)
	}
	_, err := t.g.Whole().Out(context.WithoutCancel(ctx), "checkout", "--quiet", "--no-overwrite-ignore", "--no-track", "-B", branch, to, "--")
	return err
}
