package claude

import (
	"bytes"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// assistant adds an assistant record. Most hold one block of a response; its other blocks have records of their own.
func (m *conversation) assistant(e trace.Event, r *record) string {
	msg := &r.message
	if !msg.there {
		return "an assistant record without content"
	}
	if r.apiError || is(msg.model, "<synthetic>") {
		m.synthetic(e, r)
		return ""
	}
	if msg.id == nil {
		msg.id = r.request
	}
	if msg.id == nil {
		msg.id = r.uuid
	}
	id := r.ids.token(msg.id)
	m.model(e, msg.model)
	first := len(m.b.Trace().Events)
	if msg.text != nil { // written by old clients
		e.Body = &trace.AgentMessage{Digest: draft.DigestText(msg.text), Response: id}
		m.b.Add(e)
	}
	for i := range msg.blocks {
		m.block(e, &msg.blocks[i], id)
	}
	m.response(e, r, msg, id, first)
	m.updateStage(r, msg)
	return ""
}

// model marks a change of the model.
func (m *conversation) model(e trace.Event, raw []byte) {
	if len(raw) < 3 || string(raw[1:len(raw)-1]) == m.st.Model {
		return
	}
	name := m.ids.token(raw)
	if m.st.Model != "" {
		x := marker(trace.ModelChanged, "")
		x.Model = name
		e.Inferred, e.Body = "another model answers", x
		m.b.Add(e)
	}
	m.st.Model = name
}

func (m *conversation) response(e trace.Event, r *record, msg *message, id string, first int) {
	n := len(m.b.Trace().Events)
	if n > first {
		n = first + 1
	}
	res := trace.Response{ID: id, Model: m.st.Model, Event: n, Time: e.Time, Stop: r.ids.token(msg.stop),
		Ref: e.Ref, Copied: e.Copied, Branch: r.ids.token(r.branch)}
	if id != m.usedBy || !bytes.Equal(msg.usage, m.usage) {
		readUsage(msg.usage, &res)
		res.Usage.CostUSD = dollars(r.cost)
		m.usedBy, m.usage = id, append(m.usage[:0], msg.usage...)
	}
	m.b.Response(res)
}

// readUsage maps the client's counts. Cached tokens are not part of the client's input tokens.
func readUsage(raw []byte, res *trace.Response) {
	u := &res.Usage
	var tier string
	jsonl.Members(raw, func(key, v []byte) bool {
		switch string(key) {
		case "input_tokens":
			u.Input, _ = jsonl.Int(v)
		case "cache_creation_input_tokens":
			u.CacheWrite, _ = jsonl.Int(v)
		case "cache_creation":
			u.CacheWrite5m, _ = jsonl.Int(member(v, "ephemeral_5m_input_tokens"))
			u.CacheWrite1h, _ = jsonl.Int(member(v, "ephemeral_1h_input_tokens"))
		case "cache_read_input_tokens":
			u.CacheRead, _ = jsonl.Int(v)
		case "output_tokens":
			u.Output, _ = jsonl.Int(v)
		case "output_tokens_details":
			u.Reasoning, _ = jsonl.Int(member(v, "thinking_tokens"))
		case "server_tool_use":
			u.Searches, _ = jsonl.Int(member(v, "web_search_requests"))
		case "speed", "service_tier":
			if s := string(inside(v)); s != "standard" && s != "" && tier != "fast" {
				tier = s
			}
		case "inference_geo":
			res.Geo = string(inside(v))
		}
		return true
	})
	res.Tier = tier
}

func (m *conversation) updateStage(r *record, msg *message) {
	m.st.Ended = false
	switch stop := string(inside(msg.stop)); {
	case r.aborted, stop == "tool_use", stop == "pause_turn", len(m.st.Open) > 0 && stop == "":
		m.st.At = speaking
	case stop == "":
		m.st.At = unsure
	default:
		m.st.At, m.st.From = answered, "stop_reason "+r.ids.token(msg.stop)
	}
}

// synthetic adds an assistant record that no model wrote: the error of a failed request, or nothing of note.
func (m *conversation) synthetic(e trace.Event, r *record) {
	e.By = "client"
	if !r.apiError {
		return
	}
	text := r.message.words()
	x := &trace.Error{Code: token(r.code), Fatal: true, Head: m.head(text, trace.ErrorHead),
		Digest: draft.DigestText(text)}
	if n, ok := jsonl.Int(r.status); ok {
		x.Status = int(n)
	}
	e.By, e.Body = "", x
	m.b.Add(e)
	m.st.At, m.st.From = failed, "isApiErrorMessage"
}

func (m *conversation) block(e trace.Event, b *block, response string) {
	switch {
	case is(b.kind, "text"), is(b.kind, "thinking"), is(b.kind, "redacted_thinking"):
		e.Body = &trace.AgentMessage{Digest: draft.DigestText(b.text), Thought: !is(b.kind, "text"), Response: response}
		m.b.Add(e)
	case is(b.kind, "tool_use"), is(b.kind, "server_tool_use"), is(b.kind, "mcp_tool_use"):
		m.call(e, b.id, b.name, b.input, response)
	case bytes.HasSuffix(b.kind, []byte(`_tool_result"`)):
		m.serverResult(e, b.id, b.content)
	}
}

func (m *conversation) call(e trace.Event, id, name, input []byte, response string) {
	tool := m.ids.token(name)
	if tool == "" {
		tool = "?"
	}
	c := &trace.ToolCall{Call: m.ids.token(id), Tool: tool, Type: typeOf(tool), Input: draft.Digest(input),
		Response: response}
	c.Key = draft.InputKey(input, c.Input)
	in := m.input(tool, c, input)
	m.b.Call(e, c)
	m.st.Open[c.Call] = in.open
	if c.Type == trace.AgentTool {
		e.Body = &trace.SubagentSpawn{Call: c.Call, AgentType: token(in.agentType),
			Description: m.head(in.description, trace.UserHead), Background: in.background}
		m.spawns[c.Call] = m.b.Add(e) - 1
		m.prompts[c.Call] = draft.DigestText(in.prompt)
	}
}

type input struct {
	open                           *call
	agentType, description, prompt []byte
	background                     bool
}

// input parses the input of a call and sets what c keeps of it.
func (m *conversation) input(tool string, c *trace.ToolCall, raw []byte) input {
	in := input{open: &call{}}
	var path, command, content []byte
	jsonl.Members(raw, func(key, v []byte) bool {
		switch string(key) {
		case "file_path", "notebook_path", "path":
			path = v
		case "command":
			command = v
		case "content":
			content = v
		case "subagent_type":
			in.agentType = v
		case "description":
			in.description = v
		case "prompt":
			in.prompt = v
		case "run_in_background":
			in.background = isTrue(v)
		}
		return true
	})
	if path != nil {
		c.Path = m.path(path)
	}
	switch c.Type {
	case trace.ShellTool:
		c.Head = m.head(command, trace.CommandHead)
	case trace.EditTool:
		in.open.Path = c.Path
		if tool == "Write" && content != nil {
			m.scratch.Reset()
			m.scratch.Add(content)
			in.open.Hash, in.open.Lines = draft.FileHash(m.scratch.Bytes()), draft.CountLines(m.scratch.Bytes())
		}
	}
	return in
}

func (m *conversation) path(raw []byte) string {
	return draft.Path(jsonl.Text(raw), m.b.Trace().Project.Path)
}

func typeOf(tool string) trace.ToolType {
	switch tool {
	case "Bash", "BashOutput", "KillShell", "KillBash", "PowerShell", "Monitor":
		return trace.ShellTool
	case "Read", "NotebookRead":
		return trace.ReadTool
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return trace.EditTool
	case "Glob", "Grep", "LS", "LSP":
		return trace.SearchTool
	case "WebFetch", "WebSearch", "web_search", "web_fetch":
		return trace.WebTool
	case "Agent", "Task":
		return trace.AgentTool
	case "ListMcpResourcesTool", "ReadMcpResourceTool":
		return trace.MCPTool
	}
	if strings.HasPrefix(tool, "mcp__") {
		return trace.MCPTool
	}
	return trace.OtherTool
}
