package journal_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// TestMutations is a model of log, anchor and segments. It lets writers of all kinds work, then changes the files as somebody could who
// may write in .oss and nowhere else, lets writers work again, and verifies. The model keeps the bytes that the anchor covers. Where they
// are no longer there, verify must not call the log whole; where nothing was changed, it must.
//
// ABURN_STORM=100 makes it 100,000 rounds.
func TestMutations(t *testing.T) {
	rounds := world.Storm(1000)
	tried, missed, shown := map[string]int{}, map[string]int{}, 0
	dir, anchorDir := t.TempDir(), t.TempDir()
	only, _ := strconv.ParseUint(os.Getenv("ABURN_SEED"), 10, 64)
	for seed := range uint64(rounds) {
		if only > 0 && seed != only {
			continue
		}
		m := newModel(t, seed, dir, anchorDir)
		m.legit(2 + m.rng.IntN(9))
		m.verify("before")
		name := m.mutate()
		m.verify(name + ", at once")
		m.legit(1 + m.rng.IntN(4))
		m.verify(name + ", after more")
		m.close()
		tried[name]++
		if m.missed {
			missed[name]++
		}
		if len(m.wrong) > 0 {
			if shown++; shown < 10 {
				t.Errorf("seed %d: %s\n%s", seed, strings.Join(m.wrong, "\n"), strings.Join(m.story, "\n"))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		t.Logf("%5d of %5d missed: %s", missed[name], tried[name], name)
	}
	if len(tried) < len(mutations) && rounds >= 1000 && only == 0 {
		t.Errorf("only %d of %d mutations were tried", len(tried), len(mutations))
	}
	if shown > 0 {
		t.Errorf("%d of %d rounds went wrong", shown, rounds)
	}
}

// model is one log with what is known of it.
type model struct {
	t        *testing.T
	rng      *rand.Rand
	dir      string
	o        journal.Options
	root     *os.Root
	covered  map[string][]byte // by file: the bytes that the anchor covers
	placed   string            // the file that has the anchor's place
	touched  bool              // covered bytes were changed at some time
	entries  int
	story    []string
	wrong    []string
	missed   bool
	rollback map[string][]byte // an old copy of .oss
	fitting  bool              // whoever changes carried lines may make counts and sums fit
}

func newModel(t *testing.T, seed uint64, dir, anchorDir string) *model {
	for _, d := range []string{dir, anchorDir} {
		all, err := filepath.Glob(filepath.Join(d, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			os.Remove(f)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{t: t, rng: rand.New(rand.NewPCG(seed, 25)), dir: dir, root: root, covered: map[string][]byte{}, fitting: true}
	m.o = journal.Options{
		By: journal.Command, Sync: journal.SyncNone, Keep: int64(3000 + m.rng.IntN(30_000)), Anchor: filepath.Join(anchorDir, "anchor"),
		Now: func() time.Time { return day },
	}
	if m.rng.IntN(3) == 0 { // an anchor for a log that was there before
		m.append("before the anchor", journal.Options{By: journal.Command, Sync: journal.SyncNone})
	}
	if _, err := m.journal(m.o).BeginAnchor(day); err != nil {
		t.Fatal(err)
	}
	m.placed = journal.Name
	m.cover(nil, false)
	return m
}

func (m *model) close() { m.root.Close() }

func (m *model) journal(o journal.Options) *journal.Journal { return journal.New(m.root, o) }

// files are the log's segments as they are now.
func (m *model) files() map[string][]byte {
	all := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(m.dir, journal.Name+"*"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) == journal.LockName {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			m.t.Fatal(err)
		}
		all[filepath.Base(name)] = b
	}
	return all
}

// moved follows a rename of the log. before is what the files were.
func (m *model) moved(before map[string][]byte) {
	for name := range m.files() {
		if name != journal.Name && before[name] == nil {
			if m.covered[journal.Name] == nil {
				continue // the place is at the beginning of whatever there is
			}
			m.covered[name] = m.covered[journal.Name]
			delete(m.covered, journal.Name)
			if m.placed == journal.Name {
				m.placed = name
			}
		}
	}
}

// cover says that a writer with lock and anchor has worked: all is covered, if it could move the place into the log.
func (m *model) cover(before map[string][]byte, moves bool) {
	if before != nil {
		m.moved(before)
	}
	if m.placed != journal.Name && !moves {
		return
	}
	m.placed = journal.Name
	now := m.files()
	for name := range m.covered {
		if now[name] == nil && before != nil && before[name] != nil {
			delete(m.covered, name) // dropped by a rotation
		}
	}
	for name, b := range now {
		if !moves && name != journal.Name {
			continue
		}
		old := m.covered[name]
		if !bytes.HasPrefix(b, old) {
			m.touched = true
		} else if end := bytes.LastIndexByte(b, '\n') + 1; end > len(old) {
			m.covered[name] = b[:end]
		}
	}
	for name := range m.covered {
		m.touched = m.touched || now[name] == nil
	}
}

// legit lets n writers work.
func (m *model) legit(n int) {
	anchorless := m.o
	anchorless.Anchor, anchorless.Keep = "", 1<<30
	for range n {
		before := m.files()
		switch m.rng.IntN(12) {
		case 0, 1:
			m.note("rotate")
			m.rotate(m.o)
			if !maps.EqualFunc(before, m.files(), bytes.Equal) { // a log without entries is not rotated
				m.cover(before, true)
			}
		case 2:
			m.free()
		case 3:
			m.append("append without the anchor", anchorless)
		case 4:
			m.note("a writer is killed in its write")
			e := entry(fmt.Sprint("torn", m.entries))
			b, _ := e.AppendTo(nil)
			m.write(journal.Name, append(before[journal.Name], b[:1+m.rng.IntN(len(b)-1)]...))
		case 5:
			m.note("rotate without the anchor")
			m.rotate(anchorless)
			m.moved(before)
			if m.rng.IntN(2) == 0 {
				m.note("a hook looks whether the log is due")
				if _, err := m.journal(m.o).RotateIfDue(journal.Hook); err != nil {
					m.t.Fatal(err)
				}
				if m.placed != journal.Name {
					m.cover(m.files(), true)
				}
			}
		case 6:
			m.killRotator()
		default:
			o := m.o
			o.By = journal.By(m.rng.IntN(2))
			m.append("append", o)
			m.cover(before, false)
		}
		if m.rollback == nil && m.rng.IntN(4) == 0 {
			m.rollback = m.files()
		}
	}
}

func (m *model) rotate(o journal.Options) {
	if err := m.journal(o).Rotate(); err != nil {
		m.t.Fatalf("rotate: %v\n%s", err, strings.Join(m.story, "\n"))
	}
}

// killRotator leaves what a rotator leaves that is killed after its rename.
func (m *model) killRotator() {
	before := m.files()
	for line := range bytes.Lines(before[journal.Name]) {
		h, ok := logfmt.ParseHeader(bytes.TrimSuffix(line, []byte("\n")))
		if name := fmt.Sprint(journal.Name, ".", h.Seq); ok && h.Seq > 0 && before[name] == nil {
			m.note("a rotator is killed after its rename")
			if err := os.Rename(filepath.Join(m.dir, journal.Name), filepath.Join(m.dir, name)); err != nil {
				m.t.Fatal(err)
			}
			m.moved(before)
			return
		}
	}
}

func (m *model) note(what string) { m.story = append(m.story, what) }

func (m *model) append(what string, o journal.Options) {
	m.note(what)
	m.t.Helper()
	if _, err := m.journal(o).Append(func(journal.Tail) []*logfmt.Entry { return m.drafts() }); err != nil {
		m.t.Fatalf("append: %v\n%s", err, strings.Join(m.story, "\n"))
	}
}

func (m *model) drafts() []*logfmt.Entry {
	all := make([]*logfmt.Entry, 1+m.rng.IntN(2))
	for i := range all {
		m.entries++
		id := fmt.Sprint("e", m.entries)
		switch m.rng.IntN(4) {
		case 0:
			all[i] = life("plan", []logfmt.Event{logfmt.Start, logfmt.Complete, logfmt.Failed}[m.rng.IntN(3)], id)
		case 1:
			all[i] = big(id, 400+m.rng.IntN(2000))
		default:
			all[i] = entry(id)
		}
	}
	return all
}

// free appends without the lock.
func (m *model) free() {
	lock, err := lockfile.Acquire(m.root, journal.LockName, time.Minute)
	if err != nil {
		m.t.Fatal(err)
	}
	defer lock.Release()
	o := m.o
	o.Wait = time.Nanosecond
	m.append("append without the lock", o)
}

func (m *model) write(name string, b []byte) {
	if err := os.WriteFile(filepath.Join(m.dir, name), b, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// verify compares the verdict with what the model knows.
func (m *model) verify(when string) {
	r, err := m.journal(m.o).Verify(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	intact := m.intact()
	verdict := "whole"
	if !r.Whole() {
		verdict = kinds(r.Damage)
	}
	m.note("verify: " + verdict)
	damage := slices.DeleteFunc(slices.Clone(r.Damage), func(f journal.Finding) bool { return f.Kind == journal.BadLine || f.Kind == journal.TornTail })
	switch {
	case !r.Anchored:
		m.wrong = append(m.wrong, when+": not anchored: "+r.Why)
	case !intact && r.Whole():
		m.missed = true
		m.wrong = append(m.wrong, when+": covered bytes were changed, and verify says whole")
	case when == "before" && len(damage) > 0:
		m.wrong = append(m.wrong, when+": nothing was changed, and verify says "+verdict+": "+damage[0].Text)
	}
	m.touched = m.touched || !intact
}

// intact reports whether all covered bytes are there. The segment that has the place may have another name: no CHECKPOINT names it yet.
func (m *model) intact() bool {
	now := m.files()
	for name, b := range m.covered {
		there := bytes.HasPrefix(now[name], b)
		for _, other := range now {
			there = there || name == m.placed && bytes.HasPrefix(other, b)
		}
		if !there {
			return false
		}
	}
	return true
}

// mutate applies one mutation and returns its name.
func (m *model) mutate() string {
	for {
		x := mutations[m.rng.IntN(len(mutations))]
		files := m.files()
		now := maps.Clone(files)
		if !x.do(m, now) || maps.EqualFunc(files, now, bytes.Equal) {
			continue
		}
		for name := range files {
			if now[name] == nil {
				os.Remove(filepath.Join(m.dir, name))
			}
		}
		for name, b := range now {
			if !bytes.Equal(b, files[name]) {
				m.write(name, b)
			}
		}
		m.note("MUTATION " + x.name)
		return x.name
	}
}
