package insight

import (
	"cmp"
	"slices"

	"aburn/insight/failure"
	"aburn/trace"
)

// Make makes the digest of a trace. For a session that hooks recorded too, pass the joined trace
// (trace/join) and hooked: facts that only hooks know (a kill, a Stop, a COMPLETE) then refine
// the verdict.
func Make(t *trace.SessionTrace, hooked bool) *Digest {
	d := &Digest{Source: t.Source, ID: t.ID, Agent: t.Agent, Project: t.Project, Start: t.Start, End: t.End,
		ActiveMS: t.ActiveMS, Counts: t.Count(), Usage: t.Usage, Hooked: hooked, Decisive: -1}
	d.Relation, d.Parent = relation(t)
	s := &session{t: t, d: d, uses: uses(t)}
	s.shareTokens()
	d.Verdict = s.verdict()
	s.errors()
	s.tools()
	s.changes()
	s.phases()
	s.firstPrompt()
	d.fill()
	d.keys()
	return d
}

// fill replaces nil lists with empty ones, so that their JSON is [].
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

// session is a trace whose digest is being made.
type session struct {
	t    *trace.SessionTrace
	d    *Digest
	uses []use
}

// relation is how the session relates to others, and its parent. Being started by another session
// counts more than continuing one.
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

func (s *session) firstPrompt() {
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if isPrompt(e) {
			s.d.Ask, s.d.AskEvent = e.Body.(*trace.UserMessage).Head, e.Seq
			return
		}
	}
}

// isPrompt reports whether a person or caller wrote the event in this session (not in one that it
// copies).
func isPrompt(e *trace.Event) bool {
	m, ok := e.Body.(*trace.UserMessage)
	return ok && m.Machine == "" && e.By == "" && e.Copied == ""
}

// byAgent reports whether the agent did this in this session: a text or a call.
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

// SetLive marks the session as live or not, and makes its keys again: the coarse key includes the
// outcome.
func (d *Digest) SetLive(live bool) {
	if d.Live != live {
		d.Live = live
		d.keys()
	}
}

// cut returns at most so many bytes of s, in whole characters.
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
