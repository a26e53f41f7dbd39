package trace

import "fmt"

func (e *encoder) event(v *Event) {
	e.int(`{"seq":`, int64(v.Seq))
	e.timeIf(`,"time":`, v.Time)
	e.ref(`,"ref":`, &v.Ref)
	e.textIf(`,"record":`, v.Record)
	e.textIf(`,"turn":`, v.Turn)
	e.textIf(`,"by":`, v.By)
	e.textIf(`,"copied":`, v.Copied)
	e.boolIf(`,"abandoned":`, v.Abandoned)
	e.textIf(`,"inferred":`, v.Inferred)
	switch b := v.Body.(type) {
	case *UserMessage:
		e.digest(`,"kind":"user_message","user_message":{"length":`, &b.Digest)
		e.textIf(`,"head":`, b.Head)
		e.textIf(`,"machine":`, b.Machine)
		e.textIf(`,"command":`, b.Command)
	case *AgentMessage:
		e.digest(`,"kind":"agent_message","agent_message":{"length":`, &b.Digest)
		e.boolIf(`,"thought":`, b.Thought)
		e.textIf(`,"response":`, b.Response)
	case *ToolCall:
		e.toolCall(b)
	case *ToolResult:
		e.text(`,"kind":"tool_result","tool_result":{"call":`, b.Call)
		e.int(`,"result":`, int64(b.Result))
	case *FileChange:
		e.text(`,"kind":"file_change","file_change":{"path":`, b.Path)
		e.textIf(`,"from":`, b.From)
		e.text(`,"action":`, b.Action)
		e.intPointer(`,"added":`, b.Added)
		e.intPointer(`,"removed":`, b.Removed)
		e.textIf(`,"hash":`, b.Hash)
		e.textIf(`,"call":`, b.Call)
	case *Error:
		e.error(b)
	case *Interrupt:
		e.interrupt(b)
	case *SubagentSpawn:
		e.spawn(b)
	case *Session:
		e.text(`,"kind":"session","session":{"marker":`, string(b.Marker))
		e.textIf(`,"detail":`, b.Detail)
		e.textIf(`,"model":`, b.Model)
		e.textIf(`,"command":`, b.Command)
		e.textIf(`,"phase":`, b.Phase)
	default:
		e.fail(fmt.Errorf("event %d has no body", v.Seq))
	}
	e.raw("}}")
}

func (e *encoder) toolCall(b *ToolCall) {
	e.text(`,"kind":"tool_call","tool_call":{"call":`, b.Call)
	e.int(`,"index":`, int64(b.Index))
	e.text(`,"tool":`, b.Tool)
	e.text(`,"type":`, string(b.Type))
	e.digest(`,"input":{"length":`, &b.Input)
	e.raw("}")
	e.textIf(`,"key":`, b.Key)
	e.textIf(`,"path":`, b.Path)
	e.textIf(`,"head":`, b.Head)
	e.textIf(`,"response":`, b.Response)
	e.textIf(`,"parent":`, b.Parent)
	e.boolIf(`,"container":`, b.Container)
}

func (e *encoder) error(b *Error) {
	e.raw(`,"kind":"error","error":{`)
	at := len(e.buf)
	e.textIf(`,"code":`, b.Code)
	e.intIf(`,"status":`, int64(b.Status))
	e.boolIf(`,"fatal":`, b.Fatal)
	e.textIf(`,"head":`, b.Head)
	e.digest(`,"length":`, &b.Digest)
	e.buf = append(e.buf[:at], e.buf[at+1:]...) // the comma before the first one
}

func (e *encoder) interrupt(b *Interrupt) {
	e.raw(`,"kind":"interrupt","interrupt":{`)
	e.textIf(`"call":`, b.Call)
	if b.Call != "" && b.Reason != "" {
		e.raw(",")
	}
	e.textIf(`"reason":`, b.Reason)
}

func (e *encoder) spawn(b *SubagentSpawn) {
	e.raw(`,"kind":"subagent_spawn","subagent_spawn":{`)
	at := len(e.buf)
	e.textIf(`,"session":`, b.Session)
	e.textIf(`,"call":`, b.Call)
	e.textIf(`,"agent_id":`, b.AgentID)
	e.textIf(`,"agent_type":`, b.AgentType)
	e.textIf(`,"description":`, b.Description)
	e.boolIf(`,"background":`, b.Background)
	e.boolIf(`,"not_started":`, b.NotStarted)
	if len(e.buf) > at {
		e.buf = append(e.buf[:at], e.buf[at+1:]...)
	}
}
