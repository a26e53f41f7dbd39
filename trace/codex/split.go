package codex

import (
	"bytes"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace/build"
)

// payloadKey and metadataKey are what stands before the last members of a record.
var (
	payloadKey  = []byte(`,"payload":`)
	metadataKey = []byte(`,"metadata":{`)
)

// split takes a record apart: when it was made, its number, its type, and the members of its payload. It is false if the
// line is no record.
func (s *session) split(data []byte) bool {
	return s.splitQuickly(data) || s.splitSlowly(data)
}

// splitQuickly does it for a record as the client writes it, the payload last but for metadata, and looks only once into
// the payload. It gives up on any other.
func (s *session) splitQuickly(data []byte) bool {
	i := bytes.Index(data[:min(len(data), headBytes)], payloadKey)
	if i < 0 || data[len(data)-1] != '}' {
		return false
	}
	payload := data[i+len(payloadKey) : len(data)-1]
	s.scratch = append(append(s.scratch[:0], data[:i]...), '}')
	if !s.header(s.scratch) {
		return false
	}
	if s.Paginated && s.kind == "response_item" {
		if end := bytes.LastIndex(payload, metadataKey); end > 0 {
			payload = payload[:end]
		}
	}
	return s.payload.parse(payload)
}

// header takes the members of a record, of which the payload can be one.
func (s *session) header(record []byte) bool {
	s.when, s.ordinal, s.kind = time.Time{}, 0, ""
	return jsonl.Members(record, func(key, value []byte) bool {
		switch string(key) {
		case "timestamp":
			s.when = build.Time(value)
		case "ordinal":
			s.ordinal, _ = jsonl.Int(value)
		case "type":
			s.kind = kindOf(value)
		case "payload":
			if !s.payload.parse(value) {
				s.payload = s.payload[:0]
			}
		}
		return true
	})
}

// splitSlowly does it for any record.
func (s *session) splitSlowly(data []byte) bool {
	s.payload = s.payload[:0]
	return s.header(data)
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
