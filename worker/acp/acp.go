// Package acp speaks the Agent Client Protocol, version 1: JSON-RPC, one message a line. Several agents take it without a
// terminal. It knows what they have in common, as seen on opencode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4 and Copilot CLI
// 1.0.102, and no agent.
//
// What it does not give, and what follows: A prompt has no id of ours and no receipt but the first word of its turn. A prompt
// during a turn means something else to each agent, so the next one waits for the turn's end, until somebody looks. A session
// that is loaded again tells its user's messages: those with a tag, and the first, are known again and not told twice.
package acp

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/worker"
	"aburn/worker/slot"
)

// Protocol is that of an agent which is started so.
func Protocol(launch func(o slot.Order) slot.Launch) slot.Protocol { return protocol{launch} }

type protocol struct {
	launch func(o slot.Order) slot.Launch
}

// Tags of the lines are the ids of their requests.
const (
	hello      = "open-1"
	session    = "open-2"
	messageTag = "msg-"
)

// Prompt is the task with the rules before it: the protocol has no other place for them.
func Prompt(o slot.Order) string {
	if o.Rules == "" {
		return o.Task
	}
	return o.Rules + "\n\nYour task:\n" + o.Task
}

// Launch begins a session, or loads one.
func (p protocol) Launch(o slot.Order, resume string) (slot.Launch, []slot.Line) {
	l := p.launch(o)
	l.Session, l.Prompt = resume, Prompt(o)
	params := map[string]any{"cwd": o.Tree, "mcpServers": []any{}}
	open := request(session, "session/new", params)
	if resume != "" {
		params["sessionId"] = resume
		open = request(session, "session/load", params)
	}
	return l, []slot.Line{
		request(hello, "initialize", map[string]any{
			"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
			"clientInfo": map[string]any{"name": "aburn", "title": "aburn", "version": "1"},
		}),
		open,
	}
}

func request(tag, method string, params any) slot.Line {
	return encode(tag, map[string]any{"jsonrpc": "2.0", "id": tag, "method": method, "params": params})
}

func encode(tag string, value any) slot.Line {
	text, _ := json.Marshal(value) // maps and strings only
	return slot.Line{Tag: tag, Text: text}
}

// Message begins a turn. While one runs, or a line that begins one is on its way, the agent takes none.
func (protocol) Message(t *slot.Talk, m slot.Message) (slot.Line, bool) {
	tag := messageTag + m.ID
	if !t.Ready || t.Session == "" || t.Turn != "" && t.Turn != tag {
		return slot.Line{}, false
	}
	t.Turn = tag
	return request(tag, "session/prompt", map[string]any{"sessionId": t.Session, "prompt": []any{map[string]any{"type": "text", "text": m.Text}}}), true
}

// Tell takes the tag of a line that was written: of a message, whose turn begins, or of an answer.
func (protocol) Tell(t *slot.Talk, tag string) {
	if strings.HasPrefix(tag, messageTag) {
		t.Turn = tag
	}
	for _, q := range t.Asks {
		if slot.AnswerTag(q) == tag {
			t.Close(q.ID, t.Events[len(t.Events)-1].At)
			return
		}
	}
}

func (p protocol) Hear(t *slot.Talk, at time.Time, line []byte) {
	m := gjson.ParseBytes(line)
	if !m.IsObject() {
		return
	}
	params := m.Get("params")
	method := m.Get("method").Str
	switch id := m.Get("id"); {
	case id.Exists() && method == "":
		reply(t, at, id.String(), m)
	case method == "session/request_permission":
		call := params.Get("toolCall")
		t.Open(slot.Question{
			ID: id.Raw, Kind: method, Call: call.Get("toolCallId").Str, What: what(call), Input: json.RawMessage(params.Raw),
		}, at)
	case id.Exists(): // it asks for what no client of this kind has
		t.Owe(encode("owed-"+strings.Map(tagged, id.Raw), map[string]any{
			"jsonrpc": "2.0", "id": json.RawMessage(id.Raw), "error": map[string]any{"code": -32601, "message": "aburn does not do that"},
		}))
	case method == "session/update":
		if id := params.Get("sessionId").Str; t.Session == "" { // the answer to a load does not name it
			t.Session = id
		}
		p.update(t, at, params.Get("update"))
	}
}

// tagged keeps what a tag may have.
func tagged(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '-'
}

func reply(t *slot.Talk, at time.Time, tag string, m gjson.Result) {
	failed := m.Get("error.message").Str
	if detail := m.Get("error.data.details").Str; detail != "" {
		failed += ": " + detail
	}
	id, isMessage := strings.CutPrefix(tag, messageTag)
	switch {
	case tag == hello || tag == session:
		if m.Get("error").Exists() {
			t.Refused = failed
			return
		}
		if tag == session {
			if sid := m.Get("result.sessionId").Str; sid != "" {
				t.Session = sid
			}
			t.Ready = true
			t.Add(at, worker.Fact{Kind: worker.Started}, false)
		}
	case isMessage:
		over(t, at, id, m, failed)
	}
}

// over is the end of a turn.
func over(t *slot.Talk, at time.Time, id string, m gjson.Result, failed string) {
	t.Turn, t.Asks = "", nil
	kind := worker.TurnEnded
	switch {
	case m.Get("error").Exists():
		kind = worker.TurnFailed
		if t.Errors == nil {
			t.Errors = map[string]string{}
		}
		t.Errors[messageTag+id] = failed
	case m.Get("result.stopReason").Str == "cancelled":
		kind = worker.Interrupted
	}
	if !m.Get("error").Exists() || t.Receipts[id] != slot.Unreceived { // else it took nothing
		t.Receive(id, slot.Finished, at)
	}
	t.Add(at, worker.Fact{Kind: kind}, kind == worker.TurnEnded)
}

// tagIn is the id of a message of aburn send's, "" of another one.
func tagIn(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "[aburn m-")
	hex, _, closed := strings.Cut(rest, "]")
	if !ok || !closed || hex == "" || len(hex) > 16 || strings.Trim(hex, "0123456789abcdef") != "" {
		return ""
	}
	return "m-" + hex
}

func (p protocol) update(t *slot.Talk, at time.Time, u gjson.Result) {
	kind := u.Get("sessionUpdate").Str
	if !t.Ready { // a session that is loaded tells what it has
		if kind == "user_message_chunk" {
			id := tagIn(u.Get("content.text").Str)
			if id == "" && !t.Had["task"] {
				id = "task"
			}
			t.Have(id, at)
		}
		return
	}
	if id, ok := strings.CutPrefix(t.Turn, messageTag); ok && says[kind] && t.Receipts[id] == slot.Unreceived {
		t.Receive(id, slot.Begun, at)
		t.Add(at, worker.Fact{Kind: worker.Prompted}, true)
	}
	call := u.Get("toolCallId").Str
	switch status := u.Get("status").Str; {
	case kind == "tool_call" && status != "completed" && status != "failed":
		t.Add(at, worker.Fact{Kind: worker.ToolBegan, Call: call}, true)
	case strings.HasPrefix(kind, "tool_call") && (status == "completed" || status == "failed"):
		t.Add(at, worker.Fact{Kind: worker.ToolEnded, Call: call}, true)
	}
}

// says are the updates that come of a turn. Lists of commands and settings come at any time.
var says = map[string]bool{"agent_message_chunk": true, "agent_thought_chunk": true, "tool_call": true, "tool_call_update": true, "plan": true}

// what a call is, for a person.
func what(call gjson.Result) string {
	title := call.Get("title").Str
	if command := call.Get("rawInput.command").Str; command != "" && command != title {
		return title + ": " + command
	}
	return title
}

// Answer takes the option that allows or rejects this one call.
func (protocol) Answer(q slot.Question, allow bool, text string) (slot.Line, error) {
	if text != "" {
		return slot.Line{}, errors.New("this agent takes no text with an answer; send it afterwards")
	}
	kind := map[bool]string{true: "allow_once", false: "reject_once"}[allow]
	chosen := ""
	gjson.GetBytes(q.Input, "options").ForEach(func(_, o gjson.Result) bool {
		if o.Get("kind").Str == kind {
			chosen = o.Get("optionId").Str
		}
		return chosen == ""
	})
	outcome := map[string]any{"outcome": "selected", "optionId": chosen}
	switch {
	case chosen == "" && allow:
		return slot.Line{}, errors.New("the agent offers no way to allow this once")
	case chosen == "":
		outcome = map[string]any{"outcome": "cancelled"}
	}
	return encode("", map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(q.ID), "result": map[string]any{"outcome": outcome}}), nil
}

func (protocol) Interrupt(t *slot.Talk, tag string) (slot.Line, bool) {
	return encode(tag, map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": t.Session}}), t.Turn != ""
}

func (protocol) Show(line []byte) []slot.Passage {
	m := gjson.ParseBytes(line)
	u := m.Get("params.update")
	switch kind := u.Get("sessionUpdate").Str; {
	case m.Get("method").Str == "session/request_permission":
		return []slot.Passage{{Who: "asks", Text: what(m.Get("params.toolCall"))}}
	case kind == "user_message_chunk":
		return []slot.Passage{{Who: "person", Text: u.Get("content.text").Str}}
	case kind == "agent_message_chunk":
		return []slot.Passage{{Who: "agent", Text: u.Get("content.text").Str}}
	case kind == "tool_call_update" && u.Get("status").Str == "completed":
		return []slot.Passage{{Who: "tool", Text: u.Get("title").Str}, {Who: "result", Text: u.Get("content.0.content.text").Str}}
	case kind == "tool_call_update" && u.Get("status").Str == "failed":
		return []slot.Passage{{Who: "tool", Text: u.Get("title").Str}, {Who: "note", Text: "the call failed"}}
	case m.Get("error").Exists():
		return []slot.Passage{{Who: "note", Text: m.Get("error.message").Str}}
	}
	return nil
}
