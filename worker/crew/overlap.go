package crew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"aburn/internal/lockfile"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Overlap is two workers that changed the same files, as their trees stand.
type Overlap struct {
	Workers   [2]string       `json:"workers"` // the one that was asked for first, first
	Kind      string          `json:"kind"`    // overlap, or conflict if the two states do not merge
	Files     []string        `json:"files"`   // that both changed
	Conflicts []tree.Conflict `json:"conflicts,omitempty"`
}

// sketch is one worker's tree as it stands.
type sketch struct {
	m       *Member
	repo    *tree.Repo
	holds   tree.Sketch
	commit  string // of it; "" until somebody asked
	changed []string
}

func (s *sketch) commits(ctx context.Context) (commit string, err error) {
	if s.commit == "" {
		s.commit, err = s.holds.Commit(ctx, s.repo)
	}
	return s.commit, err
}

// Overlaps looks at the trees of all living workers, and writes into the ledgers what is new. Failures are of single workers,
// of which nothing is said then.
func (c *Crew) Overlaps(ctx context.Context, members []*Member) (list []Overlap, failed error) {
	var all []*sketch
	repos := map[string]*tree.Repo{}
	for _, m := range Living(members) {
		if m.Err != nil || m.Request.Repo == "" {
			continue
		}
		repo := repos[m.Request.Repo]
		if repo == nil {
			var err error
			if repo, err = tree.Open(ctx, m.Request.Repo, c.Environ); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			repos[m.Request.Repo] = repo
		}
		s := &sketch{m: m, repo: repo}
		var err error
		s.holds, s.changed, err = repo.Tree(m.Request.Tree).Differs(ctx, c.Store.Book(m.Name).Dir, m.Base(), m.Request.BaseRef)
		if errors.Is(err, tree.ErrGone) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *sketch) int { return a.m.Asked.Compare(b.m.Asked) })
	for i := range all {
		for j := range i {
			o, err := compare(ctx, all[j], all[i])
			if err == nil {
				err = c.noteOverlap(o)
			}
			if failed = errors.Join(failed, err); err == nil && o.Kind != worker.OverlapNone {
				list = append(list, o)
			}
		}
	}
	return list, failed
}

// Files of those who compare. The second one has the time at which the last comparison that was finished began.
const overlapLock, overlapMark = "overlap.lock", "overlap.at"

// CompareNow looks for overlaps among all living workers, unless somebody began to after this call did: of many agents that end at once,
// two or three compare for all.
func (c *Crew) CompareNow(ctx context.Context) error {
	asked := time.Now()
	root, err := os.OpenRoot(c.Store.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, overlapLock, treesWait)
	if err != nil {
		return err
	}
	defer lock.Release()
	if st, err := root.Stat(overlapMark); err == nil && st.ModTime().After(asked) && st.ModTime().Before(time.Now()) {
		return nil
	}
	began := time.Now()
	all, err := c.Look(ctx)
	if err != nil || len(Living(all)) < 2 {
		return err
	}
	_, failed := c.Overlaps(ctx, all)
	if err := root.WriteFile(overlapMark, nil, 0o600); err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, root.Chtimes(overlapMark, began, began))
}

func compare(ctx context.Context, a, b *sketch) (Overlap, error) {
	o := Overlap{Workers: [2]string{a.m.Name, b.m.Name}, Kind: worker.OverlapNone}
	if a.repo != b.repo {
		return o, nil
	}
	theirs := map[string]bool{}
	for _, f := range a.changed {
		theirs[f] = true
	}
	for _, f := range b.changed {
		if theirs[f] {
			o.Files = append(o.Files, f)
		}
	}
	if len(o.Files) == 0 {
		return o, nil
	}
	one, err := a.commits(ctx)
	if err != nil {
		return o, err
	}
	other, err := b.commits(ctx)
	if err != nil {
		return o, err
	}
	j, err := a.repo.Join(ctx, one, other)
	if err != nil {
		return o, err
	}
	o.Kind, o.Conflicts = worker.OverlapFiles, j.Conflicts
	if len(j.Conflicts) > 0 {
		o.Kind = worker.OverlapConflict
	}
	return o, nil
}

// short keeps the end of a path: a control character takes six bytes in a line of 4096.
func short(path string) string {
	if n := len(path); n > 56 {
		return "…" + strings.ToValidUTF8(path[n-53:], "")
	}
	return path
}

// set names a set of files.
func set(files []string) string {
	sum := sha256.Sum256([]byte(strings.Join(files, "\x00") + "\x00"))
	return hex.EncodeToString(sum[:])
}

// noteOverlap writes into both ledgers what differs from the last word about the pair.
func (c *Crew) noteOverlap(o Overlap) error {
	for i, name := range o.Workers {
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Overlapped, Is: o.Kind}, Detail: ledger.Detail{Peer: o.Workers[1-i], Count: len(o.Files)}}
		for _, f := range o.Files[:min(8, len(o.Files))] {
			e.Files = append(e.Files, short(f))
		}
		if len(o.Files) > 0 {
			e.Set = set(o.Files)
		}
		_, err := c.Store.Book(name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
			e.Gen = max(1, l.Gen())
			last := overlapWith(l, e.Peer)
			if last == nil && e.Is == worker.OverlapNone || last != nil && last.Is == e.Is && last.Set == e.Set {
				return nil, nil
			}
			return []ledger.Entry{e}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// overlapWith is the last word about a pair, nil if there is none.
func overlapWith(l *ledger.Contents, peer string) *ledger.Entry {
	for i := len(l.Entries) - 1; i >= 0; i-- {
		if e := &l.Entries[i]; e.Kind == worker.Overlapped && e.Peer == peer {
			return e
		}
	}
	return nil
}

// Clashes are the other living workers that a member was last seen to overlap with.
func Clashes(m *Member, living map[string]bool) (list []ledger.Entry) {
	seen := map[string]bool{}
	for _, e := range slices.Backward(m.Ledger.Entries) {
		if e.Kind != worker.Overlapped || seen[e.Peer] {
			continue
		}
		if seen[e.Peer] = true; e.Is != worker.OverlapNone && living[e.Peer] {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list
}

// Peers are the workers of which Clashes may name one.
func (c *Crew) Peers(m *Member) (peers []string, err error) {
	names, err := c.Store.Names()
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(m.Ledger.Entries, func(e ledger.Entry) bool { return e.Kind == worker.Overlapped && e.Peer == name })
	}), err
}

// HasToldOverlap reports whether the ledger says that a person heard of this conflict.
func (c *Crew) HasToldOverlap(m *Member, e ledger.Entry) bool {
	l, err := c.Store.Book(min(m.Name, e.Peer)).Read()
	return err == nil && toldOverlap(l, max(m.Name, e.Peer), e)
}

// TellOverlap reports whether a person has not heard of this conflict yet, and writes down that now one has. Of several who ask
// at once one gets true. It is told once for a pair and a set of files, whichever of the two is asked.
func (c *Crew) TellOverlap(m *Member, e ledger.Entry) (first bool, err error) {
	pair := []string{m.Name, e.Peer}
	slices.Sort(pair)
	of, other := pair[0], pair[1]
	_, err = c.Store.Book(of).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if toldOverlap(l, other, e) {
			return nil, nil
		}
		first = true
		told := ledger.Entry{Fact: worker.Fact{Kind: worker.Overlapped, Gen: max(1, l.Gen()), Is: e.Is, Action: worker.ActionNotify}, Detail: e.Detail}
		told.Peer = other
		return []ledger.Entry{told}, nil
	})
	return first, err
}
