package ledger

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/worker"
)

// TestMain makes this binary a process that appends: ABURN_TEST_APPEND is the book's folder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ABURN_TEST_APPEND"); dir != "" {
		b := &Book{Name: "w", Dir: dir, store: &Store{}}
		for range 25 {
			if err := b.Append(fact(worker.Probed)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func fact(k worker.Kind) Entry { return Entry{Fact: worker.Fact{Kind: k, Gen: 1}} }

func book(t testing.TB) *Book {
	t.Helper()
	state := t.TempDir()
	s, err := Open("/home/u/cart", func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] })
	if err != nil {
		t.Fatal(err)
	}
	b := s.Book("w")
	if err := b.Create(nil); err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, b *Book) *Contents {
	t.Helper()
	c, err := b.Read()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fill sets every member of a struct to something.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Int:
			f.SetInt(3)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"a"}))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
}

func TestDetailsStandBesideTheFact(t *testing.T) {
	e := fact(worker.Launched)
	e.Seq, e.At = 7, time.Date(2026, 11, 22, 1, 2, 3, 4e6, time.UTC)
	e.File = worker.Ledger
	fill(reflect.ValueOf(&e.Detail).Elem())
	line, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(line)
	if err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v\nwant %+v", got, err, e)
	}
	names := map[string]bool{}
	for _, typ := range []reflect.Type{reflect.TypeFor[worker.Fact](), reflect.TypeFor[Detail]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "-" && names[name] {
				t.Errorf("%s is the name of two members", name)
			}
			names[name] = true
		}
	}
	e.Task = strings.Repeat("x", worker.MaxFact)
	if _, err := Encode(e); err == nil {
		t.Error("a line without bound was made")
	}
}

func TestAppendNumbersAndStamps(t *testing.T) {
	b := book(t)
	if err := b.Append(fact(worker.Requested), fact(worker.Prepared)); err != nil {
		t.Fatal(err)
	}
	if err := b.Append(fact(worker.Launched)); err != nil {
		t.Fatal(err)
	}
	c := read(t, b)
	if len(c.Entries) != 3 || c.Entries[2].Seq != 3 || c.Entries[0].At.IsZero() || c.Project != "/home/u/cart" || c.Worker != "w" || c.Gen() != 1 {
		t.Errorf("%+v", c)
	}
	for _, path := range []string{b.Dir, filepath.Join(b.Dir, fileName)} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
	}
}

// Cut anywhere, the file keeps every whole line; the next line stands behind what is torn, and both are accounted for.
func TestTornTail(t *testing.T) {
	b := book(t)
	if err := b.Append(fact(worker.Requested), fact(worker.Prepared)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.Dir, fileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := strings.IndexByte(string(whole), '\n') + 1
	for cut := head; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		left := strings.Count(string(whole[head:cut]), "\n")
		if c := read(t, b); len(c.Entries) != left || c.Damaged != 0 {
			t.Fatalf("cut at %d: %d entries, %d damaged", cut, len(c.Entries), c.Damaged)
		}
		if err := b.Append(fact(worker.Launched)); err != nil {
			t.Fatal(err)
		}
		c := read(t, b)
		last := c.Entries[len(c.Entries)-1]
		if last.Kind != worker.Launched || int(last.Seq) != len(c.Entries) {
			t.Fatalf("cut at %d: %+v", cut, c.Entries)
		}
		if now, _ := os.ReadFile(path); !strings.HasPrefix(string(now), string(whole[:cut])) {
			t.Fatalf("cut at %d: bytes were changed", cut)
		}
	}
}

func TestForeignLines(t *testing.T) {
	b := book(t)
	f, err := os.OpenFile(filepath.Join(b.Dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("garbage\n\n{\"seq\":1,\"at\":\"2026-11-22T00:00:00Z\",\"kind\":\"of a later version\",\"new\":[1]}\n")
	f.Close()
	if c := read(t, b); c.Damaged != 2 || len(c.Entries) != 1 || worker.Reduce(c.Facts()).State != worker.NotStarted {
		t.Errorf("%+v", c)
	}
	if err := os.WriteFile(filepath.Join(b.Dir, fileName), []byte(`{"aburn":"ledger","v":2}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	if err := b.Append(fact(worker.Probed)); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

func TestProcessesAppendTogether(t *testing.T) {
	b := book(t)
	const writers = 8
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "ABURN_TEST_APPEND="+b.Dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	c := read(t, b)
	if len(c.Entries) != writers*25 || c.Damaged != 0 {
		t.Fatalf("%d entries, %d damaged", len(c.Entries), c.Damaged)
	}
	for i := range c.Entries {
		if c.Entries[i].Seq != uint64(i+1) {
			t.Fatalf("line %d has seq %d", i, c.Entries[i].Seq)
		}
	}
}

func TestOneOwnsAName(t *testing.T) {
	b := book(t)
	if err := b.Create(nil); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	other := b.store.Book("other")
	var wg sync.WaitGroup
	made := make(chan error, 16)
	for range 16 {
		wg.Go(func() { made <- other.Create(nil) })
	}
	wg.Wait()
	close(made)
	n := 0
	for err := range made {
		if err == nil {
			n++
		} else if !errors.Is(err, ErrTaken) {
			t.Error(err)
		}
	}
	if names, err := b.store.Names(); n != 1 || err != nil || !slices.Equal(names, []string{"other", "w"}) {
		t.Error(n, names, err)
	}
	if _, err := b.store.Book("none").Read(); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if err := b.store.Book("none").Append(fact(worker.Probed)); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	for _, name := range []string{"", "-a", "A", "a/b", "..", "a b", strings.Repeat("a", 41)} {
		if ValidName(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestStateInsideTheProjectIsNone(t *testing.T) {
	root := t.TempDir()
	for _, state := range []string{"", "relative", root, filepath.Join(root, "state")} {
		if _, err := Open(root, func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }); !errors.Is(err, ErrNoState) {
			t.Errorf("%q: %v", state, err)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	l := book(b)
	var entries []Entry
	for i := range 10_000 {
		e := fact(worker.Probed)
		e.Runtime, e.Process, e.Up = worker.Alive, worker.Alive, time.Duration(i+1)*time.Second
		entries = append(entries, e)
	}
	if err := l.Append(entries...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := l.Read()
		if err != nil {
			b.Fatal(err)
		}
		worker.Reduce(c.Facts())
	}
}

// TestProjects finds the projects that have workers, whatever else lies beside them.
func TestProjects(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	if list := Projects(env); len(list) > 0 {
		t.Errorf("%q", list)
	}
	for _, name := range []string{"a", "b"} {
		root := filepath.Join(t.TempDir(), name)
		s, err := Open(root, env)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Book("w").Create(nil); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(s.Dir, "torn"), 0o700); err != nil { // before all others, without a ledger
			t.Fatal(err)
		}
		if list := Projects(env); !slices.Contains(list, root) {
			t.Errorf("%s is not in %q", root, list)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, ".local/state/aburn/workers/other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if list := Projects(env); len(list) != 2 {
		t.Errorf("%q", list)
	}
}

// A clone in which workers of a project stand is no project of its own. A repository of another machine's is one.
func TestClones(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	made := func(root string) string {
		t.Helper()
		s, err := Open(root, env)
		if err == nil {
			err = errors.Join(os.MkdirAll(root, 0o700), s.Book("w").Create(nil))
		}
		if err != nil {
			t.Fatal(err)
		}
		return s.FarKey()
	}
	shop := filepath.Join(home, "shop")
	far := filepath.Join(realPath(home), ".local/state/aburn/far")
	clone, other := filepath.Join(far, made(shop)), filepath.Join(far, "shop-01234567-89abcdef")
	made(clone)
	made(other)
	if list := Clones(env); !slices.Equal(list, []string{clone}) {
		t.Errorf("clones: %q", list)
	}
	if list := Projects(env); len(list) != 2 || !slices.Contains(list, shop) || !slices.Contains(list, other) {
		t.Errorf("projects: %q", list)
	}
	for _, n := range Known(env) {
		if n.Root == clone {
			t.Errorf("%+v is known", n)
		}
	}
}

// TestRequest: the first request is found behind a damaged line, and whatever stands behind it.
func TestRequest(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	b := s.Book("w")
	if _, err := b.Request(); err == nil {
		t.Error("of a ledger that is not there")
	}
	if err := b.Create(nil); err != nil {
		t.Fatal(err)
	}
	if e, err := b.Request(); err != nil || e.Kind != "" {
		t.Error(e, err)
	}
	path := filepath.Join(b.Dir, fileName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("{damaged\n")
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	first := Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 1}, Detail: Detail{Parent: "lead"}}
	if err := b.Append(first, Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 2}, Detail: Detail{Parent: "other"}}); err != nil {
		t.Fatal(err)
	}
	if e, err := b.Request(); err != nil || e.Parent != "lead" {
		t.Error(e, err)
	}
}
