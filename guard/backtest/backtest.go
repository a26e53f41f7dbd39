// Package backtest runs rules over the calls of archived sessions, as if they had counted then. What nobody recorded of a moment is
// unknown, so a rule that asks for it is open instead of hit.
package backtest

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"aburn/archive"
	"aburn/archive/story"
	"aburn/guard"
	"aburn/guard/facts"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/readers"
)

// Newest is how many hits of a rule a report shows.
const Newest = 10

// maxInputs bounds the inputs of one session that are held at once, in bytes.
const maxInputs = 64 << 20

// Report is what rules would have done.
type Report struct {
	Since    time.Time    `json:"since,omitzero"`
	Days     float64      `json:"days"` // from the first call to the last one, at least 1
	Sessions int          `json:"sessions"`
	Calls    int          `json:"calls"`
	Opaque   int          `json:"opaque"`  // calls of which not everything can be known
	Unread   int          `json:"unread"`  // of these, calls whose agent keeps no more than the beginning
	Damaged  int          `json:"damaged"` // sessions that could not be read
	Rules    []RuleReport `json:"rules"`
	first    time.Time
	last     time.Time
}

// RuleReport is what one rule would have done.
type RuleReport struct {
	Rule     string       `json:"rule"`
	Do       guard.Action `json:"do"`
	Why      string       `json:"why,omitempty"`
	Hits     int          `json:"hits"`
	Sessions int          `json:"sessions_hit"`
	Then     Then         `json:"then"`
	Opaque   int          `json:"opaque"`  // calls of which it is not known whether the rule is about them
	Unknown  int          `json:"unknown"` // of these, calls that hang on the state of the repository at that moment
	PerDay   float64      `json:"per_day"` // how often it would have interrupted the work
	Newest   []Hit        `json:"newest"`
}

// Then is what became of the calls that a rule hit.
type Then struct {
	Ran      int `json:"ran"`
	Failed   int `json:"failed"`
	Denied   int `json:"denied"`
	NoResult int `json:"no_result"`
}

// Hit is one call.
type Hit struct {
	Time    time.Time `json:"time,omitzero"`
	Source  string    `json:"source"`
	Session string    `json:"session"`
	Event   int       `json:"event"`
	Part    string    `json:"part"`
	Then    string    `json:"then"`
	Show    string    `json:"show"` // the command that shows it
}

// Options choose the sessions, and say where things are.
type Options struct {
	Archive *archive.Archive
	Filter  archive.Filter
	Env     func(string) string
	Home    string
	Temp    []string
	// Progress, if not nil, is called after each session.
	Progress func(done, total int)
}

// Run runs rules over all calls.
func Run(ctx context.Context, rules []guard.Rule, o Options) (*Report, error) {
	rep := &Report{Since: o.Filter.Since, Rules: make([]RuleReport, len(rules))}
	for i := range rules {
		rep.Rules[i] = RuleReport{Rule: rules[i].FullName(), Do: rules[i].Do, Why: rules[i].Why, Newest: []Hit{}}
	}
	list, err := o.Archive.Sessions(ctx, o.Filter)
	if err != nil {
		return nil, err
	}
	r := &run{rules: rules, rep: rep, o: o}
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.session(ctx, &list[i]); err != nil {
			rep.Damaged++
		}
		if o.Progress != nil {
			o.Progress(i+1, len(list))
		}
	}
	rep.finish()
	return rep, ctx.Err()
}

// finish works out what depends on all sessions.
func (rep *Report) finish() {
	rep.Days = max(rep.last.Sub(rep.first).Hours()/24, 1)
	for i := range rep.Rules {
		r := &rep.Rules[i]
		if r.Do == guard.Ask || r.Do == guard.Deny || r.Do == guard.Warn {
			r.PerDay = float64(r.Hits) / rep.Days
		}
		slices.SortStableFunc(r.Newest, func(a, b Hit) int {
			return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Session, b.Session), b.Event-a.Event)
		})
		r.Newest = r.Newest[:min(len(r.Newest), Newest)]
	}
}

type run struct {
	rules []guard.Rule
	rep   *Report
	o     Options
}

// session runs the rules over one session.
func (r *run) session(ctx context.Context, s *archive.Session) error {
	t, err := r.o.Archive.Trace(ctx, s.Key)
	if err != nil {
		return err
	}
	calls := t.Calls()
	inputs, err := Inputs(ctx, s, t, calls)
	if err != nil {
		return err
	}
	place := PlaceOf(t.Project.Path, r.o.Env, r.o.Home, r.o.Temp)
	hit := make([]bool, len(r.rules))
	counted := false
	Walk(t, calls, inputs, place, func(c *trace.Call, call *guard.Call, f *facts.Then) {
		counted = true
		r.rep.see(c)
		v := guard.Judge(r.rules, call, place, f)
		if len(v.Opaque) > 0 {
			r.rep.Opaque++
		}
		if call.Cut != "" {
			r.rep.Unread++
		}
		r.count(s, c, v, hit)
	})
	if counted {
		r.rep.Sessions++
	}
	for i := range hit {
		if hit[i] {
			r.rep.Rules[i].Sessions++
		}
	}
	return nil
}

func (rep *Report) see(c *trace.Call) {
	rep.Calls++
	if at := c.Event.Time; !at.IsZero() {
		if rep.first.IsZero() || at.Before(rep.first) {
			rep.first = at
		}
		if at.After(rep.last) {
			rep.last = at
		}
	}
}

func (r *run) count(s *archive.Session, c *trace.Call, v *guard.Verdict, hit []bool) {
	at := func(res guard.Result) int {
		return slices.IndexFunc(r.rules, func(x guard.Rule) bool { return x.FullName() == res.Rule.FullName() })
	}
	for _, res := range v.Open {
		one := &r.rep.Rules[at(res)]
		if one.Opaque++; res.Moment {
			one.Unknown++
		}
	}
	for _, res := range v.Hits {
		i := at(res)
		one := &r.rep.Rules[i]
		one.Hits++
		hit[i] = true
		then := ended(c, &one.Then)
		one.Newest = append(one.Newest, Hit{
			Time: c.Event.Time, Source: s.Source, Session: s.ID, Event: c.Event.Seq, Part: res.Part, Then: then,
			Show: "aburn show " + s.ID + " --at " + strconv.Itoa(c.Event.Seq),
		})
		if len(one.Newest) > 4*Newest { // sessions come newest first, events oldest first
			slices.SortStableFunc(one.Newest, func(a, b Hit) int { return b.Time.Compare(a.Time) })
			one.Newest = one.Newest[:Newest]
		}
	}
}

// ended says how a call ended, and counts it.
func ended(c *trace.Call, then *Then) string {
	last := c.Last()
	switch {
	case last == nil:
		then.NoResult++
		return "no result"
	case last.Denied != "":
		then.Denied++
		return "denied by " + last.Denied
	case last.Failed() || last.Status == trace.StatusCancelled:
		then.Failed++
		return "failed"
	}
	then.Ran++
	return "ran"
}

// PlaceOf is the place of calls in a folder.
func PlaceOf(dir string, env func(string) string, home string, temp []string) guard.Place {
	root, _ := project.Checkout(dir, env)
	if root == "" {
		root = dir
	}
	return guard.Place{Root: root, Home: home, Config: project.ConfigDir(env), Temp: temp}
}

// Inputs are the inputs of calls as their agent keeps them, by the calls' indices; nil where only the beginning is known.
func Inputs(ctx context.Context, s *archive.Session, t *trace.SessionTrace, calls []trace.Call) ([][]byte, error) {
	inputs := make([][]byte, len(calls))
	if agentcli.Of(s.Source).Traits.Recorded {
		return inputs, nil
	}
	var wants []contents.Want
	var of []int
	size := int64(0)
	for i := range calls {
		w, ok := contents.Of(t, calls[i].Event)
		if !ok || !calls[i].Counts() || size+w.Digest.Length > maxInputs {
			continue
		}
		size += w.Digest.Length
		wants, of = append(wants, w), append(of, i)
	}
	from := contents.From{Sources: t.Sources, Moved: s.Path, Rows: readers.RowsOf(s.Source)}
	found, err := contents.Read(ctx, from, wants)
	if err != nil {
		return nil, err
	}
	for k, i := range of {
		if found[k].State == contents.Proved {
			inputs[i] = found[k].Text
		}
	}
	return inputs, nil
}

// CallOf is a recorded call. input is nil if only what the trace keeps is known.
func CallOf(c *trace.ToolCall, input []byte, dir string) *guard.Call {
	if input != nil {
		return guard.NewCall(c.Tool, guard.Kind(c.Type), input, dir)
	}
	call := guard.NewCall(c.Tool, guard.Kind(c.Type), nil, dir)
	call.Cut = "only the beginning of the call is kept"
	call.Command = c.Head
	if c.Path != "" {
		call.Paths, call.Cut = []string{c.Path}, ""
	}
	return call
}

// Walk goes through the calls of a trace that count, with what was known at each.
func Walk(t *trace.SessionTrace, calls []trace.Call, inputs [][]byte, place guard.Place, each func(c *trace.Call, call *guard.Call, f *facts.Then)) {
	var counter guard.Counter
	branch, response, index := "", 0, 0
	sub := slices.ContainsFunc(t.Relationships, func(r trace.SessionRelationship) bool { return r.Kind == trace.Subagent })
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" {
			if _, ok := e.Body.(*trace.ToolCall); ok {
				index++
			}
			continue
		}
		for response < len(t.Responses) && t.Responses[response].Event <= e.Seq {
			branch = cmp.Or(t.Responses[response].Branch, branch)
			response++
		}
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			if story.IsPrompt(e) {
				counter.Prompt()
			}
		case *trace.ToolCall:
			c := &calls[index]
			index++
			if !c.Counts() {
				continue
			}
			call := CallOf(b, inputs[index-1], t.Project.Path)
			call.Sub = sub
			f := &facts.Then{CheckedOut: branch, Numbers: counter.Call(keyOf(b), b.Type == trace.AgentTool)}
			each(c, call, f)
			if guard.ReadsSecret(call, place, f) {
				counter.Secret()
			}
		case *trace.ToolResult:
			if r := &t.Results[b.Result]; r.CallIndex > 0 && r.Status != trace.StatusRunning {
				counter.Result(keyOf(calls[r.CallIndex-1].Call), resultOf(r), r.Failed())
			}
		}
	}
}

func keyOf(c *trace.ToolCall) string {
	if key := cmp.Or(c.Key, c.Input.Hash); key != "" {
		return c.Tool + " " + key
	}
	return ""
}

func resultOf(r *trace.ToolResultEvent) string { return r.Content.Hash }
