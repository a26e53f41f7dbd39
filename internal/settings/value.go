package settings

import "github.com/tidwall/gjson"

// value is one value as text, from a file or the environment.
type value struct {
	text   string
	string bool // it was a JSON string or comes from the environment
	scalar bool // it is no object, list or null
	at     int  // of an item of a list: its place in the list's text
}

func valueOf(v gjson.Result) value {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	}
	return value{text: text, string: v.Type == gjson.String, scalar: v.Type != gjson.JSON && v.Type != gjson.Null, at: v.Index}
}

// items are those of a list; ok is false for what is none.
func (v value) items() (items []value, ok bool) {
	if v.scalar || v.text == "" || v.text[0] != '[' {
		return nil, false
	}
	gjson.Parse(v.text).ForEach(func(_, item gjson.Result) bool {
		items = append(items, valueOf(item))
		return true
	})
	return items, true
}
