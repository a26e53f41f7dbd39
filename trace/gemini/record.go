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
	into := map[string]*gjson.Result{
		"id": &r.id, "type": &r.kind, "timestamp": &r.time, "content": &r.content, "displayContent": &r.display,
		"thoughts": &r.thoughts, "tokens": &r.tokens, "model": &r.model, "toolCalls": &r.calls, "$set": &r.set, "$rewindTo": &r.rewind,
		"sessionId": &r.sessionID, "projectHash": &r.hash, "startTime": &r.started, "kind": &r.agentKind,
		"directories": &r.dirs, "messages": &r.messages,
	}
	root.ForEach(func(key, value gjson.Result) bool {
		if at := into[key.Str]; at != nil {
			*at = value
		}
		return true
	})
	return r
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

// token is an id or code as traces keep it: no longer than 200 bytes, and without a secret.
func token(v gjson.Result) string { return build.Head(v.String(), 200) }

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
		t := part.Get("text")
		switch {
		case part.Type == gjson.String:
			text.WriteString(part.Str)
		case t.Exists() && part.Get("thought").Bool():
			thought.WriteString(t.Str)
		case t.Exists():
			text.WriteString(t.Str)
		case part.Get("functionCall").IsObject():
			p.calls = append(p.calls, part.Get("functionCall"))
		case part.Get("functionResponse").IsObject():
			p.responses = append(p.responses, part.Get("functionResponse"))
		case part.IsObject():
			p.media = true
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
