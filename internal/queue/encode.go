package queue

import (
	"strconv"

	"aburn/logfmt"
)

// encode is the JSON of a new task. A task from a file is never encoded again; it is changed in
// place.
func (t *Task) encode() []byte {
	var o logfmt.Object
	o.Str("id", t.ID).Str("created_at", formatTime(t.CreatedAt)).Str("priority", t.Priority.String())
	o.StrIf("source", t.Source).StrIf("kind", t.Kind).StrIf("anomaly_type", t.Type).Str("prompt", t.Prompt).StrIf("suggested_agent", t.SuggestedAgent)
	if len(t.Context) > 0 {
		o.Raw("context", oneLine(t.Context))
	}
	o.Str("status", string(t.Status)).Int("attempts", int64(t.Attempts))
	o.StrIf("session", string(t.Session)).StrIf("scope", t.Scope)
	if len(t.Evidence) > 0 {
		o.Raw("evidence", encodeEvidence(t.Evidence))
	}
	if !t.ExpiresAt.IsZero() {
		o.Str("expires_at", formatTime(t.ExpiresAt))
	}
	o.StrIf("signature", t.Signature)
	for _, m := range t.Extra {
		o.Raw(m.Key, oneLine(m.Raw))
	}
	return o.Str("hmac", t.HMAC).Bytes()
}

func encodeEvidence(list []uint64) []byte {
	b := []byte{'['}
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, n, 10)
	}
	return append(b, ']')
}

func (l *Lease) encode() []byte {
	var o logfmt.Object
	o.Int("pid", int64(l.PID)).Str("session", string(l.Session)).StrIf("prompt_id", l.PromptID)
	return o.Str("until", formatTime(l.Until)).Bytes()
}

// oneLine removes the line ends of valid JSON. No string contains any.
func oneLine(json []byte) []byte {
	b := make([]byte, 0, len(json))
	for _, c := range json {
		if c != '\n' && c != '\r' {
			b = append(b, c)
		}
	}
	return b
}

// quote is s as a JSON string.
func quote[S ~string](s S) []byte {
	var o logfmt.Object
	b := o.Str("", string(s)).Bytes()
	return b[len(`{"":`) : len(b)-1]
}

var null = []byte("null")
