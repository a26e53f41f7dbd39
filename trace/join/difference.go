package join

import (
	"fmt"
	"time"

	"aburn/trace"
)

// Kind is what two traces of a session differ in.
type Kind string

const (
	OnlyStore Kind = "only_store" // hooks did not see it
	OnlyHooks Kind = "only_hooks" // the store does not have it
	NoResult  Kind = "no_result"  // one has an end of the call, the other none
	Status    Kind = "status"
	ExitCode  Kind = "exit_code"
	Denied    Kind = "denied"
	Tool      Kind = "tool"  // the tool's type
	Input     Kind = "input" // shown by another path or command: a hook changed it, for example
	Spawned   Kind = "spawned"
	Time      Kind = "time"
	Duration  Kind = "duration"
	Order     Kind = "order"
	Prompt    Kind = "prompt" // the text
	Outcome   Kind = "outcome"
)

// Difference is one thing that the store and the hooks say differently. What only one of them knows in addition (an
// exit code, a duration) is no difference: the joined trace has it.
type Difference struct {
	Kind Kind
	// Event is the kind of the event, Call its call's id if it is about a call.
	Event, Call string
	// StoreSeq and OwnSeq number the event in the store's trace and in the hooks'; 0 if it is missing there.
	StoreSeq, OwnSeq int
	// Store and Own are what the two say.
	Store, Own string
}

// String formats the difference on one line for people.
func (d Difference) String() string {
	what := d.Event
	if d.Call != "" {
		what += " " + d.Call
	}
	switch d.Kind {
	case OnlyStore:
		return fmt.Sprintf("%s: only in the store (event %d): %s", what, d.StoreSeq, d.Store)
	case OnlyHooks:
		return fmt.Sprintf("%s: only in the workflow log (event %d): %s", what, d.OwnSeq, d.Own)
	}
	return fmt.Sprintf("%s: %s is %q in the store (event %d) and %q in the workflow log (event %d)", what, d.Kind,
		d.Store, d.StoreSeq, d.Own, d.OwnSeq)
}

// Times this near count as equal: hooks run before a call begins and after it ended, and stores note a time when they
// write.
const (
	nearTime     = 10 * time.Second
	nearDuration = time.Second
)

func (m *match) differ(kind Kind, event, call string, store, own *trace.Event, s, o string) {
	d := Difference{Kind: kind, Event: event, Call: call, Store: s, Own: o}
	if store != nil {
		d.StoreSeq = store.Seq
	}
	if own != nil {
		d.OwnSeq = own.Seq
	}
	m.differences = append(m.differences, d)
}

// compare notes the differences, in the order of the hooks' calls and events.
func (m *match) compare() {
	last := 0
	for _, p := range m.calls {
		switch {
		case p.store == nil:
			what := p.own.Call.Tool
			if m.subagentCalls[p.own.Call.Call] {
				what += ", a sub-agent's in the store"
			}
			m.differ(OnlyHooks, trace.KindToolCall, p.own.Call.Call, nil, p.own.Event, "", what)
		case p.own == nil:
			m.differ(OnlyStore, trace.KindToolCall, p.store.Call.Call, p.store.Event, nil, p.store.Call.Tool, "")
		default:
			m.compareCall(p)
			if seq := p.store.Event.Seq; seq < last {
				m.differ(Order, trace.KindToolCall, p.store.Call.Call, p.store.Event, p.own.Event,
					fmt.Sprint("event ", seq), fmt.Sprint("behind event ", last))
			} else {
				last = seq
			}
		}
	}
	m.compareOthers()
	if s, o := m.store.Outcome, m.own.Outcome; s != o && s != trace.Unknown && o != trace.Unknown {
		m.differ(Outcome, "session", "", nil, nil, string(s), string(o))
	}
}

func (m *match) compareCall(p *pair) {
	s, o := p.store, p.own
	say := func(kind Kind, store, own string) {
		if store != own {
			m.differ(kind, trace.KindToolCall, s.Call.Call, s.Event, o.Event, store, own)
		}
	}
	say(Tool, string(s.Call.Type), string(o.Call.Type))
	// The members of one input can stand in another order, so its hash alone says nothing.
	if s.Call.Key != o.Call.Key && s.Call.Key != "" && o.Call.Key != "" {
		if s.Call.Path != o.Call.Path {
			say(Input, s.Call.Path, o.Call.Path)
		} else if !alike(s.Call.Head, o.Call.Head) {
			say(Input, s.Call.Head, o.Call.Head)
		}
	}
	if furtherApart(s.Event.Time, o.Event.Time, nearTime) {
		say(Time, s.Event.Time.String(), o.Event.Time.String())
	}
	rs, ro := s.Last(), o.Last()
	switch {
	case rs == nil && ro == nil:
		return
	case rs == nil:
		say(NoResult, "", string(ro.Status))
		return
	case ro == nil:
		say(NoResult, string(rs.Status), "")
		return
	}
	// Hooks hear of a call that goes on in the background only that it does; the store may have its end.
	known := rs.Status != trace.StatusUnknown && ro.Status != trace.StatusUnknown
	if known && !(ro.Status == trace.StatusRunning && len(s.Results) > 1) {
		say(Status, string(rs.Status), string(ro.Status))
	}
	if rs.ExitCode != nil && ro.ExitCode != nil {
		say(ExitCode, fmt.Sprint(*rs.ExitCode), fmt.Sprint(*ro.ExitCode))
	}
	if rs.Denied != "" && ro.Denied != "" {
		say(Denied, rs.Denied, ro.Denied)
	}
	if rs.Spawned != "" && ro.Spawned != "" {
		say(Spawned, rs.Spawned, ro.Spawned)
	}
	if a, b := time.Duration(rs.DurationMS)*time.Millisecond, time.Duration(ro.DurationMS)*time.Millisecond; a > 0 && b > 0 && (a-b).Abs() > nearDuration {
		say(Duration, a.String(), b.String())
	}
}

// furtherApart reports whether two known times differ by more than near.
func furtherApart(a, b time.Time, near time.Duration) bool {
	return !a.IsZero() && !b.IsZero() && a.Sub(b).Abs() > near
}

// compareOthers notes prompts that differ, and shared kinds of events that only one of the two has.
func (m *match) compareOthers() {
	seen := map[int]bool{}
	for i, k := range m.event {
		o := &m.own.Events[i]
		if k >= 0 {
			seen[k] = true
			m.comparePrompt(&m.store.Events[k], o)
		} else if what, ok := shared(o); ok {
			m.differ(OnlyHooks, o.Body.Kind(), "", nil, o, "", what)
		}
	}
	for k := range m.store.Events {
		s := &m.store.Events[k]
		if what, ok := shared(s); ok && !seen[k] && s.Copied == "" {
			m.differ(OnlyStore, s.Body.Kind(), "", s, nil, what, "")
		}
	}
}

func (m *match) comparePrompt(s, o *trace.Event) {
	a, isPrompt := s.Body.(*trace.UserMessage)
	b, alsoPrompt := o.Body.(*trace.UserMessage)
	if !isPrompt || !alsoPrompt || a.Machine != "" || a.Head == "" || b.Head == "" {
		return
	}
	if !alike(a.Head, b.Head) {
		m.differ(Prompt, s.Body.Kind(), "", s, o, a.Head, b.Head)
	}
	if furtherApart(s.Time, o.Time, nearTime) {
		m.differ(Time, s.Body.Kind(), "", s, o, s.Time.String(), o.Time.String())
	}
}

// alike reports whether two heads may be of one text, cut at different lengths.
func alike(a, b string) bool {
	n := min(len(a), len(b)) - len("…")
	return a == b || n > 0 && a[:n] == b[:n]
}

// shared returns the kind of an event that both stores and hooks record.
func shared(e *trace.Event) (string, bool) {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return b.Head, b.Machine == "" && e.By == ""
	case *trace.SubagentSpawn:
		return b.AgentID, true
	case *trace.Interrupt:
		return b.Reason, true
	case *trace.Error:
		return b.Code, b.Fatal
	}
	return "", false
}
