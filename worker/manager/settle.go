package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aburn/internal/hold"
	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// spawnLock is held while a worker is being made.
const spawnLock = "spawn.lock"

// settle brings into the ledger what the holder wrote, and undoes a spawn whose process is gone. An agent in a sandbox that may write
// no ledger sees the workers all the same.
func (c *Manager) settle(ctx context.Context, book *ledger.Book) (*ledger.Contents, error) {
	l, err := c.bring(ctx, book)
	if journal.ReadOnly(err) {
		return loadState(ctx, book)
	}
	return l, err
}

func (c *Manager) bring(ctx context.Context, book *ledger.Book) (*ledger.Contents, error) {
	l, err := readable(book)
	if err != nil {
		return nil, err
	}
	r, _ := requested(l)
	if _, far := RemoteHost(r.Via); far {
		return l, nil // the other repository's aburn settles it
	}
	if len(late(book, l)) > 0 {
		if l, err = book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) { return late(book, l), nil }); err != nil {
			return nil, err
		}
	}
	if gen := l.Gen(); gen > 1 {
		return settleResume(book, l, gen)
	}
	if l.Last(worker.Launched) != nil || l.Last(worker.LaunchFailed) != nil {
		return l, nil
	}
	unlock, ok, err := forsaken(book, 1)
	if !ok {
		return l, err
	}
	defer unlock()
	return abandonSpawn(ctx, c, book)
}

// loadState is settle that writes nothing: what the holder wrote counts, and a spawn that died stays as it is.
func loadState(_ context.Context, book *ledger.Book) (*ledger.Contents, error) {
	l, err := readable(book)
	if err != nil {
		return nil, err
	}
	r, _ := requested(l)
	if _, far := RemoteHost(r.Via); !far {
		l.Suppose(late(book, l))
	}
	return l, nil
}

// readable reads a ledger. One that lost its request says nothing of a worker: what is missing is not made up, and nothing is undone.
func readable(book *ledger.Book) (*ledger.Contents, error) {
	l, err := book.Read()
	if err == nil && l.Damaged > 0 && l.Last(worker.Requested) == nil {
		return nil, ledger.ErrDamaged
	}
	return l, err
}

// forsaken takes the lock of a launch that did not come to its end. ok is false while somebody makes it, or a holder waits.
func forsaken(book *ledger.Book, gen int) (unlock func(), ok bool, err error) {
	root, err := os.OpenRoot(book.Dir)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, spawnLock, 0)
	if errors.Is(err, lockfile.ErrBusy) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if held, err := hold.Held(book.Dir, gen); held || err != nil {
		lock.Release()
		return nil, false, nil
	}
	return func() { lock.Release() }, true, nil
}

// bereft says what there is of a worker whose ledger is gone. Nothing of it is touched.
func (c *Manager) bereft(name string) error {
	book := c.Store.Book(name)
	if _, err := os.Stat(book.Dir); err != nil {
		return ledger.ErrUnknown
	}
	if path := c.Store.Tree(name); exists(path) {
		return fmt.Errorf("%w, and its tree is there: %s", ErrLost, path)
	}
	return ErrLost
}

// ErrLost says that only the ledger of a worker is missing.
var ErrLost = errors.New("its ledger is gone")

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// abandonSpawn undoes a spawn that ended in the middle.
func abandonSpawn(ctx context.Context, c *Manager, book *ledger.Book) (*ledger.Contents, error) {
	l, err := book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) { return late(book, l), nil })
	if err != nil || l.Last(worker.Launched) != nil || l.Last(worker.LaunchFailed) != nil {
		return l, err // somebody else was first
	}
	if _, err := endRest(ctx, c, book.Name, l); err != nil { // its setup may still run
		return l, nil
	}
	undone := true
	if r, _ := requested(l); r.Tree != "" {
		repo, err := tree.Open(ctx, r.Repo, c.Environ)
		if err != nil {
			return l, nil // it is said as it is: not started
		}
		worked := tree.NobodyWorked
		if l.Last(worker.Prepared) != nil {
			worked = tree.SomebodyMayHaveWorked
		}
		undone = undoTree(ctx, c, repo, r.Tree, madeBranch(r.Branch, r.Taken), cmp.Or(r.Begins, r.Base), worked)
	}
	return book.Update(func(*ledger.Contents) ([]ledger.Entry, error) {
		failed := ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 1}}
		failed.Why = "spawn was ended before the agent ran"
		if !undone {
			return []ledger.Entry{failed}, nil
		}
		os.Remove(filepath.Join(book.Dir, portsFile))
		return []ledger.Entry{failed, {Fact: worker.Fact{Kind: worker.Removed, Gen: 1, Clean: true}}}, nil
	})
}

// late are the entries that the holder's files give and the ledger has not.
func late(book *ledger.Book, l *ledger.Contents) (fresh []ledger.Entry) {
	gen := l.Gen()
	if gen == 0 {
		return nil
	}
	has := func(k worker.Kind) bool {
		e := l.Last(k)
		return e != nil && e.Gen == gen
	}
	if !has(worker.Launched) {
		if began, err := hold.ReadBegan(book.Dir, gen); err == nil {
			fresh = append(fresh, launched(l, gen, began))
		}
	}
	ended, err := hold.ReadEnded(book.Dir, gen)
	if err != nil || has(worker.Certificate) {
		return fresh
	}
	if ended.Why != "" {
		if !has(worker.LaunchFailed) {
			fresh = append(fresh, ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: gen}, Detail: ledger.Detail{Why: ended.Why}})
		}
		return fresh
	}
	if held, err := hold.Held(book.Dir, gen); !ended.Swept && (held || err != nil) {
		return fresh // it still ends what the agent left
	}
	return append(fresh, certificate(gen, ended))
}

func launched(l *ledger.Contents, gen int, b hold.Began) ledger.Entry {
	e := ledger.Entry{Fact: worker.Fact{
		Kind: worker.Launched, Gen: gen, At: b.At, Host: b.Host, Boot: b.Boot, Up: b.Up,
		Proc: &worker.Process{PID: b.Agent.PID, Start: b.Agent.Start},
	}}
	if p := l.Last(worker.Prepared); p != nil && p.Gen == gen {
		e.Session, e.Mark, e.Address = p.Session, p.Mark, p.Address
		e.Server, e.Hooks = p.Server, p.Hooks
	}
	e.Keeper = &worker.Process{PID: b.Holder.PID, Start: b.Holder.Start}
	return e
}

func certificate(gen int, h hold.Ended) ledger.Entry {
	e := ledger.Entry{
		Fact: worker.Fact{
			Kind: worker.Certificate, Gen: gen, At: h.At, Host: h.Host, Boot: h.Boot, Up: h.Up,
			Proc: &worker.Process{PID: h.Agent.PID, Start: h.Agent.Start},
		},
		Detail: ledger.Detail{Signal: h.Signal},
	}
	if h.Signal == 0 {
		e.Exit = &h.Code
	}
	if h.Left >= 0 {
		e.Left = &h.Left
	}
	return e
}
