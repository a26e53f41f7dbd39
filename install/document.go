package install

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// kind is the first byte of a value's text; '0' stands for every number.
type kind byte

const (
	object kind = '{'
	array  kind = '['
	text   kind = '"'
	number kind = '0'
	null   kind = 'n'
	yes    kind = 't'
	no     kind = 'f'
)

// String names a kind as an error message does.
func (k kind) String() string {
	switch k {
	case object:
		return "an object"
	case array:
		return "an array"
	case text:
		return "a string"
	case number:
		return "a number"
	case null:
		return "null"
	}
	return "a boolean"
}

// value is one JSON value and the place of its text: data[start:end].
type value struct {
	kind       kind
	start, end int
	members    []member // of an object, in file order, duplicates included
	elems      []value  // of an array
}

// member is one member of an object. Its text reaches from keyStart to value.end.
type member struct {
	key      string
	keyStart int
	value    value
}

// document is a settings file: its bytes and the place of each value in them.
type document struct {
	path     string
	data     []byte
	root     value
	comments []span // in file order
}

// unquote decodes a scanned JSON string.
func unquote(raw []byte) string {
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw[1 : len(raw)-1])
	}
	var out string
	if json.Unmarshal(raw, &out) != nil {
		return string(raw) // impossible: the scanner accepted the string
	}
	return out
}

// quote returns s as a JSON string with only the escapes that JSON requires.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""` // a string always encodes
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// last is the last member with that key, nil if there is none. In agents' parsers the last one wins.
func (v *value) last(key string) *member {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return &v.members[i]
		}
	}
	return nil
}

// str is a member's string; "" for other kinds and for nil.
func (d *document) str(m *member) string {
	if m == nil || m.value.kind != text {
		return ""
	}
	return unquote(d.data[m.value.start:m.value.end])
}

// wrong is the error for a value of a kind that the agent does not accept.
func (d *document) wrong(v value, name string, want kind) error {
	line, column := place(d.data, v.start)
	return &SyntaxError{Path: d.path, Line: line, Column: column, Text: fmt.Sprintf("%s is %s, not %s", name, v.kind, want)}
}
