package archived

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Truth is what a report on the whole archive must say.
type Truth struct {
	Units     int    `json:"units"`
	Seed      uint64 `json:"seed"`
	Sessions  int    `json:"sessions"`
	Subagents int    `json:"subagents"`
	Running   int    `json:"running"`
	Failing   int    `json:"failing"`
	Erring    int    `json:"erring"`
	Undated   int    `json:"undated"`

	// These leave out running sessions.
	Outcomes map[string]int   `json:"outcomes"`
	Refined  map[string]int   `json:"refined"`
	Buckets  map[string]int   `json:"buckets"` // of failing sessions
	Errors   map[string]Fine  `json:"errors"`  // by the decisive error's name
	Weeks    map[string]*Week `json:"weeks"`

	// These include running sessions.
	Classes map[string]*Class `json:"classes"`
	Tools   map[string]*Tool  `json:"tools"`
	Loops   map[string]*Loops `json:"loops"` // by project and path
	LoopsIn int               `json:"units_with_loops"`
	Slow    []int64           `json:"slow"` // the twenty longest calls, of each session at most five
	Tokens  int64             `json:"tokens"`
	Spent   Spent             `json:"spent"`
	Phases  map[string]*Runs  `json:"phases"` // by command and phase

	Remedy Remedy `json:"remedy"`
}

// Fine is the sessions with one decisive error.
type Fine struct {
	Class   string `json:"class"`
	Units   int    `json:"units"`
	Failing int    `json:"failing"`
	Times   int    `json:"times"`
}

// Class is the errors of one class.
type Class struct {
	Errors  int `json:"errors"`
	Units   int `json:"units"`
	Failing int `json:"failing"`
}

// Loops is the sessions in which one file was changed again and again.
type Loops struct {
	Units     int `json:"units"`
	Edits     int `json:"edits"`
	Most      int `json:"most"`
	Identical int `json:"identical"`
}

// Week is what ended in one ISO week.
type Week struct {
	Ended   int            `json:"ended"`
	Failing int            `json:"failing"`
	Calls   int            `json:"calls_ended"`
	Failed  int            `json:"calls_failed"`
	Classes map[string]int `json:"classes"`
	Tokens  int64          `json:"tokens"`
	Spent   int64          `json:"spent_failed"`
}

// Runs is all runs of a phase.
type Runs struct {
	Runs    int            `json:"runs"`
	Results map[string]int `json:"results"`
	Phase
}

// Remedy is how often RemedyAgent's sessions failed with RemedyFailure as their decisive error, before At and after it.
type Remedy struct {
	At        time.Time `json:"at"`
	Before    [2]int    `json:"before"` // failed, of those that failed or completed
	After     [2]int    `json:"after"`
	Live      int       `json:"live"` // these four are in neither
	Undated   int       `json:"undated"`
	Straddled int       `json:"straddled"`
	Undecided int       `json:"undecided"`
}

// slowest is how many of the longest calls a report has.
const slowest = 20

func sum(all []*Session, o Options) *Truth {
	t := &Truth{Units: len(all), Seed: o.Seed, Outcomes: map[string]int{}, Refined: map[string]int{}, Buckets: map[string]int{}, Errors: map[string]Fine{},
		Weeks: map[string]*Week{}, Classes: map[string]*Class{}, Tools: map[string]*Tool{}, Loops: map[string]*Loops{}, Phases: map[string]*Runs{},
		Remedy: Remedy{At: o.Now.Add(-RemedyAge)}}
	for _, s := range all {
		if s.Subagent {
			t.Subagents++
		} else {
			t.Sessions++
		}
		if s.Live {
			t.Running++
		} else {
			t.ended(s)
		}
		t.worked(s)
		if s.Agent == RemedyAgent {
			t.Remedy.add(s)
		}
	}
	slices.SortFunc(t.Slow, func(a, b int64) int { return cmp.Compare(b, a) })
	t.Slow = t.Slow[:min(slowest, len(t.Slow))]
	return t
}

// ended adds what only ended sessions have.
func (t *Truth) ended(s *Session) {
	t.Outcomes[s.Outcome]++
	if s.Refined {
		t.Refined[s.Outcome]++
	}
	failing := 0
	if s.Failing() {
		failing = 1
		t.Buckets[s.Bucket()]++
	}
	t.Failing += failing
	if len(s.Errors) > 0 {
		t.Erring++
	}
	if name := s.Decisive(); name != "" {
		e := t.Errors[name]
		e.Units++
		e.Failing += failing
		for _, x := range s.Errors {
			if x.Name == name {
				e.Class = x.Class
				e.Times++
			}
		}
		t.Errors[name] = e
	}
	if s.End.IsZero() {
		t.Undated++
		return
	}
	year, week := s.End.UTC().ISOWeek()
	w := at(t.Weeks, fmt.Sprintf("%d-W%02d", year, week))
	w.Ended++
	w.Failing += failing
	w.Tokens += s.Tokens
	w.Spent += s.Spent.Failed + s.Spent.Retries
	for _, x := range s.Tools {
		w.Calls += x.Ended
		w.Failed += x.Failed
	}
	for c, n := range s.Classes() {
		if w.Classes == nil {
			w.Classes = map[string]int{}
		}
		w.Classes[c] += n
	}
}

// worked adds the calls, errors, loops and tokens.
func (t *Truth) worked(s *Session) {
	for c, n := range s.Classes() {
		x := at(t.Classes, c)
		x.Errors += n
		x.Units++
		if s.Failing() {
			x.Failing++
		}
	}
	for typ, x := range s.Tools {
		at(t.Tools, typ).add(x)
	}
	for _, l := range s.Loops {
		x := at(t.Loops, s.Project+" "+l.Path)
		x.Units++
		x.Edits += l.Edits
		x.Most = max(x.Most, l.Edits)
		x.Identical += l.Identical
	}
	if len(s.Loops) > 0 {
		t.LoopsIn++
	}
	t.Slow = append(t.Slow, s.Slow...)
	t.Tokens += s.Tokens
	t.Spent.Calls += s.Spent.Calls
	t.Spent.Failed += s.Spent.Failed
	t.Spent.Retries += s.Spent.Retries
	for _, p := range s.Phases {
		at(t.Phases, p.Command+" "+p.Phase).add(p)
	}
}

func (r *Runs) add(p Phase) {
	if r.Results == nil {
		r.Results, r.Tools = map[string]int{}, map[string]int{}
	}
	r.Runs++
	r.Results[p.Result]++
	r.Command, r.Phase.Phase = p.Command, p.Phase
	r.MS += p.MS
	r.Tokens += p.Tokens
	r.Calls += p.Calls
	r.Failed += p.Failed
	for tool, n := range p.Tools {
		r.Tools[tool] += n
	}
}

func (r *Remedy) add(s *Session) {
	side := &r.After
	switch {
	case s.Live:
		r.Live++
		return
	case s.End.IsZero():
		r.Undated++
		return
	case s.Start.Before(r.At) && !s.End.Before(r.At):
		r.Straddled++
		return
	case !s.Failing() && s.Outcome != "completed":
		r.Undecided++
		return
	case s.End.Before(r.At):
		side = &r.Before
	}
	side[1]++
	if s.Failing() && s.Decisive() == RemedyFailure {
		side[0]++
	}
}

// at returns the value of a key and makes a new one if there is none.
func at[V any](m map[string]*V, key string) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}
