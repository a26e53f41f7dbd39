package describe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// NotInDiff is said before what a diff leaves out, and why.
const NotInDiff = "not in the diff: "

// DiffOf is the difference of the tree, of the last snapshot, or of the branch; from says if it is not the tree's, or not all of it.
func DiffOf(ctx context.Context, c *manager.Manager, repo *tree.Repo, m *manager.Member, stat bool) (text, from string, err error) {
	form := tree.Patch
	if stat {
		form = tree.Stat
	}
	text, left, from, err := DiffIn(ctx, c, repo, m, form)
	if len(left) > 0 {
		from = NotInDiff + strings.Join(left, ", ")
	}
	return text, from, err
}

func DiffIn(ctx context.Context, c *manager.Manager, repo *tree.Repo, m *manager.Member, form tree.Form) (text string, left []string, from string, err error) {
	d := m.Request
	text, left, err = repo.Tree(d.Tree).Diff(ctx, c.Store.Book(m.Name).Dir, d.Base, d.BaseRef, form)
	if !errors.Is(err, tree.ErrGone) {
		return text, left, "", err
	}
	text, from, err = diffOfGone(ctx, repo, m, form)
	return text, nil, from, err
}

// diffOfGone is the difference of the last snapshot, or of the branch, of a worker whose tree is not here.
func diffOfGone(ctx context.Context, repo *tree.Repo, m *manager.Member, form tree.Form) (text, from string, err error) {
	d := m.Request
	if all := manager.Snapshots(m.Ledger); len(all) > 0 {
		text, err = tree.DiffSnapshot(ctx, repo, all[len(all)-1].Commit, d.Base, d.BaseRef, form)
		if m.IsRemote() && m.Ledger.Last(worker.Removed) == nil {
			return text, fmt.Sprintf("its tree is in another repository: this is snapshot %d", len(all)), err
		}
		return text, fmt.Sprintf("its tree is gone: this is snapshot %d", len(all)), err
	}
	if _, err := repo.Commit(ctx, d.Branch); err != nil {
		return "", "its tree is gone, and its branch had no commits", nil
	}
	text, err = tree.DiffBranch(ctx, repo, d.Branch, d.Base, d.BaseRef, form)
	return text, "its tree is gone: this is its branch", err
}

// SnapshotReport is one snapshot in `aburn snapshots --json`.
type SnapshotReport struct {
	Number  int       `json:"snapshot"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Commit  string    `json:"commit"`
	Ref     string    `json:"ref"`
	Changes *int      `json:"changes,omitempty"`
	Skipped []string  `json:"skipped,omitempty"`
	Dropped bool      `json:"dropped,omitempty"`
	Expired bool      `json:"expired,omitempty"`
}
