package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/ledger"
)

// Carrier is a process that carries the mark of a worker, which is its Value.
type Carrier = proc.Carrier

// Marked are the processes of this user that carry the mark of any worker.
func Marked() []Carrier { return hold.Marked() }

// Stray is processes that carry the mark of a worker of this project of which no ledger knows: it was removed or damaged, or
// it knows of other launches.
type Stray struct {
	Name      string
	Why       string // what is wrong with the ledger; "" if there is none
	Tree      string // in which the processes work
	Processes []Carrier
}

// AccountFor says whose the marked processes are. What a member's holder left goes into its Left, if the holder does not live any more.
// What no ledger knows is returned, by name. A worker that is not among the members is not asked about.
func AccountFor(c *Manager, members []*Member, marked []Carrier) (strays []*Stray) {
	known, lost := map[string]*Member{}, map[string]*Stray{}
	for _, m := range members {
		known[m.Name] = m
	}
	holders := map[string]bool{}
	for _, p := range marked {
		key, name, _, ok := ParseMark(p.Value)
		if !ok || key != c.Store.Key {
			continue
		}
		m := known[name]
		if m != nil && errors.Is(m.Err, ledger.ErrUnknown) {
			m = nil
		}
		if m == nil && exists(c.Store.Book(name).Dir) {
			continue // nobody asked about it
		}
		held, seen := holders[p.Value]
		entry := entryOf(c, m, p.Value)
		if entry != nil && !seen {
			held = isWatched(c, name, entry)
			holders[p.Value] = held
		}
		switch {
		case held || proc.Of(p.Process, proc.Host()) != proc.Runs: // looked at after the holder was
		case entry != nil:
			m.Left = append(m.Left, p)
		case m != nil && m.Err != nil && !errors.Is(m.Err, ErrLost) && !errors.Is(m.Err, ledger.ErrDamaged): // it may know
		case heldElsewhere(c, p):
		default:
			if lost[name] == nil {
				lost[name] = strayOf(c, name, m)
				strays = append(strays, lost[name])
			}
			lost[name].take(p)
		}
	}
	slices.SortFunc(strays, func(a, b *Stray) int { return strings.Compare(a.Name, b.Name) })
	return strays
}

func strayOf(c *Manager, name string, m *Member) *Stray {
	s := &Stray{Name: name}
	switch {
	case m == nil:
		s.Why = "its ledger is gone"
	case m.Err != nil:
		s.Why = m.Err.Error()
	default:
		s.Why = anotherWorker
	}
	if tree := c.Store.Tree(name); exists(tree) {
		s.Tree = tree
	}
	return s
}

// take adds a process. Where it works tells the tree, if that does not lie where it belongs.
func (s *Stray) take(p Carrier) {
	s.Processes = append(s.Processes, p)
	if s.Tree == "" {
		s.Tree = strings.TrimSuffix(p.Dir, " (deleted)")
	}
}

// entryOf is the last entry of a member's ledger that names a mark; nil if there is none. A ledger that was read before the process
// began is read once more.
func entryOf(c *Manager, m *Member, mark string) *ledger.Entry {
	if m == nil || m.Err != nil {
		return nil
	}
	if e := marking(m.Ledger, mark); e != nil {
		return e
	}
	l, err := c.Store.Book(m.Name).Read()
	if err != nil {
		return nil
	}
	return marking(l, mark)
}

func marking(l *ledger.Contents, mark string) *ledger.Entry {
	for i := len(l.Entries) - 1; i >= 0; i-- {
		if l.Entries[i].Mark == mark {
			return &l.Entries[i]
		}
	}
	return nil
}

// isWatched reports whether somebody sees to the end of what carries the mark of an entry: the holder of a launch, whoever makes the
// worker, or whoever runs its gates.
func isWatched(c *Manager, name string, e *ledger.Entry) bool {
	dir := c.Store.Book(name).Dir
	if e.Kind == worker.Gated {
		return busy(dir, gatesLock)
	}
	held, err := hold.Held(dir, e.Gen)
	return held || err != nil || busy(dir, spawnLock)
}

// busy reports whether somebody holds a lock of a worker's.
func busy(dir, name string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, name, 0)
	if err == nil {
		lock.Release()
	}
	return errors.Is(err, lockfile.ErrBusy)
}

// heldElsewhere reports whether a process is below a holder that lives for a worker of another folder of ledgers, as somebody with
// another XDG_STATE_HOME has it.
func heldElsewhere(c *Manager, p Carrier) bool {
	const deepest = 64
	for pid, n := p.Parent, 0; pid > 1 && n < deepest; n++ {
		name, parent, ok := proc.Parent(pid)
		if !ok {
			return false
		}
		if args := proc.Args(pid); name == holderName && len(args) == 3 {
			return filepath.Dir(args[1]) != c.Store.Dir
		}
		pid = parent
	}
	return false
}

// holderName is the name of a holder's program.
const holderName = "aburn-hold"

// EndStray ends the processes: by their holder if that lives, and what is left then by their marks.
func EndStray(ctx context.Context, c *Manager, s *Stray) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	r := hold.Rest{Dir: c.Store.Book(s.Name).Dir}
	for _, p := range s.Processes {
		if !slices.Contains(r.Marks, p.Value) {
			r.Marks = append(r.Marks, p.Value)
		}
	}
	n = len(r.Find())
	pipes, _ := filepath.Glob(filepath.Join(r.Dir, "control.*"))
	for _, pipe := range pipes {
		if gen, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(pipe), ".")); err == nil && s.held() {
			if err := hold.End(ctx, r.Dir, gen); err != nil && !errors.Is(err, hold.ErrGone) {
				return n, err
			}
		}
	}
	more, err := hold.EndRest(ctx, r)
	return max(n, more), err
}

// held reports whether the holders of the folder hold these processes: the ledger cannot say which they hold.
func (s *Stray) held() bool { return s.Why != anotherWorker }

const anotherWorker = "the ledger of this name knows another worker"

// restOf is how to know what a worker left running, by what its ledger says.
func restOf(c *Manager, name string, l *ledger.Contents) hold.Rest {
	r := hold.Rest{Dir: c.Store.Book(name).Dir}
	for gen := 1; gen <= l.Gen(); gen++ {
		if b, err := hold.ReadBegan(r.Dir, gen); err == nil {
			r.Began = append(r.Began, b)
		}
	}
	held := map[string]bool{}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Mark != "" {
			held[e.Mark] = e.Kind == worker.Gated && busy(r.Dir, gatesLock)
		}
	}
	for mark, is := range held {
		if !is {
			r.Marks = append(r.Marks, mark)
		}
	}
	return r
}

// endRest ends what a worker left running, and says how many processes that were. No holder of it lives.
func endRest(ctx context.Context, c *Manager, name string, l *ledger.Contents) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	return hold.EndRest(ctx, restOf(c, name, l))
}

// endWithin bounds an end that nobody can break off.
func endWithin(ctx context.Context, dir string, gen int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	return hold.End(ctx, dir, gen)
}

// LeftWords names processes for a person.
func LeftWords(list []Carrier) string {
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%d (%s)", p.PID, p.Name))
	}
	return strings.Join(words, ", ")
}

// AccountForAll is Roll of members that were looked at, and of marked processes that were found.
func AccountForAll(c *Manager, all []*Member, marked []Carrier) ([]*Member, []*Stray) {
	strays := AccountFor(c, all, marked)
	return slices.DeleteFunc(all, func(m *Member) bool {
		return m.Err != nil && slices.ContainsFunc(strays, func(s *Stray) bool { return s.Name == m.Name })
	}), strays
}
