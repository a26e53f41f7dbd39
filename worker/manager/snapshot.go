package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"aburn/internal/lockfile"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// keepSnapshots is how many snapshots of a worker are kept, unless Manager.Snapshots says otherwise.
const keepSnapshots = 20

func snapshotLimit(c *Manager) int {
	if c.Snapshots != nil {
		if n := c.Snapshots(); n > 0 {
			return n
		}
	}
	return keepSnapshots
}

// TakeSnapshot keeps the present state of a worker's tree. fresh is false if the last snapshot already holds it.
func TakeSnapshot(ctx context.Context, c *Manager, repo *tree.Repo, m *Member) (k tree.Kept, fresh bool, err error) {
	return snapshotWithin(ctx, c, repo, m, treeWait)
}

// ErrTreeBusy says that somebody keeps, merges, pushes or removes the tree just now.
var ErrTreeBusy = errors.New("its tree is in use")

// TryTakeSnapshot is Snapshot for who waits for nobody: gates of a merge may run for minutes. Then the error is ErrTreeBusy.
func TryTakeSnapshot(ctx context.Context, c *Manager, repo *tree.Repo, m *Member) error {
	_, _, err := snapshotWithin(ctx, c, repo, m, 0)
	return err
}

func snapshotWithin(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, wait time.Duration) (k tree.Kept, fresh bool, err error) {
	t := treeOf(c, repo, m)
	book := c.Store.Book(m.Name)
	unlock, err := lockMemberWithin(c, wait, book, m)
	if err != nil {
		return k, false, err
	}
	defer unlock()
	all := Snapshots(m.Ledger)
	last, began := "", time.Now()
	if n := len(all); n > 0 {
		last = all[n-1].Commit
	}
	k, now, err := t.Snapshot(ctx, book.Dir, nextRef(m), tree.BeginningOf(ctx, repo, m.Base(), m.Request.BaseRef), loadSighting(c, m).of(last))
	if errors.Is(err, tree.ErrGone) {
		err = fmt.Errorf("%w: %s", err, t.Path)
	}
	if err != nil {
		return k, false, err
	}
	saveSighting(c, m, sighting{At: began, Seen: now})
	n := len(now.Files)
	if k.Ref == "" { // not the commit: what git lost and is kept anew in the same second has the same one
		if m.Worker.Changes == nil || *m.Worker.Changes != n { // an agent's calls made it unknown
			err = book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Snapshotted, Gen: max(1, m.Ledger.Gen()), Differs: &n}})
		}
		return k, false, err
	}
	e := snapshotEntry(m, worker.Snapshotted, k)
	e.Differs = &n
	if err = book.Append(e); err != nil {
		return k, true, err
	}
	if n = len(all) + 1 - snapshotLimit(c); n > 0 {
		for _, old := range all[:n] {
			if old.Kind == worker.Snapshotted {
				tree.DropRef(ctx, repo, old.Ref, old.Commit)
			}
		}
	}
	return k, true, nil
}

// treeWait is how long one who keeps or removes a tree waits for another.
const treeWait = time.Minute

// lockMember makes this process the only one that keeps or removes the worker's tree, and reads the ledger once more: the
// holder's own snapshot may have come first. A merge stays alone while its gates run: they run in that tree, and a cleanup would
// take it from under them.
func lockMember(c *Manager, book *ledger.Book, m *Member) (unlock func(), err error) {
	return lockMemberWithin(c, treeWait, book, m)
}

func lockMemberWithin(c *Manager, wait time.Duration, book *ledger.Book, m *Member) (unlock func(), err error) {
	root, err := os.OpenRoot(book.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, "tree.lock", wait)
	if wait == 0 && errors.Is(err, lockfile.ErrBusy) {
		return nil, ErrTreeBusy
	}
	if err != nil {
		return nil, err
	}
	l, err := book.Read()
	if err != nil {
		lock.Release()
		return nil, err
	}
	if m.Ledger = l; m.IsRemote() {
		c.mirror(m)
	}
	return func() { lock.Release() }, nil
}

// SnapshotRefs is the name below which the refs of a worker's snapshots stand.
func SnapshotRefs(name string) string { return "refs/aburn/snap/" + name }

// nextRef is where the next snapshot goes. One that the ledger does not know may be there: of somebody who was killed before
// writing that down.
func nextRef(m *Member) tree.Refs {
	n := 1
	for i := range m.Ledger.Entries {
		if m.Ledger.Entries[i].Ref != "" {
			n++
		}
	}
	return tree.Refs{Below: SnapshotRefs(m.Name), Next: n}
}

func snapshotEntry(m *Member, kind worker.Kind, k tree.Kept) ledger.Entry {
	e := ledger.Entry{Fact: worker.Fact{Kind: kind, Gen: max(1, m.Ledger.Gen()), Changes: &k.Changes}}
	e.Ref, e.Commit = k.Ref, k.Commit
	for _, s := range k.Skipped {
		e.Skipped = append(e.Skipped, s[:min(len(s), 200)])
	}
	return e
}

// Snapshots are the states of a worker's tree that were kept, the oldest first.
func Snapshots(l *ledger.Contents) (list []ledger.Entry) {
	for _, e := range l.Entries {
		if (e.Kind == worker.Snapshotted || e.Kind == worker.Preserved) && e.Ref != "" {
			list = append(list, e)
		}
	}
	return list
}
