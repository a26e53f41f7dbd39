package packed

import "aburn/trace"

func (w *walk) event(e *trace.Event) {
	w.next(&e.Seq, &w.number)
	w.time(&e.Time)
	w.ref(&e.Ref)
	w.texts(&e.Record, &e.Turn, &e.By, &e.Copied, &e.Inferred, &e.Ref.Table, &e.Ref.Key)
	w.bool(&e.Abandoned)
	w.body(e)
}

// The kinds of bodies, by number: 0 is none.
const (
	userMessage = 1 + iota
	agentMessage
	toolCall
	toolResult
	fileChange
	failure
	interrupt
	subagentSpawn
	session
)

// body is a number for its kind, and its fields.
func (w *walk) body(e *trace.Event) {
	if w.reading {
		e.Body = newBody(w.read())
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		w.kind(userMessage)
		w.int64(&b.Length)
		w.texts(&b.Hash, &b.Head, &b.Machine, &b.Command)
	case *trace.AgentMessage:
		w.kind(agentMessage)
		w.int64(&b.Length)
		w.texts(&b.Hash, &b.Response)
		w.bool(&b.Thought)
	case *trace.ToolCall:
		w.kind(toolCall)
		w.toolCall(b)
	case *trace.ToolResult:
		w.kind(toolResult)
		w.texts(&b.Call)
		w.next(&b.Result, &w.index)
	case *trace.FileChange:
		w.kind(fileChange)
		w.fileChange(b)
	case *trace.Error:
		w.kind(failure)
		w.int64(&b.Length)
		w.texts(&b.Hash, &b.Code, &b.Head)
		w.int(&b.Status)
		w.bool(&b.Fatal)
	case *trace.Interrupt:
		w.kind(interrupt)
		w.texts(&b.Call, &b.Reason)
	case *trace.SubagentSpawn:
		w.kind(subagentSpawn)
		w.texts(&b.Session, &b.Call, &b.AgentID, &b.AgentType, &b.Description)
		w.bool(&b.Background)
		w.bool(&b.NotStarted)
	case *trace.Session:
		w.kind(session)
		w.session(b)
	default:
		w.fail("event %d has no body", e.Seq)
	}
}

// kind writes the number of a kind; what reads has it already.
func (w *walk) kind(n uint64) {
	if !w.reading {
		w.write(n)
	}
}

// newBody is an empty body of the kind with this number, nil if there is none.
func newBody(kind uint64) trace.Body {
	switch kind {
	case userMessage:
		return new(trace.UserMessage)
	case agentMessage:
		return new(trace.AgentMessage)
	case toolCall:
		return new(trace.ToolCall)
	case toolResult:
		return new(trace.ToolResult)
	case fileChange:
		return new(trace.FileChange)
	case failure:
		return new(trace.Error)
	case interrupt:
		return new(trace.Interrupt)
	case subagentSpawn:
		return new(trace.SubagentSpawn)
	case session:
		return new(trace.Session)
	}
	return nil
}

func (w *walk) toolCall(b *trace.ToolCall) {
	kind := string(b.Type)
	w.texts(&b.Call, &b.Tool, &kind, &b.Input.Hash, &b.Key, &b.Path, &b.Head, &b.Response, &b.Parent)
	b.Type = trace.ToolType(kind)
	w.next(&b.Index, &w.call)
	w.int64(&b.Input.Length)
	w.bool(&b.Container)
}

func (w *walk) fileChange(b *trace.FileChange) {
	w.texts(&b.Path, &b.From, &b.Action, &b.Hash, &b.Call)
	pointer(w.coder, &b.Added, w.int)
	pointer(w.coder, &b.Removed, w.int)
}

func (w *walk) session(b *trace.Session) {
	marker := string(b.Marker)
	w.texts(&marker, &b.Detail, &b.Model, &b.Command, &b.Phase)
	b.Marker = trace.Marker(marker)
}
