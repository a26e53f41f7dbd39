package supervisor

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// liveReplay is a drawn log that is judged as if live, and what was raised on the way.
type liveReplay struct {
	t        *testing.T
	model    *workflow.Model
	state    *state.State
	now      time.Time
	observed func(s *state.State, entry int) state.Observed
	raised   map[string]float64 // "type session" and the highest confidence
	first    map[string]int     // the entry after which it was raised first
	signs    map[string]map[string]bool
	open     []Issue // at the end
}

// live replays a drawing: it is judged after each entry, whenever time alone
// changes a verdict, and for the time after at the end. observe is words like
// gone:A@12, alive:A, missing:plan.md, seen:T1.
func live(t *testing.T, drawing string, after time.Duration, observe ...string) *liveReplay {
	t.Helper()
	model := workflow.Default()
	st := &liveReplay{t: t, model: &model, state: state.New(&model, limits.Default()), raised: map[string]float64{}, first: map[string]int{},
		signs: map[string]map[string]bool{}}
	d, err := drawn.Draw(nil, drawing)
	if err != nil {
		t.Fatal(err)
	}
	st.observed = func(s *state.State, entry int) state.Observed { return observedOf(t, d, observe, s, entry) }
	n := 0
	for _, l := range d.Lines {
		if l.Entry == nil {
			continue
		}
		if n > 0 && l.Entry.Time.After(st.now) && l.Entry.Time.Sub(st.now) < memory {
			st.wait(l.Entry.Time, n)
		}
		e := st.sign(*l.Entry)
		st.state.Apply(&e, false)
		n++
		st.now = l.Entry.Time
		st.judge(n)
	}
	end := st.now.Add(after)
	st.wait(end, n)
	st.now = end
	st.judge(n)
	return st
}

// sign puts the engine's signature where the drawing says $type.
func (st *liveReplay) sign(e logfmt.Entry) logfmt.Entry {
	data := string(e.Data)
	if i := strings.Index(data, `"$`); i >= 0 {
		kind, _, _ := strings.Cut(data[i+2:], `"`)
		for sig := range st.signs[kind+" "+string(e.Session)] {
			e.Data = []byte(strings.Replace(data, `"$`+kind, `"`+sig, 1))
		}
	}
	return e
}

func (st *liveReplay) wait(end time.Time, n int) {
	for range 10_000 {
		due := Due(st.state, st.input(n))
		if due.IsZero() || !due.Before(end) {
			return
		}
		st.now = due
		st.judge(n)
	}
	st.t.Fatal("Due goes on for ever")
}

func (st *liveReplay) input(n int) Input {
	return Input{Now: st.now, Model: st.model, Observed: st.observed(st.state, n)}
}

func (st *liveReplay) judge(n int) {
	st.open = Judge(st.state, st.input(n))
	for _, i := range st.open {
		key := string(i.Type) + " " + string(i.Session)
		if i.OfChain() {
			key = string(i.Type) + " -"
		}
		if _, ok := st.raised[key]; !ok {
			st.first[key] = n
			st.signs[key] = map[string]bool{}
		}
		st.raised[key] = max(st.raised[key], i.Confidence)
		st.signs[key][i.Signature] = true
	}
}

// summary lists what was raised, sorted; what may reach the queue ends in "!".
func (st *liveReplay) summary() string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(st.raised)) {
		if st.raised[key] > st.state.Limits().QueueAbove {
			key += "!"
		}
		out = append(out, key)
	}
	return strings.Join(out, ", ")
}

func observedOf(t *testing.T, d *drawn.Drawing, observe []string, s *state.State, entry int) state.Observed {
	o := state.Observed{Alive: map[state.Proc]state.Fact{}, Exists: map[state.OutputKey]state.Fact{}, Seen: map[string]state.Fact{}}
	for _, word := range observe {
		word, at, marked := strings.Cut(word, "@")
		if from, ok := d.Marks[at]; marked && !ok {
			t.Fatalf("no mark %q", at)
		} else if marked && entry < from {
			continue
		}
		what, about, _ := strings.Cut(word, ":")
		switch what {
		case "gone", "alive":
			for _, v := range s.Sessions {
				if string(v.ID) == about {
					o.Alive[v.Proc] = map[string]state.Fact{"gone": state.No, "alive": state.Yes}[what]
				}
			}
		case "missing":
			o.Exists[state.OutputKey{Path: about}] = state.No
		case "seen":
			o.Seen[about] = state.Yes
		default:
			t.Fatalf("what is %q?", word)
		}
	}
	return o
}
