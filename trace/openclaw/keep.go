package openclaw

import (
	"aburn/trace"
	"aburn/trace/draft"
)

// restoreDestroyed puts back what an earlier reading found and the client has destroyed since, such as by a truncating
// compaction. Events and responses of missing records go between the session's start and its present events.
func (s *session) restoreDestroyed(before *trace.SessionTrace) {
	now := s.b.Trace()
	gone := func(record string) bool { return record != "" && s.entries[record] == nil }
	lost := false
	for i := range before.Events {
		lost = lost || gone(before.Events[i].Record)
	}
	if !lost || len(now.Events) == 0 {
		return
	}
	m := &merged{b: draft.New(now.Source, now.ID, now.Agent.Name, now.Sources[0].Path)}
	t := m.b.Trace()
	t.Project, t.Sources, t.Damaged = now.Project, now.Sources, now.Damaged
	first := func(e *trace.Event) bool { return e.Seq == 1 }
	m.add(now, first, func(string) bool { return false })
	m.add(before, func(e *trace.Event) bool { return gone(e.Record) }, gone)
	m.add(now, func(e *trace.Event) bool { return e.Seq > 1 }, func(string) bool { return true })
	s.b = m.b
}

// merged is a trace made from parts of others.
type merged struct{ b *draft.Builder }

// add adds the events that event accepts, and the responses whose id answer accepts.
func (m *merged) add(from *trace.SessionTrace, event func(*trace.Event) bool, answer func(id string) bool) {
	at := len(m.b.Trace().Events)
	seqs := make([]int, len(from.Events)+1) // old Seq → new Seq, or the last new one before it
	for i := range from.Events {
		e := from.Events[i]
		if event(&e) {
			e.Ref.File = m.b.File(from.Sources[e.Ref.File].Path, from.Sources[e.Ref.File].How)
			switch body := e.Body.(type) {
			case *trace.ToolCall:
				call := *body
				at = m.b.Call(e, &call)
			case *trace.ToolResult:
				at = m.b.Result(e, from.Results[body.Result])
			default:
				at = m.b.Add(e)
			}
		}
		seqs[i+1] = at
	}
	for _, r := range from.Responses {
		if answer(r.ID) {
			r.Event = seqs[r.Event]
			r.Ref.File = m.b.File(from.Sources[r.Ref.File].Path, from.Sources[r.Ref.File].How)
			m.b.Response(r)
		}
	}
}
