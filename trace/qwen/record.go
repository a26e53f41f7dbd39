package qwen

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace/draft"
)

// record is one line of a file. Missing members are empty values.
type record struct {
	uuid, parent, session, time   value // uuid, parentUuid, sessionId, timestamp
	kind, subtype, provenance     value // type, subtype, provenance
	cwd, version, branch          value
	message, payload, result      value // message, systemPayload, toolCallResult
	model, usage, agent, forkedOf value // model, usageMetadata, agentId, forkedFrom
}

// parse splits a line, or says why it cannot.
func parse(data []byte) (record, string) {
	var r record
	root := value(bytes.TrimSpace(data))
	if len(root) < 2 || root[0] != '{' || root[len(root)-1] != '}' {
		return r, "the line is not a JSON object"
	}
	whole := root.members(func(key []byte, x value) {
		if at := r.field(key); at != nil {
			*at = x
		}
	})
	if !whole {
		return r, "the line is not JSON"
	}
	return r, ""
}

// field returns where the value of a key goes, nil if the key is not used.
func (r *record) field(key []byte) *value {
	switch string(key) {
	case "uuid":
		return &r.uuid
	case "parentUuid":
		return &r.parent
	case "sessionId":
		return &r.session
	case "timestamp":
		return &r.time
	case "type":
		return &r.kind
	case "subtype":
		return &r.subtype
	case "provenance":
		return &r.provenance
	case "cwd":
		return &r.cwd
	case "version":
		return &r.version
	case "gitBranch":
		return &r.branch
	case "message":
		return &r.message
	case "systemPayload":
		return &r.payload
	case "toolCallResult":
		return &r.result
	case "model":
		return &r.model
	case "usageMetadata":
		return &r.usage
	case "agentId":
		return &r.agent
	case "forkedFrom":
		return &r.forkedOf
	}
	return nil
}

// copied returns the session that the record was copied from, when this session branched off; "" if it is its own.
func (r record) copied() string {
	return draft.SessionID(r.forkedOf.get("sessionId").str())
}

// parts is the content of a message.
type parts struct {
	text, thought string
	media         bool    // it has something besides text and calls
	calls         []value // functionCall
	responses     []value // functionResponse
}

// split splits a message.
func split(message value) parts {
	var p parts
	var text, thought strings.Builder
	message.get("parts").each(func(part value) {
		var said value
		hidden, other := false, part.isObject()
		part.members(func(key []byte, x value) {
			switch string(key) {
			case "text":
				said, other = x, false
			case "thought":
				hidden = string(x) == "true"
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
	})
	p.text, p.thought = text.String(), thought.String()
	return p
}

// meta is what the client notes about a sub-agent beside its transcript.
type meta struct {
	agentType, description string
	call                   string // that started it
	parent                 string // the sub-agent that started it, "" for the session
	status                 string // running, paused, completed, failed, cancelled
	lastError              string
}

// maxMeta bounds how many bytes of notes are read.
const maxMeta = 1 << 20

// readMeta reads the notes about the sub-agent whose transcript is at path. Missing and broken notes are empty.
func readMeta(path string) meta {
	path = strings.TrimSuffix(path, ".jsonl") + metaSuffix
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMeta {
		return meta{}
	}
	data, err := os.ReadFile(path)
	if err != nil || !json.Valid(data) {
		return meta{}
	}
	root := value(bytes.TrimSpace(data))
	text := func(key string) string { return root.get(key).str() }
	return meta{agentType: text("agentType"), description: text("description"), call: text("toolUseId"),
		parent: text("parentAgentId"), status: text("status"), lastError: text("lastError")}
}

// when parses a time, zero if v is none.
func when(v value) time.Time { return draft.Time(v).Truncate(time.Millisecond) }

// token returns an id as traces keep it, so that the Builder finds it again.
func token(v value) string { return strings.Clone(draft.Token(v.str())) }

// value is a JSON value within a record, empty if missing. It is valid as long as the record; texts taken from it are
// copies.
type value []byte

func (v value) exists() bool   { return len(v) > 0 && string(v) != "null" }
func (v value) isString() bool { return len(v) > 0 && v[0] == '"' }
func (v value) isObject() bool { return len(v) > 0 && v[0] == '{' }

// holds reports whether v is an array that is not empty.
func (v value) holds() (some bool) {
	v.each(func(value) { some = true })
	return some
}

// str returns the text of a string, "" if v is none.
func (v value) str() string { return jsonl.Text(v) }

// int returns a whole number; false if v is none.
func (v value) int() (int64, bool) { return jsonl.Int(v) }

// count returns a number of tokens, 0 if v is none.
func (v value) count() int64 {
	n, _ := v.int()
	return max(n, 0)
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
	if len(v) > 0 && v[0] == '[' {
		jsonl.Elements(v, func(x []byte) bool {
			f(x)
			return true
		})
	}
}
