package tracetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/world"
	"aburn/trace"
)

// randomCuts is at how many random bytes a file is cut, in addition to its line ends. With -short at most shortLines
// line ends are cut.
const (
	randomCuts = 20
	shortLines = 10
)

// Cuts cuts each file below dir at every line and at randomCuts random bytes. A reading up to the cut gives no error
// but UnknownLayout, and its events and results begin those of the whole, apart from what Later and forget (which may
// be nil) remove. Reading on from there gives what reading the whole gives, whether or not r uses the cursor.
func Cuts(t *testing.T, r trace.Reader, dir string, forget ...func(*trace.Event)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(dir, path) // path is below dir
		t.Run(filepath.ToSlash(name), func(t *testing.T) { CutFile(t, r, dir, name, forget...) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// CutFile is Cuts for one file in dir.
func CutFile(t testing.TB, r trace.Reader, dir, name string, forget ...func(*trace.Event)) {
	t.Helper()
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	c := cutter{Reader: r, dir: work, path: filepath.Join(work, name), whole: Read(t, r, work),
		forget: append(forget, Later)}
	if len(c.whole.Traces) == 0 {
		t.Fatalf("%s: nothing to cut", dir)
	}
	c.cut(t)
}

// Later removes from an event what a later record may set: that the user went back to before it, that a call contains
// others, and which sub-agent came of it, if any.
func Later(e *trace.Event) {
	e.Abandoned = false
	switch b := e.Body.(type) {
	case *trace.ToolCall:
		b.Container = false
	case *trace.SubagentSpawn:
		b.Session, b.AgentID, b.AgentType, b.NotStarted = "", "", "", false
	}
}

type cutter struct {
	trace.Reader
	dir, path string
	whole     *Sink
	forget    []func(*trace.Event)
}

func (c *cutter) cut(t testing.TB) {
	data, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range places(data) {
		if c.at(t, data, n); t.Failed() {
			t.Fatalf("%s was cut at byte %d of %d", c.path, n, len(data))
		}
	}
}

// places returns where data is cut.
func places(data []byte) []int {
	var all []int
	ends, step := lineEnds(data), 1
	if testing.Short() {
		step += len(ends) / shortLines
	}
	for i := 0; i < len(ends); i += step {
		all = append(all, ends[i])
	}
	random := rand.New(rand.NewPCG(4, uint64(len(data)))) // the same places in every run
	for range min(world.Storm(randomCuts), len(data)) {
		all = append(all, random.IntN(len(data)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// lineEnds returns where the lines of data end.
func lineEnds(data []byte) (all []int) {
	for i, b := range data {
		if b == '\n' {
			all = append(all, i+1)
		}
	}
	return all
}

func (c *cutter) at(t testing.TB, data []byte, n int) {
	if err := os.WriteFile(c.path, data[:n], 0o644); err != nil {
		t.Fatal(err)
	}
	s := c.whole.without(c.path) // a store says the same as long as nothing of it changes
	s.run(t, c, []string{c.dir}, c.cuts)
	for path, err := range s.Errors {
		var unknown *trace.UnknownLayout
		if !errors.As(err, &unknown) {
			t.Errorf("read %s: %v", path, err)
		}
	}
	for id, part := range s.Traces {
		if all := c.whole.Traces[id]; all == nil {
			t.Errorf("the session %s is not in the whole", id)
		} else if !bytes.Equal(s.stored[id], c.whole.stored[id]) {
			c.prefix(t, part, all)
		}
	}
	if err := os.WriteFile(c.path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	s.run(t, c, []string{c.dir}, c.cuts)
	same(t, s, c.whole)
}

// cuts reports whether the cut file is a part of the store.
func (c *cutter) cuts(store trace.Store) bool {
	return store.Path == c.path || slices.Contains(store.Parts, c.path)
}

// prefix checks that the events of part begin those of all.
func (c *cutter) prefix(t testing.TB, part, all *trace.SessionTrace) {
	if len(part.Events) > len(all.Events) {
		t.Errorf("%s has %d events, and %d in the whole", part.ID, len(part.Events), len(all.Events))
		return
	}
	for i := range part.Events {
		got, err := part.Events[i].MarshalJSON()
		want, also := all.Events[i].MarshalJSON()
		if err == nil && also == nil && bytes.Equal(got, want) {
			continue
		}
		if d := diff(c.plain(t, part.Events[i]), c.plain(t, all.Events[i])); d != "" {
			t.Errorf("%s: event %d is not as in the whole: %s", part.ID, i+1, d)
			return
		}
	}
	c.results(t, part, all)
}

// results checks that the results of part begin those of all, apart from a call's sub-agent.
func (c *cutter) results(t testing.TB, part, all *trace.SessionTrace) {
	if len(part.Results) > len(all.Results) {
		t.Errorf("%s has %d results, and %d in the whole", part.ID, len(part.Results), len(all.Results))
		return
	}
	for i, got := range part.Results {
		want := all.Results[i]
		got.Spawned, want.Spawned = "", ""
		a, err := json.Marshal(got)
		b, also := json.Marshal(want)
		if d := diff(a, b); d != "" || err != nil || also != nil {
			t.Errorf("%s: result %d is not as in the whole: %s", part.ID, i+1, d)
			return
		}
	}
}

// plain returns the event without what is forgotten.
func (c *cutter) plain(t testing.TB, e trace.Event) []byte {
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var copied event
	if err := json.Unmarshal(data, &copied); err != nil {
		t.Fatal(err)
	}
	own, err := copied.event()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.forget {
		f(&own)
	}
	if data, err = json.Marshal(own); err != nil {
		t.Fatal(err)
	}
	return data
}

// same checks that got, read in two steps, equals want.
func same(t testing.TB, got, want *Sink) {
	t.Helper()
	for id := range got.Traces {
		if want.Traces[id] == nil {
			t.Errorf("read on, there is a session %s that is not in the whole", id)
		}
	}
	for id, data := range want.stored {
		if !bytes.Equal(got.stored[id], data) {
			t.Errorf("read on, %s is not as in the whole: %s", id, diff(form(got.Traces[id]), form(want.Traces[id])))
		}
	}
}
