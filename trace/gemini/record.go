package gemini

import (
	"bytes"
	"strings"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace/draft"
)

// record is one line of a file, or one message of an old file. Missing members are empty values.
type record struct {
	id, kind, time            value // id, type, timestamp
	content, display          value // content, displayContent
	thoughts, tokens, model   value
	calls                     value // toolCalls
	set, rewind               value // $set, $rewindTo
	sessionID, hash, started  value // sessionId, projectHash, startTime
	agentKind, dirs, messages value // kind, directories, messages
}

// parse splits a line, or says why it cannot.
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

// fields splits an object. It returns false if root is none, as far as it looked.
func fields(root value) (record, bool) {
	var r record
	whole := root.members(func(key []byte, x value) {
		if at := r.field(key); at != nil {
			*at = x
		}
	})
	return r, whole
}

// field returns where the value of a key goes, nil if the key is not used.
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

// header reports whether the record begins a file.
func (r record) header() bool {
	return r.sessionID.str() != "" && !r.id.isString() && !r.set.exists() && !r.rewind.exists()
}

// when parses a time, zero if v is none.
func when(v value) time.Time { return draft.Time(v).Truncate(time.Millisecond) }

// token returns an id as traces keep it, so that the Builder finds it again.
func token(v value) string {
	if v.isString() {
		return draft.Token(v.str())
	}
	return draft.Token(string(v))
}

// head is draft.Head as a copy, which does not keep the record in memory.
func head(text string, max int) string { return strings.Clone(draft.Head(text, max)) }

// head is the function head, which also hides what other texts of the session gave away.
func (s *session) head(text string, max int) string { return strings.Clone(s.b.Head(text, max)) }

// tool is an item of toolCalls.
type tool struct {
	id, args, result, time value
	display, description   value  // resultDisplay
	name, status, agent    string // agent is agentId
}

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

// parts is the content of a message.
type parts struct {
	text      string
	thought   string
	media     bool    // it has something besides text
	calls     []value // functionCall
	responses []value // functionResponse
}

// split splits a content: a string, a part, or a list of both.
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

// value is a JSON value within a record, empty if missing. It is valid as long as the record; texts taken from it are
// copies.
type value []byte

func (v value) exists() bool   { return len(v) > 0 }
func (v value) isString() bool { return len(v) > 0 && v[0] == '"' }
func (v value) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v value) isArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v value) isTrue() bool   { return string(v) == "true" }

// str returns the text of a string, "" if v is none.
func (v value) str() string { return jsonl.Text(v) }

// is reports whether v is the string s, which must have nothing to escape.
func (v value) is(s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// int returns a whole number, 0 if v is none.
func (v value) int() int64 {
	n, _ := jsonl.Int(v)
	return n
}

// get returns a member of an object.
func (v value) get(key string) value {
	var found value
	if v.isObject() {
		jsonl.Members(v, func(k, x []byte) bool {
			if string(k) == key {
				found = x
			}
			return found == nil
		})
	}
	return found
}

// members calls f with each member of an object. It returns false if v is none, as far as it looked.
func (v value) members(f func(key []byte, x value)) bool {
	return v.isObject() && jsonl.Members(v, func(k, x []byte) bool {
		f(k, x)
		return true
	})
}

// each calls f with each element of an array.
func (v value) each(f func(x value)) {
	if v.isArray() {
		jsonl.Elements(v, func(x []byte) bool {
			f(x)
			return true
		})
	}
}

// object returns data if it is an object, or nothing.
func object(data []byte) value {
	if data = bytes.TrimSpace(data); len(data) > 1 && data[0] == '{' && data[len(data)-1] == '}' {
		return data
	}
	return nil
}
