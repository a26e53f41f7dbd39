package opencode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// traceBuilder makes a trace of a settled conversation.
type traceBuilder struct {
	*conversation
	b     *draft.Builder
	from  string            // the session that copied messages come from
	model string            // the model that the user chose last
	calls map[string]string // sub-agent's session → the call that started it
}

// emission adds events to the trace when its turn comes.
type emission struct {
	pos  int64
	rank int8 // orders emissions of one record
	emit func()
}

// build makes the trace. how says how the store was read, table from which tables; relate adds the relationships.
func (s *traceBuilder) build(path, how, table string, relate func()) (*trace.SessionTrace, error) {
	s.b = draft.New(name, s.session.id, name, path)
	s.b.Know(&s.secrets)
	s.calls = map[string]string{}
	relate()
	t := s.b.Trace()
	t.Sources[0].How = how
	t.Agent.Version, t.Project.Path = s.session.version, s.session.directory
	t.Damaged = s.damaged
	t.Extra, _ = json.Marshal(map[string]string{"table": table}) // a map of strings cannot fail
	s.b.Add(trace.Event{Time: when(s.session.created), Ref: s.session.ref, Record: s.session.id,
		Body: &trace.Session{Marker: trace.Started, Model: s.session.model}})
	var beats []emission
	for _, m := range s.messages {
		beats = append(beats, s.emissions(m)...)
	}
	slices.SortStableFunc(beats, func(a, b emission) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.rank, b.rank))
	})
	for _, b := range beats {
		b.emit()
	}
	s.addResponses()
	t.Outcome, t.OutcomeFrom = s.outcome()
	return s.b.Finish()
}

func (s *traceBuilder) emissions(m *message) []emission {
	if m.role == "user" {
		if b := s.firstUserPart(m); b != nil {
			return []emission{{pos: b.pos, emit: func() { s.addUserMessage(m, b) }}}
		}
		return nil
	}
	var all []emission
	last := m.endAt
	for _, p := range m.parts {
		all = append(all, emission{pos: p.pos, emit: func() { s.addPart(m, p) }})
		if p.tool != nil && p.tool.ended() {
			all = append(all, emission{pos: p.endAt, rank: 1, emit: func() { s.addResult(m, p) }})
		}
		last = max(last, p.endAt)
	}
	if m.open() {
		if m.next != nil && !m.byUser {
			all = append(all, emission{pos: m.next.pos, rank: -1, emit: func() { s.addNoEnd(m) }})
		}
		return all
	}
	return append(all, emission{pos: last, rank: 2, emit: func() { s.addMessageEnd(m) }})
}

// event makes an event of the message, or of its part p unless that is nil.
func (s *traceBuilder) event(m *message, p *part) trace.Event {
	e := trace.Event{Time: when(m.created), Ref: m.ref, Record: m.id, Turn: m.parent, Abandoned: m.removed}
	if m.role == "user" {
		e.Turn = m.id
	}
	if p != nil {
		e.Ref, e.Record, e.Abandoned = p.ref, p.id, p.removed
	}
	if m.copied {
		e.Copied = s.from
	}
	return e
}

// firstUserPart returns the part that begins a user's message; nil if the message adds nothing to the trace. What the
// user wrote comes before what opencode added.
func (s *traceBuilder) firstUserPart(m *message) *part {
	var own, made *part
	for _, p := range m.parts {
		switch {
		case p.kind == "compaction" || p.synthetic && p.textStart == userRan:
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

func (s *traceBuilder) addUserMessage(m *message, at *part) {
	e := s.event(m, at)
	e.Record = m.id
	if m.model != "" && s.model != "" && m.model != s.model {
		e.Body = &trace.Session{Marker: trace.ModelChanged, Model: m.model}
		s.b.Add(e)
	}
	s.model = cmp.Or(m.model, s.model)
	said := &trace.UserMessage{}
	said.Digest, said.Head = joinedText(m, at.synthetic)
	id, state := "", ""
	switch {
	case at.synthetic && strings.HasPrefix(at.textStart, taskNotice):
		e.By, said.Machine = "client", "task_notification"
		id, state = taskState(at.textStart)
	case at.synthetic, s.session.parent != "": // a sub-agent's task
		e.By, said.Machine = "client", "other"
	}
	e.Body = said
	s.b.Add(e)
	if call := s.calls[id]; call != "" {
		s.addSubagentResult(e, m, call, id, state, said.Digest, at)
	}
}

// addSubagentResult adds how a background sub-agent ended.
func (s *traceBuilder) addSubagentResult(e trace.Event, m *message, call, id, state string, said trace.Digest,
	at *part) {
	r := trace.ToolResultEvent{Call: call, Message: m.id, Status: trace.StatusUnknown, From: trace.FromNotification,
		Content: said, Spawned: id}
	switch state {
	case "completed":
		r.Status = trace.StatusCompleted
	case "error":
		r.Status, r.Head = trace.StatusErrored, s.b.Head(at.textStart, trace.ErrorHead)
	}
	s.b.Result(e, r)
}

// joinedText returns the digest and head of a user's message. Several texts have a length and no hash: no record holds
// them all, so nobody could prove one.
func joinedText(m *message, synthetic bool) (d trace.Digest, head string) {
	n := 0
	for _, p := range m.parts {
		if p.synthetic != synthetic || p.text.Length == 0 {
			continue
		}
		if n++; n == 1 {
			d, head = p.text, p.head
		} else {
			d.Length += p.text.Length
			d.Hash = ""
		}
	}
	if n == 0 {
		return draft.Digest(nil), ""
	}
	return d, head
}

// addPart adds a part of an answer, as far as it is known when it begins.
func (s *traceBuilder) addPart(m *message, p *part) {
	e := s.event(m, p)
	e.Time = when(cmp.Or(p.fin, p.start, m.created))
	n := len(s.b.Trace().Events)
	switch p.kind {
	case "text", "reasoning":
		e.Ref = p.end // the record that completed it
		s.addText(m, p, e)
	case "tool":
		s.addCall(m, p, e)
	case "patch":
		s.addPatch(m, p, e)
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

// addText adds what the model wrote. The answer to a compaction is the summary that replaces what came before.
func (s *traceBuilder) addText(m *message, p *part, e trace.Event) {
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

func (s *traceBuilder) addMessageEnd(m *message) {
	e := s.event(m, nil)
	e.Ref, e.Time = m.end, when(cmp.Or(m.completed, m.created))
	rejected := m.rejected()
	switch {
	case m.byUser:
		return
	case m.aborted():
		e.Body = &trace.Interrupt{Call: m.interruptedCall(), Reason: m.err.name}
	case m.err != nil:
		e.Body = &trace.Error{Code: m.err.name, Status: m.err.status, Fatal: m.last, Head: m.err.head,
			Digest: m.err.digest}
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

// compaction says who asked for a compaction: auto or manual.
func (s *traceBuilder) compaction(m *message) string {
	if asked := s.byID[m.parent]; asked != nil {
		for _, p := range asked.parts {
			if p.kind == "compaction" && p.auto {
				return "auto"
			}
		}
	}
	return "manual"
}

// addNoEnd adds the interruption of an answer that has no end although the session continued.
func (s *traceBuilder) addNoEnd(m *message) {
	e := s.event(m, nil)
	e.Ref, e.Time = m.end, when(m.next.created)
	e.Inferred = "the answer has no end, and another one follows"
	e.Body = &trace.Interrupt{Call: m.interruptedCall(), Reason: "no end"}
	s.b.Add(e)
}

// addResponses adds the answers with their costs. Unfinished answers cost nothing here, because opencode does not
// write down their cost.
func (s *traceBuilder) addResponses() {
	last := 0
	for _, m := range s.messages {
		for _, st := range m.steps {
			r := trace.Response{ID: st.id, Model: m.model, Event: cmp.Or(st.event, last),
				Time: when(cmp.Or(m.completed, m.created)), Usage: st.usage, Ref: m.ref}
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

// addCall adds a call, and the sub-agent that it started.
func (s *traceBuilder) addCall(m *message, p *part, e trace.Event) {
	t := p.tool
	e.Time = when(cmp.Or(t.start, m.created))
	if m.byUser {
		e.By = "user"
	}
	c := &trace.ToolCall{Call: t.call, Tool: t.name, Type: typeOf(t.name), Input: t.input, Path: t.path, Head: t.head}
	if p.step != nil {
		c.Response = p.step.id
	}
	s.b.Call(e, c)
	t.call = c.Call
	if t.child == "" || s.calls[t.child] != "" {
		return
	}
	s.calls[t.child] = t.call
	e.Body = &trace.SubagentSpawn{Session: t.child, Call: t.call, AgentType: t.agentType,
		Description: t.description, Background: t.background}
	s.b.Add(e)
}

// addResult adds the end of a call, and the files that it changed.
func (s *traceBuilder) addResult(m *message, p *part) {
	t := p.tool
	e := s.event(m, p)
	e.Ref, e.Time = p.end, when(cmp.Or(t.end, m.completed, m.created))
	if m.byUser {
		e.By = "user"
	}
	r := trace.ToolResultEvent{Call: t.call, Message: m.id, Status: t.result(), From: trace.FromToolResult,
		Content: t.output, ExitCode: t.exit,
		Denied: t.denied, Spawned: t.child}
	if r.Status != trace.StatusCompleted && r.Status != trace.StatusRunning {
		r.Head = t.outputHead
	}
	if t.status == "error" {
		failed := true
		r.IsError = &failed
	}
	if t.start > 0 && t.end > t.start {
		r.DurationMS = t.end - t.start
	}
	s.b.Result(e, r)
	for _, c := range t.changes {
		c.Call = t.call
		e.Body = &c
		s.b.Add(e)
	}
}

// addPatch adds the files that changed during an answer according to opencode's snapshots, without those that its
// editing tools named: commands changed them. Changes while a sub-agent worked may be the sub-agent's; its own trace
// holds them.
func (s *traceBuilder) addPatch(m *message, p *part, e trace.Event) {
	e.Time = when(cmp.Or(m.completed, m.created))
	seen := map[string]bool{}
	for _, other := range m.parts {
		if other.tool == nil {
			continue
		}
		if other.tool.child != "" {
			return
		}
		for _, c := range other.tool.changes {
			seen[c.Path], seen[c.From] = true, true
		}
	}
	for _, path := range p.files {
		if path != "" && !seen[path] {
			seen[path] = true
			e.Body = &trace.FileChange{Path: path, Action: "unknown"}
			s.b.Add(e)
		}
	}
}
