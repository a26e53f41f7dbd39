package supervisor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// outline is what a verdict says apart from entry numbers.
func outline(issues []Issue, of func(*Issue) bool) string {
	var lines []string
	for i := range issues {
		if of(&issues[i]) {
			lines = append(lines, fmt.Sprintf("%s %s %s %.3f", issues[i].Session, issues[i].Agent, issues[i].Type, issues[i].Confidence))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func all(*Issue) bool { return true }

// moments are times at which a log is judged after its end.
func moments(last time.Time) []time.Time {
	var list []time.Time
	for _, d := range []time.Duration{0, time.Minute, 6 * time.Minute, 16 * time.Minute, time.Hour, 23 * time.Hour, 30 * time.Hour} {
		list = append(list, last.Add(d))
	}
	return list
}

func gone(s *state.State) state.Observed {
	o := state.Observed{Alive: map[state.Proc]state.Fact{}, Exists: map[state.OutputKey]state.Fact{}}
	w := s.Wants()
	for _, p := range w.Procs {
		o.Alive[p] = state.No
	}
	for _, f := range w.Outputs {
		o.Exists[f] = state.No
	}
	return o
}

func TestShiftedTimesChangeNoVerdict(t *testing.T) {
	const shift = 1000*24*time.Hour + 7*time.Millisecond
	for name, items := range scenario.Logs(t, recordings) {
		moved := make([]scenario.Item, len(items))
		for i, it := range items {
			e := *it.Entry
			e.Time = e.Time.Add(shift)
			moved[i] = scenario.Item{Entry: &e, Carried: it.Carried}
		}
		here, there := foldItems(items), foldItems(moved)
		for _, now := range moments(here.Last.Time()) {
			for _, o := range []state.Observed{{}, gone(here)} {
				a := outline(Judge(here, Input{Now: now, Observed: o}), all)
				b := outline(Judge(there, Input{Now: now.Add(shift), Observed: o}), all)
				if a != b {
					t.Fatalf("%s:\n%s\nshifted:\n%s", name, a, b)
				}
			}
		}
	}
}

// sessions that know nothing of one another, each with much that is wrong.
var loners = []string{
	"PROMPT build> build:RED> Edit'a.go'=1 build:RED. build:GREEN> { Bash'make'!2 }*6 STOP",
	"proc=5 PROMPT/deploy deploy> Agent'x'&x (tester& tester~Read'a' Read'b' Bash'c'< PERMISSION",
	"PROMPT deploy> Edit'a.go'=1 Edit'a.go'=2 Edit'a.go'=1 Edit'a.go'=2 deploy! STOP PROMPT Bash'go test' Edit'x.go'=1 Bash'go test'!1 check> check! STOP",
	"codex PROMPT release> Bash'a'!1 Bash'b'!1 Bash'c'!1 Bash'd'!1 Bash'e'!1 Bash'f'!1 +20m Read'x'",
	"PROMPT audit> Agent'x'<x (looker looker~Read'a' looker)'failed' ^x AskUserQuestion'q'<",
	"PROMPT/build Read'a' Read'b' Edit'c'=1 Edit'd'=1 STOP",
}

func TestInterleavingChangesNoVerdict(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	said := 0
	for range 200 {
		a, b := drawnAs(t, "A", loners[r.IntN(len(loners))]), drawnAs(t, "B", loners[r.IntN(len(loners))])
		var woven []scenario.Item
		for x, y := slices.Clone(a), slices.Clone(b); len(x)+len(y) > 0; {
			if len(y) == 0 || len(x) > 0 && r.IntN(2) == 0 {
				woven, x = append(woven, x[0]), x[1:]
			} else {
				woven, y = append(woven, y[0]), y[1:]
			}
		}
		now := drawn.Epoch.Add(time.Duration(r.IntN(90)+20) * time.Minute)
		both := Judge(foldItems(woven), Input{Now: now})
		for _, one := range [][]scenario.Item{a, b} {
			id := one[0].Entry.Session
			alone := outline(Judge(foldItems(one), Input{Now: now}), func(i *Issue) bool { return !i.OfChain() })
			if got := outline(both, func(i *Issue) bool { return i.Session == id }); got != alone {
				t.Fatalf("%s alone:\n%s\nwoven:\n%s", id, alone, got)
			} else if got != "" {
				said++
			}
		}
	}
	if said < 300 {
		t.Errorf("only %d of 400 had anything wrong", said)
	}
}

func drawnAs(t *testing.T, id, drawing string) []scenario.Item {
	t.Helper()
	entries, _ := drawn.Entries("@" + id + " " + drawing)
	var items []scenario.Item
	for _, e := range entries {
		e.ID = id + e.ID
		items = append(items, scenario.Item{Entry: e, Carried: false})
	}
	return items
}

// Healthy tool activity of a session at work never makes it more silent.
func TestActivityRaisesNoSilence(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	silence := func(items []scenario.Item, now time.Time) float64 {
		for _, i := range Judge(foldItems(items), Input{Now: now}) {
			if i.Type == limits.Silence {
				return i.Confidence
			}
		}
		return 0
	}
	said := 0
	for range 300 {
		items := drawnAs(t, "A", pick(r,
			"PROMPT build> Edit'a'=1 Bash'x' +3m Read'b' +40m Read'c' +2m Read'd'",
			"PROMPT Read'z' build> build:RED> +9m Edit'a_test.go'=1 Bash'go test'!1 build:RED. +25m Read'k'",
			"PROMPT build> Read'a' STOP +9m PROMPT Read'c' build*'x'"))
		now := items[len(items)-1].Entry.Time.Add(time.Duration(r.IntN(60)) * time.Minute)
		before := silence(items, now)
		if before > 0 {
			said++
		}
		from := 2 // after PROMPT and START or Read
		if i := slices.IndexFunc(items, func(it scenario.Item) bool { return it.Entry.Event == logfmt.Stop }); i >= 0 {
			from = i + 2
		}
		for n := range 1 + r.IntN(4) {
			at := from + r.IntN(len(items)-from+1)
			first := items[at-1].Entry.Time
			last := now
			if at < len(items) {
				last = items[at].Entry.Time
			}
			e := *items[0].Entry
			e.Event, e.Cmd, e.ID, e.Seq = logfmt.Tool, "build", fmt.Sprint("more", n), 0
			e.Time = first.Add(time.Duration(r.Int64N(int64(last.Sub(first)) + 1)))
			e.Data = fmt.Appendf(nil, `{"tool":"Read","path":"more%d","input":"%08x","tool_use_id":"more%d"}`, n, n, n)
			items = slices.Insert(items, at, scenario.Item{Entry: &e, Carried: false})
		}
		if after := silence(items, now); after > before {
			t.Fatalf("more activity: %.3f became %.3f", before, after)
		}
	}
	if said == 0 {
		t.Error("silence was never said")
	}
}

// Between now and Due no verdict changes its type, signature or level.
func TestNothingChangesBeforeDue(t *testing.T) {
	levels := func(s *state.State, now time.Time, o state.Observed) string {
		var lines []string
		for _, i := range Judge(s, Input{Now: now, Observed: o}) {
			lines = append(lines, i.Signature+" "+string(LevelOf(&i, s.Limits())))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	changes := 0
	r := rand.New(rand.NewPCG(5, 6))
	for name, items := range scenario.Logs(t, recordings) {
		for _, n := range []int{len(items) / 3, len(items) * 2 / 3, len(items)} {
			s := foldItems(items[:n])
			for _, o := range []state.Observed{{}, gone(s)} {
				now := s.Last.Time()
				for range 60 {
					due := Due(s, Input{Now: now, Observed: o})
					end := due
					if due.IsZero() {
						end = now.Add(100 * time.Hour)
					}
					before := levels(s, now, o)
					for range 4 {
						at := now.Add(time.Duration(r.Int64N(int64(end.Sub(now)))))
						if got := levels(s, at, o); got != before {
							t.Fatalf("%s: at %v, due %v:\n%s\nat %v:\n%s", name, now, due, before, at, got)
						}
					}
					if due.IsZero() {
						break
					}
					if levels(s, due, o) != before {
						changes++
					}
					now = due
				}
			}
		}
	}
	if changes < 50 {
		t.Errorf("only %d changes by time alone", changes)
	}
}

// Whatever a log holds, every verdict is a sound one.
func TestVerdictsAreSound(t *testing.T) {
	seen := map[Type]bool{}
	for name, items := range scenario.Logs(t, recordings) {
		s := foldItems(items)
		for _, now := range moments(s.Last.Time()) {
			for _, o := range []state.Observed{{}, gone(s)} {
				signatures := map[string]bool{}
				for _, i := range Judge(s, Input{Now: now, Observed: o}) {
					seen[i.Type] = true
					switch {
					case i.Confidence <= 0 || i.Confidence > 0.99, !i.Type.Kind().Earned && i.Confidence > MaxUnearned:
						t.Errorf("%s: %s has the confidence %v", name, i.Type, i.Confidence)
					case signatures[i.Signature]:
						t.Errorf("%s: %s is there twice", name, i.Signature)
					case len(i.Evidence) == 0, !i.Since.Is(), i.Says == "", i.Healthy == "", i.Suggest == "":
						t.Errorf("%s: %s says too little: %+v", name, i.Type, i)
					case strings.ContainsAny(i.Prompt(), "\n\x1b\u202e"), len(i.Prompt()) > maxPrompt+len("…"):
						t.Errorf("%s: %s has the prompt %q", name, i.Type, i.Prompt())
					}
					signatures[i.Signature] = true
				}
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %v were seen", seen)
	}
}

// A stored state may hold anything that Load lets through.
func TestJudgingWhatWasStored(t *testing.T) {
	model := workflow.Default()
	r := rand.New(rand.NewPCG(8, 9))
	loaded := 0
	for _, items := range scenario.Logs(t, recordings) {
		data := foldItems(items).AppendJSON(nil)
		for range world.Storm(40) {
			bad := slices.Clone(data)
			for range 1 + r.IntN(3) {
				i := r.IntN(len(bad))
				switch n := r.IntN(3); {
				case n == 0 && '0' <= bad[i] && bad[i] <= '9':
					bad[i] = byte('0' + r.IntN(10))
				case n == 1 && bad[i] == '[':
					if end := slices.Index(bad[i:], ']'); end > 0 && !slices.Contains(bad[i+1:i+end], '[') {
						bad = slices.Delete(bad, i+1, i+end)
					}
				default:
					at := strings.Index(string(bad[i:]), `":`)
					if at > 0 {
						bad[i+at-1] ^= 1 // another member is missing
					}
				}
			}
			s, err := state.Load(bad, &model, limits.Default())
			if err != nil {
				continue
			}
			loaded++
			for _, now := range moments(s.Last.Time())[:5] {
				Judge(s, Input{Now: now, Observed: gone(s)})
			}
		}
	}
	if loaded < world.Storm(100) {
		t.Errorf("only %d of the changed states could be loaded", loaded)
	}
}

const recordings = "testdata/recordings"

func foldItems(items []scenario.Item) *state.State {
	model := workflow.Default()
	s := state.New(&model, limits.Default())
	for _, it := range items {
		s.Apply(it.Entry, it.Carried)
	}
	return s
}
