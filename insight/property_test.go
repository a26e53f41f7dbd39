package insight_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aburn/insight"
	"aburn/trace"
	"aburn/trace/packed"
)

// random draws the line of a session, with ids of calls that begin with prefix.
func random(r *rand.Rand, prefix string, words int) string {
	var line []string
	open := []string{}
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	for i := range words {
		id := fmt.Sprintf("c%s%d", prefix, i)
		end := ""
		if n := len(open); n > 0 {
			end = ":" + open[r.IntN(n)]
		}
		switch r.IntN(12) {
		case 0:
			line = append(line, pick("p:hi", "m", "say", "say:r1", "say:r2"))
		case 1:
			line = append(line, pick("intr", "err:ECONNRESET", "fatal!:x", "fatal!:rate_limit", "end", "stop", "stop:failed"))
		case 2:
			line = append(line, pick("start:b", "complete:b", "fail:b", "phase:b:RED", "done:b:RED", "broke:b:RED", "start:c"))
		case 3:
			line = append(line, pick("file:a", "file:b:one", "file:b:two", "+700", "+3"), fmt.Sprintf("resp:%s%d:%d", prefix, i, r.IntN(100)))
		case 4, 5, 6:
			line = append(line, id+":"+pick("Bash=go_test", "Bash=x", "Read=a", "Edit=b", "Edit=a", "Task=t")+pick("", "@r1", "@r2"))
			open = append(open, id)
		default:
			if end != "" {
				line = append(line, pick("ok"+end, "ok"+end+":900", "bad"+end+":1:Permission_denied", "bad"+end+":1:odd", "denied"+end+":user", "stopped"+end, "run"+end))
			}
		}
	}
	if r.IntN(5) == 0 {
		line = append(line, "outcome:"+pick("killed", "errored", "completed", "interrupted"))
	}
	if prefix == "x" {
		line = append(line, fmt.Sprintf("resp:r1:%d resp:r2:%d", r.IntN(1000), r.IntN(1000)))
	}
	return strings.Join(line, " ")
}

// Whatever the session, its digest is there, is the same again, adds up, and its verdict rests on events that show it.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for i := range 1500 {
		line := random(r, "x", r.IntN(40))
		tr := drawn(t, line)
		d := insight.Make(tr, r.IntN(2) == 0)
		seen[string(d.Verdict.Outcome)+" "+d.Verdict.Rule]++
		if d.Spent.Failed > 0 && d.Spent.Retries > 0 && len(d.Loops) > 0 && len(d.Phases) > 0 {
			seen["much"]++
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("session %d: %q: %s\n%s", i, line, fmt.Sprintf(format, args...), show(d))
		}
		if again := insight.Make(reread(t, tr), d.Hooked); !reflect.DeepEqual(again, d) {
			fail("made again it is %s", show(again))
		}
		if stored, err := decode(insight.Append(nil, d)); err != nil || !reflect.DeepEqual(stored, d) {
			fail("stored it is %s, %v", show(stored), err)
		}
		slices.Reverse(tr.Responses)
		if turned := insight.Make(tr, d.Hooked); turned.Spent != d.Spent || turned.Keys != d.Keys || !reflect.DeepEqual(turned.Phases, d.Phases) {
			fail("with the responses in another order it is %s", show(turned))
		}
		if wrong := mismatch(d); wrong != "" {
			fail("%s", wrong)
		}
		if wrong := shown(tr, d); wrong != "" {
			fail("%s", wrong)
		}
	}
	for _, want := range []string{"unknown nothing", "completed work", "gave_up open_calls", "errored failing_tail", "errored fatal_error",
		"interrupted interrupt", "crashed open_calls", "completed failing_tail", "errored work", "much"} {
		if seen[want] == 0 {
			t.Errorf("no session was %s: %v", want, seen)
		}
	}
}

func reread(t *testing.T, tr *trace.SessionTrace) *trace.SessionTrace {
	t.Helper()
	data, err := packed.Append(nil, tr)
	if err != nil {
		t.Fatal(err)
	}
	again, err := packed.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// mismatch says what does not add up.
func mismatch(d *insight.Digest) string {
	classes, errors := 0, 0
	for _, c := range d.Classes {
		classes += c.Count
	}
	for _, e := range d.Errors {
		errors += e.Count
	}
	if want := d.Counts.Failed + d.Counts.Errors; classes != want || errors != want && d.More.Errors == 0 {
		return fmt.Sprintf("%d errors by class, %d in groups, %d counted", classes, errors, want)
	}
	var all insight.ToolUse
	for _, u := range d.Tools {
		all.Calls, all.Ended, all.Failed, all.Denied, all.SpentAll = all.Calls+u.Calls, all.Ended+u.Ended, all.Failed+u.Failed, all.Denied+u.Denied,
			all.SpentAll+u.SpentAll
	}
	c := d.Counts
	if all.Calls != c.Calls || all.Ended != c.Calls-c.NoResult || all.Failed != c.Failed || all.Denied != c.Denied || all.SpentAll != d.Spent.Failed {
		return fmt.Sprintf("by tool it is %+v", all)
	}
	if s := d.Spent; s.Failed+s.Retries > s.Calls || s.Calls > d.Usage.Total() {
		return "more tokens were spent than there are"
	}
	return ""
}

// shown says what of a verdict its events do not show.
func shown(tr *trace.SessionTrace, d *insight.Digest) string {
	v := d.Verdict
	var bodies []trace.Body
	for _, seq := range v.Events {
		if seq < 1 || seq > len(tr.Events) || tr.Events[seq-1].Copied != "" {
			return fmt.Sprintf("event %d is none of its own", seq)
		}
		bodies = append(bodies, tr.Events[seq-1].Body)
	}
	if len(bodies) > 5 || (len(bodies) == 0) != (v.Rule == insight.RuleNothing) {
		return "the verdict names no events, or too many"
	}
	if (v.Refined == "") != (map[string]insight.Outcome{insight.RuleInterrupt: insight.Interrupted, insight.RuleFatalError: insight.Errored,
		insight.RuleFailingTail: insight.Errored,
		insight.RuleOpenCalls:   insight.GaveUp, insight.RuleWork: insight.Completed, insight.RuleNothing: insight.Unknown}[v.Rule] == v.Outcome) {
		return "what was refined is not said"
	}
	switch v.Rule {
	case insight.RuleInterrupt:
		for _, b := range bodies {
			if _, ok := b.(*trace.Interrupt); !ok {
				return "an event is no interrupt"
			}
		}
	case insight.RuleFatalError:
		if b, ok := bodies[0].(*trace.Error); !ok || !b.Fatal {
			return "the event is no fatal error"
		}
	case insight.RuleFailingTail:
		failed := 0
		for i, b := range bodies {
			r, ok := b.(*trace.ToolResult)
			if !ok || i == len(bodies)-1 && !tr.Results[r.Result].Failed() {
				return "an event is no result, or the last one no failure"
			}
			if tr.Results[r.Result].Failed() {
				failed++
			}
		}
		if len(bodies) < 3 || failed*5 < len(bodies)*4 {
			return fmt.Sprintf("%d of %d results failed", failed, len(bodies))
		}
	}
	return ""
}

// What was copied from another session changes nothing but the numbers of the events behind it.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		line := "p:go " + random(r, "x", r.IntN(30))
		copied, _, _ := strings.Cut(random(r, "y", r.IntN(30)), "outcome:")
		plain := drawn(t, line)
		forked := drawn(t, "copy:ON "+copied+" copy:OFF "+line)
		want, got := insight.Make(plain, true), insight.Make(forked, true)
		behind := len(forked.Events) - len(plain.Events)
		got.Renumber(func(seq int) int { return seq - behind })
		want.Verdict.Refined, got.Verdict.Refined = "", "" // it names events in words
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q behind the copied %q is\n%s\nnot\n%s", line, copied, show(got), show(want))
		}
	}
}

// Behind the last interrupt nothing else can be said, unless a message began a turn in which the agent did something.
func TestInterrupt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[bool]int{}
	for range 500 {
		words := strings.Fields(random(r, "x", 1+r.IntN(30)))
		words = slices.Insert(words, r.IntN(len(words)+1), "intr")
		began, later := false, false
		for _, w := range words {
			if w == "intr" {
				began, later = false, false
			}
			began = began || w == "m" || strings.HasPrefix(w, "p:")
			later = later || began && (strings.HasPrefix(w, "say") || strings.HasPrefix(w, "c") && strings.Contains(w, "="))
		}
		line := strings.Join(words, " ")
		v := insight.Make(drawn(t, line), true).Verdict
		if is := v.Rule == insight.RuleInterrupt && v.Outcome == insight.Interrupted && v.Refined == ""; is == later {
			t.Fatalf("%q: %+v", line, v)
		}
		seen[later]++
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Error(seen)
	}
}
