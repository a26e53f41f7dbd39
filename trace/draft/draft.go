// Package draft is what the readers share: it looks for stores, numbers the events of a trace, ties results to calls, counts a response
// once, scrubs and cuts what little text is kept, and validates what comes out.
package draft

import (
	"slices"
	"strconv"

	"aburn/internal/scrub"
	"aburn/trace"
)

// Builder makes one trace.
type Builder struct {
	t         *trace.SessionTrace
	calls     map[string]int // call id → index in t.Events
	ncalls    int
	responses map[string]int // response id → index in t.Responses
	size      int64          // of the file, in bytes; 0 if it is not known

	tokens, words Memo
}

// New begins the trace of a session. id is the session's, path the main file it is read from.
func New(source, id, agent, path string) *Builder {
	return Resume(&trace.SessionTrace{
		V: trace.Version, Source: source, ID: SessionID(id), Agent: trace.Agent{Name: agent}, Outcome: trace.Unknown,
		Events: []trace.Event{}, Results: []trace.ToolResultEvent{}, Responses: []trace.Response{},
		Relationships: []trace.SessionRelationship{}, Sources: []trace.File{{Path: path}},
	})
}

// Resume goes on with a trace that was finished before. It takes t over.
func Resume(t *trace.SessionTrace) *Builder {
	b := &Builder{t: t, calls: map[string]int{}, responses: map[string]int{}}
	for i := range t.Events {
		if c, ok := t.Events[i].Body.(*trace.ToolCall); ok {
			b.calls[c.Call] = i
			b.ncalls++
		}
	}
	for i := range t.Responses {
		b.responses[t.Responses[i].ID] = i
	}
	return b
}

// Trace is the trace so far, to set what has no method here.
func (b *Builder) Trace() *trace.SessionTrace { return b.t }

// Expect says how many bytes the file has that events come from, so that there is room for them.
func (b *Builder) Expect(size int64) { b.size = size }

// room is a list with room for one more, from the record at a place of a file of so many bytes. From a quarter of the file on it
// grows by what the rest needs if that is like what came before, and not by leaps.
func room[T any](list []T, at, size int64) []T {
	n := len(list)
	if n < cap(list) || at <= size/4 || at >= size {
		return list // append knows what to do
	}
	rest := float64(n) * float64(size-at) / float64(at) // at most threefold
	return slices.Grow(list, int(1.1*rest)+n/8+4)
}

// File is the number of the source at path, for Ref.File; how says how it was read, if that matters.
func (b *Builder) File(path, how string) int {
	f := trace.File{Path: path, How: how}
	i := slices.Index(b.t.Sources, f)
	if i < 0 {
		i = len(b.t.Sources)
		b.t.Sources = append(b.t.Sources, f)
	}
	return i
}

// Add appends e and gives it its number, which it returns. It brings ids, words, times and numbers into the bounds of a
// trace; heads and paths are its caller's (Head, Path). Calls and results have Call and Result.
func (b *Builder) Add(e trace.Event) int {
	e.Seq = len(b.t.Events) + 1
	b.tidy(&e)
	if e.Copied == b.t.ID {
		e.Copied = ""
	}
	b.t.Events = append(room(b.t.Events, e.Ref.Offset, b.size), e)
	return e.Seq
}

// Call appends a tool call and gives it its index. A call without an id gets one. The call that it was made from within
// becomes a Container; a Parent that the trace does not hold is left out.
func (b *Builder) Call(e trace.Event, c *trace.ToolCall) int {
	b.ncalls++
	c.Index = b.ncalls
	if c.Call == "" {
		c.Call = "call-" + strconv.Itoa(c.Index)
	}
	if _, outer := b.Lookup(c.Parent); outer != nil && b.token(c.Parent) != b.token(c.Call) {
		outer.Container = true
	} else {
		c.Parent = ""
	}
	e.Body = c
	seq := b.Add(e) // which may change the id
	b.calls[c.Call] = seq - 1
	return seq
}

// Lookup is the event of the call with this id, and the call; nil if there is none so far. The event is valid until the next Add.
func (b *Builder) Lookup(call string) (*trace.Event, *trace.ToolCall) {
	i, ok := b.calls[b.token(call)]
	if !ok {
		return nil, nil
	}
	return &b.t.Events[i], b.t.Events[i].Body.(*trace.ToolCall)
}

// Result appends what became known about r.Call: a tool_result event, and r itself, whose indices it sets.
func (b *Builder) Result(e trace.Event, r trace.ToolResultEvent) int {
	r.V, r.Source, r.Session, r.Time = trace.Version, b.t.Source, b.t.ID, e.Time
	if r.Call == "" {
		r.Call = "unknown"
	}
	b.tidyResult(&r)
	if _, c := b.Lookup(r.Call); c != nil {
		r.CallIndex = c.Index
	}
	e.Body = &trace.ToolResult{Call: r.Call, Result: len(b.t.Results)}
	r.EventIndex = b.Add(e)
	b.t.Results = append(room(b.t.Results, e.Ref.Offset, b.size), r)
	return r.EventIndex
}

// Response notes an answer of the model. A second one with the same id is the same answer: it replaces the usage, the
// stop reason and the model if it has them, and adds nothing.
func (b *Builder) Response(r trace.Response) {
	b.tidyResponse(&r)
	i, ok := b.responses[r.ID]
	if !ok {
		b.responses[r.ID] = len(b.t.Responses)
		b.t.Responses = append(room(b.t.Responses, r.Ref.Offset, b.size), r)
		return
	}
	old := &b.t.Responses[i]
	if r.Usage != (trace.Usage{}) {
		old.Usage = r.Usage
	}
	if r.Stop != "" {
		old.Stop = r.Stop
	}
	if r.Model != "" {
		old.Model = r.Model
	}
}

// Relate notes a relationship of the session: a root only if there is none, and any other in place of a root. What
// relates it to itself or to nothing is none.
func (b *Builder) Relate(r trace.SessionRelationship) {
	r.V, r.Source, r.Session = trace.Version, b.t.Source, b.t.ID
	b.tidyRelation(&r)
	isRoot := func(r trace.SessionRelationship) bool { return r.Kind == trace.Root }
	switch {
	case isRoot(r) && len(b.t.Relationships) > 0, !isRoot(r) && (r.Related == "" || r.Related == b.t.ID):
		return
	case !isRoot(r):
		b.t.Relationships = slices.DeleteFunc(b.t.Relationships, isRoot)
	}
	b.t.Relationships = append(b.t.Relationships, r)
}

// Finish is Settle, and validates the trace.
func (b *Builder) Finish() (*trace.SessionTrace, error) {
	t := b.Settle()
	return t, t.Validate()
}

// Settle works out what follows from the events. It is for what goes to a trace.Sink, which validates it. The Builder may go
// on afterwards.
func (b *Builder) Settle() *trace.SessionTrace {
	t := b.t
	t.Agent.Version, t.OutcomeFrom = Word(t.Agent.Version), Word(t.OutcomeFrom)
	if len(t.Relationships) == 0 {
		t.Relationships = append(t.Relationships, trace.SessionRelationship{V: trace.Version, Kind: trace.Root, Source: t.Source,
			Session: t.ID, SourceVersion: t.Agent.Version, Provenance: trace.Explicit})
	}
	t.Project.Path, t.Project.Key = Path(t.Project.Path, ""), Path(t.Project.Key, "")
	if t.Project.Key == "" {
		t.Project.Key = t.Project.Path
	}
	t.Scrub = trace.Scrub{Version: scrub.Version, Redacted: redacted(t)}
	t.Settle()
	return t
}
