package qwen

import (
	"strings"

	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/genai"
)

// agentTool starts a sub-agent, which runs in the background unless asked otherwise.
const agentTool = "agent"

// addCall adds a call of the answer response.
func (s *session) addCall(v value, at trace.Event, response string) {
	tool, id := v.Get("name").Str(), draft.Token(v.Get("id").ID())
	if _, known := s.calls[id]; tool == "" || known && id != "" {
		return
	}
	args := v.Get("args")
	c := &trace.ToolCall{Call: id, Tool: tool, Type: genai.ToolType(tool), Response: response}
	if args.Exists() {
		c.Input = draft.Digest(args)
		c.Key = draft.InputKey(args, c.Input)
	}
	if path := genai.FilePath(args); path != "" {
		c.Path = s.path(path)
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(args.Get("command").Str(), trace.CommandHead)
	}
	s.b.Call(at, c)
	s.calls[c.Call] = ""
	if s.tail != calls {
		s.tail, s.open = calls, 0
	}
	s.open++
	if tool == agentTool {
		at.Body = &trace.SubagentSpawn{Call: c.Call, AgentType: draft.Word(args.Get("subagent_type").Str()),
			Description: s.head(args.Get("description").Str(), trace.UserHead), Background: string(args.Get("run_in_background")) != "false"}
		s.spawns[c.Call] = s.b.Add(at)
	}
}

// results adds the results in a record: one, as far as this version is known.
func (s *session) results(r record, at trace.Event) {
	for _, response := range genai.Split(r.message.Get("parts")).Responses {
		id := draft.Token(response.Get("id").ID())
		if id == "" {
			id = draft.Token(r.result.Get("callId").ID())
		}
		_, c := s.b.Lookup(id)
		if c == nil {
			continue // of a call that was compressed or never written
		}
		s.addResult(c, response.Get("response"), r.result, at)
	}
}

func (s *session) addResult(c *trace.ToolCall, response, result value, at trace.Event) {
	text, failed := genai.Said(response)
	j := genai.Result{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusCompleted}}
	display := result.Get("resultDisplay")
	judge(&j, c, text, failed, result, display)
	if s.calls[c.Call] != "" {
		return // the client wrote it before
	}
	s.calls[c.Call] = j.Status
	if seq := s.spawns[c.Call]; seq > 0 && result.Get("executionStatus").Str() == "not_started" {
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

func (s *session) add(j genai.Result, call, text string, from trace.From, at trace.Event) {
	j.Call, j.Message, j.From, j.Content, j.AgentID = call, at.Record, from, draft.Digest([]byte(text)), s.agent
	if j.Failed() {
		j.Head = s.head(agentcli.ShellOutput(text), trace.ErrorHead)
	}
	s.b.Result(at, j.ToolResultEvent)
}

// judge reads a result's record. In the file of a sub-agent result has no status: the text is all there is.
func judge(j *genai.Result, c *trace.ToolCall, text string, failed bool, result, display value) {
	status := result.Get("status").Str()
	switch {
	case status == "cancelled":
		j.Status = trace.StatusCancelled
		if result.Get("executionStatus").Str() == "not_started" && strings.Contains(text, "did not allow") {
			j.Fail(trace.StatusCancelled)
			j.Denied = "user"
		}
		return
	case status == "error" || failed:
		j.Fail(trace.StatusErrored)
		j.Denied = denial(text, result.Get("errorType").Str())
	}
	switch c.Type {
	case trace.ShellTool:
		shell(j, text, display)
	case trace.AgentTool:
		agentEnd(j, display.Get("status").Str())
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
func shell(j *genai.Result, text string, display value) {
	if j.Denied != "" {
		return
	}
	if j.Status == trace.StatusCompleted && strings.HasPrefix(text, "Background shell started.\n") {
		j.Status = trace.StatusRunning
		return
	}
	code, known := display.Get("exitCode").Int()
	if !known && !display.Get("exitCode").Exists() && !display.IsObject() {
		code, known = agentcli.ShellExit(text)
	}
	if known && code == int64(int(code)) {
		j.Exit(int(code))
	}
}

// agentEnd reads how a sub-agent ended, of which the client says that its call is a success.
func agentEnd(j *genai.Result, status string) {
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
	j := genai.Result{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusUnknown}}
	switch field("status") {
	case "completed":
		j.Status = trace.StatusCompleted
	case "failed":
		j.Fail(trace.StatusErrored)
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
	if path := display.Get("filePath").Str(); path != "" {
		f.Path = s.path(path)
	}
	if f.Path == "" {
		return
	}
	if strings.HasPrefix(text, "Successfully created") {
		f.Action = "created"
	}
	if diff := display.Get("fileDiff"); diff.IsString() && !display.Get("fileDiffTruncated").IsTrue() {
		added, removed := draft.CountDiff(diff.Str())
		f.Added, f.Removed = &added, &removed
	}
	if content := display.Get("newContent"); content.IsString() && !display.Get("newContentTruncated").IsTrue() {
		f.Hash = draft.FileHash([]byte(content.Str()))
	}
	at.Body = f
	s.b.Add(at)
}
