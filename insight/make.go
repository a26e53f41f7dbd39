package insight

import (
	"cmp"
	"slices"

	"aburn/insight/failure"
	"aburn/trace"
)

// Make works out the digest of a trace. Of a session that hooks recorded too it is given the joined trace (trace/join) and
// hooked: what hooks alone know (a kill, a Stop, a COMPLETE) then refines the verdict.
func Make(t *trace.SessionTrace, hooked bool) *Digest {
	d := &Digest{Source: t.Source, ID: t.ID, Agent: t.Agent, Project: t.Project, Start: t.Start, End: t.End,
		ActiveMS: t.ActiveMS, Counts: t.Count(), Usage: t.Usage, Hooked: hooked, Decisive: -1}
	d.Relation, d.Parent = relation(t)
	s := &session{t: t, d: d, uses: uses(t)}
	s.share()
	s.errors()
	s.tools()
	s.changes()
	s.phases()
	s.ask()
	d.fill()
	d.Verdict = s.verdict()
	d.keys()
	return d
}

// fill makes lists that are not there empty ones, so that their JSON is [].
func (d *Digest) fill() {
	d.Classes, d.Errors, d.Tools, d.Slow = filled(d.Classes), filled(d.Errors), filled(d.Tools), filled(d.Slow)
	d.Loops, d.Changes, d.Phases = filled(d.Loops), filled(d.Changes), filled(d.Phases)
}

func filled[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// session is a trace on its way into its digest.
type session struct {
	t    *trace.SessionTrace
	d    *Digest
	uses []use
}

// relation is how the session stands to others, and what started it: that says more of it than what it continues.
func relation(t *trace.SessionTrace) (kind trace.Relation, parent string) {
	if len(t.Relationships) == 0 {
		return trace.Root, ""
	}
	for i := range t.Relationships {
		if r := &t.Relationships[i]; r.Kind == trace.Subagent {
			return r.Kind, r.Related
		}
	}
	return t.Relationships[0].Kind, ""
}

// ask notes the first prompt.
func (s *session) ask() {
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if isPrompt(e) {
			s.d.Ask, s.d.AskEvent = e.Body.(*trace.UserMessage).Head, e.Seq
			return
		}
	}
}

// isPrompt says whether an event is what a person or caller wrote, here.
func isPrompt(e *trace.Event) bool {
	m, ok := e.Body.(*trace.UserMessage)
	return ok && m.Machine == "" && e.By == "" && e.Copied == ""
}

// byAgent says whether an event is something that the agent did, here: a text or a call.
func byAgent(e *trace.Event) bool {
	if e.Copied != "" || e.By != "" {
		return false
	}
	switch e.Body.(type) {
	case *trace.AgentMessage, *trace.ToolCall:
		return true
	}
	return false
}

// SetLive notes whether the session is going on, and works out its keys again: the coarse one holds the outcome.
func (d *Digest) SetLive(live bool) {
	if d.Live != live {
		d.Live = live
		d.keys()
	}
}

// cut is the beginning of s, at most so many bytes, and whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most -= len("…")
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}

// tally adds n to the count of a class.
func tally(all []ClassCount, c failure.Class, n int) []ClassCount {
	i, found := slices.BinarySearchFunc(all, c, func(have ClassCount, c failure.Class) int { return cmp.Compare(have.Class, c) })
	if !found {
		all = slices.Insert(all, i, ClassCount{Class: c})
	}
	all[i].Count += n
	return all
}
