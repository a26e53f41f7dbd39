// Package join merges what an agent's own store and aburn's hooks know about one session, and lists their differences.
// It is pure: two traces in, one trace out.
package join

import (
	"fmt"

	"aburn/trace"
	"aburn/trace/packed"
)

// log marks what the joined trace took from the hooks.
const log = "workflow log"

// Join joins a session from its agent's store with the same session from the hooks (trace/own). The joined trace is
// the store's: its order, its id. Events that only the hooks have follow the last earlier event that both have, and
// their Inferred names the hooks, like that of results that the hooks completed. Join changes neither argument.
//
// A client can raise a sub-agent's hooks in its parent's name (Codex's reviews). subs are the store's traces of the
// session's sub-agents; their calls are therefore not taken for the session's own.
//
// Join fails if the traces are not of one session, or if the joined trace is invalid.
func Join(store, own *trace.SessionTrace, subs ...*trace.SessionTrace) (*trace.SessionTrace, []Difference, error) {
	if store.ID != own.ID {
		return nil, nil, fmt.Errorf("join %s/%s and %s/%s: they are two sessions", store.Source, store.ID,
			own.Source, own.ID)
	}
	joined, err := clone(store)
	if err != nil {
		return nil, nil, err
	}
	if own, err = clone(own); err != nil {
		return nil, nil, err
	}
	m := &match{store: joined, own: own, from: log, event: make([]int, len(own.Events)), subagentCalls: map[string]bool{},
		byOwn: map[string]*pair{}}
	for _, sub := range subs {
		for _, c := range sub.Calls() {
			m.subagentCalls[c.Call.Call] = true
		}
	}
	for i := range m.event {
		m.event[i] = -1
	}
	m.matchCalls()
	m.matchOthers()
	m.compare()
	m.merge()
	m.outcome()
	joined.Settle()
	if err := joined.Validate(); err != nil {
		return nil, nil, fmt.Errorf("join: %w", err)
	}
	return joined, m.differences, nil
}

// clone returns a copy that shares nothing with t.
func clone(t *trace.SessionTrace) (*trace.SessionTrace, error) {
	data, err := packed.Append(nil, t)
	if err != nil {
		return nil, err
	}
	return packed.Parse(data)
}

// match knows which events of the two traces are the same.
type match struct {
	store, own    *trace.SessionTrace
	event         []int            // index in own → index in store, -1 if it has none
	subagentCalls map[string]bool  // ids of calls that a sub-agent made
	from          string           // what own is
	calls         []*pair          // the hooks' in their order, then those that only the store has
	byOwn         map[string]*pair // by the hooks' call id
	differences   []Difference
}

// pair is a call that at least one of the two has.
type pair struct {
	store, own *trace.Call
}

// matchCalls matches calls with the same id, and of the rest, in order, those of one type with one input.
func (m *match) matchCalls() {
	store, own := m.store.Calls(), m.own.Calls()
	byID := map[string]int{}
	for k := range store {
		if store[k].Event.Copied == "" {
			byID[store[k].Call.Call] = k
		}
	}
	taken := make([]bool, len(store))
	for i := range own {
		p := &pair{own: &own[i]}
		if k, ok := byID[p.own.Call.Call]; ok && !taken[k] {
			p.store, taken[k] = &store[k], true
		}
		m.calls = append(m.calls, p)
		m.byOwn[p.own.Call.Call] = p
	}
	type input struct {
		trace.ToolType
		key string
	}
	byInput := map[input][]int{}
	for k := range store {
		if c := store[k].Call; !taken[k] && store[k].Event.Copied == "" && c.Key != "" {
			byInput[input{c.Type, c.Key}] = append(byInput[input{c.Type, c.Key}], k)
		}
	}
	for _, p := range m.calls {
		in := input{p.own.Call.Type, p.own.Call.Key}
		if left := byInput[in]; p.store == nil && len(left) > 0 {
			p.store, taken[left[0]] = &store[left[0]], true
			byInput[in] = left[1:]
		}
		if p.store != nil {
			m.event[p.own.Event.Seq-1] = p.store.Event.Seq - 1
			m.matchResults(p)
		}
	}
	for k := range store {
		if s := &store[k]; !taken[k] && s.Event.Copied == "" && s.Event.By == "" && !s.Call.Container {
			m.calls = append(m.calls, &pair{store: s})
		}
	}
}

// matchResults matches the results of one call. A call that went to the background has a result for that, and a later
// one.
func (m *match) matchResults(p *pair) {
	used := map[int]bool{}
	for _, o := range p.own.Results {
		for i := len(p.store.Results) - 1; i >= 0; i-- {
			s := p.store.Results[i]
			if !used[i] && (s.Status == trace.StatusRunning) == (o.Status == trace.StatusRunning) {
				used[i] = true
				m.event[o.EventIndex-1] = s.EventIndex - 1
				break
			}
		}
	}
}

// matchOthers matches the other events of both, in order within each kind: prompts, markers, interrupts, errors,
// changes and sub-agents.
func (m *match) matchOthers() {
	waiting := map[string][]int{}
	for i := range m.store.Events {
		e := &m.store.Events[i]
		if k := m.kind(e, false); k != "" && e.Copied == "" {
			waiting[k] = append(waiting[k], i)
		}
	}
	for i := range m.own.Events {
		k := m.kind(&m.own.Events[i], true)
		if k == "" || len(waiting[k]) == 0 {
			continue
		}
		if n := m.nextMatch(i, k, waiting[k]); n >= 0 {
			m.event[i], waiting[k] = waiting[k][n], waiting[k][n+1:]
		}
	}
}

// nextMatch returns the waiting event of the store that is the i-th of own: the first one of its kind, except that
// prompts must have the same text. A prompt whose text is not found matches the first one that no later prompt of the
// hooks matches; -1 if there is none.
func (m *match) nextMatch(i int, kind string, waiting []int) int {
	head := func(e *trace.Event) string {
		if u, ok := e.Body.(*trace.UserMessage); ok {
			return u.Head
		}
		return ""
	}
	mine := head(&m.own.Events[i])
	if mine == "" {
		return 0
	}
	for n, k := range waiting {
		if alike(mine, head(&m.store.Events[k])) {
			return n
		}
	}
	first := head(&m.store.Events[waiting[0]])
	for later := i + 1; later < len(m.own.Events); later++ {
		if e := &m.own.Events[later]; m.kind(e, true) == kind && alike(first, head(e)) {
			return -1
		}
	}
	return 0
}

// kind is equal for events that may be the same; "" if an event matches none.
func (m *match) kind(e *trace.Event, own bool) string {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return "message " + b.Machine
	case *trace.Session:
		if b.Marker == trace.Started || b.Marker == trace.Resumed {
			return "begun" // a store may have one word for both
		}
		return "marker " + string(b.Marker) + " " + b.Command + " " + b.Phase
	case *trace.Interrupt:
		return "interrupt"
	case *trace.Error:
		if b.Fatal {
			return "error"
		}
	case *trace.FileChange:
		return "change " + m.storeCall(b.Call, own)
	case *trace.SubagentSpawn:
		return "spawn " + b.AgentID
	}
	return ""
}

// storeCall returns the store's id of a call.
func (m *match) storeCall(id string, own bool) string {
	if p := m.byOwn[id]; own && p != nil && p.store != nil {
		return p.store.Call.Call
	}
	return id
}
