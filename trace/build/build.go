// Package build is what the readers share: it numbers the events of a trace, ties results to calls, counts a response
// once, scrubs and cuts what little text is kept, and validates what comes out.
package build

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/scrub"
	"aburn/trace"
)

// Builder makes one trace.
type Builder struct {
	t         *trace.SessionTrace
	calls     map[string]int // call id → index in t.Events
	ncalls    int
	responses map[string]int // response id → index in t.Responses
	last      time.Time      // the latest time of an event
}

// New begins the trace of a session. id is the session's, path the main file it is read from.
func New(source, id, agent, path string) *Builder {
	return Resume(&trace.SessionTrace{
		V: trace.Version, Source: source, ID: id, Agent: trace.Agent{Name: agent}, Outcome: trace.Unknown,
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
		if t.Events[i].Time.After(b.last) {
			b.last = t.Events[i].Time
		}
	}
	for i := range t.Responses {
		b.responses[t.Responses[i].ID] = i
	}
	return b
}

// Trace is the trace so far, to set what has no method here.
func (b *Builder) Trace() *trace.SessionTrace { return b.t }

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

// Add appends e and gives it its number, which it returns. Calls and results have Call and Result.
func (b *Builder) Add(e trace.Event) int {
	e.Seq = len(b.t.Events) + 1
	e.Time = e.Time.UTC()
	b.t.Events = append(b.t.Events, e)
	return e.Seq
}

// Call appends a tool call and gives it its index. A call without an id gets one.
func (b *Builder) Call(e trace.Event, c *trace.ToolCall) int {
	b.ncalls++
	c.Index = b.ncalls
	if c.Call == "" {
		c.Call = "call-" + itoa(c.Index)
	}
	e.Body = c
	seq := b.Add(e)
	b.calls[c.Call] = seq - 1
	return seq
}

// Lookup is the event of the call with this id, and the call; nil if there is none so far. The event is valid until the next Add.
func (b *Builder) Lookup(call string) (*trace.Event, *trace.ToolCall) {
	i, ok := b.calls[call]
	if !ok {
		return nil, nil
	}
	return &b.t.Events[i], b.t.Events[i].Body.(*trace.ToolCall)
}

// Result appends what became known about r.Call: a tool_result event, and r itself, whose indices it sets.
func (b *Builder) Result(e trace.Event, r trace.ToolResultEvent) int {
	r.V, r.Source, r.Session, r.Time = trace.Version, b.t.Source, b.t.ID, e.Time.UTC()
	if _, c := b.Lookup(r.Call); c != nil {
		r.CallIndex = c.Index
	}
	e.Body = &trace.ToolResult{Call: r.Call, Result: len(b.t.Results)}
	r.EventIndex = b.Add(e)
	b.t.Results = append(b.t.Results, r)
	return r.EventIndex
}

// Response notes an answer of the model. A second one with the same id is the same answer: it replaces the usage, the
// stop reason and the model if it has them, and adds nothing.
func (b *Builder) Response(r trace.Response) {
	r.Time = r.Time.UTC()
	i, ok := b.responses[r.ID]
	if !ok {
		b.responses[r.ID] = len(b.t.Responses)
		b.t.Responses = append(b.t.Responses, r)
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

// Relate notes a relationship of the session.
func (b *Builder) Relate(r trace.SessionRelationship) {
	r.V, r.Source, r.Session, r.Time = trace.Version, b.t.Source, b.t.ID, r.Time.UTC()
	b.t.Relationships = append(b.t.Relationships, r)
}

// Finish works out what follows from the events and validates the trace. The Builder may go on afterwards.
func (b *Builder) Finish() (*trace.SessionTrace, error) {
	t := b.t
	if len(t.Relationships) == 0 {
		b.Relate(trace.SessionRelationship{Kind: trace.Root, Provenance: trace.Explicit, SourceVersion: t.Agent.Version})
	}
	if t.Project.Key == "" {
		t.Project.Key = t.Project.Path
	}
	t.Scrub = trace.Scrub{Version: scrub.Version, Redacted: redacted(t)}
	t.Settle()
	return t, t.Validate()
}

// Head is the start of a text as traces keep it: scrubbed, on one line, at most max bytes.
func Head(text string, max int) string { return scrub.Head(text, max) }

// Path is a path as traces keep it: scrubbed, and relative to dir where it lies below it.
func Path(path, dir string) string {
	if dir != "" {
		if rel, ok := strings.CutPrefix(path, filepath.Clean(dir)+"/"); ok {
			path = rel
		}
	}
	path, _ = scrub.Text(path)
	return path
}
