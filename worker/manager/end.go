package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// endTime is how long the end of a worker may take.
const endTime = 30 * time.Second

// ErrOver says that the worker's agent has ended already.
var ErrOver = errors.New("its agent has ended already")

// Kill ends a worker's agent and all that it started. Tree and branch stay.
func Kill(ctx context.Context, c *Manager, m *Member) (*Member, error) {
	if m.Over() {
		n, err := endRest(ctx, c, m.Name, m.Ledger)
		if m.Ended = n; err != nil {
			return m, err
		}
		return m, ErrOver
	}
	launch := m.Ledger.Last(worker.Launched)
	if launch == nil {
		return m, errors.New("it is being spawned: nothing runs yet")
	}
	book := c.Store.Book(m.Name)
	asked := ledger.Entry{Fact: worker.Fact{Kind: worker.KillAsked, Gen: launch.Gen, Reason: worker.ManuallyKilled}}
	if err := book.Append(asked); err != nil {
		return m, err
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	err := hold.End(ctx, book.Dir, launch.Gen)
	gone := errors.Is(err, hold.ErrGone)
	if err != nil && !gone {
		return m, err
	}
	left, err := endRest(ctx, c, m.Name, m.Ledger) // also what the holder of an earlier launch left
	if err == nil && gone {
		began, rerr := hold.ReadBegan(book.Dir, launch.Gen)
		if err = rerr; err == nil {
			err = confirmEnd(book, launch, began)
		}
	}
	if err != nil {
		return m, err
	}
	now, err := c.Load(ctx, m.Name)
	if err != nil {
		return m, err
	}
	now[0].Ended = left
	return now[0], now[0].Err
}

// Certified reports whether the holder of the last launch saw the agent's end, and ended what that had started.
func (m *Member) Certified() bool {
	launch := m.Ledger.Last(worker.Launched)
	return launch == nil || m.certified(launch.Gen)
}

// Forget ends a worker in the book only: one on a machine that cannot be asked. Nothing is signalled. A worker that may be seen is
// not forgotten.
func Forget(c *Manager, m *Member) error {
	launch := m.Ledger.Last(worker.Launched)
	switch {
	case m.Over():
		return ErrOver
	case launch == nil:
		return errors.New("it is being spawned: nothing runs yet")
	case m.IsRemote() && m.Unreached == "":
		return errors.New("its machine answers")
	}
	book := c.Store.Book(m.Name)
	if !m.IsRemote() {
		if held, err := hold.Held(book.Dir, launch.Gen); held || err != nil {
			return errors.New("its holder lives here")
		}
		if began, err := hold.ReadBegan(book.Dir, launch.Gen); err == nil && proc.Of(began.Agent, began.Host) == proc.Runs {
			return errors.New("its agent lives here")
		}
	}
	return book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.KillAsked, Gen: launch.Gen, Reason: worker.ManuallyKilled, Forget: true}})
}

// confirmEnd ends a worker in the book whose holder was killed and whose processes were seen to be gone. Where that cannot
// be seen, the worker stays what it is.
func confirmEnd(book *ledger.Book, launch *ledger.Entry, began hold.Began) error {
	if _, err := hold.ReadEnded(book.Dir, launch.Gen); err == nil {
		return nil
	}
	if proc.Of(began.Agent, began.Host) != proc.Gone {
		return errors.New("its holder is gone, and this system does not say whether its agent is")
	}
	return book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.KillAsked, Gen: launch.Gen, Reason: worker.ManuallyKilled, Forget: true}})
}

// Cleanup is what becomes of one worker's tree.
type Cleanup struct {
	Name     string   `json:"worker"`
	Removed  bool     `json:"removed"` // or would be, in a dry run
	Why      string   `json:"why,omitempty"`
	Kept     string   `json:"preserved,omitempty"`       // the commit that holds its state
	Branch   string   `json:"branch,omitempty"`          // that stays
	Former   []string `json:"former_branches,omitempty"` // on which it worked before, and that stay
	Snapshot int      `json:"snapshot,omitempty"`        // its number
	Expired  int      `json:"expired,omitempty"`         // snapshots of a tree that is gone that went, or would
	Left     int      `json:"left,omitempty"`            // processes that it left running, and that were ended, or would be
	GoOn     []string `json:"go_on,omitempty"`           // workers that it had begun, and that go on
}

// CleanupOptions say what may be removed beside clean trees.
type CleanupOptions struct {
	DryRun         bool
	Preserve       bool // also a tree with changes, once its whole state is kept
	DiscardIgnored bool // also files that git ignores, which no snapshot holds
}

// RemoveTree removes the tree of a worker that has ended, if nothing is lost with it.
func RemoveTree(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, o CleanupOptions) (r Cleanup, err error) {
	r = Cleanup{Name: m.Name}
	if !m.Over() {
		r.Why = "it has not ended: " + strings.ReplaceAll(m.Worker.State.String(), "_", " ")
		return r, nil
	}
	if m.Gone() {
		r.Why = "its tree was removed already"
		return r, nil
	}
	book := c.Store.Book(m.Name)
	if held, err := isHeld(c, m); held || err != nil {
		r.Why = "its holder still ends what the agent left"
		return r, err
	}
	unlock, err := lockMember(c, book, m)
	if err != nil {
		return r, err
	}
	defer unlock()
	t := treeOf(c, repo, m)
	s, err := t.State(ctx)
	if errors.Is(err, tree.ErrGone) {
		if exists(t.Path) {
			r.Why = "git does not take " + t.Path + " for its worktree any more, and what lies there is on no branch: git worktree repair " + t.Path
			return r, nil
		}
		return noteLostTree(ctx, c, repo, m, o, r)
	}
	if err != nil {
		return r, err
	}
	if r.Why = o.objection(s); r.Why != "" {
		return r, nil
	}
	if o.DryRun {
		r.Removed, r.Left = true, len(restOf(c, m.Name, m.Ledger).Find())
		return r, nil
	}
	if r.Left, err = endRest(ctx, c, m.Name, m.Ledger); err != nil {
		r.Why = "what it left running does not end: " + err.Error()
		return r, nil
	}
	if r.Left > 0 { // they may have written until now
		if s, err = t.State(ctx); err != nil {
			return r, err
		}
		if r.Why = o.objection(s); r.Why != "" {
			return r, nil
		}
	}
	return removeTree(ctx, c, repo, m, t, s, o, r)
}

// objection says why a tree stays, "" if it may go.
func (o CleanupOptions) objection(s *tree.State) string {
	rest := *s
	if o.Preserve {
		rest.Changes, rest.Homeless = nil, false
	}
	if o.DiscardIgnored {
		rest.Ignored = nil
	}
	return rest.Why()
}

func removeTree(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, t *tree.Tree, s *tree.State, o CleanupOptions, r Cleanup) (Cleanup, error) {
	book := c.Store.Book(m.Name)
	proof, err := t.Clean(ctx, book.Dir, s)
	var not *tree.NotClean
	if errors.As(err, &not) {
		var k tree.Kept
		if k, proof, err = t.Keep(ctx, book.Dir, nextRef(m), s, o.DiscardIgnored); err != nil {
			return r, err
		}
		r.Kept, r.Snapshot = k.Commit, len(Snapshots(m.Ledger))+1
		err = book.Append(snapshotEntry(m, worker.Preserved, k))
	} else if err == nil {
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Snapshotted, Gen: max(1, m.Ledger.Gen()), Clean: true}}
		e.Commit = s.Head
		err = book.Append(e)
	}
	if err != nil {
		return r, err
	}
	if err := serially(c, func() error { return t.Remove(ctx, book.Dir, proof) }); err != nil {
		return r, err
	}
	headless.Forget(book.Dir, m.Ledger.Gen())
	withdrawQueued(c, m)
	r.Removed = true
	r.Branch, r.Former = dropBranches(ctx, repo, m)
	gone := ledger.Entry{Fact: worker.Fact{Kind: worker.Removed, Gen: max(1, m.Ledger.Gen()), Clean: r.Kept == ""}}
	gone.Commit = r.Kept
	os.Remove(filepath.Join(book.Dir, portsFile))
	return r, book.Append(gone)
}

// noteLostTree writes down that a tree is gone which aburn did not remove.
func noteLostTree(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, o CleanupOptions, r Cleanup) (Cleanup, error) {
	r.Why = "somebody else removed its tree"
	if n := len(Snapshots(m.Ledger)); n > 0 {
		r.Why += fmt.Sprintf("; snapshot %d is its last known state", n)
	}
	if o.DryRun {
		return r, nil
	}
	var err error
	if r.Left, err = endRest(ctx, c, m.Name, m.Ledger); err != nil {
		return r, err
	}
	headless.Forget(c.Store.Book(m.Name).Dir, m.Ledger.Gen())
	withdrawQueued(c, m)
	gone := ledger.Entry{Fact: worker.Fact{Kind: worker.Removed, Gen: max(1, m.Ledger.Gen())}}
	gone.Why = "its tree was gone"
	return r, c.Store.Book(m.Name).Append(gone)
}

// withdrawQueued takes what waits for a member out of the project's queue, where it has no end. The outbox keeps it, in case that the
// agent goes on in a tree made again.
func withdrawQueued(c *Manager, m *Member) {
	s := &sender{Manager: c, name: m.Name}
	s.unqueue(m) // an error: what cannot be taken out is told to no other session
}

// RestoreSnapshot makes a worktree with a kept state of a worker.
func RestoreSnapshot(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, number int, into string) (onBranch bool, err error) {
	all := Snapshots(m.Ledger)
	if number < 1 || number > len(all) {
		return false, fmt.Errorf("there is no snapshot %d", number)
	}
	branch := ""
	if into == m.Request.Tree {
		branch = m.Request.Branch
	}
	err = serially(c, func() error {
		onBranch, err = tree.Restore(ctx, repo, c.Store.Book(m.Name).Dir, into, branch, all[number-1].Commit)
		return err
	})
	return onBranch, err
}

// RemakeTree makes a member's tree once more, from its branch.
func RemakeTree(ctx context.Context, c *Manager, repo *tree.Repo, m *Member) error {
	return serially(c, func() error { return tree.RemakeWorktree(ctx, repo, m.Request.Tree, m.Request.Branch, m.Base()) })
}

// Living are the members whose agent has not ended, whose tree is still there, or of which something runs.
func Living(members []*Member) []*Member {
	return slices.DeleteFunc(slices.Clone(members), func(m *Member) bool { return m.Err == nil && m.Over() && m.Gone() && len(m.Left) == 0 })
}
