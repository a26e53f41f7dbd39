package codex

import (
	"time"

	"aburn/internal/jsonl"
	"aburn/trace/draft"
)

// record is a line taken apart. Its members serve again for the next one.
type record struct {
	when    time.Time
	ordinal int64
	kind    string // "" if it is of no use
	payload object
	item    object // of the payload, if it has one
}

// split takes a record apart, looking at each byte once; of one that is of no use, or whose number is below from, only
// until that is known. It is false if the line is no record.
func (r *record) split(data []byte, from int64) bool {
	*r = record{payload: r.payload[:0], item: r.item[:0]}
	n := jsonl.Object(data, func(key, rest []byte) int {
		if string(key) == "payload" {
			return r.splitPayload(rest)
		}
		n := jsonl.Value(rest)
		if n < 0 {
			return n
		}
		switch string(key) {
		case "timestamp":
			r.when = draft.Time(rest[:n])
		case "ordinal":
			if r.ordinal, _ = jsonl.Int(rest[:n]); r.ordinal < from {
				return jsonl.Stop
			}
		case "type":
			if r.kind = kindOf(rest[:n]); r.kind == "" {
				return jsonl.Stop
			}
		}
		return n
	})
	if n == jsonl.Stop {
		r.kind = ""
		return true
	}
	return n == len(data)
}

// splitPayload is how many bytes a payload takes, whose members it keeps.
func (r *record) splitPayload(rest []byte) int {
	if len(rest) == 0 || rest[0] != '{' {
		return 0
	}
	return jsonl.Object(rest, func(key, rest []byte) int {
		n := 0
		if string(key) == "item" && len(rest) > 0 && rest[0] == '{' {
			n = r.item.walk(rest)
		} else {
			n = jsonl.Value(rest)
		}
		if n > 0 {
			r.payload = append(r.payload, member{key, rest[:n]})
		}
		return n
	})
}

// kindOf is the type of a record if it is one that something is taken from, "" otherwise.
func kindOf(raw []byte) string {
	for _, kind := range []string{"response_item", "event_msg", "token_usage_record", "turn_context", "compacted", "session_meta"} {
		if quoted(raw, kind) {
			return kind
		}
	}
	return ""
}
