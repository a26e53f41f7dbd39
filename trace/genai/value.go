package genai

import "aburn/internal/jsonl"

// Value is a JSON value within a record, empty if missing. It is valid as long as the record; texts taken from it are
// copies.
type Value []byte

func (v Value) Exists() bool   { return len(v) > 0 && string(v) != "null" }
func (v Value) IsString() bool { return len(v) > 0 && v[0] == '"' }
func (v Value) IsObject() bool { return len(v) > 0 && v[0] == '{' }
func (v Value) IsArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v Value) IsTrue() bool   { return string(v) == "true" }

// Str returns the text of a string, "" if v is none.
func (v Value) Str() string { return jsonl.Text(v) }

// Is reports whether v is the string s, which must have nothing to escape.
func (v Value) Is(s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// Int returns a whole number; false if v is none.
func (v Value) Int() (int64, bool) { return jsonl.Int(v) }

// Count returns a number of tokens or lines, 0 if v is none.
func (v Value) Count() int64 {
	n, _ := v.Int()
	return max(n, 0)
}

// Get returns a member of an object.
func (v Value) Get(key string) Value {
	var found Value
	if v.IsObject() {
		jsonl.Members(v, func(k, x []byte) bool {
			if string(k) == key {
				found = x
			}
			return found == nil
		})
	}
	return found
}

// Members calls f with each member of an object. It returns false if v is none, as far as it looked.
func (v Value) Members(f func(key []byte, x Value)) bool {
	return v.IsObject() && jsonl.Members(v, func(k, x []byte) bool {
		f(k, x)
		return true
	})
}

// Fields puts each member of an object where at says; see Record. It returns false if v is none, as far as it looked.
func (v Value) Fields(at func(key []byte) *Value) bool {
	return v.Members(func(key []byte, x Value) {
		if to := at(key); to != nil {
			*to = x
		}
	})
}

// Each calls f with each element of an array.
func (v Value) Each(f func(x Value)) {
	if v.IsArray() {
		jsonl.Elements(v, func(x []byte) bool {
			f(x)
			return true
		})
	}
}

// ID is an id as text: a string's text, of another value its JSON, "" for none.
func (v Value) ID() string {
	switch {
	case v.IsString():
		return v.Str()
	case v.Exists():
		return string(v)
	}
	return ""
}
