// Package manager carries out what a person asks of workers: the order of steps of spawn, kill, snapshot and cleanup, and
// what is undone when one fails.
//
// # Invariants
//
//   - Each step stands in the worker's ledger before the next one begins, and spawn holds a lock meanwhile. So whoever
//     looks later knows whether a spawn still runs, and undoes what a dead one began.
//   - A tree is removed only with a proof of worker/tree, which stands in the ledger before.
//   - Only what a holder holds, or what carries the worker's mark and what that started, is ever ended.
package manager

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aburn/internal/journal"
	"aburn/internal/proc"
	"aburn/internal/queue"
	"aburn/worker"
	"aburn/worker/activity"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Runtime is where agents run that no person sits at.
type Runtime interface {
	Name() string
	// Server is what all of its workers would end with; "" if each stands alone.
	Server() string
	// Start runs a program for as long as it lives. It returns where it can be found.
	Start(ctx context.Context, name, dir string, argv []string) (address string, err error)
	// Alive says which addresses are there; the error means that nobody knows.
	Alive(ctx context.Context) (map[string]bool, error)
}

// Manager is the workers of one project.
type Manager struct {
	Root     string // the project's
	Checkout string // the root of the main checkout of its repository; "" without one
	Store    *ledger.Store
	Log      *journal.Journal
	Environ  []string
	Holder   string // the path of aburn-hold
	Self     string // how a shell inside of a worker runs aburn
	Runtimes []Runtime
	Agents   []slot.Agent
	Oss      *os.Root     // the project's .oss, for messages
	Queue    *queue.Queue // and its queue; nil where nothing can be signed
	// Snapshots is how many snapshots of a worker the person wants kept; 0 or nil is 20.
	Snapshots func() int
	// After is a program that a holder starts when its agent has ended and nobody waits for it; nil for none.
	After func(name string) []string
	// Ask asks the aburn of another machine for news of workers whose repository there is dir; nil asks nobody.
	Ask func(ctx context.Context, host, dir string, names []string) ([]News, error)
	// Try has the aburn of a far member run gates; nil runs none.
	Try func(ctx context.Context, m *Member, order RemoteGates) (RemoteVerdict, error)

	strange sync.Map // see follow: worktrees on branches that are not their workers', so that git is asked once
}

// folder is where the agent of a tree works: the project's own folder in it.
func (c *Manager) folder(path string) string {
	rel, err := filepath.Rel(c.Checkout, c.Root)
	if err != nil || c.Checkout == "" || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.Join(path, rel)
}

// wt is the name that entries of the log have for a tree.
func (c *Manager) wt(path string) string {
	rel, err := filepath.Rel(c.Root, c.folder(path))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// formerWt is the name that entries had for a member's tree before its project moved; "" if it did not.
func (c *Manager) formerWt(m *Member) string {
	was := m.Ledger.Project
	if was == "" || was == c.Root {
		return ""
	}
	rel, err := filepath.Rel(was, c.folder(m.Request.Tree))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Load brings the ledgers up to date with what holders wrote and says where each worker stands. Without names it is all.
func (c *Manager) Load(ctx context.Context, names ...string) ([]*Member, error) {
	answers := c.ask(ctx) // meanwhile the ledgers are read
	names, err := c.names(names)
	if err != nil {
		return nil, err
	}
	look := proc.NewLook()
	members := c.gather(ctx, look, names, false)
	c.probe(ctx, members, nil, answers(), look)
	return members, nil
}

// LoadCached is Look without asking whether processes live.
func (c *Manager) LoadCached(ctx context.Context, names ...string) ([]*Member, error) {
	names, err := c.names(names)
	if err != nil {
		return nil, err
	}
	return c.loadCached(ctx, names...), nil
}

// LoadState is Glance that writes nothing.
func (c *Manager) LoadState(ctx context.Context) ([]*Member, error) {
	names, err := c.Store.Names()
	if err != nil {
		return nil, err
	}
	return c.gather(ctx, proc.NewLook(), names, true), nil
}

// names are those of all workers where none are said.
func (c *Manager) names(said []string) ([]string, error) {
	if len(said) > 0 {
		return said, nil
	}
	return c.Store.Names()
}

func (c *Manager) loadCached(ctx context.Context, names ...string) []*Member {
	return c.gather(ctx, proc.NewLook(), names, false)
}

// gather says where workers stand by their ledgers and by the log. A peek writes nothing into the ledgers.
func (c *Manager) gather(ctx context.Context, look *proc.Look, names []string, peeks bool) []*Member {
	members := make([]*Member, len(names))
	each(len(names), func(i int) {
		m := &Member{Name: names[i]}
		members[i] = m
		book := c.Store.Book(m.Name)
		if peeks {
			m.Ledger, m.Err = loadState(ctx, book)
		} else {
			m.Ledger, m.Err = c.settle(ctx, book)
		}
		if m.Err == nil {
			c.followed(ctx, book, m, peeks)
		}
		if errors.Is(m.Err, ledger.ErrUnknown) {
			m.Err = c.bereft(m.Name)
		}
		if m.Err == nil {
			m.Request, m.Asked = requested(m.Ledger)
			m.Pushed = noticed(book.Dir)
			if m.IsRemote() {
				c.mirror(m)
			}
			m.Made, m.Request.Branch = m.Request.Branch, m.Branches()[0]
			c.listen(m)
			m.meet(look)
		}
	})
	c.fold(members, look)
	return members
}

// meet reads the agent's process, which fold and probe ask for, while other members are read.
func (m *Member) meet(look *proc.Look) {
	if launch := m.Ledger.Last(worker.Launched); launch != nil && launch.Proc != nil && !m.IsRemote() {
		look.Of(proc.Process{PID: launch.Proc.PID, Start: launch.Proc.Start}, launch.Host)
	}
}

// each calls do with 0 to n-1, on all cores at once if there are many.
func each(n int, do func(i int)) {
	const many = 8
	hands := 1
	if n >= many {
		hands = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range hands {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// fold makes the workers of ledgers and log.
func (c *Manager) fold(members []*Member, look *proc.Look) {
	said, in := c.hear(members, look)
	for i, m := range members {
		if m.Err != nil {
			continue
		}
		m.others = m.told
		if h := said[in[i]]; h != nil {
			m.Session, m.Said, m.Asks, m.Newest = h.Session, h.Said, h.Asks, h.Newest
			if h.Pushed.After(m.Pushed) {
				m.Pushed = h.Pushed
			}
			facts := h.Facts
			if m.Talk != nil { // the protocol asks, names the call, and says when it was answered
				facts = slices.DeleteFunc(slices.Clone(facts), func(f worker.Fact) bool { return f.Kind == worker.Asks })
			}
			if m.others = facts; len(m.told) > 0 {
				m.others = slices.Concat(m.told, facts)
			}
		}
		m.Worker = worker.Reduce(m.Ledger.Facts(m.others...))
	}
}

// hear is what the log says, by the name that it has for the tree of each member; "" is no tree.
func (c *Manager) hear(members []*Member, look *proc.Look) (said map[string]*activity.Activity, in []string) {
	trees, in := map[string]bool{}, make([]string, len(members))
	former := map[string]string{} // of a project that moved
	var since time.Time
	for i, m := range members {
		if m.Err != nil || m.Request.Tree == "" || m.IsRemote() {
			continue
		}
		if m.Gone() && worker.Reduce(m.Ledger.Facts(m.told...)).Over() { // the log may be long
			continue
		}
		in[i] = c.wt(m.Request.Tree)
		trees[in[i]] = true
		if was := c.formerWt(m); was != "" && was != in[i] {
			trees[was], former[in[i]] = true, was
		}
		if since.IsZero() || m.Asked.Before(since) {
			since = m.Asked
		}
	}
	delete(trees, "")
	if c.Log == nil || len(trees) == 0 {
		return nil, in
	}
	said, _ = activity.Since(c.Log, since, trees, look) // what could be read
	for wt, before := range former {
		said[wt] = said[wt].Behind(said[before])
	}
	return said, in
}

// Channel speaks to a member's agent; ok is false if that has a terminal.
func (c *Manager) Channel(m *Member) (ch headless.Channel, h slot.Handle, ok bool) {
	if m.Request.Via != headless.Name {
		return ch, h, false
	}
	for _, a := range c.Agents {
		if a.Name() == m.Request.Agent {
			ch.Protocol = a.Protocol()
		}
	}
	return ch, slot.Handle{Dir: c.Store.Book(m.Name).Dir, Gen: m.Ledger.Gen()}, ch.Protocol != nil
}

// listen hears an agent without a terminal, and says what is due. What hooks tell too is taken from them, if there are any:
// two clocks would tell it twice.
func (c *Manager) listen(m *Member) {
	ch, h, ok := c.Channel(m)
	launch := m.Ledger.Last(worker.Launched)
	if !ok || launch == nil {
		return
	}
	for gen := 1; gen <= h.Gen; gen++ {
		look := ch.Hear
		if gen == h.Gen && !m.certified(gen) {
			look = ch.Look
		}
		t, err := look(slot.Handle{Dir: h.Dir, Gen: gen})
		if err != nil {
			continue // what could be read
		}
		m.Talk = t
		for _, e := range t.Events {
			if !e.Hooked || !launch.Hooks {
				e.Fact.File = worker.Store
				m.told = append(m.told, e.Fact)
			}
		}
	}
}

// undoTree undoes a creation, also when the person does not wait any more. branch is "" where it was there before.
func undoTree(ctx context.Context, c *Manager, repo *tree.Repo, path, branch, base string, w tree.Worked) (gone bool) {
	err := serially(c, func() error {
		gone = tree.UndoWorktree(context.WithoutCancel(ctx), repo, path, branch, base, w)
		return nil
	})
	return gone && err == nil
}

// ErrAmbiguous says that several workers begin with a name.
type ErrAmbiguous struct{ Names []string }

func (e *ErrAmbiguous) Error() string {
	return "several workers begin so: " + strings.Join(e.Names, ", ")
}

// Find is the name of the worker that a person means: a whole name, or a beginning that only one has.
func (c *Manager) Find(word string) (string, error) {
	names, err := c.Store.Names()
	if err != nil || slices.Contains(names, word) {
		return word, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return word == "" || !strings.HasPrefix(name, word) })
	switch len(names) {
	case 0:
		return "", ledger.ErrUnknown
	case 1:
		return names[0], nil
	}
	return "", &ErrAmbiguous{names}
}

// Wt is the name that entries of the log have for a worker's tree, "" if its ledger cannot be read. Nothing is written.
func (c *Manager) Wt(name string) string {
	l, err := c.Store.Book(name).Read()
	if err != nil {
		return ""
	}
	r, _ := requested(l)
	if r.Tree == "" {
		return ""
	}
	return c.wt(r.Tree)
}
