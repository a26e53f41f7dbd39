package gemini

import (
	"bytes"

	"aburn/internal/jsonl"
)

// value is a JSON value as it stands in a record, empty if there is none. It is valid as long as the record is; the
// texts that it gives are copies.
type value []byte

func (v value) exists() bool   { return len(v) > 0 }
func (v value) isString() bool { return len(v) > 0 && v[0] == '"' }
func (v value) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v value) isArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v value) isTrue() bool   { return string(v) == "true" }

// str is the text of a string, "" if it is none.
func (v value) str() string { return jsonl.Text(v) }

// is says whether v is the string s, which has nothing to escape.
func (v value) is(s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// int is a whole number, 0 if it is none.
func (v value) int() int64 {
	n, _ := jsonl.Int(v)
	return n
}

// get is the value of a member of an object.
func (v value) get(key string) value {
	var found value
	if v.isObject() {
		jsonl.Members(v, func(k, x []byte) bool {
			if string(k) == key {
				found = x
			}
			return found == nil
		})
	}
	return found
}

// members calls f with each member of an object; it is false if v is none, as far as it looked.
func (v value) members(f func(key []byte, x value)) bool {
	return v.isObject() && jsonl.Members(v, func(k, x []byte) bool {
		f(k, x)
		return true
	})
}

// each calls f with each element of an array.
func (v value) each(f func(x value)) {
	if v.isArray() {
		jsonl.Elements(v, func(x []byte) bool {
			f(x)
			return true
		})
	}
}

// object is the object that data is, or nothing.
func object(data []byte) value {
	if data = bytes.TrimSpace(data); len(data) > 1 && data[0] == '{' && data[len(data)-1] == '}' {
		return data
	}
	return nil
}
