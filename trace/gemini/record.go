package gemini

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/trace/build"
)

// record is one line of a file, or one message of an old file. What it does not have does not exist.
type record struct {
	id, kind, time            gjson.Result // id, type, timestamp
	content, display          gjson.Result // content, displayContent
	thoughts, tokens, model   gjson.Result
	calls                     gjson.Result // toolCalls
	set, rewind               gjson.Result // $set, $rewindTo
	sessionID, hash, started  gjson.Result // sessionId, projectHash, startTime
	agentKind, dirs, messages gjson.Result // kind, directories, messages
}

// parse takes a line apart, or says why it cannot.
func parse(data []byte) (record, string) {
	data = bytes.TrimSpace(data)
	if !gjson.ValidBytes(data) {
		return record{}, "the line is not JSON"
	}
	root := gjson.ParseBytes(data)
	if !root.IsObject() {
		return record{}, "the line is not a JSON object"
	}
	return fields(root), ""
}

// fields takes an object apart.
func fields(root gjson.Result) record {
	var r record
	root.ForEach(func(key, value gjson.Result) bool {
		if at := r.field(key.Str); at != nil {
			*at = value
		}
		return true
	})
	return r
}

// field is where the value of a key goes, nil if it is not used.
func (r *record) field(key string) *gjson.Result {
	switch key {
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
	return r.sessionID.Type == gjson.String && r.sessionID.Str != "" && r.id.Type != gjson.String && !r.set.Exists() && !r.rewind.Exists()
}

// when is a time in JSON, zero if it is none.
func when(v gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339Nano, v.Str)
	if err != nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// The texts of a record are parts of its line: what is kept is copied, or the trace would hold all lines.

// token is an id as traces keep it, so that the Builder knows it by the same.
func token(v gjson.Result) string { return strings.Clone(build.Token(v.String())) }

// head is the start of a text, as build.Head.
func head(text string, max int) string { return strings.Clone(build.Head(text, max)) }

// tool is an item of toolCalls.
type tool struct {
	id, name, args, result, status, time gjson.Result
	display, description, agent          gjson.Result // resultDisplay, description, agentId
}

// toolOf takes a call apart.
func toolOf(v gjson.Result) tool {
	var t tool
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			t.id = v
		case "name":
			t.name = v
		case "args":
			t.args = v
		case "result":
			t.result = v
		case "status":
			t.status = v
		case "timestamp":
			t.time = v
		case "resultDisplay":
			t.display = v
		case "description":
			t.description = v
		case "agentId":
			t.agent = v
		}
		return true
	})
	return t
}

// parts is the content of a message, taken apart.
type parts struct {
	text      string
	thought   string
	media     bool           // it holds something that is no text
	calls     []gjson.Result // functionCall
	responses []gjson.Result // functionResponse
}

// split takes a content apart: a string, a part, or a list of both.
func split(content gjson.Result) parts {
	var p parts
	var text, thought strings.Builder
	take := func(part gjson.Result) {
		if part.Type == gjson.String {
			text.WriteString(part.Str)
			return
		}
		var said gjson.Result
		hidden, other := false, part.IsObject()
		part.ForEach(func(key, v gjson.Result) bool {
			switch key.Str {
			case "text":
				said, other = v, false
			case "thought":
				hidden = v.Bool()
			case "functionCall":
				p.calls, other = append(p.calls, v), false
			case "functionResponse":
				p.responses, other = append(p.responses, v), false
			}
			return true
		})
		p.media = p.media || other
		if hidden {
			thought.WriteString(said.Str)
		} else {
			text.WriteString(said.Str)
		}
	}
	if content.IsArray() {
		content.ForEach(func(_, part gjson.Result) bool { take(part); return true })
	} else {
		take(content)
	}
	p.text, p.thought = text.String(), thought.String()
	return p
}
