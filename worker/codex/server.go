package codex

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/worker"
	"aburn/worker/slot"
)

// Protocol is Codex' app-server: JSON-RPC without its version member, one message a line. A message of the person has an id
// that we choose. Codex does not compare these ids, so whoever speaks after a kill looks first at the turns that the resumed
// thread has.
func (agent) Protocol() slot.Protocol { return server{} }

type server struct{}

// Tags of the lines are the ids of their requests.
const (
	hello      = "open-1"
	helloDone  = "open-2"
	thread     = "open-3"
	messageTag = "msg-"
)

// Launch passes the sandbox's folders as settings: app-server has no flag for them.
func (server) Launch(o slot.Order, resume string) (slot.Launch, []slot.Line) {
	args := append([]string{"app-server"}, settings(o)...)
	if m := modeOf(o.Permissions); m.writesBesideTree && len(o.Writable) > 0 {
		roots, _ := json.Marshal(o.Writable) // strings only
		args = append(args, "-c", "sandbox_workspace_write.writable_roots="+string(roots))
	}
	open := request(thread, "thread/start", map[string]any{"cwd": o.Tree})
	if o.Fork != "" {
		open = request(thread, "thread/fork", map[string]any{"threadId": o.Fork, "cwd": o.Tree})
	}
	if resume != "" {
		open = request(thread, "thread/resume", map[string]any{"threadId": resume, "cwd": o.Tree})
	}
	return slot.Launch{Args: args, Session: resume}, []slot.Line{
		request(hello, "initialize", map[string]any{"clientInfo": map[string]any{"name": "aburn", "title": "aburn", "version": "1"}}),
		encode(helloDone, map[string]any{"method": "initialized"}),
		open,
	}
}

func request(tag, method string, params any) slot.Line {
	return encode(tag, map[string]any{"id": tag, "method": method, "params": params})
}

func encode(tag string, value any) slot.Line {
	text, _ := json.Marshal(value) // maps and strings only
	return slot.Line{Tag: tag, Text: text}
}

func (server) Tell(*slot.Talk, string) {}

// Message begins a turn, or joins the one that runs.
func (server) Message(t *slot.Talk, m slot.Message) (slot.Line, bool) {
	if !t.Ready {
		return slot.Line{}, false
	}
	return request(messageTag+m.ID, "turn/start", map[string]any{
		"threadId": t.Session, "clientUserMessageId": m.ID, "input": []any{map[string]any{"type": "text", "text": m.Text}},
	}), true
}

func (s server) Hear(t *slot.Talk, at time.Time, line []byte) {
	m := gjson.ParseBytes(line)
	params := m.Get("params")
	method := m.Get("method").Str
	switch id := m.Get("id"); {
	case id.Exists() && method == "":
		reply(t, at, id.String(), m)
	case id.Exists():
		t.Open(slot.Question{ID: id.Raw, Kind: method, Call: params.Get("itemId").Str, What: what(params), Input: json.RawMessage(params.Raw)}, at)
	case method == "serverRequest/resolved":
		t.Close(params.Get("requestId").Raw, at)
	case params.Get("threadId").Str == t.Session:
		notice(t, at, method, params)
	}
}

func reply(t *slot.Talk, at time.Time, tag string, m gjson.Result) {
	if e := m.Get("error.message"); e.Exists() {
		if tag == thread || tag == hello {
			t.Refused = e.Str
		}
		if t.Errors == nil {
			t.Errors = map[string]string{}
		}
		t.Errors[tag] = e.Str
		return
	}
	if tag != thread {
		return
	}
	t.Session, t.Ready = m.Get("result.thread.id").Str, true
	m.Get("result.thread.turns").ForEach(func(_, turn gjson.Result) bool {
		turn.Get("items.#.clientId").ForEach(func(_, id gjson.Result) bool {
			if turn.Get("status").Str == "completed" {
				t.Receive(id.Str, slot.Finished, at)
			} else {
				t.Have(id.Str, at)
			}
			return true
		})
		return true
	})
	t.Add(at, worker.Fact{Kind: worker.Started}, false) // no hook fires before the first turn
}

// what is for a person: the command, the files, or the question.
func what(params gjson.Result) string {
	text := params.Get("command").Str
	for _, name := range []string{"questions.0.question", "message", "reason"} {
		if text == "" {
			text = params.Get(name).Str
		}
	}
	if text == "" {
		text = "change files"
	}
	return text
}

func notice(t *slot.Talk, at time.Time, method string, params gjson.Result) {
	item := params.Get("item")
	switch kind := item.Get("type").Str; method {
	case "turn/started":
		t.Turn = params.Get("turn.id").Str
	case "turn/completed":
		turnOver(t, at, params.Get("turn.status").Str)
	case "item/started":
		switch {
		case kind == "userMessage":
			t.Receive(item.Get("clientId").Str, slot.Begun, at)
			t.Add(at, worker.Fact{Kind: worker.Prompted}, true)
		case tools[kind] != "":
			t.Add(at, worker.Fact{Kind: worker.ToolBegan, Call: item.Get("id").Str}, true)
		}
	case "item/completed":
		if tools[kind] != "" {
			t.Add(at, worker.Fact{Kind: worker.ToolEnded, Call: item.Get("id").Str}, true)
		}
	}
}

// tools are the items that are calls, and the member that says what they do.
var tools = map[string]string{"commandExecution": "command", "fileChange": "changes.0.path", "mcpToolCall": "tool", "webSearch": "query"}

func turnOver(t *slot.Talk, at time.Time, status string) {
	t.Turn, t.Asks = "", nil
	for id, r := range t.Receipts {
		if r == slot.Begun {
			t.Receive(id, slot.Finished, at)
		}
	}
	switch status {
	case "interrupted":
		t.Add(at, worker.Fact{Kind: worker.Interrupted}, true)
	case "failed":
		t.Add(at, worker.Fact{Kind: worker.TurnFailed}, false)
	default:
		t.Add(at, worker.Fact{Kind: worker.TurnEnded}, true)
	}
}

// Answer knows Codex' forms of questions.
func (server) Answer(a slot.Question, allow bool, text string) (slot.Line, error) {
	input := gjson.ParseBytes(a.Input)
	var result any
	switch a.Kind {
	case "item/tool/requestUserInput":
		if questions := input.Get("questions.#.id").Array(); allow && text != "" && len(questions) == 1 {
			result = map[string]any{"answers": map[string]any{questions[0].Str: map[string]any{"answers": []string{text}}}}
		} else {
			return slot.Line{}, errors.New("this question takes allow with a text, and only if it is one question")
		}
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		result = map[string]any{"decision": map[bool]string{true: "accept", false: "decline"}[allow]}
	case "item/permissions/requestApproval":
		result = map[string]any{"permissions": map[string]any{}}
		if allow {
			result = map[string]any{"permissions": json.RawMessage(input.Get("permissions").Raw)}
		}
	case "mcpServer/elicitation/request":
		if allow {
			return slot.Line{}, errors.New("a form of an MCP server can only be refused here")
		}
		result = map[string]any{"action": "decline"}
	default:
		return slot.Line{}, errors.New("Codex asks in a form that is not known here: " + a.Kind)
	}
	if text != "" && a.Kind != "item/tool/requestUserInput" {
		return slot.Line{}, errors.New("this answer to Codex takes no text")
	}
	return encode("", map[string]any{"id": json.RawMessage(a.ID), "result": result}), nil
}

func (server) Interrupt(t *slot.Talk, tag string) (slot.Line, bool) {
	return request(tag, "turn/interrupt", map[string]any{"threadId": t.Session, "turnId": t.Turn}), t.Turn != ""
}

func (server) Show(line []byte) []slot.Passage {
	m := gjson.ParseBytes(line)
	item, params := m.Get("params.item"), m.Get("params")
	kind := item.Get("type").Str
	switch method := m.Get("method").Str; {
	case m.Get("id").Exists() && method != "":
		return []slot.Passage{{Who: "asks", Text: what(params)}}
	case method == "item/started" && tools[kind] != "":
		return []slot.Passage{{Who: "tool", Text: strings.TrimSpace(kind + ": " + item.Get(tools[kind]).Str)}}
	case method == "item/completed" && kind == "userMessage":
		return []slot.Passage{{Who: "person", Text: item.Get("content.0.text").Str}}
	case method == "item/completed" && kind == "agentMessage":
		return []slot.Passage{{Who: "agent", Text: item.Get("text").Str}}
	case method == "item/completed" && item.Get("aggregatedOutput").Str != "":
		return []slot.Passage{{Who: "result", Text: item.Get("aggregatedOutput").Str}}
	case method == "turn/completed" && params.Get("turn.status").Str == "failed":
		return []slot.Passage{{Who: "note", Text: "the turn failed: " + params.Get("turn.error.message").Str}}
	}
	return nil
}
