package codex

import (
	"slices"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// response adds a response_item, which is what went to the model or came from it. Items and events hold everything but
// calls, their outputs, and some texts that stand in a prompt's place.
func (s *session) response(p object) {
	switch string(p.word("type")) {
	case "function_call", "custom_tool_call":
		s.toolCall(p)
	case "local_shell_call":
		action := p.raw("action")
		call := s.shellCall("local_shell", p.object("action").raw("command"))
		call.Call, call.Input = s.id(p, "call_id"), draft.Digest(action)
		s.call(s.newEvent(s.id(p, "id")), call)
	case "tool_search_call":
		s.call(s.newEvent(s.id(p, "id")), &trace.ToolCall{Call: s.id(p, "call_id"), Tool: "tool_search",
			Type: trace.OtherTool, Input: draft.Digest(p.raw("arguments"))})
	case "web_search_call", "image_generation_call":
		if !s.Paginated {
			s.hosted(p)
		}
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		s.output(p)
	case "message":
		if p.is("role", "user") {
			s.clientMessage(p)
		}
	case "agent_message":
		s.agentMessage(p)
	}
}

func (s *session) toolCall(p object) {
	s.Compacted = ""
	input := p.raw("arguments")
	if input == nil {
		input = p.raw("input")
	}
	namespace, name := s.id(p, "namespace"), s.id(p, "name")
	if name == "" {
		s.damaged("the call names no tool")
		return
	}
	tool := toolName(namespace, name)
	call := &trace.ToolCall{Call: s.id(p, "call_id"), Tool: tool, Type: toolType(tool, isAgents(namespace)),
		Input: draft.DigestText(input)}
	var arguments object
	if takesArguments(tool) {
		s.scratch = jsonl.AppendText(s.scratch[:0], input)
		s.inner.parse(s.scratch)
		arguments = s.inner
	}
	switch tool {
	case execCommand, "shell_command", "shell", "container.exec":
		call.Head = s.commandHead(arguments)
	case viewImage:
		call.Path = s.pathOf(arguments.raw("path"))
	case applyPatch:
		call.Path = s.patchPath(input)
	case writeStdin:
		remember(&s.Writes, call.Call, string(arguments.raw("session_id")))
	case waitTool:
		cell := s.id(arguments, "cell_id")
		remember(&s.Waits, call.Call, cell)
		s.runsCode(s.Cells[cell])
	case codeTool:
		s.runsCode(call.Call)
	}
	s.call(s.newEvent(s.id(p, "id")), call)
}

// takesArguments reports whether toolCall looks into the arguments of a tool.
func takesArguments(tool string) bool {
	switch tool {
	case execCommand, "shell_command", "shell", "container.exec", viewImage, writeStdin, waitTool:
		return true
	}
	return false
}

// commandHead returns the head of the command line in a shell's arguments: a text, or a list of words.
func (s *session) commandHead(arguments object) string {
	line := arguments.raw("cmd")
	if line == nil {
		line = arguments.raw("command")
	}
	return s.shellCall(execCommand, line).Head
}

// shellCall makes the call of a shell. command is a text or a list of words; of "sh -c LINE" the line counts.
func (s *session) shellCall(tool string, command []byte) *trace.ToolCall {
	var words [][]byte
	jsonl.Elements(command, func(word []byte) bool {
		words = append(words, word)
		return true
	})
	line := start(command, trace.CommandHead)
	if n := len(words); n == 3 && (quoted(words[1], "-lc") || quoted(words[1], "-c")) {
		line = start(words[2], trace.CommandHead)
	} else if n > 0 {
		line = ""
		for _, word := range words {
			if line != "" {
				line += " "
			}
			line += start(word, trace.CommandHead)
			if len(line) > 6*trace.CommandHead {
				break
			}
		}
	}
	return &trace.ToolCall{Tool: tool, Type: toolType(tool, false), Input: draft.Digest(command),
		Head: s.Head(line, trace.CommandHead)}
}

// call adds a call. An earlier call may have used the same id.
func (s *session) call(e trace.Event, c *trace.ToolCall) {
	s.Call(e, c)
	delete(s.ends, c.Call)
}

// hosted adds a call that the provider ran, and its result.
func (s *session) hosted(p object) {
	id := s.id(p, "id")
	tool := "web_search"
	if p.is("type", "image_generation_call") {
		tool = "image_generation"
	}
	call := &trace.ToolCall{Call: id, Tool: tool, Type: toolType(tool, false), Input: draft.Digest(p.raw("action"))}
	s.call(s.newEvent(id), call)
	r := trace.ToolResultEvent{Call: call.Call, Message: id, From: trace.FromToolResult}
	setStatus(&r, p.raw("status"))
	s.result(s.newEvent(id), r)
}

func (s *session) pathOf(raw []byte) string {
	return filePath(start(raw, 4<<10), s.Trace().Project.Path)
}

// remember sets a key of a map and makes the map if needed.
func remember(m *map[string]string, key, value string) {
	if key == "" || value == "" {
		return
	}
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// codePrefix begins the ids of calls that code made.
const codePrefix = "exec-"

// maxCode bounds how many calls of code are remembered.
const maxCode = 16

// runsCode notes that the code of a call runs from now on, so that calls made by code are its.
func (s *session) runsCode(id string) {
	if id == "" {
		return
	}
	s.Code = append(slices.DeleteFunc(s.Code, func(other string) bool { return other == id }), id)
	if len(s.Code) > maxCode {
		s.Code = s.Code[len(s.Code)-maxCode:]
	}
}

// codeEnded notes that the code of a call ended. The last one is kept, because its commands can end after it.
func (s *session) codeEnded(id string, v verdict) {
	if v.status == trace.StatusRunning || len(s.Code) < 2 {
		return
	}
	s.Code = slices.DeleteFunc(s.Code, func(other string) bool { return other == id })
}

// container returns the call whose code made the call of this id, "" if none did. It marks it as a Container.
func (s *session) container(id string) string {
	if !strings.HasPrefix(id, codePrefix) || len(s.Code) == 0 {
		return ""
	}
	parent := s.Code[len(s.Code)-1]
	if _, c := s.Lookup(parent); c != nil {
		c.Container = true
	}
	return parent
}

// cellEnded adds the end of code that had yielded, which the call that waited for it reported.
func (s *session) cellEnded(cell string, r trace.ToolResultEvent) {
	id := s.Cells[cell]
	if id == "" {
		return
	}
	delete(s.Cells, cell)
	r.Call = id
	s.result(s.newEvent(r.Message), r)
}
