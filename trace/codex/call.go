package codex

import (
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// response takes a response_item: what went to the model or came from it. Of these only calls and what became of them
// are not told by items or events as well, and some texts that were put in the place of a prompt.
func (s *session) response(p object) {
	switch string(p.word("type")) {
	case "function_call", "custom_tool_call":
		s.called(p)
	case "local_shell_call":
		action := p.raw("action")
		call := shellCall("local_shell", p.object("action").raw("command"))
		call.Call, call.Input = s.id(p, "call_id"), draft.Digest(action)
		s.call(s.at(s.id(p, "id")), call)
	case "tool_search_call":
		s.call(s.at(s.id(p, "id")), &trace.ToolCall{Call: s.id(p, "call_id"), Tool: "tool_search", Type: trace.OtherTool, Input: draft.Digest(p.raw("arguments"))})
	case "web_search_call", "image_generation_call":
		if !s.Paginated {
			s.hosted(p)
		}
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		s.output(p)
	case "message":
		if p.is("role", "user") {
			s.notice(p)
		}
	case "agent_message":
		s.mail(p)
	}
}

// called takes a call of a tool.
func (s *session) called(p object) {
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
	call := &trace.ToolCall{Call: s.id(p, "call_id"), Tool: tool, Type: toolType(tool, isAgents(namespace)), Input: draft.DigestText(input)}
	var arguments object
	if takesArguments(tool) {
		s.scratch = jsonl.AppendText(s.scratch[:0], input)
		s.inner.parse(s.scratch)
		arguments = s.inner
	}
	switch tool {
	case execCommand, "shell_command", "shell", "container.exec":
		call.Head = commandHead(arguments)
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
	s.call(s.at(s.id(p, "id")), call)
}

// takesArguments says whether the arguments of a tool are looked into.
func takesArguments(tool string) bool {
	switch tool {
	case execCommand, "shell_command", "shell", "container.exec", viewImage, writeStdin, waitTool:
		return true
	}
	return false
}

// commandHead is the beginning of the command line in the arguments of a shell: a text, or a list of words.
func commandHead(arguments object) string {
	line := arguments.raw("cmd")
	if line == nil {
		line = arguments.raw("command")
	}
	return shellCall(execCommand, line).Head
}

// shellCall is the call of a shell for a command: a text, or a list of words, of which the last of "sh -c LINE" is the line.
func shellCall(tool string, command []byte) *trace.ToolCall {
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
	return &trace.ToolCall{Tool: tool, Type: toolType(tool, false), Input: draft.Digest(command), Head: draft.Head(line, trace.CommandHead)}
}

// call appends a call, whose id can have been used before by another one.
func (s *session) call(e trace.Event, c *trace.ToolCall) {
	s.Call(e, c)
	delete(s.ends, c.Call)
}

// hosted takes a call that the provider ran itself, and that is over.
func (s *session) hosted(p object) {
	id := s.id(p, "id")
	tool := "web_search"
	if p.is("type", "image_generation_call") {
		tool = "image_generation"
	}
	call := &trace.ToolCall{Call: id, Tool: tool, Type: toolType(tool, false), Input: draft.Digest(p.raw("action"))}
	s.call(s.at(id), call)
	r := trace.ToolResultEvent{Call: call.Call, Message: id, From: trace.FromToolResult}
	setStatus(&r, p.raw("status"))
	s.result(s.at(id), r)
}

// pathOf is a path or a file: URL as traces keep it.
func (s *session) pathOf(raw []byte) string {
	return filePath(start(raw, 4<<10), s.Trace().Project.Path)
}

// remember sets a key of a map that is made only when it is needed.
func remember(m *map[string]string, key, value string) {
	if key == "" || value == "" {
		return
	}
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}
