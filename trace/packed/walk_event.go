package packed

import (
	"aburn/internal/wire"
	"aburn/trace"
)

func (c *coder) event(e *trace.Event) {
	c.next(&e.Seq, &c.last.number)
	c.Time(&e.Time)
	c.ref(&e.Ref)
	c.texts(&e.Record, &e.Turn, &e.By, &e.Copied, &e.Inferred, &e.Ref.Table, &e.Ref.Key)
	c.Bool(&e.Abandoned)
	c.body(e)
}

// The numbers of the kinds of bodies; 0 is none.
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

// body codes the number of its kind, and its fields.
func (c *coder) body(e *trace.Event) {
	if c.Reading() {
		e.Body = newBody(c.Take())
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		c.kind(userMessage)
		c.Int64(&b.Length)
		c.texts(&b.Hash, &b.Head, &b.Machine, &b.Command)
	case *trace.AgentMessage:
		c.kind(agentMessage)
		c.Int64(&b.Length)
		c.texts(&b.Hash, &b.Response)
		c.Bool(&b.Thought)
	case *trace.ToolCall:
		c.kind(toolCall)
		c.toolCall(b)
	case *trace.ToolResult:
		c.kind(toolResult)
		c.texts(&b.Call)
		c.next(&b.Result, &c.last.index)
	case *trace.FileChange:
		c.kind(fileChange)
		c.fileChange(b)
	case *trace.Error:
		c.kind(failure)
		c.Int64(&b.Length)
		c.texts(&b.Hash, &b.Code, &b.Head)
		c.Int(&b.Status)
		c.Bool(&b.Fatal)
	case *trace.Interrupt:
		c.kind(interrupt)
		c.texts(&b.Call, &b.Reason)
	case *trace.SubagentSpawn:
		c.kind(subagentSpawn)
		c.texts(&b.Session, &b.Call, &b.AgentID, &b.AgentType, &b.Description)
		c.Bool(&b.Background)
		c.Bool(&b.NotStarted)
	case *trace.Session:
		c.kind(session)
		c.session(b)
	default:
		c.Fail("event %d has no body", e.Seq)
	}
}

// kind writes the number of a kind. A reader has read it already.
func (c *coder) kind(n uint64) {
	if !c.Reading() {
		c.Put(n)
	}
}

// newBody returns an empty body of this kind, nil if there is no such kind.
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

func (c *coder) toolCall(b *trace.ToolCall) {
	c.texts(&b.Call, &b.Tool, (*string)(&b.Type), &b.Input.Hash, &b.Key, &b.Path, &b.Head, &b.Response, &b.Parent)
	c.next(&b.Index, &c.last.call)
	c.Int64(&b.Input.Length)
	c.Bool(&b.Container)
}

func (c *coder) fileChange(b *trace.FileChange) {
	c.texts(&b.Path, &b.From, &b.Action, &b.Hash, &b.Call)
	wire.Pointer(c, &b.Added, nil, (*coder).Int)
	wire.Pointer(c, &b.Removed, nil, (*coder).Int)
}

func (c *coder) session(b *trace.Session) {
	c.texts((*string)(&b.Marker), &b.Detail, &b.Model, &b.Command, &b.Phase)
}
