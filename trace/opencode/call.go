package opencode

import (
	"cmp"

	"aburn/trace"
)

// call tells a call, and the sub-agent that came of it.
func (s *story) call(m *message, p *part, e trace.Event) {
	t := p.tool
	e.Time = when(cmp.Or(t.start, m.created))
	if m.ran {
		e.By = "user"
	}
	c := &trace.ToolCall{Call: t.call, Tool: t.name, Type: typeOf(t.name), Input: t.input, Path: t.path, Head: t.head}
	if p.step != nil {
		c.Response = p.step.id
	}
	s.b.Call(e, c)
	t.call = c.Call
	if t.child == "" || s.calls[t.child] != "" {
		return
	}
	s.calls[t.child] = t.call
	e.Body = &trace.SubagentSpawn{Session: t.child, Call: t.call, AgentType: t.agentType, Description: t.description, Background: t.background}
	s.b.Add(e)
}

// result tells the end of a call, and what it changed.
func (s *story) result(m *message, p *part) {
	t := p.tool
	e := s.event(m, p)
	e.Ref, e.Time = p.end, when(cmp.Or(t.end, m.completed, m.created))
	if m.ran {
		e.By = "user"
	}
	r := trace.ToolResultEvent{Call: t.call, Message: m.id, Status: t.result(), From: trace.FromToolResult, Content: t.output, ExitCode: t.exit,
		Denied: t.denied, Spawned: t.child}
	if r.Status != trace.StatusCompleted && r.Status != trace.StatusRunning {
		r.Head = t.outputHead
	}
	if t.status == "error" {
		failed := true
		r.IsError = &failed
	}
	if t.start > 0 && t.end > t.start {
		r.DurationMS = t.end - t.start
	}
	s.b.Result(e, r)
	for _, c := range t.changes {
		c.Call = t.call
		e.Body = &c
		s.b.Add(e)
	}
}

// patch tells what opencode's snapshots say was changed during an answer, beyond what its editing tools said: by commands.
// What changed while a sub-agent worked can be the sub-agent's, and is told there.
func (s *story) patch(m *message, p *part, e trace.Event) {
	e.Time = when(cmp.Or(m.completed, m.created))
	told := map[string]bool{}
	for _, other := range m.parts {
		if other.tool == nil {
			continue
		}
		if other.tool.child != "" {
			return
		}
		for _, c := range other.tool.changes {
			told[c.Path], told[c.From] = true, true
		}
	}
	for _, path := range p.files {
		if path != "" && !told[path] {
			told[path] = true
			e.Body = &trace.FileChange{Path: path, Action: "unknown"}
			s.b.Add(e)
		}
	}
}
