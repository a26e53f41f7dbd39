package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// Cleanup removes a worker's tree, wherever it is. What a far one holds is brought here before anything is removed.
func Cleanup(ctx context.Context, c *manager.Manager, repo *tree.Repo, m *manager.Member, options manager.CleanupOptions) (r manager.Cleanup, err error) {
	if !m.IsRemote() {
		return manager.RemoveTree(ctx, c, repo, m, options)
	}
	r = manager.Cleanup{Name: m.Name}
	switch {
	case !m.Over():
		r.Why = "it has not ended: " + strings.ReplaceAll(m.Worker.State.String(), "_", " ")
		return r, nil
	case m.Ledger.Last(worker.Removed) != nil:
		r.Why = "its tree was removed already"
		return r, nil
	}
	now, commit, err := FetchWork(ctx, c, repo, m)
	if err != nil {
		return r, err
	}
	args := []string{"cleanup", "--json"}
	for flag, set := range map[string]bool{"--dry-run": options.DryRun, "--force-preserve": options.Preserve, "--discard-ignored": options.DiscardIgnored} {
		if set {
			args = append(args, flag)
		}
	}
	out, err := manager.RunRemote(ctx, c, m, "", append(args, m.Name)...)
	var list []manager.Cleanup
	if json.Unmarshal(out.Stdout, &list) != nil || len(list) != 1 {
		return r, err
	}
	if r = list[0]; !r.Removed || options.DryRun {
		return r, nil
	}
	if r.Kept != "" { // the state that it kept last
		if err = tree.FetchRefs(ctx, repo, elsewhereOf(c, m), manager.SnapshotRefs(m.Name)); err != nil {
			return r, fmt.Errorf("its tree is gone there, and its last snapshot stands there in %s: %w", manager.SnapshotRefs(m.Name), err)
		}
	}
	if list, err := c.Load(ctx, m.Name); err == nil && list[0].Err == nil {
		now = list[0]
	}
	if commit == m.Base() && m.Request.Branch == m.Made && tree.DropBranch(ctx, repo, m.Made, commit) {
		r.Branch = ""
	} else {
		r.Branch = m.Request.Branch
	}
	return r, manager.MarkFetched(c, now, commit)
}

// CleanupOne removes one worker's tree, if that loses nothing.
func CleanupOne(ctx context.Context, c *manager.Manager, m *manager.Member, options manager.CleanupOptions) manager.Cleanup {
	repo, err := manager.RepositoryOf(ctx, c, m)
	if err == nil {
		var r manager.Cleanup
		if r, err = Cleanup(ctx, c, repo, m, options); err == nil {
			return r
		}
	}
	return manager.Cleanup{Name: m.Name, Why: err.Error()}
}

// CleanupMerged ends a worker whose commits were merged, and removes its worktree and the branch that aburn made for it. It removes
// nothing while the agent works, or where files are in no commit. Commits of a squash or a rebase stay in a ref among its snapshots.
func CleanupMerged(ctx context.Context, c *manager.Manager, repo *tree.Repo, m *manager.Member, merged manager.Merge) (r manager.Cleanup, err error) {
	r = manager.Cleanup{Name: m.Name, Branch: merged.Branch}
	if merged.Works {
		r.Why = "its agent is still working"
		return r, nil
	}
	if !m.Over() {
		if _, err := Kill(ctx, c, m); err != nil && !errors.Is(err, manager.ErrOver) {
			return r, err
		}
	}
	now, err := c.Load(ctx, m.Name)
	if err == nil {
		err = now[0].Err
	}
	if err != nil {
		return r, err
	}
	if !now[0].Gone() {
		if r, err = Cleanup(ctx, c, repo, now[0], manager.CleanupOptions{}); err != nil || !r.Removed {
			return r, err
		}
	}
	if r.Removed = true; merged.Branch == m.Made && repo.Tip(ctx, merged.Branch) != "" {
		dropped, err := tree.DropMerged(ctx, repo, merged.Branch, merged.Head, merged.To, manager.SnapshotRefs(m.Name)+"/merged-"+merged.Head[:12])
		if err != nil {
			return r, err
		}
		if dropped {
			r.Branch = ""
		}
	}
	return r, nil
}
