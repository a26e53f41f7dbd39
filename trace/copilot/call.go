package copilot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// openCall is a call whose end has not come.
type openCall struct {
	*trace.ToolCall
	by      *session
	id      string // of the call
	content string // of the file that it creates, as a hash of all of it
	refused string // what was said in place of an approval
	running bool   // in the background; the end comes later
	spawned string // the sub-agent that came of it
}

// request is a call as a record has it.
type request struct {
	id, tool string
	args     gjson.Result
	mcp      bool
}

func callOf(d gjson.Result, tool string) request {
	return request{id: d.Get("toolCallId").Str, tool: d.Get(tool).Str, args: d.Get("arguments"), mcp: d.Get("mcpServerName").Str != ""}
}

// callRecord adds a record about a call.
func (s *session) callRecord(r record, at trace.Event) {
	switch r.kind {
	case "tool.user_requested":
		at.By = "user"
		s.addCall(callOf(r.data, "toolName"), at, "")
	case "tool.execution_start": // of a call that no answer holds
		s.addCall(callOf(r.data, "toolName"), at, "")
	case "permission.completed":
		if c := s.file.lookUp(r.data); c != nil && !strings.HasPrefix(r.data.Get("result.kind").Str, "approved") {
			c.refused = strings.Clone(r.data.Get("result.kind").Str)
		}
	case "tool.execution_complete":
		if c := s.file.lookUp(r.data); c != nil && !c.running {
			c.by.completed(c, r.data, at)
		}
	}
}

// lookUp finds the open call that a record is about, nil if there is none.
func (f *reading) lookUp(d gjson.Result) *openCall {
	id := draft.Token(d.Get("toolCallId").Str)
	if s := f.owners[id]; s != nil {
		return s.open[id]
	}
	return nil
}

// unfinished lists the calls that wait for their end, in the order of the calls.
func (s *session) unfinished() (list []*openCall) {
	for _, c := range s.open {
		if !c.running {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *openCall) int { return cmp.Compare(a.Index, b.Index) })
	return list
}

// addCall adds a call, once.
func (s *session) addCall(q request, at trace.Event, response string) {
	id := token(q.id)
	if q.tool == "" || id == "" || s.file.owners[id] != nil {
		return
	}
	c := &trace.ToolCall{Call: id, Tool: draft.Word(strings.Clone(q.tool)), Type: toolType(q.tool), Response: response}
	if q.mcp {
		c.Type = trace.MCPTool
	}
	if q.args.Exists() {
		raw := []byte(q.args.Raw)
		c.Input = draft.Digest(raw)
		c.Key = draft.InputKey(raw, c.Input)
	}
	if path := q.args.Get("path").Str; path != "" {
		c.Path = s.path(path)
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(q.args.Get("command").Str, trace.CommandHead)
	}
	s.b.Call(at, c)
	o := &openCall{ToolCall: c, by: s, id: c.Call}
	if text := q.args.Get("file_text"); q.tool == "create" && text.Type == gjson.String {
		o.content = draft.FileHash([]byte(text.Str))
	}
	s.open[c.Call], s.file.owners[c.Call] = o, s
	s.tail = calls
}

// toolType classifies a tool of the client's own.
func toolType(tool string) trace.ToolType {
	switch tool {
	case "bash", "powershell", "read_bash", "write_bash", "stop_bash", "list_bash", "read_powershell", "write_powershell", "stop_powershell", "list_powershell":
		return trace.ShellTool
	case "view":
		return trace.ReadTool
	case "create", "edit", "apply_patch", "str_replace_editor":
		return trace.EditTool
	case "grep", "rg", "glob":
		return trace.SearchTool
	case "web_fetch", "web_search":
		return trace.WebTool
	case "task":
		return trace.AgentTool
	}
	return trace.OtherTool
}

// judged is a result being worked out, with the text that it says.
type judged struct {
	trace.ToolResultEvent
	text string
}

// fail notes that the client itself calls the result an error.
func (j *judged) fail(status trace.Status) {
	yes := true
	j.Status, j.IsError = status, &yes
}

func (j *judged) exited(code int) {
	if j.ExitCode = &code; code != 0 {
		j.Status = trace.StatusErrored
	}
}

// completed adds the end of a call.
func (s *session) completed(c *openCall, d gjson.Result, at trace.Event) {
	j := judged{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusCompleted, From: trace.FromToolResult}, text: d.Get("result.content").Str}
	if !d.Get("success").Bool() {
		j.fail(trace.StatusErrored)
		j.text = d.Get("error.message").Str
	}
	switch {
	case c.refused != "" || d.Get("error.code").Str == "denied":
		j.deny(deniedBy(c.refused, j.text))
	case c.Type == trace.ShellTool:
		j.shell(s.file, c, d)
	case c.Type == trace.AgentTool && d.Get("toolTelemetry.properties.execution_mode").Str == "background" && !j.Failed():
		j.Status = trace.StatusRunning
	}
	s.end(c, j, at)
	if j.Status != trace.StatusRunning {
		s.addChanges(c, d, at)
	}
}

// shell adds a command's exit code, and that it still runs, which only its text tells.
func (j *judged) shell(f *reading, c *openCall, d gjson.Result) {
	if code := d.Get("shellExecution.exitCode"); code.Type == gjson.Number {
		j.exited(int(code.Int()))
		return
	}
	last := j.text[strings.LastIndexByte(j.text, '\n')+1:]
	if code, ok := exitCode(last); ok {
		j.exited(code)
	} else if id, ok := runsOn(last); ok && !j.Failed() {
		j.Status = trace.StatusRunning
		f.shells[id] = c.id
	}
}

// exitCode reads the client's last line about a command that ended: <shellId: 3 completed with exit code 7>.
func exitCode(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "<shellId: ")
	_, code, found := strings.Cut(strings.TrimSuffix(rest, ">"), " completed with exit code ")
	n, err := strconv.ParseInt(code, 10, 32)
	return int(n), ok && found && err == nil
}

// runsOn reads the shell's id from the client's last line about a command that still runs:
// <command started in background with shellId: 5>, <command with shellId: 2 is still running after 60 seconds. …>.
func runsOn(line string) (shell string, ok bool) {
	rest, ok := strings.CutPrefix(line, "<command ")
	_, rest, found := strings.Cut(rest, "with shellId: ")
	id, _, _ := strings.Cut(strings.TrimSuffix(rest, ">"), " ")
	return strings.Clone(id), ok && found && id != ""
}

// deny notes who refused the call: then it did not run.
func (j *judged) deny(by string) {
	j.Denied = by
	if j.fail(trace.StatusErrored); by == "user" {
		j.Status = trace.StatusCancelled
	}
}

// deniedBy says who refused a call, by the client's word for the decision, or else by its words to the model.
func deniedBy(decision, text string) string {
	switch decision {
	case "denied-interactively-by-user", "cancelled":
		return "user"
	case "denied-by-rules", "denied-by-content-exclusion-policy":
		return "rule"
	case "denied-by-permission-request-hook":
		return "hook"
	case "":
		if strings.HasPrefix(text, "Permission to run this tool was denied due to the following rules") {
			return "rule"
		}
		if strings.Contains(text, "hook") {
			return "hook"
		}
	}
	return "other"
}

// refusals ends the calls that were refused and got no result of their own: a person pressed Esc in the dialog.
func (s *session) refusals(at trace.Event) {
	for _, c := range s.unfinished() {
		if c.refused != "" {
			j := judged{ToolResultEvent: trace.ToolResultEvent{From: trace.FromProgress}, text: c.refused}
			j.deny(deniedBy(c.refused, ""))
			s.end(c, j, at)
		}
	}
}

// end adds a result. A call that runs on stays open for the next one.
func (s *session) end(c *openCall, j judged, at trace.Event) {
	if c.running = j.Status == trace.StatusRunning; !c.running {
		delete(s.open, c.id)
	}
	j.Call, j.Message, j.Content, j.AgentID, j.Spawned = c.id, at.Record, draft.Digest([]byte(j.text)), s.agent, c.spawned
	if j.Failed() {
		j.Head = s.head(output(j.text), trace.ErrorHead)
	}
	s.b.Result(at, j.ToolResultEvent)
	if s.tail == calls && len(s.unfinished()) == 0 {
		s.tail = results
	}
}

// output is a command's output without the client's last line about it.
func output(text string) string {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && strings.HasPrefix(text[i+1:], "<shellId: ") {
		return text[:i]
	}
	return text
}

// addChanges adds the changes of files that the client says it committed. The counts of lines are of all of them.
func (s *session) addChanges(c *openCall, d gjson.Result, at trace.Event) {
	edits := d.Get("fileEdits").Array()
	for _, edit := range edits {
		f := &trace.FileChange{Path: s.path(edit.Get("path").Str), Action: action(edit.Get("kind").Str), Call: c.id}
		if f.Path == "" {
			continue
		}
		metrics := d.Get("toolTelemetry.metrics")
		if added, removed := metrics.Get("linesAdded"), metrics.Get("linesRemoved"); len(edits) == 1 && added.Exists() && removed.Exists() {
			a, r := int(added.Int()), int(removed.Int())
			f.Added, f.Removed = &a, &r
		}
		if f.Action == "created" {
			f.Hash = c.content
		}
		at.Body = f
		s.b.Add(at)
	}
}

// action is the trace's word for the kind of an edit.
func action(kind string) string {
	switch kind {
	case "create":
		return "created"
	case "edit":
		return "modified"
	case "delete":
		return "deleted"
	}
	return "unknown"
}
