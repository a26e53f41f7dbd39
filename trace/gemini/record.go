package gemini

import (
	"bytes"
	"strings"

	"aburn/trace/draft"
	"aburn/trace/genai"
)

// value is a JSON value within a record.
type value = genai.Value

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
func parse(line []byte) (r record, why string) {
	why = genai.Record(line, r.field)
	return r, why
}

// fields splits an object. It returns false if root is none, as far as it looked.
func fields(root value) (r record, whole bool) {
	whole = root.Fields(r.field)
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
	return r.sessionID.Str() != "" && !r.id.IsString() && !r.set.Exists() && !r.rewind.Exists()
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
	v.Members(func(key []byte, x value) {
		switch string(key) {
		case "id":
			t.id = x
		case "name":
			t.name = x.Str()
		case "args":
			t.args = x
		case "result":
			t.result = x
		case "status":
			t.status = x.Str()
		case "timestamp":
			t.time = x
		case "resultDisplay":
			t.display = x
		case "description":
			t.description = x
		case "agentId":
			t.agent = x.Str()
		}
	})
	return t
}

// object returns data if it is an object, or nothing.
func object(data []byte) value {
	if data = bytes.TrimSpace(data); len(data) > 1 && data[0] == '{' && data[len(data)-1] == '}' {
		return data
	}
	return nil
}
