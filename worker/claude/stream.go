package claude

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/worker"
	"aburn/worker/slot"
)

// Protocol is Claude Code's stream-json. A message has an id that we choose. The client tells what becomes of it
// (command_lifecycle), and ignores one that stands in its record, also after a kill and a resume. It prints our answers to its
// questions once more, so that everybody sees what is answered.
func (agent) Protocol() slot.Protocol { return stream{} }

type stream struct{}

// Launch has Claude Code ask through the protocol. Otherwise it refuses by itself what nobody allowed.
func (stream) Launch(o slot.Order, resume string) (slot.Launch, []slot.Line) {
	l := start(o, resume)
	l.Args = append(l.Args, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--replay-user-messages",
		"--permission-prompt-tool", "stdio")
	return l, nil
}

// uuidOf is the name that a message has in the protocol.
func uuidOf(id string) string {
	sum := sha256.Sum256([]byte("aburn message " + id))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

const messageTag = "msg-"

func (stream) Message(_ *slot.Talk, m slot.Message) (slot.Line, bool) {
	return line(messageTag+m.ID, map[string]any{"type": "user", "uuid": uuidOf(m.ID), "message": map[string]any{"role": "user", "content": m.Text}}), true
}

func line(tag string, value any) slot.Line {
	text, _ := json.Marshal(value) // maps and strings only
	return slot.Line{Tag: tag, Text: text}
}

func (stream) Tell(t *slot.Talk, tag string) {
	if id, ok := strings.CutPrefix(tag, messageTag); ok {
		if t.Names == nil {
			t.Names = map[string]string{}
		}
		t.Names[uuidOf(id)] = id
	}
}

var lifecycle = map[string]slot.Receipt{"queued": slot.Queued, "started": slot.Begun, "completed": slot.Finished}

func (stream) Hear(t *slot.Talk, at time.Time, line []byte) {
	m := gjson.ParseBytes(line)
	t.Ready = true
	if id := m.Get("session_id").Str; id != "" {
		t.Session = id
	}
	switch m.Get("type").Str {
	case "command_lifecycle":
		r := lifecycle[m.Get("state").Str]
		if r == slot.Begun {
			t.Turn = cmp.Or(t.Turn, m.Get("command_uuid").Str)
		}
		receipt(t, at, t.Names[m.Get("command_uuid").Str], r)
	case "control_request":
		ask(t, at, m)
	case "control_response":
		t.Close(m.Get("response.request_id").Str, at)
	case "control_cancel_request":
		t.Close(m.Get("request_id").Str, at)
	case "result":
		t.Turn, t.Asks = "", nil
		for id, r := range t.Receipts {
			if r == slot.Begun { // also of a turn that was interrupted
				t.Receive(id, slot.Finished, at)
			}
		}
		kind := worker.TurnEnded
		if m.Get("is_error").Bool() {
			kind = worker.TurnFailed
		}
		t.Add(at, worker.Fact{Kind: kind}, true)
	case "assistant", "user":
		if m.Get("parent_tool_use_id").Str != "" {
			return
		}
		if m.Get("type").Str == "assistant" {
			t.Turn = cmp.Or(t.Turn, m.Get("uuid").Str, "its own") // also of a turn that no message began
		}
		turn(t, at, m)
	}
}

// receipt takes what the client does not begin, and calls completed, for one that stands in its record already: it ignores
// that, also if the turn was cut off.
func receipt(t *slot.Talk, at time.Time, id string, r slot.Receipt) {
	if before := t.Receipts[id]; r == slot.Finished && before != slot.Begun && before != slot.Finished {
		t.Have(id, at)
		return
	}
	t.Receive(id, r, at)
}

func ask(t *slot.Talk, at time.Time, m gjson.Result) {
	r := m.Get("request")
	if r.Get("subtype").Str != "can_use_tool" {
		return
	}
	t.Open(slot.Question{
		ID: m.Get("request_id").Str, Kind: r.Get("tool_name").Str, Call: r.Get("tool_use_id").Str,
		What: r.Get("tool_name").Str + ": " + subject(r.Get("input")), Input: json.RawMessage(r.Get("input").Raw),
	}, at)
}

// subject is what a call is about: the member of its input that a person looks at first.
func subject(input gjson.Result) string {
	for _, name := range []string{"command", "file_path", "path", "url", "pattern", "questions.0.question", "plan", "description", "prompt"} {
		if v := input.Get(name); v.Type == gjson.String {
			return v.Str
		}
	}
	return input.Raw
}

// interruptText begins the message that stands for a turn that was interrupted; no hook tells of it.
const interruptText = "[Request interrupted by user"

func turn(t *slot.Talk, at time.Time, m gjson.Result) {
	if m.Get("isReplay").Bool() {
		t.Add(at, worker.Fact{Kind: worker.Prompted}, true)
		return
	}
	m.Get("message.content").ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").Str {
		case "tool_use":
			t.Add(at, worker.Fact{Kind: worker.ToolBegan, Call: part.Get("id").Str}, true)
		case "tool_result":
			t.Add(at, worker.Fact{Kind: worker.ToolEnded, Call: part.Get("tool_use_id").Str}, true)
		case "text":
			if m.Get("type").Str == "user" && strings.HasPrefix(part.Get("text").Str, interruptText) {
				t.Add(at, worker.Fact{Kind: worker.Interrupted}, false)
			}
		}
		return true
	})
}

// Answer allows a call as it is, or says why not. A question's answer is its refusal with the text: the model reads it.
func (stream) Answer(a slot.Question, allow bool, text string) (slot.Line, error) {
	response := map[string]any{"behavior": "allow", "updatedInput": a.Input}
	switch {
	case allow && text != "":
		return slot.Line{}, errors.New("with Claude Code a text goes only with deny")
	case !allow && text == "":
		text = "The person refused."
	}
	if !allow {
		response = map[string]any{"behavior": "deny", "message": text}
	}
	return line("", map[string]any{
		"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": a.ID, "response": response},
	}), nil
}

func (stream) Interrupt(t *slot.Talk, tag string) (slot.Line, bool) {
	return line(tag, map[string]any{"type": "control_request", "request_id": tag, "request": map[string]any{"subtype": "interrupt"}}), t.Turn != ""
}

func (stream) Show(line []byte) (list []slot.Passage) {
	m := gjson.ParseBytes(line)
	switch kind := m.Get("type").Str; kind {
	case "control_request":
		if r := m.Get("request"); r.Get("subtype").Str == "can_use_tool" {
			return []slot.Passage{{Who: "asks", Text: r.Get("tool_name").Str + ": " + subject(r.Get("input"))}}
		}
	case "result":
		if m.Get("is_error").Bool() {
			return []slot.Passage{{Who: "note", Text: "the turn failed: " + m.Get("result").Str}}
		}
	case "assistant", "user":
		if m.Get("parent_tool_use_id").Str != "" {
			return nil
		}
		content := m.Get("message.content")
		if content.Type == gjson.String {
			return []slot.Passage{{Who: "person", Text: content.Str}}
		}
		content.ForEach(func(_, part gjson.Result) bool {
			list = append(list, show(kind, part)...)
			return true
		})
	}
	return list
}

func show(kind string, part gjson.Result) []slot.Passage {
	switch part.Get("type").Str {
	case "text":
		who := map[string]string{"assistant": "agent", "user": "person"}[kind]
		return []slot.Passage{{Who: who, Text: part.Get("text").Str}}
	case "tool_use":
		return []slot.Passage{{Who: "tool", Text: part.Get("name").Str + ": " + subject(part.Get("input"))}}
	case "tool_result":
		text := part.Get("content")
		if text.IsArray() {
			text = text.Get("0.text")
		}
		return []slot.Passage{{Who: "result", Text: text.Str}}
	}
	return nil
}
