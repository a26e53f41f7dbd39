package archived

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/lesson"
	"aburn/insight/remedy"
	"aburn/insight/replay"
	"aburn/insight/report"
	"aburn/trace"
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func (p *generated) reportIsTrue(t *testing.T) {
	r := report.Make(p.digests, report.Options{Now: p.now})
	w := p.truth
	equal(t, "units", r.Units, report.Units{All: w.Units, Sessions: w.Sessions, Subagents: w.Subagents, Running: w.Running, Ended: w.Units - w.Running,
		Failing: w.Failing, Erring: w.Erring, Undated: w.Undated})
	outcomes, refined, buckets, errors := map[string]int{}, map[string]int{}, map[string]int{}, map[string]Fine{}
	for _, o := range r.Outcomes {
		if o.Units > 0 {
			outcomes[string(o.Outcome)] = o.Units
		}
		if o.Refined > 0 {
			refined[string(o.Outcome)] = o.Refined
		}
		equal(t, "what outcomes are of", o.Of, w.Units-w.Running)
	}
	for _, f := range r.Failures {
		buckets[f.Shape] = f.Units
		equal(t, "what failures are of", [2]int{f.OfFailing, f.OfEnded}, [2]int{w.Failing, w.Units - w.Running})
	}
	name := p.fineNames()
	for _, e := range r.Errors {
		errors[name[e.Key]] = Fine{string(e.Class), e.Units, e.Failing, e.Times}
		equal(t, "what errors are of", [2]int{e.OfErring, e.OfEnded}, [2]int{w.Erring, w.Units - w.Running})
	}
	equal(t, "outcomes", outcomes, w.Outcomes)
	equal(t, "refined", refined, w.Refined)
	equal(t, "failures", buckets, w.Buckets)
	equal(t, "errors", errors, w.Errors)
	for i := 1; i < len(r.Failures); i++ {
		if r.Failures[i-1].Units < r.Failures[i].Units {
			t.Errorf("failure %d is ranked before one that is more frequent", i)
		}
	}
	p.workIsTrue(t, r)
}

// fineNames is the name of the error that each fine key stands for.
func (p *generated) fineNames() map[string]string {
	name := map[string]string{}
	for _, d := range p.digests {
		name[d.Keys.Fine] = p.of(d).Decisive()
	}
	return name
}

func (p *generated) workIsTrue(t *testing.T, r *report.Report) {
	w := p.truth
	classes, tools, loops, weeks, phases := map[string]*Class{}, map[string]*Tool{}, map[string]*Loops{}, map[string]*Week{}, map[string]*Runs{}
	for _, c := range r.Classes {
		classes[string(c.Class)] = &Class{c.Errors, c.Units, c.Failing}
		equal(t, "what classes are of", [2]int{c.OfUnits, c.OfFailing}, [2]int{w.Units, w.Failing})
	}
	for _, u := range r.Tools {
		tools[string(u.Type)] = &Tool{u.Calls, u.Ended, u.Failed, u.Denied, u.Retries, u.Timed, u.TimedMS, u.Spent}
	}
	for _, l := range r.Loops {
		loops[l.Project+" "+l.Path] = &Loops{l.Units, l.Edits, l.Most, l.Identical}
	}
	for _, x := range r.Weeks {
		week := &Week{Ended: x.Ended, Failing: x.Failing, Calls: x.Calls, Failed: x.Failed, Tokens: x.Tokens, Spent: x.Spent}
		for _, c := range x.Classes {
			if week.Classes == nil {
				week.Classes = map[string]int{}
			}
			week.Classes[string(c.Class)] = c.Count
		}
		weeks[x.Week] = week
	}
	for _, x := range r.Phases {
		results := map[string]int{}
		for result, n := range map[string]int{"completed": x.Completed, "failed": x.Failed, "open": x.Open} {
			if n > 0 {
				results[result] = n
			}
		}
		runs := &Runs{x.Runs, results, Phase{x.Command, x.Phase, "", x.ActiveMS, x.Tokens, x.Calls, x.BadCalls, map[string]int{}}}
		for _, u := range x.Tools {
			runs.Tools[u.Tool] = u.Failed
		}
		phases[x.Command+" "+x.Phase] = runs
	}
	var slow []int64
	for _, c := range r.Slow {
		slow = append(slow, c.MS)
	}
	equal(t, "classes", classes, w.Classes)
	equal(t, "tools", tools, w.Tools)
	equal(t, "loops", loops, w.Loops)
	equal(t, "units with loops", r.LoopsIn, w.LoopsIn)
	equal(t, "weeks", weeks, w.Weeks)
	equal(t, "phases", phases, w.Phases)
	equal(t, "slow calls", slow, w.Slow)
	equal(t, "tokens", [4]int64{r.Tokens.All, r.Tokens.Calls, r.Tokens.Failed, r.Tokens.Retries},
		[4]int64{w.Tokens, w.Spent.Calls, w.Spent.Failed, w.Spent.Retries})
}

// The remedy halved its failure, and that is what is measured.
func (p *generated) remedyIsTrue(t *testing.T) {
	key := ""
	for k, name := range p.fineNames() {
		if name == RemedyFailure {
			key = k
		}
	}
	w := p.truth.Remedy
	got := remedy.Measure(p.digests, []remedy.Applied{{V: 1, Key: key, Time: w.At, Note: "a mirror"}})[0]
	equal(t, "before", got.Before, remedy.Rate{Failed: w.Before[0], Of: w.Before[1]})
	equal(t, "after", got.After, remedy.Rate{Failed: w.After[0], Of: w.After[1]})
	equal(t, "excluded", got.Excluded, remedy.Excluded{Live: w.Live, Undated: w.Undated, Straddled: w.Straddled, Undecided: w.Undecided})
	before, after := float64(w.Before[0])/float64(w.Before[1]), float64(w.After[0])/float64(w.After[1])
	if half := after / before; half < 0.45 || half > 0.55 || w.Straddled < straddled || w.Undecided == 0 || got.Insufficient {
		t.Errorf("the archive is not what it should be: %+v", w)
	}
}

// Of every failing session as many others failed and came to their end in the same way as were made so.
func (p *generated) siblingsAreTrue(t *testing.T) {
	failed, resolved := map[string]int{}, map[string]int{}
	completed := map[string][]*Session{}
	for _, s := range p.sessions {
		if s.Failing() {
			failed[s.Sub()]++
		}
		if !s.Live && s.Outcome == "completed" {
			resolved[s.Sub()]++
			completed[s.Sub()] = append(completed[s.Sub()], s)
		}
	}
	tiers, asked := map[remedy.Tier]int{}, map[string]bool{}
	for _, d := range p.digests {
		s := p.of(d)
		question := s.Sub()
		if question == "" {
			question = fmt.Sprint(len(s.Errors), " errors of no class")
		}
		if !s.Failing() || asked[question] {
			continue
		}
		asked[question] = true
		a := remedy.ForSession(d, p.digests, nil)
		tiers[a.Tier]++
		want, n := remedy.None, resolved[s.Sub()]
		shared := 0
		for _, o := range completed[s.Sub()] {
			if slices.ContainsFunc(o.Errors, func(e Error) bool { return slices.Contains(s.open(), e) }) {
				shared++
			}
		}
		switch {
		case s.Sub() == "":
			if a.Tier != remedy.None || (a.Reason == remedy.NoErrors) != (len(s.Errors) == 0) {
				t.Errorf("%s: with %s it has tier %s, %s", d.ID, question, a.Tier, a.Reason)
			}
			continue
		case shared >= 3:
			want = remedy.Medium
		case shared > 0:
			want = remedy.Low
		}
		equal(t, s.Sub(), [4]any{a.Failed, a.Resolved, a.Shared, a.Tier}, [4]any{failed[s.Sub()], n, shared, want})
	}
	if tiers[remedy.None] == 0 || tiers[remedy.Low]+tiers[remedy.Medium] == 0 {
		t.Errorf("the archive has not all tiers: %v", tiers)
	}
}

// The most frequent bucket is opened: its numbers, the newest of its sessions, what they asked for and how they first failed.
func (p *generated) replayIsTrue(t *testing.T) {
	ctx := context.Background()
	arch, err := archive.View(ctx, filepath.Join(p.dir, ArchiveDir))
	if err != nil {
		t.Fatal(err)
	}
	defer arch.Close()
	bucket := ""
	for b, n := range p.truth.Buckets {
		if n > p.truth.Buckets[bucket] || n == p.truth.Buckets[bucket] && b < bucket {
			bucket = b
		}
	}
	var members []*insight.Digest
	errors := map[string]int{} // by class
	calls := 0
	for _, d := range p.digests {
		if s := p.of(d); s.Bucket() == bucket {
			members = append(members, d)
			for _, e := range s.Errors {
				errors[e.Class]++
			}
			calls += s.Calls
		}
	}
	r := replay.Make(members[0].Keys.Coarse, members, func(d *insight.Digest) (*trace.SessionTrace, error) {
		found, err := arch.Lookup(ctx, d.Source+"/"+d.ID)
		if err != nil {
			return nil, err
		}
		return arch.Trace(ctx, found[0].Key)
	})
	equal(t, "replay of", r.Shape, bucket)
	equal(t, "its sessions", r.Sessions+r.Subagents, p.truth.Buckets[bucket])
	equal(t, "opened", len(r.Opened), min(len(members), replay.MaxOpened))
	all, listed := 0, map[string]int{}
	for _, u := range r.Tools {
		all += u.Calls
	}
	for _, e := range r.Errors {
		listed[string(e.Class)] += e.Count
	}
	equal(t, "its calls", all, calls)
	if r.More.Errors == 0 {
		equal(t, "its errors", listed, errors)
	}
	for i := range r.Opened {
		o := &r.Opened[i]
		if o.Ask == nil || !strings.HasPrefix(o.Ask.Text, "please look after") || o.Failure == nil || o.Unopened != "" {
			t.Errorf("%s: asked %+v, failed %+v, %s", o.Session, o.Ask, o.Failure, o.Unopened)
		}
	}
}

// recurring is what went wrong in the same way in so many sessions, so often.
type recurring struct{ sessions, times, failed, completed int }

// What went wrong in the same way in two sessions or more is a lesson, and nothing else is.
func (p *generated) lessonsAreTrue(t *testing.T) {
	want := map[string]*recurring{}
	for _, s := range p.sessions {
		shapes := map[string]int{}
		for _, e := range s.Errors {
			shapes["error "+e.Name]++
		}
		for _, l := range s.Loops {
			shapes["edit_loop "+s.Project+" "+l.Path] += l.Edits
		}
		for _, x := range s.Phases {
			if x.Result == "failed" {
				shapes["phase "+s.Project+" "+x.Command+" "+x.Phase]++
			}
		}
		for shape, times := range shapes {
			r := at(want, shape)
			r.sessions++
			r.times += times
			switch {
			case s.Failing():
				r.failed++
			case !s.Live && s.Outcome == "completed":
				r.completed++
			}
		}
	}
	for shape, r := range want {
		if r.sessions < 2 {
			delete(want, shape)
		}
	}
	name := map[string]string{} // of an error, by its head
	for _, d := range p.digests {
		for i, e := range p.of(d).distinct() {
			name[d.Errors[i].Head] = e
		}
	}
	got := map[string]*recurring{}
	for _, l := range lesson.Find(p.digests, p.now, 0).Lessons {
		shape := string(l.Kind)
		switch l.Kind {
		case lesson.EqualError:
			shape += " " + name[l.Head]
		case lesson.EditLoop:
			shape += " " + l.Project + " " + l.Path
		case lesson.Phase:
			shape += " " + l.Project + " " + l.Command + " " + l.Phase
		}
		if got[shape] != nil {
			t.Errorf("two lessons of %s", shape)
		}
		got[shape] = &recurring{l.Sessions, l.Times, l.Failed, l.Completed}
	}
	equal(t, "lessons", got, want)
}

// distinct is the names of the errors, in the order of their first appearance.
func (s *Session) distinct() (all []string) {
	seen := map[string]bool{}
	for _, e := range s.Errors {
		if !seen[e.Name] {
			seen[e.Name] = true
			all = append(all, e.Name)
		}
	}
	return all
}
