package codex

import (
	"strconv"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// legacy adds an event of a rollout without items, in which response_items hold the calls and outputs.
func (s *session) legacy(p object) {
	kind := p.word("type")
	if string(kind) != "context_compacted" {
		s.Compacted = ""
	}
	switch string(kind) {
	case "user_message":
		text := contentOf(p.raw("message"))
		if isContext(text.start(trace.UserHead)) {
			return
		}
		machine := ""
		if s.Child {
			machine = "other"
		}
		s.addUserText("", text, machine)
	case "agent_message":
		s.add("", &trace.AgentMessage{Digest: draft.DigestText(p.raw("message"))})
	case "agent_reasoning":
		s.add("", &trace.AgentMessage{Digest: draft.DigestText(p.raw("text")), Thought: true})
	case "patch_apply_end":
		id := s.id(p, "call_id")
		s.patched(s.newEvent(""), id, p, p.raw("changes"))
	case "context_compacted":
		s.compactedItem("")
	}
}

// isContext reports whether old clients wrote this message in the user's place.
func isContext(text string) bool {
	return strings.HasPrefix(text, "<environment_context>") || strings.HasPrefix(text, "<user_instructions>")
}

// userShell adds a command that the user ran. The legacy layout holds only the text that the model got.
func (s *session) userShell(id string, text content) {
	all := text.start(64 << 10)
	_, rest, _ := strings.Cut(all, "<command>\n")
	line, rest, ok := strings.Cut(rest, "\n</command>\n<result>\nExit code: ")
	if !ok {
		return
	}
	number, rest, _ := strings.Cut(rest, "\n")
	_, out, _ := strings.Cut(rest, "\nOutput:\n")
	out, _, _ = strings.Cut(out, "\n</result>")
	e := s.newEvent(id)
	e.By = "user"
	call := &trace.ToolCall{Tool: execCommand, Type: trace.ShellTool, Input: draft.Digest([]byte(line)),
		Head: s.Head(line, trace.CommandHead)}
	s.call(e, call)
	r := trace.ToolResultEvent{Call: call.Call, Message: id, From: trace.FromToolResult,
		Status: trace.StatusUnknown, Content: draft.Digest([]byte(out))}
	if code, err := strconv.Atoi(number); err == nil {
		v := ended(code)
		r.Status, r.IsError, r.ExitCode = v.status, v.isError, v.exit
	}
	if r.Failed() {
		r.Head = s.Head(out, trace.ErrorHead)
	}
	s.result(e, r)
}
