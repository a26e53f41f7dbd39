package codex

import (
	"bytes"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace/draft"
)

// record is a line split into its members, whose memory is reused for the next line.
type record struct {
	when    time.Time
	ordinal int64
	kind    string // "" if nothing is taken from the record
	payload object
	item    object // of the payload, if it has one
}

// split splits a line, looking at each byte once. It stops early at a record that nothing is taken from, or whose
// ordinal is below from. It returns false if the line is no record.
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

// splitPayload keeps the members of a payload and returns its length in bytes.
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

// kindOf returns the type of a record, "" if nothing is taken from that type.
func kindOf(raw []byte) string {
	for _, kind := range []string{"response_item", "event_msg", "token_usage_record", "turn_context", "compacted",
		"session_meta"} {
		if quoted(raw, kind) {
			return kind
		}
	}
	return ""
}

// headBytes is how much of a record canSkip looks at.
const headBytes = 320

// skippedPrefixes begin, from the type on, records that nothing is taken from. They are long: the model's
// surroundings, again and again.
var skippedPrefixes = [][]byte{
	[]byte(`"type":"world_state",`),
	[]byte(`"type":"inter_agent_communication_metadata",`),
	[]byte(`"type":"event_msg","payload":{"type":"thread_settings_applied",`),
	[]byte(`"type":"response_item","payload":{"type":"reasoning",`),
	[]byte(`"type":"response_item","payload":{"type":"additional_tools",`),
}

// The beginnings of records of which most are skipped, and what decides.
var (
	typeKey     = []byte(`"type":"`)
	message     = []byte(`"type":"response_item","payload":{"type":"message",`)
	byDeveloper = []byte(`"role":"developer"`)
	byAssistant = []byte(`"role":"assistant"`)
	tokenCount  = []byte(`"type":"event_msg","payload":{"type":"token_count",`)
	usedPercent = []byte(`"used_percent":`)
	outputs     = []byte(`_output",`)
	callID      = []byte(`"call_id":"`)
)

// canSkip reports, from how a record begins, that nothing is taken from it. Most bytes of a rollout are in such
// records; not looking at them is most of the speed.
func (s *session) canSkip(data []byte) bool {
	if data[len(data)-1] != '}' {
		return false
	}
	head := data[:min(len(data), headBytes)]
	i := bytes.Index(head, typeKey)
	if i < 0 {
		return false
	}
	head = head[i:]
	for _, u := range skippedPrefixes {
		if bytes.HasPrefix(head, u) {
			return true
		}
	}
	switch {
	case bytes.HasPrefix(head, message):
		return bytes.Contains(head, byDeveloper) || bytes.Contains(head, byAssistant)
	case s.Billed && bytes.HasPrefix(head, tokenCount):
		s.streamBrokeOff()
		return !bytes.Contains(data, usedPercent)
	}
	return s.isKnownOutput(head)
}

// isKnownOutput reports whether a record is the output of a call that an item already ended, and is about no other
// call.
func (s *session) isKnownOutput(head []byte) bool {
	if !bytes.Contains(head[:min(len(head), 100)], outputs) {
		return false
	}
	_, rest, ok := bytes.Cut(head, callID)
	id, _, whole := bytes.Cut(rest, []byte{'"'})
	if !ok || !whole || !s.ends[string(id)].item {
		return false
	}
	return s.Waits[string(id)] == "" && s.Writes[string(id)] == ""
}
