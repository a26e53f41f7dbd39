package packed

import (
	"aburn/internal/wire"
	"aburn/trace"
)

func (w *walk) event(e *trace.Event) {
	w.next(&e.Seq, &w.number)
	w.Time(&e.Time)
	w.ref(&e.Ref)
	w.texts(&e.Record, &e.Turn, &e.By, &e.Copied, &e.Inferred, &e.Ref.Table, &e.Ref.Key)
	w.Bool(&e.Abandoned)
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
	if w.Reading() {
		e.Body = newBody(w.Take())
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		w.kind(userMessage)
		w.Int64(&b.Length)
		w.texts(&b.Hash, &b.Head, &b.Machine, &b.Command)
	case *trace.AgentMessage:
		w.kind(agentMessage)
		w.Int64(&b.Length)
		w.texts(&b.Hash, &b.Response)
		w.Bool(&b.Thought)
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
		w.Int64(&b.Length)
		w.texts(&b.Hash, &b.Code, &b.Head)
		w.Int(&b.Status)
		w.Bool(&b.Fatal)
	case *trace.Interrupt:
		w.kind(interrupt)
		w.texts(&b.Call, &b.Reason)
	case *trace.SubagentSpawn:
		w.kind(subagentSpawn)
		w.texts(&b.Session, &b.Call, &b.AgentID, &b.AgentType, &b.Description)
		w.Bool(&b.Background)
		w.Bool(&b.NotStarted)
	case *trace.Session:
		w.kind(session)
		w.session(b)
	default:
		w.Fail("event %d has no body", e.Seq)
	}
}

// kind writes the number of a kind; what reads has it already.
func (w *walk) kind(n uint64) {
	if !w.Reading() {
		w.Put(n)
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
	w.texts(&b.Call, &b.Tool, (*string)(&b.Type), &b.Input.Hash, &b.Key, &b.Path, &b.Head, &b.Response, &b.Parent)
	w.next(&b.Index, &w.call)
	w.Int64(&b.Input.Length)
	w.Bool(&b.Container)
}

func (w *walk) fileChange(b *trace.FileChange) {
	w.texts(&b.Path, &b.From, &b.Action, &b.Hash, &b.Call)
	wire.Pointer(w, &b.Added, nil, (*walk).Int)
	wire.Pointer(w, &b.Removed, nil, (*walk).Int)
}

func (w *walk) session(b *trace.Session) {
	w.texts((*string)(&b.Marker), &b.Detail, &b.Model, &b.Command, &b.Phase)
}
