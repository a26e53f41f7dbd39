// Package shapes names the kinds of records, and their members, that the agents' session files had in the client versions that aburn was
// tried with. So what a newer client adds can be counted without reading it: names are all that is kept.
package shapes

import (
	"bytes"
	"embed"
	"maps"
	"slices"
	"strings"

	"aburn/internal/jsonl"
)

//go:embed known
var files embed.FS

// Set is a set of names: "KIND" of a record, and "KIND.MEMBER" or "KIND.MEMBER.MEMBER" of what is in it.
type Set map[string]bool

// Known are the names that the fixtures of an agent's reader have. ok is false for an agent without a list.
func Known(agent string) (known Set, ok bool) {
	data, err := files.ReadFile("known/" + agent + ".txt")
	if err != nil {
		return nil, false
	}
	known = Set{}
	for name := range strings.Lines(string(data)) {
		known[strings.TrimSuffix(name, "\n")] = true
	}
	return known, true
}

// Lines returns the names, one a line.
func (s Set) Lines() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		b.WriteString(name + "\n")
	}
	return b.Bytes()
}

// Unknown are names that a Set lacks.
type Unknown struct {
	Records int            // records with such a name
	Names   map[string]int // in how many records each is
}

// Add counts the names of one record that known lacks. A line that is no JSON object has none.
func (u *Unknown) Add(record []byte, known Set) {
	strange := false
	each(record, func(name string) {
		if known[name] {
			return
		}
		if u.Names == nil {
			u.Names = map[string]int{}
		}
		u.Names[name]++
		strange = true
	})
	if strange {
		u.Records++
	}
}

// Add adds the names of one record.
func (s Set) Add(record []byte) {
	each(record, func(name string) { s[name] = true })
}

// holders are the members whose own members belong to the agent's format. What is in others is a tool's or the user's.
var holders = []string{"message", "payload", "data"}

// each calls f with each name of a record once. A record of an unknown kind is one name.
func each(record []byte, f func(name string)) {
	var keys [][2]string
	kind, inner := "", ""
	seen := map[string]bool{}
	whole := jsonl.Members(record, func(key, v []byte) bool {
		k := word(key)
		if k == "type" && len(v) > 0 && v[0] == '"' {
			kind = word([]byte(jsonl.Text(v)))
		}
		keys = append(keys, [2]string{k, ""})
		if slices.Contains(holders, k) && len(v) > 0 && v[0] == '{' {
			jsonl.Members(v, func(key, v []byte) bool {
				if string(key) == "type" && k == "payload" && len(v) > 0 && v[0] == '"' {
					inner = "/" + word([]byte(jsonl.Text(v)))
				}
				keys = append(keys, [2]string{k, word(key)})
				return true
			})
		}
		return true
	})
	if !whole {
		return
	}
	kind += inner
	f(kind)
	for _, k := range keys {
		name := kind + "." + k[0]
		if k[1] != "" {
			name += "." + k[1]
		}
		if !seen[name] {
			seen[name] = true
			f(name)
		}
	}
}

// word is a name of a format: what could be anything else, an id or a path, is "?".
func word(key []byte) string {
	if len(key) == 0 || len(key) > 40 {
		return "?"
	}
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return "?"
		}
	}
	return string(key)
}
