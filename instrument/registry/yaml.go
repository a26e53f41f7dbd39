package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bytes"

	"go.yaml.in/yaml/v3"
)

// Bounds of one registry with its dependencies. Aliases count each time they are
// followed, so a file of a few lines cannot unfold into gigabytes.
const (
	maxNodes    = 1_000_000
	maxFindings = 5000
	maxDepth    = 64
)

// reader turns YAML nodes into values. It collects mistakes with their places.
type reader struct {
	file     string
	findings *[]Finding
	nodes    *int
	// spec is the rule of a mistake in the file's form.
	spec string
	// unknown is the rule of a key that the form does not have; "" is spec. The form
	// definition/2 names no minor version, so a newer Weaver may know more keys.
	unknown string
}

func (r *reader) place(n *yaml.Node) Place { return Place{r.file, n.Line, n.Column} }

func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	r.report(found(r.spec, r.place(n), format, args...))
}

func (r *reader) report(f Finding) {
	if len(*r.findings) <= maxFindings { // one more than the bound says that there were more
		*r.findings = append(*r.findings, f)
	}
}

// document gives the only document of a file; nil for an empty file, or a mistake.
func (r *reader) document(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if err = dec.Decode(&next); errors.Is(err, io.EOF) {
			return r.follow(doc.Content[0])
		}
		if err == nil {
			r.wrong(&next, "a second document begins: a file holds one")
			return nil
		}
	}
	line, why := NoYAML(err, text)
	r.report(found(r.spec, Place{r.file, line, 1}, "is no YAML: %s", why))
	return nil
}

// NoYAML tells what the parser's error says is wrong with a file that is no YAML, and in which line, from 1.
func NoYAML(err error, file []byte) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	rest, ok := strings.CutPrefix(text, "line ")
	if !ok {
		return 1, text
	}
	digits, text, _ := strings.Cut(rest, ": ")
	line, err = strconv.Atoi(digits)
	if err != nil {
		return 1, text
	}
	for _, grammar := range []string{"did not find", "found duplicate", "found incompatible", "found undefined"} {
		if strings.HasPrefix(text, grammar) {
			// The library counts the lines of these from 0, and those of all others from 1; the end stands behind the last.
			return min(line+1, bytes.Count(bytes.TrimRight(file, "\n"), []byte("\n"))+1), text
		}
	}
	return line, text
}

// follow gives what an alias stands for, and counts the node. nil: too many.
func (r *reader) follow(n *yaml.Node) *yaml.Node {
	if *r.nodes++; *r.nodes > maxNodes {
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// mapping gives the values of a mapping. Keys that are not allowed, or stand twice,
// are mistakes. what names the mapping in messages.
func (r *reader) mapping(n *yaml.Node, what string, allowed ...string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "%s has to be a list of keys and values, and is %s", what, describe(n))
		return nil
	}
	m := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := r.follow(n.Content[i]), r.follow(n.Content[i+1])
		switch {
		case key == nil || value == nil:
			return m
		case key.Kind != yaml.ScalarNode:
			r.wrong(key, "%s has a key that is no word", what)
		case m[key.Value] != nil:
			r.wrong(key, "%s has %s twice", what, key.Value)
		case allowed != nil && !slices.Contains(allowed, key.Value):
			r.report(found(cmp.Or(r.unknown, r.spec), r.place(key), "%s has an unknown key %q%s", what, key.Value, nearest(key.Value, allowed)))
		default:
			m[key.Value] = value
		}
	}
	return m
}

func (r *reader) list(n *yaml.Node, what string) (items []*yaml.Node) {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.wrong(n, "%s has to be a list, and is %s", what, describe(n))
		return nil
	}
	for _, c := range n.Content {
		c = r.follow(c)
		if c == nil {
			return items
		}
		items = append(items, c)
	}
	return items
}

// text gives a string. Weaver takes a number as one in most places, a list never.
func (r *reader) text(n *yaml.Node, what string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		r.wrong(n, "%s has to be a text, and is %s", what, describe(n))
		return ""
	}
	return n.Value
}

func (r *reader) texts(n *yaml.Node, what string) (out []string) {
	for _, c := range r.list(n, what) {
		out = append(out, r.text(c, "each of "+what))
	}
	return out
}

func (r *reader) word(n *yaml.Node, what string, allowed ...string) string {
	if n == nil {
		return ""
	}
	s := r.text(n, what)
	if s != "" && !slices.Contains(allowed, s) {
		r.wrong(n, "%s is %q%s; it can be %s", what, s, nearest(s, allowed), strings.Join(allowed, ", "))
		return ""
	}
	return s
}

func (r *reader) truth(n *yaml.Node, what string) *bool {
	if n == nil {
		return nil
	}
	if b, ok := r.value(n, 0).(bool); ok {
		return &b
	}
	r.wrong(n, "%s has to be true or false, and is %s", what, describe(n))
	return nil
}

// value gives any YAML as JSON has it. Dates are texts, as in Weaver.
func (r *reader) value(n *yaml.Node, depth int) any {
	if n = r.follow(n); n == nil || depth > maxDepth {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n, depth+1)
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, r.value(c, depth+1))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := r.follow(n.Content[i]); key != nil && key.Kind == yaml.ScalarNode {
				m[key.Value] = r.value(n.Content[i+1], depth+1)
			}
		}
		return m
	}
	return scalar(n)
}

func scalar(n *yaml.Node) any {
	var v any
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if n.Decode(&v) != nil {
			return n.Value
		}
	}
	switch v := v.(type) {
	case bool:
		return v
	case int:
		return int64(v)
	case int64:
		return v
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return n.Value
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a list of keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "empty"
	}
	return fmt.Sprintf("%.40q", n.Value)
}

// nearest suggests a word that differs in at most two letters.
func nearest(word string, words []string) string {
	if len(word) > 40 {
		return ""
	}
	best, at := 3, ""
	for _, w := range words {
		if d := distance(word, w); d < best {
			best, at = d, w
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", at)
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
