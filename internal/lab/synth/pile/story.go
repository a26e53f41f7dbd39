package pile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// story is a session while it is made: its verbs add to its trace, to what hooks record of it, and to the truth.
type story struct {
	m     *maker
	r     *rand.Rand
	agent *agent
	b     *draft.Builder // the store's
	own   *draft.Builder // what hooks record; nil if there are none
	ownID int            // lines of own
	t     *Session

	now       time.Time // of the last event; zero if nobody knows
	line      int64
	responses int
	calls     int
	spawned   int
	copied    string             // events are copies from this session: they are in no truth
	contents  map[string]*[]bool // by path: which contents the file has had
	edits     map[string]*Loop
	phase     *Phase
	begun     time.Time // the phase
}

// begin begins a session at a time.
func (m *maker) begin(r *rand.Rand, a *agent, at time.Time) *story {
	id := fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()>>16)
	return m.tell(r, a, a.name, id, filepath.Join(m.work, names[r.IntN(len(names))]), at)
}

func (m *maker) tell(r *rand.Rand, a *agent, source, id, project string, at time.Time) *story {
	s := &story{m: m, r: r, agent: a, now: at, t: &Session{Source: source, ID: id, Agent: a.name, Project: project, Tools: map[string]Tool{},
		Errors: []Error{}, Loops: []Loop{}, Slow: []int64{}, Phases: []Phase{}}, contents: map[string]*[]bool{}, edits: map[string]*Loop{}}
	s.b = draft.New(source, id, a.name, "/home/user/."+source+"/sessions/"+id+".jsonl")
	s.b.Trace().Project = trace.Project{Path: project, Key: project}
	return s
}

// record lets hooks record the session, from its beginning.
func (s *story) record() {
	s.own = draft.New("own", s.t.ID, s.agent.name, s.t.Project+"/.oss/workflow.log")
	s.own.Trace().Project = s.b.Trace().Project
	s.t.Hooked = true
	s.recorded(s.event(&trace.Session{Marker: trace.Started}))
}

// pass lets time go by.
func (s *story) pass(d time.Duration) {
	if !s.now.IsZero() {
		s.now = s.now.Add(d)
	}
}

// event is the next event, some seconds later.
func (s *story) event(body trace.Body) trace.Event {
	s.pass(time.Duration(1+s.r.IntN(20)) * time.Second)
	s.line++
	e := trace.Event{Time: s.now, Ref: trace.Ref{Line: s.line}, Record: fmt.Sprintf("%s-%d", s.t.ID, s.line), Copied: s.copied, Body: body}
	if s.copied == "" && !s.now.IsZero() {
		if s.t.Start.IsZero() {
			s.t.Start = s.now
		}
		s.t.End = s.now
	}
	return e
}

// recorded is an event that hooks record. It has a line of its own in their log.
func (s *story) recorded(e trace.Event) {
	if s.own == nil {
		return
	}
	s.ownLine(&e)
	s.own.Add(e)
}

func (s *story) ownLine(e *trace.Event) {
	s.ownID++
	e.Record, e.Ref = fmt.Sprint(s.ownID), trace.Ref{Line: int64(s.ownID)}
}

// ask is a prompt of the user.
func (s *story) ask(text string) {
	e := s.event(&trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: draft.Head(text, trace.UserHead)})
	s.b.Add(e)
	s.recorded(e)
}

// say is a text of the agent, with a response of its own.
func (s *story) say() {
	id := s.response(int64(100 + s.r.IntN(2000)))
	s.b.Add(s.event(&trace.AgentMessage{Digest: draft.Digest([]byte(id)), Response: id}))
}

// response is the id of a new one that took so many tokens. Its first event is the next.
func (s *story) response(tokens int64) string {
	s.responses++
	id := fmt.Sprintf("msg_%s%d", s.t.ID[:8], s.responses)
	u := trace.Usage{Input: tokens / 4, CacheRead: tokens / 2, Output: tokens - tokens/4 - tokens/2}
	s.b.Response(trace.Response{ID: id, Model: "model-1", Event: len(s.b.Trace().Events) + 1, Time: s.now, Usage: u,
		Ref: trace.Ref{Line: s.line + 1}, Copied: s.copied})
	if s.copied != "" {
		return id
	}
	s.t.Tokens += tokens
	if s.phase != nil {
		s.phase.Tokens += tokens
	}
	return id
}

// act is one call.
type act struct {
	typ     trace.ToolType
	what    string // command or path
	flaw    *flaw  // nil if it succeeds
	again   bool   // the last call that did the same failed
	left    bool   // it has no end
	content int    // of an edit: which content the file has then; 0 for a new one
	slow    bool
}

// do is a response that makes calls, which all run at once and end in their order.
func (s *story) do(acts ...act) {
	share := int64(200 + s.r.IntN(4000))
	total := share * int64(len(acts))
	response := s.response(total)
	if s.copied == "" {
		s.t.Spent.Calls += total
	}
	ids, began := make([]string, len(acts)), make([]time.Time, len(acts))
	for i := range acts {
		ids[i], began[i] = s.call(&acts[i], response)
		if s.copied == "" {
			s.count(&acts[i], share)
		}
	}
	for i := range acts {
		if !acts[i].left {
			s.result(&acts[i], ids[i], began[i])
		}
	}
}

// call adds the call and returns its id and when it began.
func (s *story) call(a *act, response string) (string, time.Time) {
	s.calls++
	c := &trace.ToolCall{Call: fmt.Sprintf("toolu_%s%d", s.t.ID[:8], s.calls), Tool: s.agent.tool(a.typ), Type: a.typ,
		Input: draft.Digest([]byte(string(a.typ) + a.what)), Response: response}
	switch a.typ {
	case trace.ShellTool:
		c.Head = draft.Head(a.what, trace.CommandHead)
	case trace.EditTool: // each edit is another one
		c.Path, c.Input = a.what, draft.Digest([]byte(c.Call))
	default:
		c.Path = a.what
	}
	e := s.event(nil)
	s.b.Call(e, c)
	if s.own != nil {
		s.ownLine(&e)
		copied := *c
		copied.Response, copied.Input = "", trace.Digest{}
		s.own.Call(e, &copied)
	}
	return c.Call, e.Time
}

// count notes what a call means.
func (s *story) count(a *act, share int64) {
	t := Tool{Calls: 1, Ended: 1}
	s.t.Calls++
	switch {
	case a.left:
		t.Ended = 0
		s.t.NoResult++
	case a.flaw != nil:
		t.Failed, t.Spent = 1, share
		s.t.Spent.Failed += share
		s.t.Errors = append(s.t.Errors, Error{a.flaw.name, a.flaw.class})
		if a.flaw.denied != "" {
			t.Denied = 1
		}
	case a.again:
		s.t.Spent.Retries += share
	}
	if a.again {
		t.Retries = 1
	}
	s.tool(a.typ, t)
	if p := s.phase; p != nil {
		p.Calls++
		if t.Failed > 0 {
			p.Failed++
			if p.Tools == nil {
				p.Tools = map[string]int{}
			}
			p.Tools[s.agent.tool(a.typ)]++
		}
	}
}

func (s *story) tool(typ trace.ToolType, t Tool) {
	have := s.t.Tools[string(typ)]
	have.add(t)
	s.t.Tools[string(typ)] = have
}

// result ends a call that began at a time.
func (s *story) result(a *act, id string, began time.Time) {
	wrong := a.flaw != nil
	r := trace.ToolResultEvent{Call: id, Status: trace.StatusCompleted, From: trace.FromToolResult, IsError: &wrong, DurationMS: s.duration(a)}
	if wrong {
		r.Status, r.Denied, r.Head = trace.StatusErrored, a.flaw.denied, draft.Head(a.flaw.text(s.r), trace.ErrorHead)
		if r.Denied == "user" {
			r.Status = trace.StatusCancelled
		}
		if code := a.flaw.exit; code != noExit {
			r.ExitCode = &code
		}
	} else if a.typ == trace.ShellTool {
		r.ExitCode = new(int)
	}
	s.pass(time.Duration(r.DurationMS) * time.Millisecond)
	e := s.event(nil)
	if ms := r.DurationMS; ms > 0 {
		s.timed(a, ms)
	} else {
		s.timed(a, e.Time.Sub(began).Milliseconds())
	}
	s.b.Result(e, r)
	if s.own != nil {
		s.ownLine(&e)
		s.own.Result(e, r)
	}
	if a.typ == trace.EditTool && !wrong {
		s.changed(a, id)
	}
}

// duration is how long a call takes, 0 where its source does not say.
func (s *story) duration(a *act) int64 {
	ms := int64(20 + s.r.IntN(4000))
	switch {
	case a.flaw != nil: // what failed no agent measures
		return 0
	case a.slow:
		s.m.slow++
		ms = 60_000 + int64(s.m.slow*131%400)*1000 + int64(s.m.slow)%1000 // no two are as long
	case s.r.IntN(10) == 0:
		return 0
	}
	return ms
}

// timed notes how long a call took: as its source says, or else from its record to that of its end.
func (s *story) timed(a *act, ms int64) {
	if s.copied != "" || ms <= 0 {
		return
	}
	s.tool(a.typ, Tool{Timed: 1, TimedMS: ms})
	s.t.Slow = append(s.t.Slow, ms)
	slices.SortFunc(s.t.Slow, func(a, b int64) int { return cmp.Compare(b, a) })
	s.t.Slow = s.t.Slow[:min(5, len(s.t.Slow))]
}

// changed notes that a file has another content.
func (s *story) changed(a *act, call string) {
	content := fmt.Sprintf("%s %d", a.what, a.content)
	if a.content == 0 {
		content = call
	}
	hash := sha256.Sum256([]byte(content))
	added, removed := 1+s.r.IntN(30), s.r.IntN(10)
	s.b.Add(s.event(&trace.FileChange{Path: a.what, Action: "modified", Added: &added, Removed: &removed, Hash: hex.EncodeToString(hash[:]), Call: call}))
	if s.copied != "" {
		return
	}
	l := s.edits[a.what]
	if l == nil {
		l = &Loop{Path: a.what}
		s.edits[a.what] = l
		s.contents[a.what] = &[]bool{}
	}
	l.Edits++
	if a.content > 0 {
		had := s.contents[a.what]
		for len(*had) <= a.content {
			*had = append(*had, false)
		}
		if (*had)[a.content] {
			l.Identical++
		}
		(*had)[a.content] = true
	}
}

// finish ends the session, and hands its traces over.
func (s *story) finish() error {
	for _, l := range s.edits {
		if l.Edits > 3 || l.Identical > 0 {
			s.t.Loops = append(s.t.Loops, *l)
		}
	}
	slices.SortFunc(s.t.Loops, func(a, b Loop) int { return cmp.Compare(a.Path, b.Path) })
	for _, b := range []*draft.Builder{s.b, s.own} {
		if b == nil {
			continue
		}
		t, err := b.Finish()
		if err != nil {
			return err
		}
		s.m.traces = append(s.m.traces, t)
	}
	s.m.sessions = append(s.m.sessions, s.t)
	return nil
}
