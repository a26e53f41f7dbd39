package contents

import (
	"bytes"
	"encoding/json"
	"slices"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// Find searches a record for the texts with these digests, nil for those that it does not hold. It looks at each value of the
// record: as it stands, as the text of a string, and as the joined texts of a list. Only what has the right length is hashed.
func Find(record []byte, digests []trace.Digest) [][]byte {
	f := &finder{digests: digests, found: make([][]byte, len(digests)), open: len(digests)}
	for i, d := range digests {
		if d.Length == 0 {
			f.found[i] = []byte{}
			f.open--
		}
	}
	f.value(bytes.TrimSpace(record), 0)
	return f.found
}

// finder searches one record.
type finder struct {
	digests []trace.Digest
	found   [][]byte
	open    int // how many are not found
}

// deepest bounds the nesting of values and of JSON in strings.
const deepest = 40

// value looks at a value and at all within it.
func (f *finder) value(raw []byte, depth int) {
	if f.open == 0 || len(raw) == 0 || depth > deepest {
		return
	}
	f.try(raw)
	switch raw[0] {
	case '"':
		f.text(raw, depth)
	case '{':
		jsonl.Members(raw, func(_, v []byte) bool {
			f.value(v, depth+1)
			return f.open > 0
		})
		f.titled(raw)
	case '[':
		jsonl.Elements(raw, func(v []byte) bool {
			f.value(v, depth+1)
			return f.open > 0
		})
		f.joined(raw)
	}
}

// text looks at the text of a string, and into it if it is JSON itself.
func (f *finder) text(raw []byte, depth int) {
	if !f.within(int64(len(raw))) {
		return
	}
	text := jsonl.AppendText(nil, raw)
	f.try(text)
	f.try(bytes.TrimSpace(text))
	f.nested(text, depth)
	f.elements(text, depth)
}

// nested looks into a text that is JSON.
func (f *finder) nested(text []byte, depth int) {
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		f.value(text, depth+1)
	}
}

// elements looks into the elements of a text, <name>…</name>: clients wrap what a person typed, and what a command said, in such.
// A slash command is its name and its arguments, with a blank between.
func (f *finder) elements(text []byte, depth int) {
	var name []byte
	for f.open > 0 {
		open := bytes.IndexByte(text, '<')
		if open < 0 {
			return
		}
		text = text[open+1:]
		end := bytes.IndexByte(text, '>')
		if end < 1 || end > longestName || !isName(text[:end]) {
			continue
		}
		inside, _, closed := bytes.Cut(text[end+1:], []byte("</"+string(text[:end])+">"))
		if !closed {
			continue
		}
		f.try(inside)
		trimmed := bytes.TrimSpace(inside)
		f.try(trimmed)
		f.nested(trimmed, depth)
		if _, said, ok := bytes.Cut(trimmed, []byte("\nOutput:\n")); ok {
			f.try(said)
		}
		switch string(text[:end]) {
		case "command-name":
			name = inside
		case "command-args":
			f.try(slices.Concat(name, []byte{' '}, inside))
		}
	}
}

// longestName is the longest name of an element, in bytes.
const longestName = 40

func isName(s []byte) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// titled looks at a thought that has a title: its text is both, one below the other.
func (f *finder) titled(object []byte) {
	var title, text []byte
	jsonl.Members(object, func(key, value []byte) bool {
		switch string(key) {
		case "subject":
			title = jsonl.AppendText(nil, value)
		case "description":
			text = jsonl.AppendText(nil, value)
		}
		return true
	})
	if len(title) > 0 {
		f.try(slices.Concat(title, []byte{'\n'}, text))
	}
}

// within reports whether a text that is wanted can be in a value of n bytes.
func (f *finder) within(n int64) bool {
	for i, d := range f.digests {
		if f.found[i] == nil && d.Length <= n {
			return true
		}
	}
	return false
}

// separators stand between the texts of a list, by agent.
var separators = [...]string{"", "\n", "\n\n"}

// joined looks at the texts of a list as one.
func (f *finder) joined(list []byte) {
	var texts [][]byte
	jsonl.Elements(list, func(v []byte) bool {
		if text := textOf(v); text != nil {
			texts = append(texts, text)
		}
		return true
	})
	if len(texts) < 2 {
		return
	}
	for _, between := range separators {
		f.try(bytes.Join(texts, []byte(between)))
	}
}

// textOf is the text of an element of a list: a string, or what stands in an object as its text.
func textOf(v []byte) (text []byte) {
	if len(v) > 0 && v[0] == '"' {
		return jsonl.AppendText([]byte{}, v)
	}
	jsonl.Members(v, func(key, value []byte) bool {
		if string(key) == "text" && len(value) > 0 && value[0] == '"' {
			text = jsonl.AppendText([]byte{}, value)
			return false
		}
		return true
	})
	return text
}

// try takes a text if it is wanted.
func (f *finder) try(text []byte) {
	hash := ""
	for i, d := range f.digests {
		if f.found[i] != nil || d.Length != int64(len(text)) {
			continue
		}
		if hash == "" {
			hash = draft.Digest(text).Hash
		}
		if hash == d.Hash {
			f.found[i] = bytes.Clone(text)
			f.open--
		}
	}
}
