package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
)

// value is JSON split down to its lists: a scalar, an object, or a *list.
type value interface {
	// size is the length of the JSON, or slightly more.
	size() int
	append(dst []byte) []byte
}

// scalar is the JSON of a value without lists or members.
type scalar string

// object has its members in order of their names.
type object []member

type member struct {
	name, quoted string
	value
}

type list struct {
	path  string
	of    int
	items []value
	in    *list // the list that contains it, in item at; nil if none
	at    int
}

// parse splits the value at the beginning of text, and returns the rest. text is JSON from
// json.Marshal.
func parse(text string) (v value, rest string) {
	switch text[0] {
	case '{':
		return parseObject(text[1:])
	case '[':
		return parseList(text[1:])
	case '"':
		n := quoted(text)
		return scalar(text[:n]), text[n:]
	}
	n := strings.IndexAny(text, ",]}")
	if n < 0 {
		n = len(text)
	}
	return scalar(text[:n]), text[n:]
}

func parseObject(text string) (o object, rest string) {
	for text[0] != '}' {
		text = strings.TrimPrefix(text, ",")
		n := quoted(text)
		m := member{quoted: text[:n]}
		if m.name = m.quoted[1 : n-1]; strings.Contains(m.name, `\`) {
			json.Unmarshal([]byte(m.quoted), &m.name) // was made from a string
		}
		m.value, text = parse(text[n+1:])
		o = append(o, m)
	}
	slices.SortFunc(o, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return o, text[1:]
}

func parseList(text string) (l *list, rest string) {
	l = &list{}
	for text[0] != ']' {
		var v value
		v, text = parse(strings.TrimPrefix(text, ","))
		l.items = append(l.items, v)
	}
	l.of = len(l.items)
	return l, text[1:]
}

// quoted is the length of the string at the beginning of text.
func quoted(text string) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

func (p scalar) size() int { return len(p) }

func (p scalar) append(dst []byte) []byte { return append(dst, p...) }

func (o object) size() int {
	n := 2
	for i := range o {
		n += len(o[i].quoted) + o[i].value.size() + 2
	}
	return n
}

func (o object) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o[i].value.append(append(append(dst, o[i].quoted...), ':'))
	}
	return append(dst, '}')
}

func (l *list) size() int {
	n := 2
	for _, item := range l.items {
		n += item.size() + 1
	}
	return n
}

func (l *list) append(dst []byte) []byte {
	dst = append(dst, '[')
	for i, item := range l.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.append(dst)
	}
	return append(dst, ']')
}
