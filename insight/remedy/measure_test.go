package remedy

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/internal/lab/world"
)

// many is n sessions with the fine key "e1-kk" that ended at minute end, one after another.
func many(n int, o insight.Outcome, end int) (list []*insight.Digest) {
	for i := range n {
		d := session(fmt.Sprint(o, end, i), o, "", end)
		d.Keys.Fine = "e1-kk"
		list = append(list, d)
	}
	return list
}

func coarse(list []*insight.Digest) []*insight.Digest {
	for _, d := range list {
		d.Keys.Fine = ""
	}
	return list
}

func TestMeasure(t *testing.T) {
	var all []*insight.Digest
	add := func(list []*insight.Digest, change func(*insight.Digest)) {
		for _, d := range list {
			if change != nil {
				change(d)
			}
			all = append(all, d)
		}
	}
	add(many(6, insight.Errored, -60), nil)           // before: 6 of 8
	add(coarse(many(2, insight.Completed, -50)), nil) //
	add(many(1, insight.GaveUp, 60), nil)             // after: 2 of 7, as one that completed with the key did not fail
	add(many(1, insight.Killed, 70), nil)             //
	add(many(1, insight.Completed, 80), nil)          //
	add(coarse(many(4, insight.Completed, 90)), nil)  //
	add(many(2, insight.Errored, 5), nil)             // begun before, ended after
	add(many(1, insight.Interrupted, -40), nil)       // neither failed nor completed
	add(many(1, insight.Unknown, 95), nil)            //
	add(many(3, insight.Errored, 99), func(d *insight.Digest) { d.Live = true })
	add(many(1, insight.Errored, 99), func(d *insight.Digest) { d.ID, d.Start = "undated", time.Time{} })
	add(many(1, insight.Errored, 99), func(d *insight.Digest) { d.ID, d.Start, d.End = "backwards", noon(5), noon(-5) })
	add(coarse(many(5, insight.Errored, 65)), func(d *insight.Digest) { d.Agent.Name, d.ID = "codex", "codex"+d.ID }) // never had the key
	at := Applied{V: 1, Key: "e1-kk", Time: noon(0), Note: "n"}
	want := Measured{Applied: at, Before: Rate{6, 8}, After: Rate{2, 7}, Excluded: Excluded{Live: 3, Undated: 2, Straddled: 2, Undecided: 2}}
	if got := Measure(all, []Applied{at}); len(got) != 1 || got[0] != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	const words = "before 6 of 8, after 2 of 7 sessions and sub-agents; 9 excluded: 3 going on, 2 without a time, 2 begun before and ended after, 2 " +
		"interrupted or of an unknown outcome"
	if got := want.String(); got != words {
		t.Errorf("%s", got)
	}
	if got := Measure(all, nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(Observation, "observation, not proof") {
		t.Error(Observation)
	}
}

// Fewer than five after it are too few, whatever was before.
func TestInsufficient(t *testing.T) {
	for n, want := range map[int]bool{0: true, 4: true, 5: false} {
		all := append(many(9, insight.Errored, -60), many(n, insight.Completed, 60)...)
		m := Measure(all, []Applied{{Key: "e1-kk", Time: noon(0)}})[0]
		if m.After.Of != n || m.Insufficient != want || strings.Contains(m.String(), "insufficient data") != want {
			t.Errorf("%d after: %s", n, m.String())
		}
	}
	if m := Measure(nil, []Applied{{Key: "e1-kk", Time: noon(0)}})[0]; !m.Insufficient ||
		m.String() != "before 0 of 0, after 0 of 0 sessions and sub-agents: insufficient data, it takes 5 after it; none excluded" {
		t.Errorf("%s", m.String())
	}
}

// What is applied to the same failure later ends what is measured after the first.
func TestAppliedTwice(t *testing.T) {
	all := append(append(many(3, insight.Errored, -60), many(6, insight.Errored, 60)...), many(7, insight.Completed, 200)...)
	all = append(all, many(1, insight.Errored, 105)...) // over the second
	first, second, other := Applied{Key: "e1-kk", Time: noon(0)}, Applied{Key: "e1-kk", Time: noon(100)}, Applied{Key: "e1-xx", Time: noon(50)}
	got := Measure(all, []Applied{second, other, first})
	want := []Measured{
		{Applied: second, Before: Rate{6, 6}, After: Rate{0, 7}, Excluded: Excluded{Straddled: 1}},
		{Applied: other, Insufficient: true},
		{Applied: first, Before: Rate{3, 3}, After: Rate{6, 6}, Excluded: Excluded{Straddled: 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Each session of an agent that ever had the key is before, after or excluded: none is lost, none is counted twice.
func TestMeasureAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		_, all, _ := anything(r)
		agents, known := map[string]bool{}, 0
		for _, d := range all {
			if r.IntN(3) == 0 {
				d.Keys.Fine = "e1-kk"
				agents[d.Agent.Name] = true
			}
			if r.IntN(9) == 0 {
				d.End = time.Time{}
			}
		}
		for _, d := range all {
			if agents[d.Agent.Name] {
				known++
			}
		}
		m := Measure(all, []Applied{{Key: "e1-kk", Time: noon(r.IntN(20) - 12)}})[0]
		if n := m.Before.Of + m.After.Of + m.Excluded.Sum(); n != known || m.Before.Failed > m.Before.Of || m.After.Failed > m.After.Of {
			t.Fatalf("%d of %d: %+v", n, known, m)
		}
	}
}

// TestNeighbours: what stands beside a time, in whatever order the notes were made, and however many were made at once.
func TestNeighbours(t *testing.T) {
	var applied []Applied
	for _, minute := range []int{30, 10, 20, 20, 10, 40} {
		applied = append(applied, Applied{V: 1, Key: "e1-kk", Time: noon(minute), Note: fmt.Sprint(len(applied))})
	}
	applied = append(applied, Applied{V: 1, Key: "e1-other", Time: noon(15)})
	var all []*insight.Digest
	for minute := range 60 {
		d := session(fmt.Sprint(minute), insight.Errored, "", minute)
		d.Keys.Fine, d.Start = "e1-kk", d.End
		all = append(all, d)
	}
	for i, m := range Measure(all, applied) {
		want := [][2]int{{10, 10}, {10, 10}, {10, 10}, {10, 10}, {10, 10}, {10, 20}, {0, 0}}[i]
		if m.Before.Of != want[0] || m.After.Of != want[1] {
			t.Errorf("at %v: %+v, %+v", m.Time, m.Before, m.After)
		}
	}
}

// Very many notes of one key, as a script could write them, are measured in a time that grows with their number: to compare each with
// all others would take longer than a test may. What was tried last has what came after, and nothing else does.
func TestMeasureManyNotes(t *testing.T) {
	world.Slow(t)
	const notes = 300_000
	applied := make([]Applied, notes)
	for i := range applied {
		applied[(i*7919)%notes] = Applied{V: 1, Key: "e1-kk", Time: noon(0).Add(time.Duration(i) * time.Millisecond), Note: "n"}
	}
	all := append(many(3, insight.Errored, -60), many(2, insight.Errored, 60)...)
	for i, m := range Measure(all, applied) {
		first, last := m.Time.Equal(noon(0)), m.Time.Equal(noon(0).Add((notes-1)*time.Millisecond))
		want := Measured{Applied: applied[i], Insufficient: true, Before: m.Before, After: m.After, Excluded: m.Excluded}
		if first {
			want.Before = Rate{3, 3}
		}
		if last {
			want.After = Rate{2, 2}
		}
		if m != want || !first && m.Before != (Rate{}) || !last && m.After != (Rate{}) {
			t.Fatalf("note %d: %+v", i, m)
		}
	}
}
