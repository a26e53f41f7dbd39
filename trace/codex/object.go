package codex

import (
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// object is the members of a JSON object, as they stand there.
type object []member

type member struct{ key, value []byte }

// walk fills o with the members of the object that text begins with, and returns how many bytes it takes, -1 if there is none.
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

// parse fills o with the members of raw, and says whether it is an object.
func (o *object) parse(raw []byte) bool { return o.walk(raw) >= 0 }

// raw is the value of a member, nil if there is none or it is null.
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

// text is a member that is an id or a code.
func (o object) text(key string) string { return token(o.raw(key)) }

// word is a member that is one of the client's own words, of which none has escapes: what stands between its quotes.
func (o object) word(key string) []byte {
	raw := o.raw(key)
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// is says whether a member is this text, which has nothing in it that JSON escapes.
func (o object) is(key, text string) bool { return quoted(o.raw(key), text) }

func (o object) int(key string) int64 {
	n, _ := jsonl.Int(o.raw(key))
	return n
}

// object is a member that is an object; empty if it is none.
func (o object) object(key string) (inner object) {
	inner.parse(o.raw(key))
	return inner
}

// quoted says whether raw is the JSON string of text.
func quoted(raw []byte, text string) bool {
	return len(raw) == len(text)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == text
}

// token is an id or a code of the client's or the provider's.
func token(raw []byte) string { return draft.Token(jsonl.Text(raw)) }

// word is a name that a person or a model may have made up.
func word(raw []byte) string { return draft.Word(jsonl.Text(raw)) }

// start is the text that the JSON string raw begins with: enough of it for a head of max bytes.
func start(raw []byte, max int) string {
	if most := 4*max + 4<<10; len(raw) > most { // six bytes can stand for one, and secrets are looked for behind the end
		raw = raw[:most]
	}
	return jsonl.Text(raw)
}

// content is a text in parts: what a message, an output or a result holds.
type content struct {
	parts  [][]byte // JSON strings
	images [][]byte // likewise; they stand for the content only where there is no text
}

// contentOf is the texts of a value: a string; a list of parts with a text or an image; an object with a content.
func contentOf(raw []byte) (c content) {
	c.add(raw)
	return c
}

func (c *content) add(raw []byte) {
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

// addPart adds what a part of a list holds. Lists within it are no text.
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

// start is the beginning of the text, enough for a head of max bytes.
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

func (c content) head(max int) string { return draft.Head(c.start(max), max) }
