package manager

import (
	"context"
	"slices"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// expiry is how long the snapshots of a worker stay whose tree was removed.
const expiry = 30 * 24 * time.Hour

// ExpireSnapshots lets go of snapshots of a worker whose tree was removed long ago, and says how many went, or would in a dry run. One goes only
// if each change of it was made by a commit on a branch, a tag or a remote branch too; the last one stays, as restore begins there. A clock
// that is wrong lets go earlier of what is kept elsewhere all the same.
func ExpireSnapshots(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, now time.Time, dry bool) (n int, err error) {
	if !MayExpire(m, now) {
		return 0, nil
	}
	book := c.Store.Book(m.Name)
	unlock, err := lockMemberWithin(c, 0, book, m)
	if err != nil {
		return 0, err
	}
	defer unlock()
	all := Snapshots(m.Ledger)
	refs, err := repo.Refs(ctx, SnapshotRefs(m.Name))
	if err != nil {
		return 0, err
	}
	for _, old := range all[:max(0, len(all)-1)] {
		if refs[old.Ref] != old.Commit {
			continue
		}
		if spare, err := tree.IsElsewhere(ctx, repo, old.Commit, m.Request.Base); err != nil || !spare {
			if err != nil {
				return n, err
			}
			continue
		}
		if n++; dry {
			continue
		}
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Expired, Gen: max(1, m.Ledger.Gen())}}
		e.Ref, e.Commit = old.Ref, old.Commit
		if !HasExpired(m.Ledger, old.Ref) { // killed before the ref went
			if err := book.Append(e); err != nil {
				return n - 1, err
			}
		}
		tree.DropRef(ctx, repo, old.Ref, old.Commit)
	}
	return n, nil
}

// MayExpire reports whether there may be something for Expire, by the ledger alone.
func MayExpire(m *Member, now time.Time) bool {
	if m.Err != nil || m.IsRemote() || !m.Over() {
		return false
	}
	removed := m.Ledger.Last(worker.Removed)
	return removed != nil && now.Sub(removed.At) >= expiry && len(Snapshots(m.Ledger)) > 1 && m.Gone()
}

// HasExpired reports whether the ledger says that what a ref kept stands elsewhere too.
func HasExpired(l *ledger.Contents, ref string) bool {
	return slices.ContainsFunc(l.Entries, func(e ledger.Entry) bool { return e.Kind == worker.Expired && e.Ref == ref })
}
