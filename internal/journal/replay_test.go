package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// manyLines is a log long enough for all processors, of n bytes at least, with
// all that a log can have.
func manyLines(t testing.TB, r *rand.Rand, n int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(logfmt.FirstLine)
	for seq := logfmt.Seq(1); b.Len() < n; seq++ {
		e := entry(fmt.Sprintf("%016x", r.Uint64()))
		e.Seq, e.Session, e.Time = seq, logfmt.SessionID(fmt.Sprint("s", r.IntN(9))), day.Add(time.Duration(seq)*time.Second)
		switch r.IntN(20) {
		case 0:
			e.Data = nil
		case 1:
			e.Agent = &logfmt.Agent{Type: "Explore", ID: fmt.Sprint(r.IntN(5))}
		case 2:
			e.Extra = []logfmt.Member{{Key: "k", Raw: []byte("1")}}
		case 3:
			b.WriteString("not an entry\n\n{\"ts\":\"torn\n{\"no\":\"entry\"}\n")
		case 4:
			b.WriteString(`{"event":"X","cmd":"plan","ts":"2026-11-21T10:00:00+01:00","seq":7}` + "\r\n")
		}
		if r.IntN(3000) == 0 {
			b.WriteString(strings.Repeat("x", 200_000+r.IntN(2_000_000)) + "\n")
		}
		line, err := e.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	if r.IntN(2) == 0 {
		b.WriteString("torn")
	}
	return b.String()
}

// A replay in blocks says what reading line after line says, in the same order.
func TestReplay(t *testing.T) {
	world.SlowUnraced(t)
	for seed := range uint64(world.Storm(4)) {
		r := rand.New(rand.NewPCG(seed, 9))
		dir := folder(t, journal.BadLine, journal.TornTail)
		writeLog(t, dir, manyLines(t, r, 5<<20))
		j := open(t, dir, journal.Options{})
		type place struct {
			offset int64
			next   journal.Position
			line   string
		}
		var want []logfmt.Entry
		var places []place
		bad := int64(0)
		for l, err := range j.Forward(journal.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			e, err := logfmt.Parse(l.JSON)
			if err != nil {
				bad++
				continue
			}
			want, places = append(want, e), append(places, place{l.Offset, l.Next(), string(l.JSON)})
		}
		stats := j.Stats()
		stats.Damage += bad

		i := 0
		for r, err := range j.Entries(journal.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(want[i], *r.Value) || (place{r.Offset, r.Next(), string(r.JSON)}) != places[i] {
				t.Fatalf("seed %d, entry %d, at %d (-parsed +replayed):\n%s", seed, i, r.Offset, cmp.Diff(want[i], *r.Value))
			}
			i++
		}
		if i != len(want) || j.Stats() != stats {
			t.Errorf("seed %d: %d entries of %d, %+v, want %+v", seed, i, len(want), j.Stats(), stats)
		}
		i = 0
		for r, err := range j.Headers(places[99].next) { // from the middle
			if err != nil || string(r.Value.ID) != want[i+100].ID || r.Offset != places[i+100].offset {
				t.Fatalf("seed %d, header %d: %v, %q at %d", seed, i, err, r.Value.ID, r.Offset)
			}
			i++
		}
		if i != len(want)-100 {
			t.Errorf("seed %d: %d headers of %d", seed, i, len(want)-100)
		}
	}
}

// Who stops early leaves nothing behind.
func TestReplayStops(t *testing.T) {
	world.SlowUnraced(t)
	dir := folder(t, journal.BadLine, journal.TornTail)
	writeLog(t, dir, manyLines(t, rand.New(rand.NewPCG(1, 10)), 4<<20))
	j := open(t, dir, journal.Options{})
	before := runtime.NumGoroutine()
	for _, n := range []int{1, 1000, 3000, 5000} {
		i := 0
		for _, err := range j.Headers(journal.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			if i++; i == n {
				break
			}
		}
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); {
			runtime.Gosched() // they are done, but perhaps not gone
		}
		if now := runtime.NumGoroutine(); i != n || now > before {
			t.Errorf("after %d of %d entries: %d goroutines, %d before", i, n, now, before)
		}
	}
}

// Rotated segments are read one after the other, carried lines once.
func TestReplayRotated(t *testing.T) {
	world.SlowUnraced(t)
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	for n := range 3 {
		var all []*logfmt.Entry
		for i := range 4000 {
			all = append(all, big(fmt.Sprintf("e%d.%d", n, i), 500))
		}
		all = append(all, &logfmt.Entry{Time: day, Cmd: "plan", Event: logfmt.Complete, ID: fmt.Sprint("plan", n)})
		mustAppend(t, j, all...)
		if err := j.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Fields(ids(t, j.Forward(journal.Position{})))
	i := 0
	for r, err := range j.Headers(journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		id := string(r.Value.ID)
		if string(r.Value.Event) == string(logfmt.Checkpoint) {
			id = "C"
		}
		if i >= len(want) || id != want[i] || r.Carried {
			t.Fatalf("entry %d is %s, carried %v", i, id, r.Carried)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d entries of %d", i, len(want))
	}
}
