package own

import (
	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// agent is the beginning or end of a sub-agent, in an entry that belongs to it. Its parent's trace gets the spawn.
func (x *step) agent(parent string) error {
	if parent == "" {
		return nil // a prompt wrote it, and not whose
	}
	if x.e.Event == logfmt.AgentComplete {
		x.body(&trace.Session{Marker: trace.Stopped, Detail: x.d.Status.String()})
		return nil
	}
	x.body(&trace.Session{Marker: trace.Started, Detail: "subagent"})
	s, err := x.reading.session(parent, x.e)
	if err != nil {
		return err
	}
	e := x.event
	e.Body = &trace.SubagentSpawn{Session: x.Trace().ID, AgentID: x.e.Agent.ID, AgentType: x.e.Agent.Type,
		Description: draft.Head(x.d.Task.String(), trace.UserHead), Background: x.d.Background}
	s.Add(e)
	x.live++
	return nil
}

// spawned ties a sub-agent to the call that it came of, which only the end of that call names.
func (x *step) spawned(child, call string) error {
	for i := range x.Trace().Events {
		if b, ok := x.Trace().Events[i].Body.(*trace.SubagentSpawn); ok && b.Session == child && b.Call == "" {
			b.Call, b.Background = call, b.Background || x.d.Background
			if b.Description == "" {
				b.Description = draft.Head(x.d.Task.String(), trace.UserHead)
			}
		}
	}
	s, err := x.reading.known(child)
	if s == nil || err != nil {
		return err
	}
	for i := range s.Trace().Relationships {
		if r := &s.Trace().Relationships[i]; r.Kind == trace.Subagent && r.ParentCall == "" {
			r.ParentCall = draft.Token(call)
			if r.Description == "" {
				r.Description = draft.Head(x.d.Task.String(), trace.UserHead)
			}
		}
	}
	return nil
}
