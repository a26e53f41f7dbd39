package claude

import (
	"bytes"
	"strconv"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// toolUseResult is the member of that name: details of a result, or a text where the call failed. Sub-agents' records
// have none.
type toolUseResult struct {
	text               []byte
	agent, agentType   []byte
	async, interrupted bool
	background         []byte
	duration           int64
	change             change
}

func (m *conversation) toolResult(e trace.Event, r *record, b *block) {
	x := trace.ToolResultEvent{Call: m.ids.token(b.id), Message: e.Record, AgentID: m.agent, From: trace.FromToolResult}
	if b.failed != nil {
		failed := isTrue(b.failed)
		x.IsError = &failed
	}
	t := &r.result
	m.content(&x, b.content)
	m.judge(&x, r, b.content)
	x.DurationMS = t.duration
	agent := m.ids.token(t.agent)
	if agent != "" {
		m.spawned(x.Call, agent, token(t.agentType))
		x.Spawned = m.session + "/" + agent
	}
	m.noteSubagent(&x, t.async, agent != "")
	open := m.st.Open[x.Call]
	cut := x.Status == trace.StatusCancelled && has(b.content, sessionEnded)
	if cut && !m.st.Cut {
		m.addResumed(e, "the client wrote a result for a call that the end of its process had cut off")
	}
	m.b.Result(e, x)
	if cut && !m.st.Cut {
		m.st.Cut = true
		stop := e
		stop.Inferred, stop.Body = "the result that the client wrote for it on resume", &trace.Interrupt{Call: x.Call, Reason: "the session ended"}
		m.b.Add(stop)
	}
	if !x.Failed() && x.Status != trace.StatusRunning {
		m.changed(e, x.Call, open, &t.change, b.content)
	}
	delete(m.st.Open, x.Call)
	m.st.At = asked
	if x.Status == trace.StatusCancelled {
		m.st.LastCancelled = x.Call
	}
}

// sessionEnded begins the result that a client writes on resume for a call that had none.
const sessionEnded = "[Tool call interrupted: the session ended"

// content sets the digest of a result's text, which can stand in blocks.
func (m *conversation) content(x *trace.ToolResultEvent, content []byte) {
	if len(content) == 0 || content[0] != '[' {
		x.Content = draft.DigestText(content)
		return
	}
	m.scratch.Reset()
	jsonl.Elements(content, func(part []byte) bool {
		if is(member(part, "type"), "text") {
			m.scratch.Add(member(part, "text"))
		}
		return true
	})
	x.Content = m.scratch.Digest()
}

// judge sets how the call ended.
func (m *conversation) judge(x *trace.ToolResultEvent, r *record, content []byte) {
	t := &r.result
	failed := x.IsError != nil && *x.IsError
	switch {
	case !failed && (t.async || t.background != nil):
		x.Status = trace.StatusRunning
		return
	case !failed && t.interrupted:
		x.Status = trace.StatusCancelled
		return
	case !failed && has(content, sessionEnded):
		x.Status = trace.StatusCancelled
		return
	case !failed:
		x.Status = trace.StatusCompleted
		return
	}
	x.Status = trace.StatusErrored
	text := content
	if len(text) > 0 && text[0] == '[' {
		text = firstText(text)
	}
	x.Head = m.head(text, trace.ErrorHead)
	x.ExitCode = exitCode(text)
	x.Denied = denied(r)
	switch kind := jsonl.Text(r.denial); {
	case x.Denied == "user":
		x.Status = trace.StatusCancelled
	case x.Denied != "":
	case kind == "user-rejected", kind == "interrupted", has(text, sessionEnded), kind == "" &&
		is(t.text, "User rejected tool use"):
		x.Status = trace.StatusCancelled
	}
}

// denied returns who refused a call before it ran. The client also says user-rejected if a person stopped a running
// call, and if nobody was there to ask.
func denied(r *record) string {
	kind := jsonl.Text(r.denial)
	if is(member(r.decision, "decision"), "reject") {
		source := jsonl.Text(member(r.decision, "source"))
		switch {
		case source == "hook":
			return "hook"
		case kind == "permission-rule":
			return "rule"
		case strings.HasPrefix(source, "user"):
			return "user"
		}
		return "other"
	}
	switch {
	case kind == "user-rejected" && r.beforeRun:
		return "user"
	case kind == "permission-rule":
		return "rule"
	case kind != "" && kind != "user-rejected" && kind != "interrupted":
		return "other"
	}
	return ""
}

// exitCode returns the code at the beginning of a failed shell command's result.
func exitCode(text []byte) *int {
	const begin = `"Exit code `
	if !bytes.HasPrefix(text, []byte(begin)) {
		return nil
	}
	digits := text[len(begin):]
	i := 0
	for i < len(digits) && digits[i] >= '0' && digits[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(string(digits[:i]))
	if err != nil {
		return nil
	}
	return &n
}

// parse splits toolUseResult and returns its length in bytes.
func (t *toolUseResult) parse(text []byte) int {
	if len(text) > 0 && text[0] != '{' {
		n := jsonl.Value(text)
		if n > 0 {
			t.text = text[:n]
		}
		return n
	}
	return jsonl.Object(text, func(key, rest []byte) int {
		n := jsonl.Value(rest)
		if n < 0 {
			return n
		}
		switch v := rest[:n]; string(key) {
		case "isAsync":
			t.async = t.async || isTrue(v)
		case "status":
			t.async = t.async || is(v, "async_launched")
		case "agentId":
			t.agent = v
		case "agentType":
			t.agentType = v
		case "backgroundTaskId":
			t.background = v
		case "interrupted":
			t.interrupted = isTrue(v)
		case "totalDurationMs", "durationMs":
			t.duration, _ = jsonl.Int(v)
		default:
			t.change.take(key, v)
		}
		return n
	})
}

// spawned ties a sub-agent to the call that started it.
func (m *conversation) spawned(call, agent, agentType string) {
	i, ok := m.spawns[call]
	if !ok || agent == "" {
		return
	}
	s := m.b.Trace().Events[i].Body.(*trace.SubagentSpawn)
	s.AgentID, s.Session = agent, m.session+"/"+agent
	if agentType != "" {
		s.AgentType = agentType
	}
}

// noteSubagent sets what a result says about its sub-agent: that it runs in the background, which the call need not
// say, or that it never started. A call that a person stopped had started.
func (m *conversation) noteSubagent(x *trace.ToolResultEvent, background, named bool) {
	i, ok := m.spawns[x.Call]
	if !ok {
		return
	}
	s := m.b.Trace().Events[i].Body.(*trace.SubagentSpawn)
	s.Background = s.Background || background
	s.NotStarted = !named && s.Session == "" && (x.Denied != "" || x.Status == trace.StatusErrored)
}

// serverResult adds the result of a tool that the provider ran.
func (m *conversation) serverResult(e trace.Event, call, content []byte) {
	x := trace.ToolResultEvent{Call: token(call), Message: e.Record, AgentID: m.agent, From: trace.FromToolResult,
		Status: trace.StatusCompleted, Content: draft.Digest(content)}
	if code := member(content, "error_code"); code != nil {
		x.Status, x.Head = trace.StatusErrored, m.head(code, trace.ErrorHead)
	}
	m.b.Result(e, x)
	delete(m.st.Open, x.Call)
}

// notice adds the message that a background task ended, and the result in it.
func (m *conversation) notice(e trace.Event, text []byte) {
	said := e
	said.By, said.Body = "client", &trace.UserMessage{Digest: draft.DigestText(text),
		Head: m.head(text, trace.UserHead), Machine: "task_notification"}
	m.b.Add(said)
	m.beginTurn()
	m.notified(e, text, trace.FromNotification)
}

func (m *conversation) notified(e trace.Event, text []byte, from trace.From) {
	id := tagged(text, "tool-use-id")
	if id == "" {
		return
	}
	x := trace.ToolResultEvent{Call: id, Message: e.Record, AgentID: m.agent, From: from,
		Content: draft.DigestText(text)}
	switch tagged(text, "status") {
	case "completed":
		x.Status = trace.StatusCompleted
	case "failed", "error":
		x.Status = trace.StatusErrored
	case "killed", "stopped", "cancelled":
		x.Status = trace.StatusCancelled
	default:
		x.Status = trace.StatusUnknown
	}
	if _, c := m.b.Lookup(id); c != nil && c.Type == trace.ShellTool {
		x.ExitCode = summaryExit(text)
		if x.ExitCode != nil && *x.ExitCode != 0 && x.Status == trace.StatusCompleted {
			x.Status = trace.StatusErrored
		}
	}
	if i, ok := m.spawns[id]; ok {
		x.Spawned = m.b.Trace().Events[i].Body.(*trace.SubagentSpawn).Session
	}
	if x.Status == trace.StatusErrored {
		x.Head = m.head(text, trace.ErrorHead)
	}
	m.b.Result(e, x)
}

// summaryExit returns the exit code in a notification's summary: "… completed (exit code 0)", "… failed with exit code
// 1".
func summaryExit(text []byte) *int {
	_, after, ok := bytes.Cut(text, []byte("<summary>"))
	if !ok {
		return nil
	}
	i := bytes.LastIndex(after, []byte("exit code "))
	if i < 0 {
		return nil
	}
	digits := string(after[i+len("exit code "):])
	if j := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); j >= 0 {
		digits = digits[:j]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil
	}
	return &n
}
