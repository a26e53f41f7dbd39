package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"aburn/worker/react"
)

const (
	maxFile  = 1 << 20 // bytes
	maxDepth = 16
)

// Mistake is something in a file that cannot be understood.
type Mistake struct {
	File  string
	Line  int
	Text  string
	Word  string   // the unknown name, if it is one
	Known []string // and what could stand there
}

func (m *Mistake) Error() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Text) }

// said is one value where it stands.
type said struct {
	place
	full    string // the name as it stands in the file
	parts   []string
	project string // the id below projects; "" for the whole file
	value   any    // string, bool, int, []string, map[string]string, or what JSON has
	line    int
}

// document is one file.
type document struct {
	file     string
	said     []said
	projects []string // ids, in order
	foreign  bool     // somebody else's form: what is not understood is left out
	strange  []LeftOut
}

// reader walks through one file.
type reader struct {
	doc *document
	all []place
}

// read reads a file; a missing one is an error of fs.
func read(path string, foreign bool) (*document, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, &Mistake{File: path, Text: "is no regular file"})
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, &Mistake{File: path, Text: "has more than 1 MiB"}
	}
	r := &reader{&document{file: path, foreign: foreign}, places()}
	var root yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(b)))
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return r.doc, nil
	} else if err != nil {
		return nil, r.syntax(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Mistake{File: path, Line: 1, Text: "has more than one document"}
	}
	return r.doc, r.walk(root.Content[0], nil, 0)
}

// syntax is a YAML error with its place.
func (r *reader) syntax(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	m := &Mistake{File: r.doc.file, Line: 1, Text: text}
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if n, after, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(n); err == nil {
				m.Line, m.Text = line, after
			}
		}
	}
	return m
}

func (r *reader) mistake(n *yaml.Node, format string, args ...any) error {
	return &Mistake{File: r.doc.file, Line: n.Line, Text: fmt.Sprintf(format, args...)}
}

func (r *reader) walk(n *yaml.Node, path []string, depth int) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	name := strings.Join(path, ".")
	switch {
	case depth > maxDepth:
		return r.mistake(n, "%s is nested too deep", name)
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil
	case n.Kind != yaml.MappingNode && name == "":
		return r.mistake(n, "the file has no keys")
	case n.Kind != yaml.MappingNode:
		return r.mistake(n, "%s holds other keys, and no value", name)
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			return r.mistake(k, "a key is no word")
		}
		if k.Tag == "!!merge" {
			return r.mistake(k, "<< is not taken: write the keys here")
		}
		if line := seen[k.Value]; line > 0 {
			return r.mistake(k, "%s stands here and in line %d", k.Value, line)
		}
		seen[k.Value] = k.Line
		if err := r.entry(k, v, append(slices.Clone(path), k.Value), depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) entry(k, v *yaml.Node, path []string, depth int) error {
	if len(path) == 2 && path[0] == "projects" {
		r.doc.projects = append(r.doc.projects, path[1])
	}
	exact, below, known := find(r.all, path)
	full := strings.Join(path, ".")
	if n := len(path); n >= 2 && path[n-2] == "reactions" && (n == 2 || n == 4 && path[0] == "projects") && !slices.Contains(react.Keys(), k.Value) {
		exact, below, known = nil, false, react.Keys()
	}
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	strange := func(why string) error {
		r.doc.strange = append(r.doc.strange, LeftOut{full, r.doc.file, k.Line, why})
		return nil
	}
	if below && (exact == nil || v.Kind == yaml.MappingNode && exact.form != anything) {
		if r.doc.foreign && v.Kind != yaml.MappingNode && v.Tag != "!!null" {
			return strange("aburn does not know it")
		}
		return r.walk(v, path, depth+1)
	}
	if exact == nil {
		if r.doc.foreign {
			return strange("aburn does not know it")
		}
		return &Mistake{File: r.doc.file, Line: k.Line, Text: "unknown key " + strconv.Quote(full), Word: k.Value, Known: known}
	}
	if v.Tag == "!!null" {
		return nil
	}
	value, err := r.value(v, exact.form, full)
	if m := (*Mistake)(nil); r.doc.foreign && errors.As(err, &m) {
		return strange(strings.Replace(m.Text, full, "it", 1))
	}
	if err != nil {
		return err
	}
	s := said{place: *exact, full: full, parts: path, value: value, line: k.Line}
	if len(path) > 2 && path[0] == "projects" {
		s.project = path[1]
	}
	r.doc.said = append(r.doc.said, s)
	return nil
}

// value brings a node into its form.
func (r *reader) value(n *yaml.Node, f form, name string) (any, error) {
	scalar := n.Kind == yaml.ScalarNode
	switch f {
	case word:
		if scalar {
			return n.Value, nil
		}
		return nil, r.mistake(n, "%s is one word or text", name)
	case whole:
		if v, err := strconv.Atoi(n.Value); scalar && err == nil && v >= 0 {
			return v, nil
		}
		return nil, r.mistake(n, "%s is a number of 0 or more, not %q", name, n.Value)
	case truth:
		if scalar && n.Tag == "!!bool" {
			return strconv.ParseBool(strings.ToLower(n.Value))
		}
		return nil, r.mistake(n, "%s is true or false, not %q", name, n.Value)
	case span:
		if d, err := time.ParseDuration(n.Value); scalar && err == nil && d > 0 {
			return n.Value, nil
		}
		return nil, r.mistake(n, "%s is a time such as 90s or 5m, not %q", name, n.Value)
	case list:
		if scalar {
			return []string{n.Value}, nil
		}
		var words []string
		if n.Kind != yaml.SequenceNode {
			return nil, r.mistake(n, "%s is a list", name)
		}
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, r.mistake(item, "%s is a list of words", name)
			}
			words = append(words, item.Value)
		}
		return words, nil
	}
	return r.plain(n, name, 0)
}

// plain is a value as JSON has it.
func (r *reader) plain(n *yaml.Node, name string, depth int) (any, error) {
	if n.Kind == yaml.AliasNode {
		return nil, r.mistake(n, "%s: no alias is taken here", name)
	}
	if depth > maxDepth {
		return nil, r.mistake(n, "%s is nested too deep", name)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		items := []any{}
		for _, c := range n.Content {
			v, err := r.plain(c, name, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		return items, nil
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := r.plain(n.Content[i+1], name, depth+1)
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	}
	if n.Tag == "!!int" || n.Tag == "!!bool" {
		var v any
		if n.Decode(&v) == nil {
			return v, nil
		}
	}
	return n.Value, nil
}

// below says what is wrong with a pattern of files that has to stay below the root.
func below(pattern string) error {
	p := strings.TrimPrefix(pattern, "!")
	if p == "" || strings.HasPrefix(p, "~") || filepath.IsAbs(p) || strings.ContainsAny(p, "\x00\n") ||
		slices.Contains(strings.Split(filepath.ToSlash(p), "/"), "..") {
		return fmt.Errorf("%q does not stay below the root of the project", pattern)
	}
	return nil
}
