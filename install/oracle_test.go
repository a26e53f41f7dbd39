package install

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The oracle looks at settings files with the standard library only, so that it shares no mistake with what it checks.

// ordered is an object as a list of members: order and duplicates count.
type ordered []struct {
	Key   string
	Value any
}

// load reads JSON with the order of keys, numbers as they are written.
func load(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(uncommented(data)))
	dec.UseNumber()
	return loadValue(t, dec)
}

// uncommented is a file as an agent that takes comments gives it to its strict parser: without them.
func uncommented(data []byte) []byte {
	comment := regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/`)
	return comment.ReplaceAllFunc(bytes.TrimPrefix(data, []byte("\ufeff")), func(b []byte) []byte {
		if b[0] == '"' {
			return b
		}
		return []byte(" ")
	})
}

func loadValue(t *testing.T, dec *json.Decoder) any {
	t.Helper()
	tok, err := dec.Token()
	if err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	switch tok {
	case json.Delim('{'):
		out := ordered{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, struct {
				Key   string
				Value any
			}{key.(string), loadValue(t, dec)})
		}
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		return out
	case json.Delim('['):
		out := []any{}
		for dec.More() {
			out = append(out, loadValue(t, dec))
		}
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	return tok
}

// get is the last member of that key, as the agents' parsers have it.
func get(v any, path ...string) any {
	for _, key := range path {
		o, _ := v.(ordered)
		v = nil
		for _, m := range o {
			if m.Key == key {
				v = m.Value
			}
		}
	}
	return v
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// isOurs says whether a group is the one that an install writes.
func isOurs(a Agent, group any) bool {
	handlers := list(get(group, "hooks"))
	if len(handlers) != 1 {
		return false
	}
	command, _ := get(handlers[0], "command").(string)
	if a.Hooks.Named && get(handlers[0], "name") != "aburn" {
		return false
	}
	if !a.Hooks.Exec && runtime.GOOS == "windows" {
		return strings.Contains(command, `\aburn-hook.exe`) && strings.Contains(strings.ReplaceAll(command, "'", ""), " "+a.Name+" --home C:/") &&
			strings.HasPrefix(command, "try { & '") == a.Hooks.MissingBlocks
	}
	if !a.Hooks.Exec {
		return strings.Contains(command, "/aburn-hook "+a.Name+" --home /") && strings.HasSuffix(command, " 2>/dev/null || true") == a.Hooks.MissingBlocks
	}
	args := list(get(handlers[0], "args"))
	return strings.HasSuffix(strings.TrimSuffix(command, ".exe"), string(filepath.Separator)+"aburn-hook") && len(args) == 3 && args[0] == "claude" &&
		args[1] == "--home"
}

// checkInstalled compares the files before and after an install: every event has aburn's group once, at the end, with a
// timeout; everything else is where it was and as it was.
func checkInstalled(t *testing.T, a Agent, before, after []byte) {
	t.Helper()
	old, now := load(t, before), load(t, after)
	for _, ev := range a.events() {
		was, is := list(get(old, "hooks", ev.Name)), list(get(now, "hooks", ev.Name))
		if len(is) != len(was)+1 || !isOurs(a, is[len(is)-1]) {
			t.Fatalf("%s: %v became %v", ev.Name, was, is)
		}
		if !reflect.DeepEqual(was, is[:len(was)]) && len(was) > 0 {
			t.Fatalf("%s: others became %v, were %v", ev.Name, is[:len(was)], was)
		}
		handler := list(get(is[len(is)-1], "hooks"))[0]
		timeout := strconv.Itoa(ev.Timeout)
		if a.Hooks.Millis {
			timeout += "000"
		}
		if get(handler, "type") != "command" || get(handler, "timeout") != json.Number(timeout) {
			t.Fatalf("%s: %v", ev.Name, handler)
		}
	}
	if !reflect.DeepEqual(others(a, old), others(a, now)) {
		t.Fatalf("what is not ours changed:\n%s\n%s", before, after)
	}
}

// others is a settings file without anything that an install may add: own groups, the containers that are then empty,
// and null where hooks could stand. What stays keeps its order.
func others(a Agent, v any) any {
	root, ok := v.(ordered)
	if !ok {
		return v
	}
	out := ordered{}
	for _, m := range root {
		switch m.Key {
		case "hooks":
			m.Value = otherEvents(a, m.Value)
		case "permissions":
			m.Value = otherRules(m.Value)
		case "statusLine":
			if m.Value = otherStatus(m.Value); m.Value == nil {
				continue
			}
		}
		if m.Value != nil || m.Key != "hooks" && m.Key != "permissions" {
			out = append(out, m)
		}
	}
	return out
}

func otherEvents(a Agent, v any) any {
	out := ordered{}
	events, _ := v.(ordered)
	for _, m := range events {
		groups := []any{}
		for _, g := range list(m.Value) {
			if !isOurs(a, g) {
				groups = append(groups, g)
			}
		}
		if len(groups) > 0 {
			m.Value = groups
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// otherStatus is a status line without aburn's: nil, or the one that aburn's calls first, with nothing else changed.
func otherStatus(v any) any {
	o, _ := v.(ordered)
	out := ordered{}
	for _, m := range o {
		command, _ := m.Value.(string)
		if m.Key == "command" && strings.Contains(command, "/aburn-hook claude statusline --home /") {
			_, wrapped, ok := strings.Cut(command, " || sh -c '")
			if !ok {
				return nil
			}
			m.Value = strings.ReplaceAll(strings.TrimSuffix(wrapped, "'"), `'\''`, "'")
		}
		out = append(out, m)
	}
	if o == nil {
		return v
	}
	return out
}

func otherRules(v any) any {
	out := ordered{}
	o, _ := v.(ordered)
	for _, m := range o {
		if m.Key == "allow" {
			rules := []any{}
			for _, r := range list(m.Value) {
				if r != AllowRule {
					rules = append(rules, r)
				}
			}
			if m.Value = rules; len(rules) == 0 {
				continue
			}
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
