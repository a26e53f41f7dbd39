// Package draft holds what the readers of sessions share, and knows no agent: it looks for stores, numbers events,
// ties results to calls, counts each response once, scrubs and shortens the little text that is kept, and validates
// the trace.
package draft

import (
	"slices"
	"strconv"
	"strings"

	"aburn/internal/scrub"
	"aburn/trace"
)

// Builder makes one trace.
type Builder struct {
	t         *trace.SessionTrace
	calls     map[string]int // call id → index in t.Events
	ncalls    int
	responses map[string]int // response id → index in t.Responses
	size      int64          // of the file in bytes, 0 if unknown
	at        int64          // see Reach

	tokens, words Memo
	secrets       *Secrets
}

// New begins the trace of a session with this id, read from the main file at path.
func New(source, id, agent, path string) *Builder {
	return Resume(&trace.SessionTrace{
		V: trace.Version, Source: source, ID: SessionID(id), Agent: trace.Agent{Name: agent}, Outcome: trace.Unknown,
		Events: []trace.Event{}, Results: []trace.ToolResultEvent{}, Responses: []trace.Response{},
		Relationships: []trace.SessionRelationship{}, Sources: []trace.File{{Path: path}},
	})
}

// Resume continues a finished trace, which the Builder then owns.
func Resume(t *trace.SessionTrace) *Builder {
	b := &Builder{t: t, calls: map[string]int{}, responses: map[string]int{}, secrets: &Secrets{}}
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

// Trace returns the trace so far, for setting what has no method here.
func (b *Builder) Trace() *trace.SessionTrace { return b.t }

// Expect announces the size of the file in bytes, to reserve room for its events.
func (b *Builder) Expect(size int64) { b.size = size }

// Reach says how much of the size is read, for sources whose events have no offset in a file.
func (b *Builder) Reach(at, size int64) { b.at, b.size = at, size }

// grow returns list with room for one more. at is the record's place in a file of size bytes. From a quarter of the
// file on it reserves for the rest what the first part needed in proportion, instead of doubling.
func grow[T any](list []T, at, size int64) []T {
	n := len(list)
	if n < cap(list) || at <= size/4 || at >= size {
		return list // append does it as well
	}
	rest := float64(n) * float64(size-at) / float64(at) // at most threefold
	return slices.Grow(list, int(1.1*rest)+n/8+4)
}

// File returns the number of the source at path, for Ref.File. how says how it was read, if that matters.
func (b *Builder) File(path, how string) int {
	f := trace.File{Path: path, How: how}
	i := slices.Index(b.t.Sources, f)
	if i < 0 {
		i = len(b.t.Sources)
		b.t.Sources = append(b.t.Sources, f)
	}
	return i
}

// Add appends e and returns its number. It brings ids, words, times and numbers into the bounds of a trace; the caller
// bounds heads and paths (Head, Path). Calls and results go through Call and Result.
func (b *Builder) Add(e trace.Event) int {
	e.Seq = len(b.t.Events) + 1
	b.tidy(&e)
	if e.Copied == b.t.ID {
		e.Copied = ""
	}
	b.t.Events = append(grow(b.t.Events, max(e.Ref.Offset, b.at), b.size), e)
	return e.Seq
}

// Call appends a tool call and sets its index. A call without an id gets one. Its Parent becomes a Container; a Parent
// that the trace does not hold is dropped.
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
	seq := b.Add(e) // Add may change the id
	b.calls[c.Call] = seq - 1
	return seq
}

// Lookup returns the event and the call with this id; nil if there is none so far. The event is valid until the next
// Add.
func (b *Builder) Lookup(call string) (*trace.Event, *trace.ToolCall) {
	i, ok := b.calls[b.token(call)]
	if !ok {
		return nil, nil
	}
	return &b.t.Events[i], b.t.Events[i].Body.(*trace.ToolCall)
}

// Result appends a result of r.Call: a tool_result event, and r itself with its indices.
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
	b.t.Results = append(grow(b.t.Results, max(e.Ref.Offset, b.at), b.size), r)
	return r.EventIndex
}

// Response adds an answer of the model. A second one with the same id is the same answer: its usage, stop reason and
// model replace the first ones if present.
func (b *Builder) Response(r trace.Response) {
	b.tidyResponse(&r)
	i, ok := b.responses[r.ID]
	if !ok {
		b.responses[r.ID] = len(b.t.Responses)
		b.t.Responses = append(grow(b.t.Responses, r.Ref.Offset, b.size), r)
		return
	}
	old := &b.t.Responses[i]
	if r.Usage != (trace.Usage{}) {
		old.Usage, old.Tier, old.Geo = r.Usage, r.Tier, r.Geo
	}
	if r.Stop != "" {
		old.Stop = r.Stop
	}
	if r.Model != "" {
		old.Model = r.Model
	}
}

// Relate adds a relationship of the session: a root only if there is none, any other in place of a root. Relationships
// to itself or to nothing are dropped.
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

// Settle derives what follows from the events. It does not validate: a trace.Sink does. The Builder may continue
// afterwards.
func (b *Builder) Settle() *trace.SessionTrace {
	t := b.t
	t.Agent.Version, t.OutcomeFrom = Word(t.Agent.Version), Word(t.OutcomeFrom)
	if len(t.Relationships) == 0 {
		t.Relationships = append(t.Relationships,
			trace.SessionRelationship{V: trace.Version, Kind: trace.Root, Source: t.Source,
				Session: t.ID, SourceVersion: t.Agent.Version, Provenance: trace.Explicit})
	}
	t.Project.Path, t.Project.Key = Path(t.Project.Path, ""), Path(t.Project.Key, "")
	if t.Project.Key == "" {
		t.Project.Key = t.Project.Path
	}
	b.hideSecrets()
	t.Scrub = trace.Scrub{Version: scrub.Version, Redacted: redacted(t)}
	t.Settle()
	return t
}

// marker begins the scrubber's replacement for a secret.
const marker = "[redacted:"

// redacted counts the markers in a trace.
func redacted(t *trace.SessionTrace) int {
	n := 0
	count := func(texts ...string) {
		for _, s := range texts {
			if len(s) > len(marker) {
				n += strings.Count(s, marker)
			}
		}
	}
	for i := range t.Events {
		switch b := t.Events[i].Body.(type) {
		case *trace.UserMessage:
			count(b.Head, b.Command)
		case *trace.ToolCall:
			count(b.Tool, b.Head, b.Path)
		case *trace.FileChange:
			count(b.Path, b.From)
		case *trace.Error:
			count(b.Code, b.Head)
		case *trace.Interrupt:
			count(b.Reason)
		case *trace.SubagentSpawn:
			count(b.AgentType, b.Description)
		case *trace.Session:
			count(b.Detail, b.Model, b.Command, b.Phase)
		}
	}
	for i := range t.Results {
		count(t.Results[i].Head)
	}
	for i := range t.Relationships {
		count(t.Relationships[i].AgentType, t.Relationships[i].Description)
	}
	return n
}
