package opencode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// story makes a trace of a settled talk.
type story struct {
	*talk
	b     *draft.Builder
	from  string            // the session that copied messages come from
	model string            // that the user chose last
	calls map[string]string // sub-agent's session → the call that started it
}

// beat is an event to tell, in its place.
type beat struct {
	pos  int64
	rank int8 // among those of one record
	tell func()
}

// tell makes the trace. how says how the store was read, table from what; relate notes the relationships.
func (s *story) tell(path, how, table string, relate func()) (*trace.SessionTrace, error) {
	s.b = draft.New(name, s.session.id, name, path)
	s.calls = map[string]string{}
	relate()
	t := s.b.Trace()
	t.Sources[0].How = how
	t.Agent.Version, t.Project.Path = s.session.version, s.session.directory
	t.Damaged = s.damaged
	t.Extra, _ = json.Marshal(map[string]string{"table": table}) // a map of strings
	s.b.Add(trace.Event{Time: when(s.session.created), Ref: s.session.ref, Record: s.session.id, Body: &trace.Session{Marker: trace.Started, Model: s.session.model}})
	var beats []beat
	for _, m := range s.messages {
		beats = append(beats, s.beats(m)...)
	}
	slices.SortStableFunc(beats, func(a, b beat) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.rank, b.rank))
	})
	for _, b := range beats {
		b.tell()
	}
	s.responses()
	t.Outcome, t.OutcomeFrom = s.outcome()
	return s.b.Finish()
}

// beats is the events of a message.
func (s *story) beats(m *message) []beat {
	if m.role == "user" {
		if b := s.asked(m); b != nil {
			return []beat{{pos: b.pos, tell: func() { s.user(m, b) }}}
		}
		return nil
	}
	var all []beat
	last := m.endAt
	for _, p := range m.parts {
		all = append(all, beat{pos: p.pos, tell: func() { s.part(m, p) }})
		if p.tool != nil && p.tool.ended() {
			all = append(all, beat{pos: p.endAt, rank: 1, tell: func() { s.result(m, p) }})
		}
		last = max(last, p.endAt)
	}
	if m.open() {
		if m.next != nil && !m.ran {
			all = append(all, beat{pos: m.next.pos, rank: -1, tell: func() { s.lost(m) }})
		}
		return all
	}
	return append(all, beat{pos: last, rank: 2, tell: func() { s.ended(m) }})
}

// event is an event of the message, at a part of it if p is not nil.
func (s *story) event(m *message, p *part) trace.Event {
	e := trace.Event{Time: when(m.created), Ref: m.ref, Record: m.id, Turn: m.parent, Abandoned: m.gone}
	if m.role == "user" {
		e.Turn = m.id
	}
	if p != nil {
		e.Ref, e.Record, e.Abandoned = p.ref, p.id, p.gone
	}
	if m.copied {
		e.Copied = s.from
	}
	return e
}

// asked is the part with which what a user's message says begins; nil if it says nothing that is part of the story.
func (s *story) asked(m *message) *part {
	var own, made *part
	for _, p := range m.parts {
		switch {
		case p.kind == "compaction" || p.synthetic && p.said == userRan:
			return nil
		case p.kind != "text" && p.kind != "file" && p.kind != "agent" && p.kind != "subtask":
		case p.synthetic && made == nil:
			made = p
		case !p.synthetic && own == nil:
			own = p
		}
	}
	return cmp.Or(own, made)
}

// user tells what a user's message says.
func (s *story) user(m *message, at *part) {
	e := s.event(m, at)
	e.Record = m.id
	if m.model != "" && s.model != "" && m.model != s.model {
		e.Body = &trace.Session{Marker: trace.ModelChanged, Model: m.model}
		s.b.Add(e)
	}
	s.model = cmp.Or(m.model, s.model)
	said := &trace.UserMessage{}
	said.Digest, said.Head = whole(m, at.synthetic)
	id, state := "", ""
	switch {
	case at.synthetic && strings.HasPrefix(at.said, taskNotice):
		e.By, said.Machine = "client", "task_notification"
		id, state = taskState(at.said)
	case at.synthetic, s.session.parent != "": // of a sub-agent it is the task that it was given
		e.By, said.Machine = "client", "other"
	}
	e.Body = said
	s.b.Add(e)
	if call := s.calls[id]; call != "" {
		s.notified(e, m, call, id, state, said.Digest, at)
	}
}

// notified tells what became of a sub-agent in the background.
func (s *story) notified(e trace.Event, m *message, call, id, state string, said trace.Digest, at *part) {
	r := trace.ToolResultEvent{Call: call, Message: m.id, Status: trace.StatusUnknown, From: trace.FromNotification, Content: said, Spawned: id}
	switch state {
	case "completed":
		r.Status = trace.StatusCompleted
	case "error":
		r.Status, r.Head = trace.StatusErrored, draft.Head(at.said, trace.ErrorHead)
	}
	s.b.Result(e, r)
}

// whole is the digest and head of a user's message. Of several texts the hash is that of their hashes, so that none has
// to be kept.
func whole(m *message, synthetic bool) (d trace.Digest, head string) {
	var hashes []byte
	n := 0
	for _, p := range m.parts {
		if p.synthetic != synthetic || p.text.Length == 0 {
			continue
		}
		if n++; n == 1 {
			d, head = p.text, p.head
		} else {
			d.Length += p.text.Length
		}
		hashes = append(hashes, p.text.Hash...)
	}
	switch {
	case n == 0:
		return draft.Digest(nil), ""
	case n > 1:
		sum := sha256.Sum256(hashes)
		d.Hash = hex.EncodeToString(sum[:8])
	}
	return d, head
}

// part tells a part of an answer, as far as it is known when it begins.
func (s *story) part(m *message, p *part) {
	e := s.event(m, p)
	e.Time = when(cmp.Or(p.fin, p.start, m.created))
	n := len(s.b.Trace().Events)
	switch p.kind {
	case "text", "reasoning":
		e.Ref = p.end // with which it is whole
		s.says(m, p, e)
	case "tool":
		s.call(m, p, e)
	case "patch":
		s.patch(m, p, e)
	case "retry":
		if p.err != nil {
			e.Body = &trace.Error{Code: p.err.name, Status: p.err.status, Head: p.err.head, Digest: p.err.digest}
			s.b.Add(e)
		}
	}
	if p.step != nil && p.step.event == 0 && len(s.b.Trace().Events) > n {
		p.step.event = n + 1
	}
}

// says tells what the model wrote. The answer to a compaction is the summary that takes the place of what came before.
func (s *story) says(m *message, p *part, e trace.Event) {
	if p.text.Length == 0 {
		return
	}
	if m.summary && p.kind == "text" {
		e.By, e.Body = "client", &trace.UserMessage{Digest: p.text, Machine: "compact_summary"}
	} else {
		said := &trace.AgentMessage{Digest: p.text, Thought: p.kind == "reasoning"}
		if p.step != nil {
			said.Response = p.step.id
		}
		e.Body = said
	}
	s.b.Add(e)
}

// ended tells how a message ended.
func (s *story) ended(m *message) {
	e := s.event(m, nil)
	e.Ref, e.Time = m.end, when(cmp.Or(m.completed, m.created))
	rejected := m.rejected()
	switch {
	case m.ran:
		return
	case m.aborted():
		e.Body = &trace.Interrupt{Call: m.hit(), Reason: m.err.name}
	case m.err != nil:
		e.Body = &trace.Error{Code: m.err.name, Status: m.err.status, Fatal: m.last, Head: m.err.head, Digest: m.err.digest}
	case m.summary:
		e.Body = &trace.Session{Marker: trace.Compacted, Detail: s.compaction(m)}
	case rejected != nil:
		e.Inferred = "the turn ends with a call that the user refused"
		e.Body = &trace.Interrupt{Call: rejected.call, Reason: "permission rejected"}
	case m.empty():
		e.Inferred = "the answer was closed without content, finish or error"
		e.Body = &trace.Interrupt{Reason: "no answer"}
	case m.last && m.stop() != "" && !m.wantsTools():
		e.Body = &trace.Session{Marker: trace.Stopped, Detail: m.stop()}
	default:
		return
	}
	s.b.Add(e)
}

// compaction says who asked for it.
func (s *story) compaction(m *message) string {
	if asked := s.byID[m.parent]; asked != nil {
		for _, p := range asked.parts {
			if p.kind == "compaction" && p.auto {
				return "auto"
			}
		}
	}
	return "manual"
}

// lost tells that an answer has no end although the session went on.
func (s *story) lost(m *message) {
	e := s.event(m, nil)
	e.Ref, e.Time = m.end, when(m.next.created)
	e.Inferred = "the answer has no end, and another one follows"
	e.Body = &trace.Interrupt{Call: m.hit(), Reason: "no end"}
	s.b.Add(e)
}

// responses tells the answers of the model with what they cost. What it said of one that has no end counts for nothing,
// as opencode does not write down what it cost.
func (s *story) responses() {
	last := 0
	for _, m := range s.messages {
		for _, st := range m.steps {
			r := trace.Response{ID: st.id, Model: m.model, Event: cmp.Or(st.event, last), Time: when(cmp.Or(m.completed, m.created)), Usage: st.usage, Ref: m.ref}
			if st.finish != nil {
				r.Stop, r.Ref = cmp.Or(st.finish.reason, m.finish), st.finish.ref
			}
			if m.copied {
				r.Copied = s.from
			}
			s.b.Response(r)
			last = r.Event
		}
	}
}
