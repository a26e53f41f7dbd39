// Package crew carries out what a person asks of workers: the order of steps of spawn, kill, snapshot and cleanup, and
// what is undone when one fails.
//
// # Invariants
//
//   - Each step stands in the worker's ledger before the next one begins, and spawn holds a lock meanwhile. So whoever
//     looks later knows whether a spawn still runs, and undoes what a dead one began.
//   - A tree is removed only with a proof of worker/tree, which stands in the ledger before.
//   - Only what a holder holds, or what a dead holder left with the worker's mark, is ever ended.
package crew

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/headless"
	"aburn/worker/heard"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Runtime is where agents run that no person sits at.
type Runtime interface {
	Name() string
	// Start runs a program for as long as it lives. It returns where it can be found.
	Start(ctx context.Context, name, dir string, argv []string) (address string, err error)
	// Alive says which addresses are there; the error means that nobody knows.
	Alive(ctx context.Context) (map[string]bool, error)
}

// Crew is the workers of one project.
type Crew struct {
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
	// After is a program that a holder starts when its agent has ended and nobody waits for it; nil for none.
	After func(name string) []string
}

// Member is one worker, with what is known of it.
type Member struct {
	Name    string
	Worker  *worker.Worker
	Ledger  *ledger.Contents
	Request ledger.Detail // of its first request
	Asked   time.Time
	Talk    *slot.Talk // with an agent without a terminal; nil for others
	Err     error      // the ledger cannot be read

	Session logfmt.SessionID // the agent's newest one, if it was heard
	Said    string           // what the agent said last with aburn done or aburn ask

	told   []worker.Fact // by the protocol
	others []worker.Fact // all that does not stand in the ledger
}

// Gone reports whether the worker's tree was removed, and not made again from a snapshot.
func (m *Member) Gone() bool {
	if m.Ledger.Last(worker.Removed) == nil {
		return false
	}
	_, err := os.Lstat(m.Request.Tree)
	return err != nil
}

// Base is the commit that its branch begins at: since the last sync, if there was one.
func (m *Member) Base() string {
	if e := m.Ledger.Last(worker.Synced); e != nil {
		return e.Base
	}
	return m.Request.Base
}

// Over reports whether its agent has ended.
func (m *Member) Over() bool { return m.Worker.Over() }

// folder is where the agent of a tree works: the project's own folder in it.
func (c *Crew) folder(path string) string {
	rel, err := filepath.Rel(c.Checkout, c.Root)
	if err != nil || c.Checkout == "" || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.Join(path, rel)
}

// wt is the name that entries of the log have for a tree.
func (c *Crew) wt(path string) string {
	rel, err := filepath.Rel(c.Root, c.folder(path))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Look brings the ledgers up to date with what holders wrote and says where each worker stands. Without names it is all.
func (c *Crew) Look(ctx context.Context, names ...string) ([]*Member, error) {
	members, err := c.Glance(ctx, names...)
	if err == nil {
		c.Probe(ctx, members, nil)
	}
	return members, err
}

// Glance is Look without asking whether processes live.
func (c *Crew) Glance(ctx context.Context, names ...string) ([]*Member, error) {
	if len(names) == 0 {
		var err error
		if names, err = c.Store.Names(); err != nil {
			return nil, err
		}
	}
	return c.glance(ctx, names...), nil
}

func (c *Crew) glance(ctx context.Context, names ...string) (members []*Member) {
	for _, name := range names {
		m := &Member{Name: name}
		book := c.Store.Book(name)
		m.Ledger, m.Err = c.settle(ctx, book)
		if errors.Is(m.Err, ledger.ErrUnknown) {
			m.Err = c.bereft(name)
		}
		if m.Err == nil {
			m.Request, m.Asked = requested(m.Ledger)
			c.listen(m)
		}
		members = append(members, m)
	}
	c.fold(members)
	return members
}

func requested(l *ledger.Contents) (d ledger.Detail, at time.Time) {
	for i := range l.Entries {
		if l.Entries[i].Kind == worker.Requested {
			d, at = l.Entries[i].Detail, l.Entries[i].At
			break
		}
	}
	if r := l.Last(worker.Restored); r != nil {
		d.Via = r.Via
	}
	return d, at
}

// fold makes the workers of ledgers and log.
func (c *Crew) fold(members []*Member) {
	trees := map[string]bool{}
	var since time.Time
	for _, m := range members {
		if m.Err == nil {
			m.others = m.told
			m.Worker = worker.Reduce(append(m.Ledger.Facts(), m.told...))
		}
		if m.Err == nil && m.Request.Tree != "" && !(m.Over() && m.Gone()) { // the log may be long
			trees[c.wt(m.Request.Tree)] = true
			if since.IsZero() || m.Asked.Before(since) {
				since = m.Asked
			}
		}
	}
	if c.Log == nil || len(trees) == 0 {
		return
	}
	said, _ := heard.Since(c.Log, since, trees) // what could be read
	for _, m := range members {
		h := said[c.wt(m.Request.Tree)]
		if m.Err != nil || h == nil {
			continue
		}
		m.Session, m.Said = h.Session, h.Said
		facts := h.Facts
		if m.Talk != nil { // the protocol asks, names the call, and says when it was answered
			facts = slices.DeleteFunc(slices.Clone(facts), func(f worker.Fact) bool { return f.Kind == worker.Asks })
		}
		m.others = slices.Concat(m.told, facts)
		m.Worker = worker.Reduce(append(m.Ledger.Facts(), m.others...))
	}
}

// certified reports whether a holder saw the agent of this generation end. Earlier generations have certificates too.
func (m *Member) certified(gen int) bool {
	last := m.Ledger.Last(worker.Certificate)
	return last != nil && last.Gen >= gen
}

// Channel speaks to a member's agent; ok is false if that has a terminal.
func (c *Crew) Channel(m *Member) (ch headless.Channel, h slot.Handle, ok bool) {
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
func (c *Crew) listen(m *Member) {
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

// treesWait is how long one waits for others that make or remove worktrees.
const treesWait = 5 * time.Minute

// serially makes this process the only one of the project's that makes or removes a worktree: of two at once, git 2.39
// fails one that reads the other's half-written bookkeeping.
func (c *Crew) serially(do func() error) error {
	root, err := os.OpenRoot(c.Store.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, "trees.lock", treesWait)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// takeBack undoes a creation, also when the person does not wait any more.
func (c *Crew) takeBack(ctx context.Context, repo *tree.Repo, path, branch, base string, w tree.Worked) (gone bool) {
	err := c.serially(func() error {
		gone = repo.Undo(context.WithoutCancel(ctx), path, branch, base, w)
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
func (c *Crew) Find(word string) (string, error) {
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
func (c *Crew) Wt(name string) string {
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

// ParseMark reads what mark made: the project's key, the worker's name and the session that it was started with.
func ParseMark(mark string) (key, name, session string, ok bool) {
	parts := strings.Split(mark, "/")
	if len(parts) != 3 || parts[0] == "" || ledger.ValidName(parts[1]) != nil {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// mark is in the environment of everything that a worker starts.
func (c *Crew) mark(name string, session string) string {
	return c.Store.Key + "/" + name + "/" + session
}

// Refused says why a merge or a sync was not begun. Nothing was touched.
type Refused struct {
	Text   string
	Hints  []string
	Output string // the end of what a command said that failed
}

func (r *Refused) Error() string { return r.Text }

func refuse(text string, hints ...string) error { return &Refused{Text: text, Hints: hints} }

// names shows the first paths of a list.
func names(paths []string) string {
	text := strings.Join(paths[:min(len(paths), 3)], ", ")
	if len(paths) > 3 {
		text += ", …"
	}
	return text
}

// Quiet reports whether no agent is at work in the tree.
func (m *Member) Quiet() bool {
	switch m.Worker.State {
	case worker.Idle, worker.Done, worker.Terminated:
		return true
	}
	return m.Worker.Reason == worker.Verifying || m.Worker.Reason == worker.VerifyFailed // it said done
}

// settledTree refuses unless the worker's tree may be changed.
func (c *Crew) settledTree(m *Member) error {
	if !m.Quiet() {
		return refuse("its agent is not idle: "+strings.ReplaceAll(m.Worker.State.String(), "_", " "), "aburn ps "+m.Name)
	}
	if launch := m.Ledger.Last(worker.Launched); m.Over() && launch != nil {
		if held, err := hold.Held(c.Store.Book(m.Name).Dir, launch.Gen); held || err != nil {
			return refuse("its holder still ends what the agent left", "aburn ps "+m.Name)
		}
	}
	return nil
}
