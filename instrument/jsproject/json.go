package jsproject

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

var errNoObject = errors.New("package.json holds no object")

// withMember gives a JSON text with one more member in the object called list. Nothing else of the text changes; a
// member that is there stays.
func withMember(text []byte, name, value, list string) ([]byte, error) {
	root := gjson.ParseBytes(text)
	if !gjson.ValidBytes(text) || !root.IsObject() {
		return nil, errNoObject
	}
	unit := indentOf(string(text))
	inner := root.Get(list)
	if !inner.Exists() {
		return insertMember(text, strings.IndexByte(string(text), '{'), quoteJSON(list), "{\n"+unit+unit+quoteJSON(name)+": "+value+"\n"+unit+"}", unit)
	}
	if !inner.IsObject() {
		return nil, errors.New(list + " in package.json is no object")
	}
	if inner.Get(gjson.Escape(name)).Exists() {
		return text, nil
	}
	return insertMember(text, inner.Index, quoteJSON(name), value, unit+unit)
}

// insertMember puts a member behind the last one of the object that opens at a place.
func insertMember(text []byte, open int, name, value, indent string) ([]byte, error) {
	object := gjson.ParseBytes(text[open:])
	end := open + 1
	object.ForEach(func(_, v gjson.Result) bool {
		end = open + v.Index + len(v.Raw)
		return true
	})
	add := "\n" + indent + name + ": " + value
	if end > open+1 {
		add = "," + add
	} else {
		add += "\n" + strings.TrimSuffix(indent, indentOf(string(text)))
		for end < len(text) && strings.IndexByte(" \t\r\n", text[end]) >= 0 {
			text = append(bytes.Clone(text[:end]), text[end+1:]...)
		}
	}
	return append(append(bytes.Clone(text[:end]), add...), text[end:]...), nil
}

// indentOf is the white space of the first member.
func indentOf(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	if n := len(rest) - len(strings.TrimLeft(rest, " \t")); n > 0 {
		return rest[:n]
	}
	return "  "
}
