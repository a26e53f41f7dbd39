package config

import (
	"encoding/json"
	"maps"
	"slices"

	"aburn/worker/react"
)

// schemaKey is for editors, and says nothing to aburn.
const schemaKey = "$schema"

// Schema is the JSON Schema of aburn.yaml and workers.yaml, for editors. It is made of the same keys that Load takes.
func Schema() []byte {
	root := object()
	for _, p := range places() {
		if !p.gone {
			root.put(p.path, p.key)
		}
	}
	root[schemaKey], root["title"] = "https://json-schema.org/draft/2020-12/schema", "aburn.yaml"
	root.properties()[schemaKey] = node{"type": "string"}
	for _, reactions := range root.all("reactions") {
		known, one := object(), reactions.at("*")
		for _, key := range react.Keys() {
			known.properties()[key] = one
		}
		maps.Copy(reactions, known)
	}
	text, _ := json.MarshalIndent(root, "", "\t") // of strings and maps alone
	return append(text, '\n')
}

// node is a schema, or a part of one.
type node map[string]any

func object() node {
	return node{"type": []string{"object", "null"}, "additionalProperties": false, "properties": map[string]node{}}
}

func (n node) properties() map[string]node { return n["properties"].(map[string]node) }

// put adds a key at its place. A value that may also hold further keys (gates, tracker) is either.
func (n node) put(path []string, k key) {
	name, rest := path[0], path[1:]
	at := n.at(name)
	switch {
	case len(rest) > 0 && at == nil:
		at = object()
		at.put(rest, k)
	case len(rest) > 0:
		inner := at.keys()
		if inner == nil {
			inner = object()
			at = node{"anyOf": []node{at, inner}}
		}
		inner.put(rest, k)
	case at == nil:
		at = valueSchema(k)
	default:
		at = node{"anyOf": []node{valueSchema(k), at}}
	}
	if name == "*" {
		n["additionalProperties"] = at
		return
	}
	n.properties()[name] = at
}

func (n node) at(name string) node {
	if name == "*" {
		at, _ := n["additionalProperties"].(node)
		return at
	}
	return n.properties()[name]
}

// keys is the part of n that holds further keys, nil if there is none.
func (n node) keys() node {
	if n["properties"] != nil {
		return n
	}
	if both, ok := n["anyOf"].([]node); ok && len(both) == 2 && both[1]["properties"] != nil {
		return both[1]
	}
	return nil
}

// all are the parts with this name, at any depth.
func (n node) all(name string) (found []node) {
	var next []node
	if n["properties"] != nil {
		for key, part := range n.properties() {
			if key == name {
				found = append(found, part)
				continue
			}
			next = append(next, part)
		}
	}
	if part, ok := n["additionalProperties"].(node); ok {
		next = append(next, part)
	}
	for _, part := range next {
		found = append(found, part.all(name)...)
	}
	return found
}

func valueSchema(k key) node {
	n := map[form]node{
		word:  {"type": []string{"string", "number", "boolean", "null"}},
		list:  {"anyOf": []node{{"type": []string{"string", "number", "null"}}, {"type": "array", "items": node{"type": []string{"string", "number", "boolean"}}}}},
		whole: {"type": []string{"integer", "null"}, "minimum": 0}, truth: {"type": []string{"boolean", "null"}}, span: {"type": []string{"string", "null"}},
	}[k.form]
	if n == nil {
		n = node{}
	}
	name := k.name
	if k.as != "" {
		name = k.as
	}
	if some := words[name]; some != nil {
		n = node{"enum": slices.Clone(some)}
	}
	if name == "permissions" {
		n = node{"enum": append(slices.Sorted(maps.Keys(asksAnyway)), append([]string{"auto-edit"}, words[name]...)...)}
	}
	switch k.who {
	case confirmed:
		n["description"] = "In a repository's file it counts once you confirmed it."
	case person:
		n["description"] = "It counts only in your own workers.yaml."
	}
	return n
}
