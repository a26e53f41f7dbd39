package export

import (
	"path"
	"runtime/debug"
	"time"

	"aburn/trace"
)

// Options say what spans hold.
type Options struct {
	// Heads adds the scrubbed beginnings of prompts, commands and errors, and the project's whole path.
	Heads bool
	// Root returns the session at the top of n's tree; if Root is nil, each session is a tree of its own.
	Root func(n Node) Node
}

// Spans converts t. A session in which nothing has a time has no spans.
func Spans(t *trace.SessionTrace, o Options) *Resource {
	s := &session{t: t, o: o, node: Node{t.Source, t.ID}}
	root := s.node
	if o.Root != nil {
		root = o.Root(s.node)
	}
	s.trace = root.traceID()
	r := &Resource{scope: version()}
	r.attributes.str("service.name", t.Agent.Name)
	r.attributes.str("service.version", t.Agent.Version)
	if !t.Start.IsZero() {
		r.Spans = append(r.Spans, s.session())
		r.Spans = append(r.Spans, s.responses()...)
		r.Spans = append(r.Spans, s.calls()...)
	}
	return r
}

// session is one trace on its way to spans.
type session struct {
	t     *trace.SessionTrace
	o     Options
	node  Node
	trace []byte
}

func (s *session) span(name string, id, parent []byte, start, end time.Time) Span {
	return Span{Name: name, trace: s.trace, id: id, parent: parent, start: start, end: end}
}

// session returns the session's own span, with everything that is no span as its events.
func (s *session) session() Span {
	t := s.t
	name, agentID := t.Agent.Name, ""
	var parent []byte
	var links []link
	for _, r := range t.Relationships {
		related := Node{t.Source, r.Related}
		switch {
		case r.Kind == trace.Subagent && r.Related != "":
			agentID = r.AgentID
			if r.AgentType != "" {
				name = r.AgentType
			}
			parent = related.spanID()
			if r.ParentCall != "" {
				parent = related.callID(r.ParentCall)
			}
		case r.Kind != trace.Root && r.Related != "":
			links = append(links, s.link(r, related))
		}
	}
	span := s.span("invoke_agent "+name, s.node.spanID(), parent, t.Start, t.End)
	span.links = links
	var a attributes
	a.str("gen_ai.operation.name", "invoke_agent")
	a.str("gen_ai.agent.name", name)
	a.str("gen_ai.agent.id", agentID)
	a.str("gen_ai.agent.version", t.Agent.Version)
	a.str("gen_ai.conversation.id", t.ID)
	a.str("aburn.source", t.Source)
	a.str("aburn.outcome", string(t.Outcome))
	a.str("aburn.outcome_from", t.OutcomeFrom)
	a.str("aburn.project", s.project())
	a.num("aburn.active_ms", t.ActiveMS)
	switch t.Outcome {
	case trace.Completed, trace.Running, trace.Unknown:
	default:
		a.str("error.type", string(t.Outcome))
	}
	span.failed = t.Outcome == trace.Errored
	span.attributes, span.events = a, s.events()
	return span
}

func (s *session) link(r trace.SessionRelationship, related Node) link {
	root := related
	if s.o.Root != nil {
		root = s.o.Root(related)
	}
	var a attributes
	a.str("aburn.relationship", string(r.Kind))
	a.str("aburn.provenance", string(r.Provenance))
	return link{root.traceID(), related.spanID(), a}
}

func (s *session) project() string {
	if s.o.Heads {
		return s.t.Project.Key
	}
	if s.t.Project.Key == "" {
		return ""
	}
	return path.Base(s.t.Project.Key)
}

// responses returns the spans of the model's answers. Only their end is on record; they begin where the event before
// them ended.
func (s *session) responses() []Span {
	var spans []Span
	for i := range s.t.Responses {
		r := &s.t.Responses[i]
		if r.Copied != "" || r.Time.IsZero() {
			continue
		}
		span := s.span("chat "+r.Model, s.node.responseID(r.ID), s.node.spanID(), s.before(r), r.Time)
		if r.Model == "" {
			span.Name = "chat"
		}
		span.client = true
		var a attributes
		a.str("gen_ai.operation.name", "chat")
		a.str("gen_ai.provider.name", provider(r.Model))
		a.str("gen_ai.request.model", r.Model)
		a.str("gen_ai.response.model", r.Model)
		a.str("gen_ai.response.id", r.ID)
		a.str("gen_ai.conversation.id", s.t.ID)
		a.list("gen_ai.response.finish_reasons", r.Stop)
		// The conventions count the cached ones as input.
		a.num("gen_ai.usage.input_tokens", r.Usage.Input+r.Usage.CacheRead+r.Usage.CacheWrite)
		a.num("gen_ai.usage.output_tokens", r.Usage.Output)
		a.num("gen_ai.usage.cache_read.input_tokens", r.Usage.CacheRead)
		a.num("gen_ai.usage.cache_creation.input_tokens", r.Usage.CacheWrite)
		if r.Usage.Reasoning > 0 {
			a.num("gen_ai.usage.reasoning.output_tokens", r.Usage.Reasoning)
		}
		a.yes("aburn.start_inferred")
		span.attributes = a
		spans = append(spans, span)
	}
	return spans
}

// before returns when the response may have begun: after the last thing before it that the model did not do, unless
// that is longer ago than a pause.
func (s *session) before(r *trace.Response) time.Time {
	for i := min(r.Event, len(s.t.Events)) - 1; i >= 0; i-- {
		e := &s.t.Events[i]
		if _, said := e.Body.(*trace.AgentMessage); said || e.Time.IsZero() {
			continue
		}
		if c, ok := e.Body.(*trace.ToolCall); ok && c.Response == r.ID {
			continue
		}
		if e.Time.After(r.Time) || r.Time.Sub(e.Time) > trace.IdleGap {
			break
		}
		return e.Time
	}
	return r.Time
}

func (s *session) calls() []Span {
	var spans []Span
	for _, c := range s.t.Calls() {
		if c.Event.Copied != "" || c.Event.Time.IsZero() {
			continue
		}
		spans = append(spans, s.call(&c))
	}
	return spans
}

func (s *session) call(c *trace.Call) Span {
	start, end := c.Event.Time, c.Event.Time
	last := c.Last()
	if last != nil && last.Time.After(end) {
		end = last.Time
	}
	parent := s.node.spanID()
	if c.Call.Parent != "" {
		parent = s.node.callID(c.Call.Parent)
	}
	span := s.span("execute_tool "+c.Call.Tool, s.node.callID(c.Call.Call), parent, start, end)
	var a attributes
	a.str("gen_ai.operation.name", "execute_tool")
	a.str("gen_ai.tool.name", c.Call.Tool)
	a.str("gen_ai.tool.call.id", c.Call.Call)
	a.str("gen_ai.tool.type", toolType(c.Call.Type))
	a.str("gen_ai.conversation.id", s.t.ID)
	a.str("aburn.tool.type", string(c.Call.Type))
	a.str("aburn.by", c.Event.By)
	if s.o.Heads {
		a.str("aburn.tool.head", c.Call.Head)
		a.str("aburn.tool.path", c.Call.Path)
	}
	if last == nil {
		a.str("aburn.tool.status", "no_result")
	} else {
		s.result(&span, &a, last)
	}
	span.attributes = a
	return span
}

func (s *session) result(span *Span, a *attributes, r *trace.ToolResultEvent) {
	a.str("aburn.tool.status", string(r.Status))
	a.num("aburn.tool.result.length", r.Content.Length)
	if r.ExitCode != nil {
		a.num("process.exit.code", int64(*r.ExitCode))
	}
	switch {
	case r.Denied != "":
		a.str("error.type", "denied_by_"+r.Denied)
	case r.Failed() || r.Status == trace.StatusCancelled:
		a.str("error.type", string(r.Status))
	}
	if r.Failed() {
		span.failed = true
		if s.o.Heads {
			span.message = r.Head
		}
	}
}

// toolType returns the word of the conventions: an extension runs on the agent's side and calls others, a function is
// the agent's own.
func toolType(t trace.ToolType) string {
	if t == trace.MCPTool || t == trace.WebTool {
		return "extension"
	}
	return "function"
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

// events returns what happened in the session and is no span: prompts, errors, interrupts, file changes, markers.
func (s *session) events() []event {
	var list []event
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if e.Copied != "" || e.Time.IsZero() {
			continue
		}
		if name, a := s.event(e); name != "" {
			a.num("aburn.seq", int64(e.Seq))
			a.str("aburn.inferred", e.Inferred)
			list = append(list, event{name, e.Time, a})
		}
	}
	return list
}

// event returns the name and attributes of an event of the session's span, "" for what is a span of its own.
func (s *session) event(e *trace.Event) (string, attributes) {
	var a attributes
	head := func(text string) {
		if s.o.Heads {
			a.str("aburn.head", text)
		}
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		a.num("aburn.length", b.Length)
		a.str("aburn.machine", b.Machine)
		head(b.Head)
		return "aburn.user_message", a
	case *trace.FileChange:
		a.str("aburn.action", b.Action)
		if b.Added != nil {
			a.num("aburn.lines.added", int64(*b.Added))
		}
		if b.Removed != nil {
			a.num("aburn.lines.removed", int64(*b.Removed))
		}
		if s.o.Heads {
			a.str("aburn.path", b.Path)
		}
		return "aburn.file_change", a
	case *trace.Error:
		a.str("error.type", b.Code)
		if b.Status != 0 {
			a.num("http.response.status_code", int64(b.Status))
		}
		head(b.Head)
		return "aburn.error", a
	case *trace.Interrupt:
		a.str("gen_ai.tool.call.id", b.Call)
		return "aburn.interrupt", a
	case *trace.Session:
		a.str("aburn.detail", b.Detail)
		a.str("gen_ai.request.model", b.Model)
		a.str("aburn.command", b.Command)
		a.str("aburn.phase", b.Phase)
		return "aburn.session." + string(b.Marker), a
	}
	return "", nil
}
