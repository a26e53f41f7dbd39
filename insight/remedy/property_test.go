package remedy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// The words are "known fix" and "not a fix", and nothing else of the kind, in every form of an answer.
func TestWordFix(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	seen := map[Tier]int{}
	for range 9000 {
		d, all, rules := anything(r)
		a := ForSession(d, all, rules)
		seen[a.Tier]++
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{a.Markdown(), string(data), a.Why()} {
			text = strings.ToLower(text)
			n, not := strings.Count(text, "fix"), strings.Count(text, "not a fix")
			if a.Tier != KnownFix && n != not {
				t.Fatalf("%s: %d times the word, %d of them \"not a fix\":\n%s", a.Tier, n, not, text)
			}
		}
		if low := a.Tier == Low || a.Tier == Medium; low != strings.Contains(a.Markdown(), "not a fix") {
			t.Fatalf("%s:\n%s", a.Tier, a.Markdown())
		}
	}
	for _, tier := range []Tier{KnownFix, Medium, Low, None} {
		if seen[tier] == 0 {
			t.Errorf("no answer of the tier %s", tier)
		}
	}
	m := Measured{Applied: Applied{Key: "e1-0123456789ab"}, Insufficient: true}
	if text := m.String() + Observation; strings.Contains(strings.ToLower(text), "fix") {
		t.Error(text)
	}
}

// anything is a session, others, and rules, in small worlds where all that matters happens.
func anything(r *rand.Rand) (*insight.Digest, []*insight.Digest, []Rule) {
	outcomes := []insight.Outcome{insight.Errored, insight.GaveUp, insight.Killed, insight.Completed, insight.Completed, insight.Completed, insight.Completed,
		insight.Interrupted,
		insight.Unknown}
	classes := []failure.Class{failure.Build, failure.Build, failure.Build, failure.Test, failure.Cancelled, failure.Other, "made_up"}
	words := []string{"alpha", "beta", "alphabet", "Alpha beta", "", "bet"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	number := func() *int {
		if r.IntN(2) == 0 {
			return nil
		}
		n := r.IntN(3)
		return &n
	}
	var all []*insight.Digest
	for i := range 1 + r.IntN(16) {
		d := session(fmt.Sprint(r.IntN(6)), outcomes[r.IntN(len(outcomes))], pick([]string{"", "s1-aa", "s1-aa", "s1-bb"}), r.IntN(4))
		d.ID += fmt.Sprint("-", i)
		d.Live, d.Agent.Name = r.IntN(5) == 0, pick([]string{"claude", "codex"})
		for range r.IntN(5) {
			d.Errors = append(d.Errors, insight.ErrorGroup{
				Class: classes[r.IntN(len(classes))], Type: trace.ToolType(pick([]string{"shell", "shell", "edit", ""})), Tool: pick([]string{"Bash", ""}), Exit: number(),
				Code:   pick([]string{"c", ""}),
				Status: r.IntN(2), Hash: fmt.Sprint(r.IntN(5) / 4), Text: pick(words) + " " + pick(words), Count: 1, First: r.IntN(9),
				Solved: r.IntN(9) / 8 * r.IntN(9),
			})
		}
		for _, e := range d.Errors {
			d.Classes = append(d.Classes, insight.ClassCount{Class: e.Class, Count: 1})
		}
		d.Decisive = r.IntN(len(d.Errors)+1) - 1
		for range r.IntN(3) {
			d.Changes = append(d.Changes, insight.Change{Path: "p", Action: "modified", Event: r.IntN(9)})
		}
		all = append(all, d)
	}
	for _, d := range all { // parents go round in circles, too
		if r.IntN(3) == 0 {
			d.Parent = pick([]string{all[r.IntN(len(all))].ID, "outside"})
		}
	}
	var rules []Rule
	for range r.IntN(3) {
		g := Gate{Type: trace.ToolType(pick([]string{"shell", "", ""})), Tool: pick([]string{"Bash", "", ""}), Agent: pick([]string{"codex", "", ""}),
			Code: pick([]string{"c", "", ""}), Exit: number(), Status: r.IntN(2)}
		for range r.IntN(3) {
			g.Words = append(g.Words, pick(words))
		}
		rules = append(rules, Rule{Name: "r", Class: classes[r.IntN(len(classes))], Gate: g, Text: pick([]string{"Do.", ""}),
			Pointer: pick([]string{"here", "here", ""})})
	}
	return all[r.IntN(len(all))], all, rules
}

// No input whatever makes a tier rise without its evidence. What is evidence is said here a second time, in other words.
func TestNoTierWithoutEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		d, all, rules := anything(r)
		a := ForSession(d, all, rules)
		fails := d.Verdict.Outcome == insight.Errored || !d.Live && (d.Verdict.Outcome == insight.GaveUp || d.Verdict.Outcome == insight.Killed)
		resolved, shared := map[string]bool{}, 0
		kin := related(d, all)
		for _, o := range all {
			if !kin[o.ID] && o.Keys.Sub == d.Keys.Sub && d.Keys.Sub != "" && o.Verdict.Outcome == insight.Completed && !o.Live {
				resolved[o.ID] = true
				if haveOneError(d, o) {
					shared++
				}
			}
		}
		want := None
		switch {
		case slices.ContainsFunc(rules, func(r Rule) bool { return proven(d, r) }):
			want = KnownFix
		case !fails || shared == 0:
		case shared >= 3:
			want = Medium
		default:
			want = Low
		}
		if a.Tier != want {
			t.Fatalf("%s, want %s\n%+v\n%+v", a.Tier, want, d, rules)
		}
		if (a.Fix != nil) != (want == KnownFix) || (len(a.Siblings) > 0) != (want == Low || want == Medium) {
			t.Fatalf("%s with the fix %v and %d siblings", a.Tier, a.Fix, len(a.Siblings))
		}
		if a.Reason == NotFailing && a.Failed+a.Resolved != 0 || a.Reason != NotFailing && a.Resolved != len(resolved) {
			t.Fatalf("%s: %d failed, %d resolved of %d", a.Reason, a.Failed, a.Resolved, len(resolved))
		}
		erring := slices.ContainsFunc(d.Errors, func(e insight.ErrorGroup) bool { return e.Class != failure.Cancelled })
		if none := fails && d.Keys.Sub == "" && want == None; none != (a.Reason == NoErrors || a.Reason == Unclassified) ||
			(a.Reason == Unclassified) != (none && erring) {
			t.Fatalf("%s of %+v", a.Reason, d)
		}
		for i, s := range a.Siblings {
			if !resolved[s.Session] || s.Overlap == 0 || i > 0 && s.Overlap > a.Siblings[i-1].Overlap {
				t.Fatalf("sibling %d: %+v", i, s)
			}
			delete(resolved, s.Session) // none stands there twice
		}
		shuffled := slices.Clone(all)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := ForSession(d, shuffled, rules); !reflect.DeepEqual(again, a) {
			t.Fatalf("in another order\n%+v\nnot\n%+v", again, a)
		}
	}
}

// haveOneError reports whether o had an error of d, other than a cancelled call: one that d did not get over, if it had such.
func haveOneError(d, o *insight.Digest) bool {
	open := slices.ContainsFunc(d.Errors, func(e insight.ErrorGroup) bool { return e.Class != failure.Cancelled && e.Solved == 0 })
	for _, mine := range d.Errors {
		for _, e := range o.Errors {
			if mine.Class != failure.Cancelled && (!open || mine.Solved == 0) && mine.Class == e.Class && mine.Type == e.Type && mine.Hash == e.Hash {
				return true
			}
		}
	}
	return false
}

// related is the IDs of the sessions that d hangs together with by parents.
func related(d *insight.Digest, all []*insight.Digest) map[string]bool {
	kin := map[string]bool{d.ID: true}
	for before := 0; before < len(kin); {
		before = len(kin)
		for _, o := range all {
			if o.Parent != "" && (kin[o.ID] || kin[o.Parent]) {
				kin[o.ID], kin[o.Parent] = true, true
			}
		}
	}
	return kin
}

// proven says whether an error of d proves all that r wants, and r wants something.
func proven(d *insight.Digest, r Rule) bool {
	g := r.Gate
	if r.Text == "" || r.Pointer == "" || slices.Contains(g.Words, "") || r.Class != failure.Build && r.Class != failure.Test && r.Class != failure.Other ||
		reflect.DeepEqual(g, Gate{}) {
		return false
	}
	for _, e := range d.Errors {
		ok := e.Solved == 0 && e.Class == r.Class && (g.Type == "" || e.Type == g.Type) && (g.Tool == "" || e.Tool == g.Tool) &&
			(g.Agent == "" || d.Agent.Name == g.Agent) && (g.Code == "" || e.Code == g.Code) && (g.Status == 0 || e.Status == g.Status)
		if g.Exit != nil {
			ok = ok && e.Exit != nil && *e.Exit == *g.Exit
		}
		padded := " " + strings.ToLower(e.Text) + " " // the texts of this world have no other bounds
		for _, w := range g.Words {
			ok = ok && strings.Contains(padded, " "+strings.ToLower(w)+" ")
		}
		if ok {
			return true
		}
	}
	return false
}

// Nothing that a tool, an agent or a person said gets into an answer: evidence is change-shaped.
func TestNoTexts(t *testing.T) {
	const said = "s4id"
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		d, all, rules := anything(r)
		for _, o := range all {
			o.Ask = said
			for i := range o.Errors {
				e := &o.Errors[i]
				e.Text, e.Head, e.Code, e.Tool = e.Text+" "+said, said, said, said
			}
			o.Slow = []insight.SlowCall{{Tool: said, What: said}}
			o.Phases = []insight.PhaseUse{{Command: said, Phase: said}}
		}
		a := ForSession(d, all, rules)
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if text := a.Markdown() + string(data); strings.Contains(text, said) {
			t.Fatalf("%s", text)
		}
	}
}
