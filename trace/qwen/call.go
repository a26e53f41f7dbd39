package qwen

import (
	"slices"
	"strconv"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// agentTool starts a sub-agent, which runs in the background unless asked otherwise.
const agentTool = "agent"

// addCall adds a call of the answer response.
func (s *session) addCall(v value, at trace.Event, response string) {
	tool, id := v.get("name").str(), token(v.get("id"))
	if _, known := s.calls[id]; tool == "" || known && id != "" {
		return
	}
	args := v.get("args")
	c := &trace.ToolCall{Call: id, Tool: tool, Type: toolType(tool), Response: response}
	if args.exists() {
		c.Input = draft.Digest(args)
		c.Key = draft.InputKey(args, c.Input)
	}
	for _, key := range []string{"file_path", "absolute_path", "notebook_path", "path"} {
		if path := args.get(key).str(); path != "" {
			c.Path = s.path(path)
			break
		}
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(args.get("command").str(), trace.CommandHead)
	}
	s.b.Call(at, c)
	s.calls[c.Call] = ""
	if s.tail != calls {
		s.tail, s.open = calls, 0
	}
	s.open++
	if tool == agentTool {
		at.Body = &trace.SubagentSpawn{Call: c.Call, AgentType: draft.Word(args.get("subagent_type").str()),
			Description: s.head(args.get("description").str(), trace.UserHead), Background: string(args.get("run_in_background")) != "false"}
		s.spawns[c.Call] = s.b.Add(at)
	}
}

// toolType classifies a tool.
func toolType(tool string) trace.ToolType {
	switch tool {
	case "run_shell_command":
		return trace.ShellTool
	case "read_file", "read_many_files":
		return trace.ReadTool
	case "write_file", "edit", "replace", "notebook_edit":
		return trace.EditTool
	case "glob", "grep_search", "list_directory":
		return trace.SearchTool
	case "web_fetch", "web_search":
		return trace.WebTool
	case agentTool:
		return trace.AgentTool
	}
	if strings.HasPrefix(tool, "mcp_") || strings.Contains(tool, "__") {
		return trace.MCPTool
	}
	return trace.OtherTool
}

// results adds the results in a record: one, as far as this version is known.
func (s *session) results(r record, at trace.Event) {
	for _, response := range split(r.message).responses {
		id := token(response.get("id"))
		if id == "" {
			id = token(r.result.get("callId"))
		}
		_, c := s.b.Lookup(id)
		if c == nil {
			continue // of a call that was compressed or never written
		}
		s.addResult(c, response.get("response"), r.result, at)
	}
}

func (s *session) addResult(c *trace.ToolCall, response, result value, at trace.Event) {
	text, failed := said(response)
	j := judged{trace.ToolResultEvent{Status: trace.StatusCompleted}}
	display := result.get("resultDisplay")
	j.judge(c, text, failed, result, display)
	if s.calls[c.Call] != "" {
		return // the client wrote it before
	}
	s.calls[c.Call] = j.Status
	if seq := s.spawns[c.Call]; seq > 0 && result.get("executionStatus").str() == "not_started" {
		s.b.Trace().Events[seq-1].Body.(*trace.SubagentSpawn).NotStarted = true
	}
	s.add(j, c.Call, text, trace.FromToolResult, at)
	s.tail = results
	switch {
	case j.Status == trace.StatusCancelled:
		s.open--
		if j.Denied == "" && !s.interrupt {
			s.interrupt = true
			at.Body = &trace.Interrupt{Call: c.Call, Reason: "the call was cancelled"}
			s.b.Add(at)
		}
	case j.Status == trace.StatusCompleted && c.Type == trace.EditTool:
		s.addChange(c, text, display, at)
	}
}

func (s *session) add(j judged, call, text string, from trace.From, at trace.Event) {
	j.Call, j.Message, j.From, j.Content, j.AgentID = call, at.Record, from, draft.Digest([]byte(text)), s.agent
	if j.Failed() {
		j.Head = s.head(output(text), trace.ErrorHead)
	}
	s.b.Result(at, j.ToolResultEvent)
}

// said returns what a result says to the model, and whether as an error.
func said(response value) (text string, failed bool) {
	x := response.get("error")
	if failed = x.exists(); !failed {
		x = response.get("output")
	}
	switch {
	case x.isString():
		return x.str(), failed
	case x.exists():
		return string(x), failed
	}
	return string(response), failed
}

// output is a command's output in the client's text about it, and any other text itself.
func output(text string) string {
	if !strings.HasPrefix(text, "Command: ") {
		return text
	}
	_, rest, ok := strings.Cut(text, "\nOutput: ")
	if !ok {
		return text
	}
	if i := strings.LastIndex(rest, "\nError: "); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// judged is a result being worked out.
type judged struct{ trace.ToolResultEvent }

// fail notes that the client itself calls the result an error.
func (j *judged) fail(status trace.Status) {
	yes := true
	j.Status, j.IsError = status, &yes
}

// judge reads a result's record. In the file of a sub-agent result has no status: the text is all there is.
func (j *judged) judge(c *trace.ToolCall, text string, failed bool, result, display value) {
	status := result.get("status").str()
	switch {
	case status == "cancelled":
		j.Status = trace.StatusCancelled
		if result.get("executionStatus").str() == "not_started" && strings.Contains(text, "did not allow") {
			j.fail(trace.StatusCancelled)
			j.Denied = "user"
		}
		return
	case status == "error" || failed:
		j.fail(trace.StatusErrored)
		j.Denied = denial(text, result.get("errorType").str())
	}
	switch c.Type {
	case trace.ShellTool:
		j.shell(text, display)
	case trace.AgentTool:
		j.agent(display.get("status").str())
	}
}

// denial says who refused a call that ended in this error, "" if nobody did.
func denial(text, code string) string {
	switch {
	case code != "" && code != "execution_denied":
		return ""
	case strings.Contains(text, "denied by permission rules"), strings.Contains(text, "permission was declined"):
		return "rule"
	case code == "":
		return ""
	case strings.Contains(text, "hook"):
		return "hook"
	}
	return "other"
}

// shell adds a command's exit code, and that it still runs. The client's own account of it is best; else there are the
// lines that it puts behind the output.
func (j *judged) shell(text string, display value) {
	if j.Denied != "" {
		return
	}
	if j.Status == trace.StatusCompleted && strings.HasPrefix(text, "Background shell started.\n") {
		j.Status = trace.StatusRunning
		return
	}
	code, known := display.get("exitCode").int()
	if !known && !display.get("exitCode").exists() && !display.isObject() {
		code, known = exitCode(text)
	}
	if known && code == int64(int(code)) {
		exit := int(code)
		j.ExitCode = &exit
		if exit != 0 {
			j.Status = trace.StatusErrored
		}
	}
}

// exitCode reads the client's last lines about a command: Exit Code, Signal, Process Group PGID. A line that the output
// itself ends with stands before those.
func exitCode(text string) (int64, bool) {
	lines := strings.Split(text[max(0, len(text)-200):], "\n")
	for _, line := range slices.Backward(lines) {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "Exit Code":
			code, err := strconv.ParseInt(value, 10, 32)
			return code, err == nil
		case "Process Group PGID", "Signal", "Background PIDs":
		default:
			return 0, false
		}
	}
	return 0, false
}

// agent reads how a sub-agent ended, of which the client says that its call is a success.
func (j *judged) agent(status string) {
	switch status {
	case "background":
		j.Status = trace.StatusRunning
	case "failed":
		j.Status = trace.StatusErrored
	case "cancelled":
		j.Status = trace.StatusCancelled
	}
}

// notified adds the result of a call that ran on in the background, which the client reports in a message of its own.
// What the sub-agent said stands behind what is read here.
func (s *session) notified(text string, at trace.Event) {
	about, _, _ := strings.Cut(text, "<result>")
	field := func(key string) string {
		_, rest, _ := strings.Cut(about, "<"+key+">")
		x, _, ok := strings.Cut(rest, "</"+key+">")
		if !ok {
			return ""
		}
		return x
	}
	call := draft.Token(field("tool-use-id"))
	if s.calls[call] != trace.StatusRunning {
		return
	}
	j := judged{trace.ToolResultEvent{Status: trace.StatusUnknown}}
	switch field("status") {
	case "completed":
		j.Status = trace.StatusCompleted
	case "failed":
		j.fail(trace.StatusErrored)
	case "cancelled":
		j.Status = trace.StatusCancelled
	}
	s.calls[call] = j.Status
	at.By = ""
	s.add(j, strings.Clone(call), text, trace.FromNotification, at)
}

// addChange adds the change of a file. A sub-agent's record has nothing but the text for the model.
func (s *session) addChange(c *trace.ToolCall, text string, display value, at trace.Event) {
	f := &trace.FileChange{Path: c.Path, Action: "modified", Call: c.Call}
	if path := display.get("filePath").str(); path != "" {
		f.Path = s.path(path)
	}
	if f.Path == "" {
		return
	}
	if strings.HasPrefix(text, "Successfully created") {
		f.Action = "created"
	}
	isTrue := func(key string) bool { return string(display.get(key)) == "true" }
	if diff := display.get("fileDiff"); diff.isString() && !isTrue("fileDiffTruncated") {
		added, removed := draft.CountDiff(diff.str())
		f.Added, f.Removed = &added, &removed
	}
	if content := display.get("newContent"); content.isString() && !isTrue("newContentTruncated") {
		f.Hash = draft.FileHash([]byte(content.str()))
	}
	at.Body = f
	s.b.Add(at)
}
