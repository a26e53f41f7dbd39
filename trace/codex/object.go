package codex

import (
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// object holds the raw members of a JSON object. A slice, because objects are small and the memory serves again.
type object []member

type member struct{ key, value []byte }

// walk fills o with the members of the object that text begins with. It returns the object's length in bytes, -1 if
// there is none.
func (o *object) walk(text []byte) int {
	*o = (*o)[:0]
	return jsonl.Object(text, func(key, rest []byte) int {
		n := jsonl.Value(rest)
		if n > 0 {
			*o = append(*o, member{key, rest[:n]})
		}
		return n
	})
}

// parse fills o with the members of raw, and reports whether raw is an object.
func (o *object) parse(raw []byte) bool { return o.walk(raw) >= 0 }

// raw returns a member, nil if it is missing or null.
func (o object) raw(key string) []byte {
	for i := range o {
		if string(o[i].key) == key {
			if v := o[i].value; string(v) != "null" {
				return v
			}
			return nil
		}
	}
	return nil
}

// text returns a member that is an id or a code.
func (o object) text(key string) string { return token(o.raw(key)) }

// word returns what stands between the quotes of a member, which must be one of the client's own words: none has
// escapes.
func (o object) word(key string) []byte {
	raw := o.raw(key)
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// is reports whether a member is text, which must have nothing that JSON escapes.
func (o object) is(key, text string) bool { return quoted(o.raw(key), text) }

func (o object) int(key string) int64 {
	n, _ := jsonl.Int(o.raw(key))
	return n
}

// object returns a member that is an object; empty if it is none.
func (o object) object(key string) (inner object) {
	inner.parse(o.raw(key))
	return inner
}

// quoted reports whether raw is the JSON string of text.
func quoted(raw []byte, text string) bool {
	return len(raw) == len(text)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == text
}

// token returns an id or a code of the client's or the provider's.
func token(raw []byte) string { return draft.Token(jsonl.Text(raw)) }

// word returns a name that a person or a model may have made up.
func word(raw []byte) string { return draft.Word(jsonl.Text(raw)) }

// start returns the beginning of the JSON string raw: enough of it for a head of max bytes.
func start(raw []byte, max int) string {
	if most := 4*max + 4<<10; len(raw) > most { // an escape takes six bytes, and scrubbing looks beyond the end
		raw = raw[:most]
	}
	return jsonl.Text(raw)
}

// content is the text of a message, an output or a result, in parts.
type content struct {
	parts  [][]byte // JSON strings
	images [][]byte // JSON strings; they count only where there is no text
}

// contentOf collects the texts of a value: a string; a list of parts with a text or an image; an object with a
// content.
func contentOf(raw []byte) (c content) {
	c.addValue(raw)
	return c
}

func (c *content) addValue(raw []byte) {
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		c.parts = append(c.parts, raw)
	case raw[0] == '[':
		jsonl.Elements(raw, func(part []byte) bool {
			c.addPart(part)
			return true
		})
	case raw[0] == '{':
		c.addPart(raw)
	}
}

// addPart adds the text of a list's part. Lists within a part are no text.
func (c *content) addPart(part []byte) {
	if part[0] == '"' {
		c.parts = append(c.parts, part)
		return
	}
	jsonl.Members(part, func(key, value []byte) bool {
		if value[0] != '"' {
			return true
		}
		switch string(key) {
		case "text", "content":
			c.parts = append(c.parts, value)
			return false
		case "image_url":
			c.images = append(c.images, value)
			return false
		}
		return true
	})
}

func (c content) digest() trace.Digest {
	parts := c.parts
	if len(parts) == 0 {
		parts = c.images
	}
	if len(parts) == 1 {
		return draft.DigestText(parts[0])
	}
	var t draft.Text
	for _, part := range parts {
		t.Add(part)
	}
	return t.Digest()
}

// start returns the beginning of the text, enough for a head of max bytes.
func (c content) start(max int) string {
	if len(c.parts) == 0 {
		return ""
	}
	text := start(c.parts[0], max)
	for _, part := range c.parts[1:] {
		if len(text) > max {
			break
		}
		text += start(part, max)
	}
	return text
}

func (s *session) head(c content, max int) string { return s.Head(c.start(max), max) }
