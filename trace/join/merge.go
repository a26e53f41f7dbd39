package join

import (
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// piece is an event of the joined trace: the i-th of one of the two.
type piece struct {
	own bool
	i   int
}

// merge builds the joined trace in place of the store's.
func (m *match) merge() {
	for _, p := range m.calls {
		if p.store != nil && p.own != nil {
			m.fill(p)
		}
	}
	m.fillChanges()
	m.build(m.pieces())
}

// pieces returns the order of the joined trace: the store's events, each followed by the hooks' events behind it.
func (m *match) pieces() []piece {
	behind := make([][]int, len(m.store.Events)+1) // by the number of the store's events before
	anchor := 0
	for i, k := range m.event {
		switch {
		case k >= 0:
			anchor = max(anchor, k+1)
		case m.belongs(i):
			behind[anchor] = append(behind[anchor], i)
		}
	}
	return inOrder(behind)
}

// inOrder is the store's events, each followed by those behind it.
func inOrder(behind [][]int) (all []piece) {
	for k := range behind {
		if k > 0 {
			all = append(all, piece{i: k - 1})
		}
		for _, i := range behind[k] {
			all = append(all, piece{own: true, i: i})
		}
	}
	return all
}

// belongs reports whether an event that only the hooks have goes into the joined trace. The store knows better which
// messages programs wrote, and what its calls changed.
func (m *match) belongs(i int) bool {
	switch b := m.own.Events[i].Body.(type) {
	case *trace.UserMessage:
		return b.Machine == "" || b.Machine == "hook"
	case *trace.ToolCall:
		return !m.subagentCalls[b.Call]
	case *trace.FileChange:
		p := m.byOwn[b.Call]
		return (p == nil || p.store == nil) && !m.subagentCalls[b.Call]
	case *trace.ToolResult:
		p := m.byOwn[b.Call]
		if p == nil || p.store == nil || p.store.Last() == nil {
			return !m.subagentCalls[b.Call]
		}
		return p.store.Last().Status == trace.StatusRunning && m.own.Results[b.Result].Status != trace.StatusRunning
	}
	return true
}

// fill adds to a call's last result what only the hooks know.
func (m *match) fill(p *pair) {
	s, o := p.store.Last(), p.own.Last()
	if s == nil || o == nil || s.Status == trace.StatusRunning && o.Status != trace.StatusRunning {
		return // build adds missing results as a whole
	}
	var filled []string
	if s.ExitCode == nil && o.ExitCode != nil {
		s.ExitCode, filled = o.ExitCode, append(filled, "exit code")
	}
	// A client measures a call for its hooks without the wait for a permission. One that went to the background took
	// longer than it took to start.
	if o.DurationMS > 0 && o.Status != trace.StatusRunning && s.DurationMS != o.DurationMS {
		s.DurationMS, filled = o.DurationMS, append(filled, "duration")
	}
	if s.Denied == "" && o.Denied != "" && (s.Status == trace.StatusErrored || s.Status == trace.StatusCancelled) {
		s.Denied, filled = o.Denied, append(filled, "denied")
	}
	if s.Spawned == "" && o.Spawned != "" {
		s.Spawned, filled = o.Spawned, append(filled, "sub-agent")
	}
	if s.Status == trace.StatusUnknown && o.Status != trace.StatusUnknown {
		s.Status, filled = o.Status, append(filled, "status")
		if s.Head == "" && s.Failed() {
			s.Head = o.Head
		}
	}
	if len(filled) > 0 {
		note(&m.store.Events[s.EventIndex-1], strings.Join(filled, ", "))
	}
}

// fillChanges adds file hashes that only the hooks have.
func (m *match) fillChanges() {
	for i, k := range m.event {
		if k < 0 {
			continue
		}
		s, isChange := m.store.Events[k].Body.(*trace.FileChange)
		o, alsoChange := m.own.Events[i].Body.(*trace.FileChange)
		if isChange && alsoChange && s.Hash == "" && o.Hash != "" &&
			(strings.HasSuffix(s.Path, o.Path) || strings.HasSuffix(o.Path, s.Path)) {
			s.Hash = o.Hash
			note(&m.store.Events[k], "hash")
		}
	}
}

// note marks an event of the store with what it took from the hooks.
func note(e *trace.Event, what string) {
	if e.Inferred != "" {
		what = e.Inferred + "; " + what
	}
	e.Inferred = draft.Head(what+": "+log, trace.UserHead)
}

// build renumbers the events and results in the order of pieces.
func (m *match) build(pieces []piece) {
	t := m.store
	from := *t
	file := 0
	t.Sources = append([]trace.File(nil), from.Sources...)
	if len(m.own.Sources) > 0 {
		file = len(t.Sources)
		t.Sources = append(t.Sources, m.own.Sources...)
	}
	t.Events, t.Results, t.Responses = nil, nil, nil
	b := draft.Resume(t)
	seq := make([]int, len(from.Events)+1) // the store's n-th event → its number in the joined trace
	for _, p := range pieces {
		if p.own {
			m.addOwn(b, m.own.Events[p.i], file)
		} else {
			seq[p.i+1] = m.add(b, from.Events[p.i], from.Results)
		}
	}
	t.Responses = from.Responses
	for i := range t.Responses {
		t.Responses[i].Event = seq[t.Responses[i].Event]
	}
	if n := t.Lineage.MayCopy; n > 0 {
		t.Lineage.MayCopy = seq[n]
	}
}

func (m *match) addOwn(b *draft.Builder, e trace.Event, file int) {
	e.Ref.File += file
	switch inferred := e.Inferred; inferred {
	case "":
		e.Inferred = m.from
	default:
		e.Inferred = draft.Head(m.from+": "+inferred, trace.UserHead)
	}
	e.Turn = ""
	switch body := e.Body.(type) {
	case *trace.ToolResult:
		body.Call = m.storeCall(body.Call, true)
		m.own.Results[body.Result].Call = body.Call
	case *trace.Interrupt:
		body.Call = m.storeCall(body.Call, true)
	case *trace.FileChange:
		body.Call = m.storeCall(body.Call, true)
	case *trace.SubagentSpawn:
		body.Call = m.storeCall(body.Call, true)
	}
	m.add(b, e, m.own.Results)
}

// add appends an event unchanged but for its number, which it returns.
func (m *match) add(b *draft.Builder, e trace.Event, results []trace.ToolResultEvent) int {
	switch body := e.Body.(type) {
	case *trace.ToolCall:
		container := body.Container
		seq := b.Call(e, body)
		body.Container = container
		return seq
	case *trace.ToolResult:
		return b.Result(e, results[body.Result])
	}
	return b.Add(e)
}

// outcome takes the hooks' outcome where the store's is unknown or only a break.
func (m *match) outcome() {
	s, o := m.store, m.own
	if o.Outcome == trace.Unknown || o.Outcome == trace.Killed && s.Outcome != trace.Unknown {
		return
	}
	if s.Outcome == trace.Unknown || s.Outcome == trace.Killed {
		s.Outcome, s.OutcomeFrom = o.Outcome, draft.Token(log+": "+o.OutcomeFrom)
	}
}
