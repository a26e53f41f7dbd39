package archived

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

// sessionMaker makes one session. Its methods add to the trace, to the hooks' record of it, and to the truth.
type sessionMaker struct {
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
	copied    string             // events are copies from this session and do not count
	contents  map[string]*[]bool // by path: which contents the file has had
	edits     map[string]*Loop
	phase     *Phase
	begun     time.Time // the phase
}

func (m *maker) begin(r *rand.Rand, a *agent, at time.Time) *sessionMaker {
	id := fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()>>16)
	return m.newSession(r, a, a.name, id, filepath.Join(m.work, names[r.IntN(len(names))]), at)
}

func (m *maker) newSession(r *rand.Rand, a *agent, source, id, project string, at time.Time) *sessionMaker {
	s := &sessionMaker{m: m, r: r, agent: a, now: at, t: &Session{Source: source, ID: id, Agent: a.name, Project: project, Tools: map[string]Tool{},
		Errors: []Error{}, Loops: []Loop{}, Slow: []int64{}, Phases: []Phase{}}, contents: map[string]*[]bool{}, edits: map[string]*Loop{}}
	s.b = draft.New(source, id, a.name, "/home/user/."+source+"/sessions/"+id+".jsonl")
	s.b.Trace().Project = trace.Project{Path: project, Key: project}
	return s
}

// record makes hooks record the session from its beginning.
func (s *sessionMaker) record() {
	s.own = draft.New("own", s.t.ID, s.agent.name, s.t.Project+"/.oss/workflow.log")
	s.own.Trace().Project = s.b.Trace().Project
	s.t.Hooked = true
	s.recorded(s.event(&trace.Session{Marker: trace.Started}))
}

func (s *sessionMaker) pass(d time.Duration) {
	if !s.now.IsZero() {
		s.now = s.now.Add(d)
	}
}

// event is the next event, some seconds later.
func (s *sessionMaker) event(body trace.Body) trace.Event {
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

// recorded adds an event to the hooks' record, where it has its own line.
func (s *sessionMaker) recorded(e trace.Event) {
	if s.own == nil {
		return
	}
	s.ownLine(&e)
	s.own.Add(e)
}

func (s *sessionMaker) ownLine(e *trace.Event) {
	s.ownID++
	e.Record, e.Ref = fmt.Sprint(s.ownID), trace.Ref{Line: int64(s.ownID)}
}

func (s *sessionMaker) prompt(text string) {
	e := s.event(&trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: draft.Head(text, trace.UserHead)})
	s.b.Add(e)
	s.recorded(e)
}

// answer is a text of the agent in its own response.
func (s *sessionMaker) answer() {
	id := s.response(int64(100 + s.r.IntN(2000)))
	s.b.Add(s.event(&trace.AgentMessage{Digest: draft.Digest([]byte(id)), Response: id}))
}

// response begins a response of so many tokens and returns its id. The next event is its first.
func (s *sessionMaker) response(tokens int64) string {
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

type plannedCall struct {
	typ       trace.ToolType
	what      string   // command or path
	failure   *failure // nil: the call succeeds
	overcomes string   // the name of a failure that this call gets over
	again     bool     // the last call of the same kind failed
	left      bool     // the call has no end
	content   int      // of an edit: which content the file has then; 0 for a new one
	slow      bool
}

// do is a response with calls. All calls begin before the first one ends, and they end in their order.
func (s *sessionMaker) do(acts ...plannedCall) {
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

// call adds a call and returns its id and start.
func (s *sessionMaker) call(a *plannedCall, response string) (string, time.Time) {
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

// count adds a call to the truth.
func (s *sessionMaker) count(a *plannedCall, share int64) {
	t := Tool{Calls: 1, Ended: 1}
	s.t.Calls++
	switch {
	case a.left:
		t.Ended = 0
		s.t.NoResult++
	case a.failure != nil:
		t.Failed, t.Spent = 1, share
		s.t.Spent.Failed += share
		s.t.Errors = append(s.t.Errors, Error{a.failure.name, a.failure.class})
		s.t.GotOver = slices.DeleteFunc(s.t.GotOver, func(name string) bool { return name == a.failure.name })
		if a.failure.denied != "" {
			t.Denied = 1
		}
	case a.again:
		s.t.Spent.Retries += share
	}
	if a.again {
		t.Retries = 1
	}
	if a.overcomes != "" {
		s.t.GotOver = append(s.t.GotOver, a.overcomes)
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

func (s *sessionMaker) tool(typ trace.ToolType, t Tool) {
	have := s.t.Tools[string(typ)]
	have.add(t)
	s.t.Tools[string(typ)] = have
}

func (s *sessionMaker) result(a *plannedCall, id string, began time.Time) {
	wrong := a.failure != nil
	r := trace.ToolResultEvent{Call: id, Status: trace.StatusCompleted, From: trace.FromToolResult, IsError: &wrong, DurationMS: s.duration(a)}
	if wrong {
		r.Status, r.Denied, r.Head = trace.StatusErrored, a.failure.denied, draft.Head(a.failure.text(s.r), trace.ErrorHead)
		if r.Denied == "user" {
			r.Status = trace.StatusCancelled
		}
		if code := a.failure.exit; code != noExit {
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

// duration is the call's duration in milliseconds, 0 if the source does not record it.
func (s *sessionMaker) duration(a *plannedCall) int64 {
	ms := int64(20 + s.r.IntN(4000))
	switch {
	case a.failure != nil: // no agent measures failed calls
		return 0
	case a.slow:
		s.m.slow++
		ms = 60_000 + int64(s.m.slow*131%400)*1000 + int64(s.m.slow)%1000 // all differ
	case s.r.IntN(10) == 0:
		return 0
	}
	return ms
}

// timed adds a duration to the truth: the one in the source, else the time from the call's record to its end's.
func (s *sessionMaker) timed(a *plannedCall, ms int64) {
	if s.copied != "" || ms <= 0 {
		return
	}
	s.tool(a.typ, Tool{Timed: 1, TimedMS: ms})
	s.t.Slow = append(s.t.Slow, ms)
	slices.SortFunc(s.t.Slow, func(a, b int64) int { return cmp.Compare(b, a) })
	s.t.Slow = s.t.Slow[:min(5, len(s.t.Slow))]
}

// changed records a file's new content.
func (s *sessionMaker) changed(a *plannedCall, call string) {
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

// finish ends the session and hands its traces to the maker.
func (s *sessionMaker) finish() error {
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
