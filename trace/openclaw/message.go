package openclaw

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// nested is the type of the custom message that reports a call made from within another one.
const nested = "openclaw.nested-tool.v1"

func (s *session) message(m gjson.Result, at trace.Event) {
	switch m.Get("role").Str {
	case "user":
		s.userMessage(m, at)
	case "assistant":
		s.assistantMessage(m, at)
	case "toolResult":
		s.toolResult(m.Get("toolCallId").Str, m, at)
		if len(s.open) == 0 {
			s.setOutcome(trace.Killed, "the transcript ends with results that nothing answers")
		}
	case "bashExecution":
		s.userCommand(m, at)
	case "branchSummary", "compactionSummary":
		s.addClientText(m.Get("summary").Str, "compact_summary", at)
	case "custom":
		if m.Get("customType").Str == nested {
			s.nestedCall(m.Get("details"), at)
		} else {
			s.addClientText(text(m.Get("content")), "context", at)
		}
	}
}

// userMessage adds a prompt, or a request from another session or from the client itself.
func (s *session) userMessage(m gjson.Result, at trace.Event) {
	said := text(m.Get("content"))
	body := &trace.UserMessage{Digest: draft.Digest([]byte(said)), Head: s.head(said, trace.UserHead)}
	if origin := m.Get("provenance.kind").Str; s.child || origin != "" && origin != "external_user" {
		at.By, body.Machine = "client", "other"
	}
	if word, _, _ := strings.Cut(said, " "); len(word) > 1 && len(word) <= 60 && word[0] == '/' &&
		!strings.ContainsAny(word[1:], "/\n.") {
		body.Command = token(word)
	}
	at.Body = body
	s.b.Add(at)
	s.setOutcome(trace.Killed, "the transcript ends with a prompt that nothing answers")
}

// assistantMessage adds an answer of the model. Messages that the client put there, to mirror what it sent elsewhere,
// are the client's.
func (s *session) assistantMessage(m gjson.Result, at trace.Event) {
	mirror := m.Get("provider").Str == "openclaw" && (m.Get("model").Str == "delivery-mirror" ||
		m.Get("model").Str == "gateway-injected")
	if mirror {
		at.By = "client"
	}
	first := len(s.b.Trace().Events)
	m.Get("content").ForEach(func(_, part gjson.Result) bool {
		s.part(part, at, mirror)
		return true
	})
	if said := m.Get("content"); said.Type == gjson.String && said.Str != "" {
		s.addAgentText(said.Str, false, at)
	}
	if mirror {
		return
	}
	s.addResponse(m, at, first)
	s.turnEnd(m, at)
}

// part adds one part of an answer.
func (s *session) part(part gjson.Result, at trace.Event, mirror bool) {
	switch part.Get("type").Str {
	case "text":
		s.addAgentText(part.Get("text").Str, false, at)
	case "thinking":
		s.addAgentText(part.Get("thinking").Str, true, at)
	case "toolCall":
		if !mirror && part.Get("name").Str != "" {
			c := s.call(part.Get("id").Str, part.Get("name").Str, part.Get("arguments"))
			c.Response = at.Record
			s.b.Call(at, c)
			s.open[c.Call] = true
		}
	}
}

func (s *session) addAgentText(text string, thought bool, at trace.Event) {
	if text == "" {
		return
	}
	body := &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: thought}
	if at.By == "" {
		body.Response = at.Record
	}
	at.Body = body
	s.b.Add(at)
}

// addResponse adds the answer as a billed response, unless it failed before it cost anything.
func (s *session) addResponse(m gjson.Result, at trace.Event, first int) {
	u := m.Get("usage")
	n := func(key string) int64 { return max(u.Get(key).Int(), 0) }
	cost := trace.Usage{Input: n("input"), CacheRead: n("cacheRead"), CacheWrite: n("cacheWrite"), Output: n("output"),
		Reasoning: n("reasoning"), CostUSD: max(u.Get("cost.total").Float(), 0)}
	cost.Reasoning = min(cost.Reasoning, cost.Output)
	events := len(s.b.Trace().Events)
	if at.Record == "" || cost == (trace.Usage{}) && events == first {
		return
	}
	r := trace.Response{ID: at.Record, Model: token(m.Get("model").Str), Event: first, Time: at.Time, Usage: cost,
		Stop: token(m.Get("stopReason").Str), Ref: at.Ref, Copied: at.Copied}
	if events > first {
		r.Event++
	}
	s.b.Response(r)
}

func (s *session) turnEnd(m gjson.Result, at trace.Event) {
	why := m.Get("stopReason").Str
	switch why {
	case "stop":
		s.setOutcome(trace.Completed, "the last answer's stopReason is stop")
	case "toolUse":
		s.setOutcome(trace.Killed, "a call has no result, and nothing follows")
	case "aborted":
		reason := m.Get("errorMessage").Str
		if reason == "" {
			reason = why
		}
		at.Body = &trace.Interrupt{Reason: token(reason)}
		s.b.Add(at)
		s.setOutcome(trace.Interrupted, "the last answer's stopReason is aborted")
	case "error":
		s.addError(m, at)
	default:
		s.setOutcome(trace.Unknown, "")
	}
}

// addError adds an error of the provider.
func (s *session) addError(m gjson.Result, at trace.Event) {
	said := m.Get("errorMessage").Str
	e := &trace.Error{Code: token(m.Get("errorCode").String()), Fatal: true, Digest: draft.Digest([]byte(said)),
		Head: s.head(said, trace.ErrorHead)}
	if e.Code == "" {
		e.Code = token(m.Get("errorType").Str)
	}
	number, _, _ := strings.Cut(said, " ")
	if status, err := strconv.Atoi(number); err == nil && status >= 400 && status < 600 {
		e.Status = status
	}
	at.Body = e
	s.b.Add(at)
	s.setOutcome(trace.Errored, "the last answer's stopReason is error")
}

// userCommand adds a shell command that the user ran through the client.
func (s *session) userCommand(m gjson.Result, at trace.Event) {
	at.By = "user"
	command := m.Get("command").Str
	c := &trace.ToolCall{Tool: "bash", Type: trace.ShellTool, Input: draft.Digest([]byte(m.Get("command").Raw)),
		Head: s.head(command, trace.CommandHead)}
	s.b.Call(at, c)
	output := m.Get("output").Str
	r := trace.ToolResultEvent{Call: c.Call, Message: at.Record, From: trace.FromToolResult,
		Status: trace.StatusCompleted, Content: draft.Digest([]byte(output))}
	if code := m.Get("exitCode"); code.Type == gjson.Number {
		exit(&r, int(code.Int()))
	}
	if m.Get("cancelled").Bool() {
		r.Status = trace.StatusCancelled
	}
	s.addResult(r, output, at)
}
