package gemini

import (
	"strings"
	"time"

	"aburn/trace/draft"
)

// record is one line of a file, or one message of an old file. What it does not have does not exist.
type record struct {
	id, kind, time            value // id, type, timestamp
	content, display          value // content, displayContent
	thoughts, tokens, model   value
	calls                     value // toolCalls
	set, rewind               value // $set, $rewindTo
	sessionID, hash, started  value // sessionId, projectHash, startTime
	agentKind, dirs, messages value // kind, directories, messages
}

// parse takes a line apart, or says why it cannot.
func parse(data []byte) (record, string) {
	root := object(data)
	if root == nil {
		return record{}, "the line is not a JSON object"
	}
	r, whole := fields(root)
	if !whole {
		return record{}, "the line is not JSON"
	}
	return r, ""
}

// fields takes an object apart, and says whether it is one, as far as it looked.
func fields(root value) (record, bool) {
	var r record
	whole := root.members(func(key []byte, x value) {
		if at := r.field(key); at != nil {
			*at = x
		}
	})
	return r, whole
}

// field is where the value of a key goes, nil if it is not used.
func (r *record) field(key []byte) *value {
	switch string(key) {
	case "id":
		return &r.id
	case "type":
		return &r.kind
	case "timestamp":
		return &r.time
	case "content":
		return &r.content
	case "displayContent":
		return &r.display
	case "thoughts":
		return &r.thoughts
	case "tokens":
		return &r.tokens
	case "model":
		return &r.model
	case "toolCalls":
		return &r.calls
	case "$set":
		return &r.set
	case "$rewindTo":
		return &r.rewind
	case "sessionId":
		return &r.sessionID
	case "projectHash":
		return &r.hash
	case "startTime":
		return &r.started
	case "kind":
		return &r.agentKind
	case "directories":
		return &r.dirs
	case "messages":
		return &r.messages
	}
	return nil
}

// header says whether the record begins a file.
func (r record) header() bool {
	return r.sessionID.str() != "" && !r.id.isString() && !r.set.exists() && !r.rewind.exists()
}

// when is a time in JSON, zero if it is none.
func when(v value) time.Time { return draft.Time(v).Truncate(time.Millisecond) }

// token is an id as traces keep it, so that the Builder knows it by the same.
func token(v value) string {
	if v.isString() {
		return draft.Token(v.str())
	}
	return draft.Token(string(v))
}

// head is the start of a text, as draft.Head, and holds no more than that of it.
func head(text string, max int) string { return strings.Clone(draft.Head(text, max)) }

// tool is an item of toolCalls.
type tool struct {
	id, args, result, time value
	display, description   value  // resultDisplay
	name, status, agent    string // agent is agentId
}

// toolOf takes a call apart.
func toolOf(v value) tool {
	var t tool
	v.members(func(key []byte, x value) {
		switch string(key) {
		case "id":
			t.id = x
		case "name":
			t.name = x.str()
		case "args":
			t.args = x
		case "result":
			t.result = x
		case "status":
			t.status = x.str()
		case "timestamp":
			t.time = x
		case "resultDisplay":
			t.display = x
		case "description":
			t.description = x
		case "agentId":
			t.agent = x.str()
		}
	})
	return t
}

// parts is the content of a message, taken apart.
type parts struct {
	text      string
	thought   string
	media     bool    // it holds something that is no text
	calls     []value // functionCall
	responses []value // functionResponse
}

// split takes a content apart: a string, a part, or a list of both.
func split(content value) parts {
	var p parts
	var text, thought strings.Builder
	take := func(part value) {
		if part.isString() {
			text.WriteString(part.str())
			return
		}
		var said value
		hidden, other := false, part.isObject()
		part.members(func(key []byte, x value) {
			switch string(key) {
			case "text":
				said, other = x, false
			case "thought":
				hidden = x.isTrue()
			case "functionCall":
				p.calls, other = append(p.calls, x), false
			case "functionResponse":
				p.responses, other = append(p.responses, x), false
			}
		})
		p.media = p.media || other
		if hidden {
			thought.WriteString(said.str())
		} else {
			text.WriteString(said.str())
		}
	}
	if content.isArray() {
		content.each(take)
	} else {
		take(content)
	}
	p.text, p.thought = text.String(), thought.String()
	return p
}
