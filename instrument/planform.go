package instrument

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// required are members that a plan has to have, by the type that they are in.
var required = map[string][]string{"NewSpan": {"id"}, "NewAttribute": {"key"}}

// checkForm compares JSON with the type that it is read into. Its mistakes name places in the JSON.
func checkForm(file string, data []byte, v any, t reflect.Type, path string) *PlanError {
	where := path
	if path == "" {
		where = "the plan"
	}
	wrong := func(want string) *PlanError {
		return &PlanError{File: file, Line: lineOf(data, lastKey(path)), Msg: fmt.Sprintf("%s is %s, and has to be %s", where, jsonType(v), want)}
	}
	switch t.Kind() {
	case reflect.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return checkMembers(file, data, object, t, path)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok && v != nil {
			return wrong("a list")
		}
		for i, e := range list {
			if bad := checkForm(file, data, e, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); bad != nil {
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

func checkMembers(file string, data []byte, object map[string]any, t reflect.Type, path string) *PlanError {
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
			return &PlanError{file, lineOf(data, key), inside + key + ": unknown key", key, order}
		}
		if bad := checkForm(file, data, object[key], member, inside+key); bad != nil {
			return bad
		}
	}
	for _, key := range required[t.Name()] {
		if object[key] == nil || object[key] == "" {
			return &PlanError{File: file, Line: lineOf(data, lastKey(path)), Msg: inside + key + " is missing"}
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

// formOf checks a plan's text that is JSON; other texts are the decoder's to refuse.
func formOf(file string, data []byte) *PlanError {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return checkForm(file, data, v, reflect.TypeFor[Plan](), "")
}
