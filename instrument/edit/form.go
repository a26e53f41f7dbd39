package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// required are members that a plan has to have, by the type that they are in.
var required = map[string][]string{"NewSpan": {"id"}, "NewAttribute": {"key"}}

// FormError is a place in JSON that doesn't fit.
type FormError struct {
	Place string // such as files[0].newSpans[1].id; "" for all of it
	Key   string // the last name in Place
	Msg   string
	// Word is what was written and Words what it could be; "" where it is no choice.
	Word  string
	Words []string
}

// Says is the mistake in words. whole is what all of the JSON is called.
func (e *FormError) Says(whole string) string { return cmp.Or(e.Place, whole) + " " + e.Msg }

func checkForm(data []byte, v any, t reflect.Type, path string) *FormError {
	wrong := func(want string) *FormError {
		return &FormError{Place: path, Key: lastKey(path), Msg: fmt.Sprintf("is %s, and has to be %s", jsonType(v), want)}
	}
	switch t.Kind() {
	case reflect.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return checkMembers(data, object, t, path)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok && v != nil {
			return wrong("a list")
		}
		for i, e := range list {
			if bad := checkForm(data, e, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); bad != nil {
				return bad
			}
		}
	case reflect.String:
		if _, ok := v.(string); !ok && v != nil {
			return wrong("a string")
		}
	case reflect.Int:
		if _, ok := v.(float64); !ok && v != nil {
			return wrong("a number")
		}
	}
	return nil
}

func checkMembers(data []byte, object map[string]any, t reflect.Type, path string) *FormError {
	members, order := membersOf(t)
	inside := strings.TrimPrefix(path+".", ".")
	var keys []string
	for key := range object {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return bytes.Index(data, []byte(`"`+a+`"`)) - bytes.Index(data, []byte(`"`+b+`"`))
	})
	for _, key := range keys {
		member, ok := members[key]
		if !ok {
			return &FormError{inside + key + ":", key, "unknown key", key, order}
		}
		if bad := checkForm(data, object[key], member, inside+key); bad != nil {
			return bad
		}
	}
	for _, key := range required[t.Name()] {
		if object[key] == nil || object[key] == "" {
			return &FormError{Place: inside + key, Key: lastKey(path), Msg: "is missing"}
		}
	}
	return nil
}

// membersOf are a struct's members by their name in JSON, and the names in order.
func membersOf(t reflect.Type) (members map[string]reflect.Type, order []string) {
	members = map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner, names := membersOf(f.Type)
			for _, n := range names {
				members[n] = inner[n]
			}
			order = append(order, names...)
			continue
		}
		members[name] = f.Type
		order = append(order, name)
	}
	return members, order
}

func jsonType(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}

// lastKey is the last name in a place such as files[0].functions[1].
func lastKey(path string) string {
	path = path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ := strings.Cut(path, "[")
	return name
}

// CheckForm compares JSON with the type that it is read into; nil if it fits. Text that is no JSON is the decoder's to refuse.
func CheckForm(data []byte, t reflect.Type) *FormError {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return checkForm(data, v, t, "")
}
