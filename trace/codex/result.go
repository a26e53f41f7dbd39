package codex

import (
	"aburn/trace"
	"aburn/trace/draft"
)

func setStatus(r *trace.ToolResultEvent, raw []byte) {
	no, yes := false, true
	switch {
	case quoted(raw, "completed"):
		r.Status, r.IsError = trace.StatusCompleted, &no
	case quoted(raw, "failed"):
		r.Status, r.IsError = trace.StatusErrored, &yes
	case quoted(raw, "declined"):
		r.Status, r.IsError, r.Denied = trace.StatusCancelled, &yes, "user"
	case quoted(raw, "in_progress"), quoted(raw, "inProgress"):
		r.Status = trace.StatusRunning
	default:
		r.Status = trace.StatusUnknown
	}
}

func (s *session) setHead(r *trace.ToolResultEvent, out content) {
	if r.Failed() {
		r.Head = s.head(out, trace.ErrorHead)
	}
}

func (s *session) result(e trace.Event, r trace.ToolResultEvent) {
	s.Result(e, r)
	s.noteEnd(&r)
}

// output adds what a call gave back to the model. It decides how the call ended where no item does: for a refused
// call, an unknown tool, a call that still runs.
func (s *session) output(p object) {
	id := s.id(p, "call_id")
	if id == "" {
		return // a text of the client's in the form of an output
	}
	if p.is("type", "tool_search_output") {
		s.result(s.newEvent(s.id(p, "id")), trace.ToolResultEvent{Call: id, Message: s.id(p, "id"),
			From:   trace.FromFunctionCallOutput,
			Status: trace.StatusCompleted, Content: draft.Digest(p.raw("tools"))})
		return
	}
	known := s.ends[id].item
	cell, process := s.Waits[id], s.Writes[id]
	delete(s.Waits, id)
	delete(s.Writes, id)
	if known && cell == "" && process == "" {
		return
	}
	out := contentOf(p.raw("output"))
	tool := ""
	if _, c := s.Lookup(id); c != nil {
		tool = c.Tool
	}
	v := judge(tool, out.start(trace.ErrorHead))
	if tool == spawnAgent && v.status == trace.StatusCompleted {
		s.startedAgent(id, out)
	}
	r := trace.ToolResultEvent{Call: id, Message: s.id(p, "id"), From: trace.FromFunctionCallOutput,
		Content: out.digest(),
		Status:  v.status, IsError: v.isError, ExitCode: v.exit, Denied: v.denied, Spawned: s.spawned(id)}
	if r.Spawned != "" && r.Status == trace.StatusCompleted {
		r.Status = trace.StatusRunning // the sub-agent runs
	}
	switch {
	case process != "":
		r.ExitCode = nil // it is the command's
		s.processEnded(process, v, r)
		if v.status != trace.StatusCancelled && v.ran {
			r.Status, r.IsError = trace.StatusCompleted, nil
		}
	case cell != "":
		s.codeEnded(s.Cells[cell], v)
	}
	s.noteYield(id, tool, v)
	s.setHead(&r, out)
	if r.Status == trace.StatusCancelled {
		s.LastCancelled = id
	}
	if !known {
		s.result(s.newEvent(r.Message), r)
	}
	if cell != "" && v.ran && v.status != trace.StatusRunning {
		s.cellEnded(cell, r)
	}
}

// noteYield notes where a call that yielded continues.
func (s *session) noteYield(id, tool string, v verdict) {
	switch {
	case v.process != "" && tool != writeStdin:
		remember(&s.Processes, v.process, id)
	case v.cell != "" && tool == codeTool:
		remember(&s.Cells, v.cell, id)
	case tool == codeTool:
		s.codeEnded(id, v)
	}
}

// processEnded adds the end of a command that had yielded, which the call that wrote to it reported. An item says
// more.
func (s *session) processEnded(process string, v verdict, r trace.ToolResultEvent) {
	id := s.Processes[process]
	if id == "" || v.exit == nil || s.ends[id].item {
		return
	}
	delete(s.Processes, process)
	r.Call, r.Status, r.IsError, r.ExitCode = id, v.status, v.isError, v.exit
	s.result(s.newEvent(r.Message), r)
}
