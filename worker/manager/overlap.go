package manager

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/atomicfile"
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

// sketch is one worker's tree as it was seen.
type sketch struct {
	m    *Member
	repo *tree.Repo
	seen sighting
}

// id names what others are compared with.
func (s *sketch) id() string { return s.seen.Commit + " " + s.seen.Fork }

// all looks at each tree anew.
const all = -1

// Overlaps looks at the trees of all living workers as they stand, and writes into the ledgers what is new. Failures are of single
// workers, of which nothing is said then.
func Overlaps(ctx context.Context, c *Manager, members []*Member) (list []Overlap, failed error) {
	sketches, failed := sketchesOf(ctx, c, members, all)
	return comparePairs(ctx, c, sketches, nil, failed)
}

// CompareKept is Overlaps of the states that were kept last, at the ends of turns: how many workers there are makes no difference to
// git. Pairs of which neither changed since a comparison are left out.
func CompareKept(ctx context.Context, c *Manager, members []*Member) error {
	return compareSnapshots(ctx, c, members, 0)
}

func compareSnapshots(ctx context.Context, c *Manager, members []*Member, anew int) error {
	sketches, failed := sketchesOf(ctx, c, members, anew)
	before := comparedStates(c)
	_, err := comparePairs(ctx, c, sketches, before, failed)
	now := map[string]string{}
	for _, s := range sketches {
		now[s.m.Name] = s.id()
	}
	if err == nil && !maps.Equal(before, now) {
		err = saveCompared(c, now)
	}
	return err
}

// sketchesOf are the trees of living workers, the one that was asked for first, first. Of those that may have changed since they were
// seen, so many are looked at anew, those that were seen longest ago first.
func sketchesOf(ctx context.Context, c *Manager, members []*Member, anew int) (list []*sketch, failed error) {
	repos := map[string]*tree.Repo{}
	var old []*sketch
	for _, m := range Living(members) {
		if m.Err != nil || m.Request.Repo == "" || m.IsRemote() || !exists(m.Request.Tree) {
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
		s := &sketch{m: m, repo: repo, seen: loadSighting(c, m)}
		if list = append(list, s); anew == all || !s.seen.current(m) {
			old = append(old, s)
		}
	}
	slices.SortStableFunc(old, func(a, b *sketch) int { return a.seen.At.Compare(b.seen.At) })
	if anew != all {
		old = old[:min(anew, len(old))]
	}
	for _, s := range old {
		if err := snapshotAnew(ctx, c, s); err != nil && !errors.Is(err, tree.ErrGone) {
			failed = errors.Join(failed, err)
		}
	}
	list = slices.DeleteFunc(list, func(s *sketch) bool { return s.seen.Commit == "" })
	slices.SortStableFunc(list, func(a, b *sketch) int { return a.m.Asked.Compare(b.m.Asked) })
	return list, failed
}

// snapshotAnew sees a tree as it stands. Where that fails nothing is known of it.
func snapshotAnew(ctx context.Context, c *Manager, s *sketch) error {
	began, dir := time.Now(), c.Store.Book(s.m.Name).Dir
	now, err := s.repo.Tree(s.m.Request.Tree).Sketch(ctx, dir, tree.BeginningOf(ctx, s.repo, s.m.Base(), s.m.Request.BaseRef), s.seen.Seen)
	if err != nil {
		s.seen = sighting{}
		return err
	}
	s.seen = sighting{At: began, Seen: now}
	saveSighting(c, s.m, s.seen)
	return nil
}

// Files of those who compare. The second one has the time at which the last comparison that was finished began, and the third the
// states that it compared.
const overlapLock, overlapMark, overlapStates = "overlap.lock", "overlap.at", "overlap.json"

// comparedStates are the states that were compared last, by the names of workers.
func comparedStates(c *Manager) (states map[string]string) {
	data, err := os.ReadFile(filepath.Join(c.Store.Dir, overlapStates))
	if err != nil || json.Unmarshal(data, &states) != nil {
		return nil
	}
	return states
}

func saveCompared(c *Manager, states map[string]string) error {
	data, err := json.Marshal(states)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(c.Store.Dir, overlapStates), data, 0o600, atomicfile.Options{})
}

const oneAnew = 1

// CompareNow looks for overlaps among all living workers, unless somebody began to after this call did: of many agents that end at once,
// two or three compare for all.
//
// Where nobody keeps states at the ends of turns, the others may be at work since they were seen. One of them is looked at anew.
func CompareNow(ctx context.Context, c *Manager) error {
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
	members, err := c.Load(ctx)
	if err != nil || len(Living(members)) < 2 {
		return err
	}
	failed := compareSnapshots(ctx, c, members, oneAnew)
	if err := root.WriteFile(overlapMark, nil, 0o600); err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, root.Chtimes(overlapMark, began, began))
}

// pair is two workers with files that both changed.
type pair struct {
	a, b  *sketch
	files []string
}

// comparePairs compares each two, but those that are as before, and writes down what is new.
func comparePairs(ctx context.Context, c *Manager, sketches []*sketch, before map[string]string, failed error) (list []Overlap, err error) {
	shared := map[*tree.Repo][]pair{}
	for i, b := range sketches {
		theirs := map[string]bool{}
		for _, f := range b.seen.Files {
			theirs[f] = true
		}
		for _, a := range sketches[:i] {
			if a.repo != b.repo || before[a.m.Name] == a.id() && before[b.m.Name] == b.id() {
				continue
			}
			p := pair{a: a, b: b}
			for _, f := range a.seen.Files {
				if theirs[f] {
					p.files = append(p.files, f)
				}
			}
			if len(p.files) > 0 {
				shared[a.repo] = append(shared[a.repo], p)
				continue
			}
			failed = errors.Join(failed, noteOverlap(c, a.m, b.m, Overlap{Workers: p.names(), Kind: worker.OverlapNone}))
		}
	}
	for repo, pairs := range shared {
		found, errs := compare(ctx, repo, pairs)
		for i, o := range found {
			err := errs[i]
			if err == nil {
				err = noteOverlap(c, pairs[i].a.m, pairs[i].b.m, o)
			} else {
				dropSighting(c, pairs[i].a.m)
				dropSighting(c, pairs[i].b.m)
			}
			if failed = errors.Join(failed, err); err == nil {
				list = append(list, o)
			}
		}
	}
	return list, failed
}

func (p pair) names() [2]string { return [2]string{p.a.m.Name, p.b.m.Name} }

// compare merges the states of each pair, in one call of git for all.
func compare(ctx context.Context, repo *tree.Repo, pairs []pair) (found []Overlap, errs []error) {
	states := make([][2]string, len(pairs))
	for i, p := range pairs {
		states[i] = [2]string{p.a.seen.Commit, p.b.seen.Commit}
	}
	joined, errs := tree.MergeAll(ctx, repo, states)
	loose, err := looseConflicts(ctx, repo, pairs)
	for i, p := range pairs {
		o := Overlap{Workers: p.names(), Kind: worker.OverlapFiles, Files: p.files, Conflicts: append(joined[i].Conflicts, loose[i]...)}
		if len(o.Conflicts) > 0 {
			o.Kind = worker.OverlapConflict
			slices.SortFunc(o.Conflicts, func(a, b tree.Conflict) int { return strings.Compare(a.Path, b.Path) })
		}
		errs[i] = errors.Join(errs[i], err)
		found = append(found, o)
	}
	return found, errs
}

// looseConflicts are the files of each pair that a merge of what is tracked does not see, as at least one of the two did not add
// them. Two that differ conflict. Of large ones no content is known, so they do not.
func looseConflicts(ctx context.Context, repo *tree.Repo, pairs []pair) (list [][]tree.Conflict, err error) {
	list = make([][]tree.Conflict, len(pairs))
	var names []string
	var of []struct {
		pair int
		path string
	}
	for i, p := range pairs {
		for _, f := range p.files {
			a, b := slices.Contains(p.a.seen.Loose, f), slices.Contains(p.b.seen.Loose, f)
			if (a || b) && !strings.Contains(f, "\n") { // a line names a content
				names = append(names, p.a.seen.blob(f, a), p.b.seen.blob(f, b))
				of = append(of, struct {
					pair int
					path string
				}{i, f})
			}
		}
	}
	if len(names) == 0 {
		return list, nil
	}
	ids, err := repo.Blobs(ctx, names)
	if err != nil {
		return list, err
	}
	for n, x := range of {
		if a, b := ids[2*n], ids[2*n+1]; a != "" && b != "" && a != b {
			list[x.pair] = append(list[x.pair], tree.Conflict{Path: x.path, Kind: "add/add"})
		}
	}
	return list, nil
}

// blob is git's name of a file's content in a state.
func (s sighting) blob(path string, loose bool) string {
	if loose {
		return s.Commit + "^3:" + path
	}
	return s.Commit + ":" + path
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
func noteOverlap(c *Manager, a, b *Member, o Overlap) error {
	for i, m := range []*Member{a, b} {
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Overlapped, Is: o.Kind}, Detail: ledger.Detail{Peer: o.Workers[1-i], Count: len(o.Files)}}
		for _, f := range o.Files[:min(8, len(o.Files))] {
			e.Files = append(e.Files, short(f))
		}
		if len(o.Files) > 0 {
			e.Set = set(o.Files)
		}
		if said(m.Ledger, e) { // most pairs have nothing in common, and their ledgers are not opened
			continue
		}
		_, err := c.Store.Book(m.Name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
			e.Gen = max(1, l.Gen())
			if said(l, e) {
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

// said reports whether the last word about the pair is this one.
func said(l *ledger.Contents, e ledger.Entry) bool {
	last := overlapWith(l, e.Peer)
	return last == nil && e.Is == worker.OverlapNone || last != nil && last.Is == e.Is && last.Set == e.Set
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
func Peers(c *Manager, m *Member) (peers []string, err error) {
	names, err := c.Store.Names()
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(m.Ledger.Entries, func(e ledger.Entry) bool { return e.Kind == worker.Overlapped && e.Peer == name })
	}), err
}

// HasNotifiedOverlap reports whether the ledger says that a person heard of this conflict.
func HasNotifiedOverlap(c *Manager, m *Member, e ledger.Entry) bool {
	l, err := c.Store.Book(min(m.Name, e.Peer)).Read()
	return err == nil && toldOverlap(l, max(m.Name, e.Peer), e)
}

// MarkOverlapNotified reports whether a person has not heard of this conflict yet, and writes down that now one has. Of several who ask
// at once one gets true. It is told once for a pair and a set of files, whichever of the two is asked.
func MarkOverlapNotified(c *Manager, m *Member, e ledger.Entry) (first bool, err error) {
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
