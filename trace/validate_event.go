package trace

import (
	"math"
	"time"
)

func (v *validator) events() {
	defer func() { v.event, v.ref = nil, nil }()
	v.calls = make([]*ToolCall, 0, len(v.t.Results))
	var turn string // checked last: consecutive events share it
	for i := range v.t.Events {
		e := &v.t.Events[i]
		v.event, v.ref = e, &e.Ref
		if e.Seq != i+1 {
			v.bad("it has the number %d", i+1)
		}
		v.place()
		v.time(e.Time)
		v.token("the record's id", e.Record)
		if e.Turn != turn {
			v.token("the turn", e.Turn)
			turn = e.Turn
		}
		v.word("by", e.By, "", "user", "client")
		v.session("copied", e.Copied)
		v.must(e.Copied != v.t.ID, "it is a copy of its own session's")
		v.text("inferred", e.Inferred, UserHead)
		v.body()
		if v.broken != nil {
			return
		}
	}
	v.parents()
}

// place checks a Ref: a line of a source, or a row of one.
func (v *validator) place() {
	r := v.ref
	if r.File < 0 || r.File >= len(v.t.Sources) {
		v.bad("its ref names source %d of %d", r.File, len(v.t.Sources))
	}
	if r.Table == "" {
		v.must(r.Line > 0 && r.Offset >= 0 && r.Key == "", "it does not say where it was read")
	} else {
		v.must(r.Key != "" && r.Line == 0 && r.Offset == 0, "a row needs a key, and is no line")
	}
	v.token("the table", r.Table)
	v.session("the row's key", r.Key)
}

// time checks that a time is in UTC and whole milliseconds, so that storing keeps it.
func (v *validator) time(t time.Time) {
	const year10000 = 253402300800 // its first second, since 1970
	if t.IsZero() {
		return
	}
	if s := t.Unix(); t.Location() != time.UTC || t.Nanosecond()%1e6 != 0 || s < 0 || s >= year10000 {
		v.bad("the time %v is not in UTC and milliseconds", t)
	}
}

func (v *validator) body() {
	switch b := v.event.Body.(type) {
	case *UserMessage:
		v.userMessage(b)
	case *AgentMessage:
		v.digest(&b.Digest)
		v.token("the response", b.Response)
	case *ToolCall:
		v.toolCall(b)
	case *ToolResult:
		v.toolResult(b)
	case *FileChange:
		v.fileChange(b)
	case *Error:
		v.digest(&b.Digest)
		v.token("the code", b.Code)
		v.must(b.Status == 0 || b.Status >= 100 && b.Status <= 599, "the status is none of HTTP's")
		v.text("the head of an error", b.Head, ErrorHead)
	case *Interrupt:
		v.token("the call", b.Call)
		v.text("the reason", b.Reason, UserHead)
	case *SubagentSpawn:
		v.must(b.Session != "" || b.Call != "" || b.AgentID != "", "a sub-agent has neither session nor call nor id")
		v.session("the sub-agent's session", b.Session)
		v.token("the call", b.Call)
		v.token("the agent's id", b.AgentID)
		v.token("the agent's type", b.AgentType)
		v.text("the description", b.Description, UserHead)
	case *Session:
		v.marker(b)
	default:
		v.bad("it has no body")
	}
}

func (v *validator) userMessage(b *UserMessage) {
	v.digest(&b.Digest)
	v.text("the head of a prompt", b.Head, UserHead)
	v.word("machine", b.Machine, "", "task_notification", "compact_summary", "context", "hook", "command_output",
		"other")
	v.must(b.Machine == "" || v.event.By != "", "what no person wrote must say by whom it is")
	v.must(b.Machine != "" || v.event.By != "client", "what the client wrote must say what it is")
	v.token("the command", b.Command)
}

func (v *validator) toolCall(b *ToolCall) {
	v.calls = append(v.calls, b)
	if b.Index != len(v.calls) {
		v.bad("the call's index is %d, not %d", b.Index, len(v.calls))
	}
	v.name("the call's id", b.Call)
	v.name("the tool's name", b.Tool)
	v.word("the tool's type", string(b.Type), string(ShellTool), string(ReadTool), string(EditTool),
		string(SearchTool), string(WebTool),
		string(MCPTool), string(AgentTool), string(OtherTool))
	v.digest(&b.Input)
	v.hash("the input's key", b.Key, 8)
	v.text("the path", b.Path, MaxPath)
	v.text("the head of a command", b.Head, CommandHead)
	v.token("the response", b.Response)
	v.token("the parent", b.Parent)
	v.must(b.Parent != b.Call, "a call is its own parent")
}

// parents checks that a Parent is in the trace, and a Container.
func (v *validator) parents() {
	var containers map[string]bool
	for _, c := range v.calls {
		if c.Container {
			if containers == nil {
				containers = map[string]bool{}
			}
			containers[c.Call] = true
		}
	}
	for _, c := range v.calls {
		if c.Parent != "" && !containers[c.Parent] {
			v.bad("the parent %q of call %q is no container", c.Parent, c.Call)
		}
	}
}

func (v *validator) toolResult(b *ToolResult) {
	v.name("the call's id", b.Call)
	if b.Result < 0 || b.Result >= len(v.t.Results) {
		v.bad("it names result %d of %d", b.Result, len(v.t.Results))
		return
	}
	r := &v.t.Results[b.Result]
	if r.EventIndex != v.event.Seq || r.Call != b.Call {
		v.bad("result %d is of event %d and call %q", b.Result, r.EventIndex, r.Call)
	}
	if n := r.CallIndex; n != 0 && (n < 0 || n > len(v.calls) || v.calls[n-1].Call != b.Call) {
		v.bad("no call %q with index %d comes before it", b.Call, n)
	}
}

func (v *validator) fileChange(b *FileChange) {
	v.must(b.Path != "", "the path is missing")
	v.text("the path", b.Path, MaxPath)
	v.text("the path before", b.From, MaxPath)
	v.word("the action", b.Action, "created", "modified", "deleted", "renamed", "unknown")
	v.must(b.From == "" || b.Action == "renamed", "only what was renamed was elsewhere")
	v.must(b.Added == nil || *b.Added >= 0, "added is negative")
	v.must(b.Removed == nil || *b.Removed >= 0, "removed is negative")
	v.hash("the file's hash", b.Hash, 64)
	v.token("the call", b.Call)
}

func (v *validator) marker(b *Session) {
	v.token("the detail", b.Detail)
	v.token("the model", b.Model)
	v.token("the command", b.Command)
	v.token("the phase", b.Phase)
	switch b.Marker {
	case Started, Resumed, Compacted, Stopped, Ended, ModelChanged, Abandoned:
		v.must(b.Command == "" && b.Phase == "", "only a command's or phase's marker has one")
	case CommandStarted, CommandCompleted, CommandFailed:
		v.must(b.Command != "" && b.Phase == "", "a command's marker names the command and no phase")
	case PhaseStarted, PhaseCompleted, PhaseFailed:
		v.must(b.Command != "" && b.Phase != "", "a phase's marker names the command and the phase")
	default:
		v.bad("the marker is %q", b.Marker)
	}
}

// results checks that each result belongs to the event that names it.
func (v *validator) results() {
	defer func() { v.event, v.ref = nil, nil }()
	t := v.t
	for i := range t.Results {
		r := &t.Results[i]
		v.event, v.ref = nil, nil
		if r.EventIndex < 1 || r.EventIndex > len(t.Events) {
			v.bad("result %d is of no event", i)
			return
		}
		v.event = &t.Events[r.EventIndex-1]
		v.ref = &v.event.Ref
		if b, ok := v.event.Body.(*ToolResult); !ok || b.Result != i {
			v.bad("result %d names it, and it does not name that", i)
		}
		v.must(r.V == Version, "the v of a result is not 1")
		v.must(r.Source == t.Source && r.Session == t.ID, "a result is of another session")
		v.token("the message's id", r.Message)
		v.token("the agent's id", r.AgentID)
		v.must(r.Time.Equal(v.event.Time), "a result has another time than its event")
		v.word("the status", string(r.Status), string(StatusRunning), string(StatusCompleted),
			string(StatusErrored), string(StatusCancelled), string(StatusUnknown))
		v.word("event_source", string(r.From), string(FromToolResult), string(FromNotification), string(FromQueue),
			string(FromProgress), string(FromFunctionCallOutput))
		v.digest(&r.Content)
		v.text("the head of a result", r.Head, ErrorHead)
		v.must(r.Head == "" || r.Failed() || r.Status == StatusCancelled,
			"the head of a result that did not fail is content")
		v.word("denied", r.Denied, "", "user", "rule", "hook", "other")
		v.must(r.Denied == "" || r.Status == StatusErrored || r.Status == StatusCancelled,
			"a call that was refused is errored or cancelled")
		v.must(r.ExitCode == nil || *r.ExitCode >= math.MinInt32 && *r.ExitCode <= math.MaxUint32,
			"an exit code is none of any system")
		v.must(r.DurationMS >= 0, "a duration is negative")
		v.session("the spawned session", r.Spawned)
	}
}

// responses checks that each response is billed once.
func (v *validator) responses() {
	defer func() { v.ref = nil }()
	seen := make(map[string]bool, len(v.t.Responses))
	for i := range v.t.Responses {
		r := &v.t.Responses[i]
		v.ref = &r.Ref
		v.place()
		v.name("a response's id", r.ID)
		v.must(!seen[r.ID], "two responses have one id")
		seen[r.ID] = true
		v.token("the model", r.Model)
		v.must(r.Event >= 0 && r.Event <= len(v.t.Events), "a response is of no event")
		v.time(r.Time)
		u := r.Usage
		v.must(min(u.Input, u.CacheRead, u.CacheWrite, u.CacheWrite5m, u.CacheWrite1h, u.Output, u.Reasoning, u.Searches) >= 0 &&
			u.CostUSD >= 0, "a usage is negative")
		v.must(u.CacheWrite5m+u.CacheWrite1h <= u.CacheWrite, "the parts of the cache's writes are more than all of them")
		v.token("the tier", r.Tier)
		v.token("the place", r.Geo)
		v.token("the branch", r.Branch)
		v.token("the stop reason", r.Stop)
		v.session("copied", r.Copied)
		v.must(r.Copied != v.t.ID, "it is a copy of its own session's")
	}
}
