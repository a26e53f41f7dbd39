package own

import (
	"aburn/internal/jsonl"
	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// entry adds an entry to its trace. Entries without a session belong to no trace.
func (r *reading) entry(e *logfmt.Entry, key string) error {
	id, child := ids(e)
	if id == "" || !belongsToTrace(e) {
		return nil
	}
	of, parent := id, ""
	if child != "" {
		of, parent = child, id
	}
	s, err := r.known(of)
	if err != nil || s == nil && helperEnded(e) {
		return err
	}
	if s == nil {
		s = r.hold(newSession(of, r.path, e))
	}
	if e.ID != "" && s.seen[e.ID] {
		return nil
	}
	s.noteSession(e, parent)
	if !r.incremental && !r.shortened { // an earlier reading's trace is large before its first new entry
		s.Reach(r.at, r.size)
	}
	var d logfmt.Details
	logfmt.ReadDetails(e.Data, &d)
	x := step{reading: r, session: s, e: e, d: &d,
		event: trace.Event{Time: e.Time, Ref: trace.Ref{Table: table, Key: key}, Record: e.ID}}
	if err := x.add(parent); err != nil {
		return err
	}
	if e.ID != "" {
		s.seen[e.ID] = true
	}
	return nil
}

// helperEnded reports whether the entry is the end of a helper of the client, if nothing else is known of its agent. Claude
// Code's compactions end a sub-agent that has no type, no beginning and no transcript.
func helperEnded(e *logfmt.Entry) bool {
	return e.Event == logfmt.AgentComplete && e.Agent != nil && e.Agent.Type == ""
}

// belongsToTrace reports whether an entry says what happened in its session. The others are what aburn found out about
// it, what waits for the user, and what other entries say better.
func belongsToTrace(e *logfmt.Entry) bool {
	switch e.Event {
	case logfmt.SessionStart, logfmt.SessionEnd, logfmt.Prompt, logfmt.Command, logfmt.ToolStart, logfmt.Tool,
		logfmt.ToolFailed,
		logfmt.ToolDenied, logfmt.Stop, logfmt.TurnFailed, logfmt.Interrupt, logfmt.Compact, logfmt.AgentSpawn, logfmt.AgentComplete,
		logfmt.Delivered, logfmt.WorkerDone, logfmt.Start, logfmt.Complete, logfmt.Failed, logfmt.PhaseStart, logfmt.PhaseComplete:
		return true
	}
	return false
}

// step is one entry on its way into a trace.
type step struct {
	*reading
	*session
	e     *logfmt.Entry
	d     *logfmt.Details
	event trace.Event // with time, place and id of the entry
}

func (x *step) add(parent string) error {
	switch x.e.Event {
	case logfmt.ToolStart:
		x.call("")
	case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
		return x.ended()
	case logfmt.AgentSpawn, logfmt.AgentComplete:
		return x.agent(parent)
	case logfmt.Prompt:
		x.prompt()
	case logfmt.Command:
		x.command()
	case logfmt.Delivered:
		if !x.d.Seen {
			x.addMessage(&trace.UserMessage{Machine: "hook"}, "client")
		}
	case logfmt.TurnFailed:
		x.turnFailed()
	case logfmt.Interrupt:
		x.interrupt("")
	case logfmt.WorkerDone:
		x.addBody(&trace.Session{Marker: trace.Stopped, Detail: trace.SaidDone})
	case logfmt.SessionStart, logfmt.SessionEnd, logfmt.Stop, logfmt.Compact:
		x.sessionMarker()
	default:
		x.commandMarker()
	}
	return nil
}

func (x *step) addBody(b trace.Body) {
	e := x.event
	e.Body = b
	x.Add(e)
}

func (x *step) addMessage(m *trace.UserMessage, by string) {
	e := x.event
	e.By, e.Body = by, m
	x.Add(e)
}

// prompt adds what a person or caller wrote, or a program's report about background work.
func (x *step) prompt() {
	d := x.d
	m := &trace.UserMessage{Head: x.Head(d.Head.String(), trace.UserHead)}
	m.Length = x.number("chars") // the log counts characters
	if !d.Machine {
		x.addMessage(m, "")
		return
	}
	m.Machine = "other"
	if len(d.ToolUseID) > 0 {
		m.Machine = "task_notification"
	}
	x.addMessage(m, "client")
	if len(d.ToolUseID) == 0 || len(d.Status) == 0 {
		return
	}
	r := trace.ToolResultEvent{Call: d.ToolUseID.String(), From: trace.FromNotification, Status: trace.StatusUnknown}
	switch d.Status.String() {
	case "completed":
		r.Status = trace.StatusCompleted
	case "failed":
		r.Status = trace.StatusErrored
	case "killed", "stopped", "cancelled":
		r.Status = trace.StatusCancelled
	}
	x.Result(x.event, r)
}

// number returns a whole number in the entry's data, 0 if it is missing.
func (x *step) number(name string) (n int64) {
	jsonl.Members(x.e.Data, func(key, value []byte) bool {
		if string(key) != name {
			return true
		}
		n, _ = jsonl.Int(value)
		return false
	})
	return max(n, 0)
}

func (x *step) text(name string) (s string) {
	jsonl.Members(x.e.Data, func(key, value []byte) bool {
		if string(key) != name {
			return true
		}
		s = jsonl.Text(value)
		return false
	})
	return s
}

// command sets the slash command of the prompt before the entry.
func (x *step) command() {
	name := draft.Word(x.d.Command.String())
	if last := x.last(); last != nil {
		if m, ok := last.Body.(*trace.UserMessage); ok && m.Machine == "" && (m.Command == "" || m.Command == name) {
			m.Command = name
			return
		}
	}
	x.addMessage(&trace.UserMessage{Command: name}, "")
}

// turnFailed adds the end of a turn by an error of the provider or the client. The error can be a code or its whole
// text.
func (x *step) turnFailed() {
	b := &trace.Error{Fatal: true, Code: x.d.Error.String(), Head: x.Head(x.d.Reason.String(), trace.ErrorHead)}
	if len(b.Code) > 40 || len(b.Code) > 0 && b.Code[0] == '{' {
		b.Code = ""
		if b.Head == "" {
			b.Head = x.Head(x.d.Error.String(), trace.ErrorHead)
		}
	}
	x.event.Inferred = x.Head(x.d.Inferred.String(), trace.UserHead)
	x.addBody(b)
}

// interrupt adds the stop of a turn, unless it was already inferred from the interrupted call.
func (x *step) interrupt(inferred string) {
	b := &trace.Interrupt{Reason: draft.Word(x.d.Reason.String())}
	if last := x.last(); last != nil {
		switch before := last.Body.(type) {
		case *trace.Interrupt:
			return
		case *trace.ToolResult:
			if t := x.Trace(); t.Results[before.Result].Status == trace.StatusCancelled {
				b.Call = before.Call
			}
		}
	}
	x.event.Inferred = inferred
	x.addBody(b)
}

// sessionMarker adds the beginning, a pause or the end of a session.
func (x *step) sessionMarker() {
	t := x.Trace()
	switch x.e.Event {
	case logfmt.SessionStart:
		if v := x.text("client_version"); v != "" {
			t.Agent.Version = v
		}
		switch source := x.d.Source.String(); source {
		case "compact": // COMPACT has the compaction
		case "resume":
			x.addBody(&trace.Session{Marker: trace.Resumed, Detail: source})
		default:
			x.addBody(&trace.Session{Marker: trace.Started, Detail: source})
		}
	case logfmt.SessionEnd:
		x.addBody(&trace.Session{Marker: trace.Ended, Detail: x.d.Reason.String()})
	case logfmt.Stop:
		x.addBody(&trace.Session{Marker: trace.Stopped, Detail: x.d.Reason.String()})
	case logfmt.Compact:
		if x.d.Stage.String() != "before" {
			x.addBody(&trace.Session{Marker: trace.Compacted, Detail: x.d.Trigger.String()})
		}
	}
}

// commandMarker adds what a prompt declared about its command and phase.
func (x *step) commandMarker() {
	cmd, phase, ev := x.e.Meaning()
	b := &trace.Session{Command: cmd, Phase: phase}
	switch ev {
	case logfmt.Start:
		b.Marker = trace.CommandStarted
	case logfmt.Complete:
		b.Marker = trace.CommandCompleted
	case logfmt.PhaseStart:
		b.Marker = trace.PhaseStarted
	case logfmt.PhaseComplete:
		b.Marker = trace.PhaseCompleted
	case logfmt.Failed:
		b.Marker, b.Detail = trace.CommandFailed, x.d.Error.String()
		if phase != "" {
			b.Marker = trace.PhaseFailed
		}
	}
	if phase == "" && (b.Marker == trace.PhaseStarted || b.Marker == trace.PhaseCompleted) {
		return // it does not name its phase
	}
	if b.Marker == trace.CommandStarted || b.Marker == trace.CommandCompleted || b.Marker == trace.CommandFailed {
		b.Phase = ""
	}
	x.addBody(b)
}
