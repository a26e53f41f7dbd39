package hooks

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/scrub"
	"aburn/logfmt"
)

// Bounds of unknown fields in an entry.
const (
	maxFields = 32
	maxValue  = 64 // bytes of a string that is kept, and of a field's name
)

// Unknown returns the payload's fields that the agent's adapter does not know as one
// JSON object, or nil. It holds names, types and sizes, and a value only if that
// cannot be prose.
func (p *Payload) Unknown(known func(key string) bool) []byte {
	var o logfmt.Object
	n := 0
	for _, f := range p.rest {
		if f.key == "" || !isID(f.key) || known(f.key) {
			continue
		}
		if n++; n > maxFields {
			break
		}
		if _, secrets := scrub.Text(f.key); secrets > 0 {
			continue
		}
		o.Raw(f.key, shape(f.key, f.value.Parse()))
	}
	return o.Bytes()
}

// shape is an unknown value itself if it is a boolean, a number or a short string of
// id characters, else its type and size in bytes. Only the name gives some secrets
// away, so shape checks name and value together.
func shape(key string, v gjson.Result) []byte {
	var o logfmt.Object
	switch {
	case v.Type == gjson.True, v.Type == gjson.False, v.Type == gjson.Number && len(v.Raw) <= maxValue:
		return []byte(v.Raw)
	case v.Type == gjson.Null:
		return o.Str("type", "null").Bytes()
	case v.Type == gjson.String && isID(v.Str) && !secretByName(key, v.Str):
		return gjson.AppendJSONString(nil, scrub.Head(v.Str, maxValue))
	case v.Type == gjson.String:
		return o.Str("type", "string").Int("bytes", int64(len(v.Str))).Bytes()
	case v.IsArray():
		return o.Str("type", "array").Int("bytes", int64(len(v.Raw))).Bytes()
	case v.IsObject():
		return o.Str("type", "object").Int("bytes", int64(len(v.Raw))).Bytes()
	}
	return o.Str("type", "number").Int("bytes", int64(len(v.Raw))).Bytes()
}

// secretByName reports whether value is a secret because of its name alone.
func secretByName(key, value string) bool {
	_, alone := scrub.Text(value)
	_, both := scrub.Text(`"` + key + `": "` + value + `"`)
	return both > alone
}

func isID(s string) bool {
	if len(s) > maxValue {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._:/-", c) < 0 {
			return false
		}
	}
	return true
}

// eventName spells an agent's unknown event in the log's way: "CwdChanged" is
// CWD_CHANGED. The result is never an event that has a meaning to readers.
func eventName(hook string) logfmt.Event {
	var b strings.Builder
	for i := 0; i < len(hook) && b.Len() < logfmt.MaxEvent-len("HOOK__"); i++ {
		c := hook[i]
		switch {
		case 'A' <= c && c <= 'Z':
			if i > 0 && (hook[i-1] < 'A' || hook[i-1] > 'Z') {
				b.WriteByte('_')
			}
			b.WriteByte(c)
		case 'a' <= c && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
		case '0' <= c && c <= '9':
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}
	if ev := logfmt.Event(b.String()); !ev.Known() {
		return ev
	}
	return logfmt.Event("HOOK_" + b.String())
}
