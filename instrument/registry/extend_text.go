package registry

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// attributeGroups makes one group for each namespace: the name without its last part.
func (e Extension) attributeGroups(namespace string) (groups []*yaml.Node) {
	by := map[string][]*yaml.Node{}
	for _, a := range slices.SortedFunc(slices.Values(e.Attributes), func(a, b NewAttribute) int { return cmp.Compare(a.Name, b.Name) }) {
		space := a.Name[:strings.LastIndexByte(a.Name, '.')]
		by[space] = append(by[space], a.node())
	}
	for _, space := range sortedKeys(by) {
		groups = append(groups, mappingOf("id", "registry.aburn."+space, "type", "attribute_group", "stability", "development",
			"brief", "Attributes of "+space+".", "attributes", sequence(by[space])))
	}
	return groups
}

func (a NewAttribute) node() *yaml.Node {
	n := mappingOf("id", a.Name, "type", a.Type, "stability", "development", "brief", a.Brief)
	if a.Type == "" {
		var members []*yaml.Node
		for _, m := range a.Members {
			members = append(members, mappingOf("id", m, "value", m, "stability", "development"))
		}
		n.Content[3] = mappingOf("members", sequence(members))
	}
	if len(a.Examples) > 0 {
		var examples yaml.Node
		_ = examples.Encode(a.Examples) // plain values always encode; others fail the proof below
		n.Content = append(n.Content, stringNode("examples"), &examples)
	}
	return n
}

func (e Extension) spanGroups() (groups []*yaml.Node) {
	for _, s := range slices.SortedFunc(slices.Values(e.Spans), func(a, b NewSpan) int { return cmp.Compare(a.ID, b.ID) }) {
		var refs []*yaml.Node
		for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Attributes))) {
			refs = append(refs, mappingOf("ref", name, "requirement_level", "recommended"))
		}
		n := mappingOf("id", s.ID, "type", "span", "stability", "development", "span_kind", s.Kind, "brief", s.Brief)
		if len(refs) > 0 {
			n.Content = append(n.Content, stringNode("attributes"), sequence(refs))
		}
		groups = append(groups, n)
	}
	return groups
}

func stringNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s) // quotes what would be read as something else
	return n
}

func mappingOf(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, p := range pairs {
		if s, ok := p.(string); ok {
			p = stringNode(s)
		}
		n.Content = append(n.Content, p.(*yaml.Node))
	}
	return n
}

func sequence(items []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

// attributes2 are the new attributes in the form definition/2.
func (e Extension) attributes2() (list []*yaml.Node) {
	for _, a := range slices.SortedFunc(slices.Values(e.Attributes), func(a, b NewAttribute) int { return cmp.Compare(a.Name, b.Name) }) {
		n := a.node()
		n.Content[0] = stringNode("key")
		list = append(list, n)
	}
	return list
}

// spans2 are the new spans in the form definition/2.
func (e Extension) spans2() (list []*yaml.Node) {
	for i, n := range e.spanGroups() {
		name := strings.TrimPrefix(child(n, "id").Value, "span.")
		span := mappingOf("type", name, "kind", child(n, "span_kind").Value, "name", mappingOf("note", name), "stability", "development",
			"brief", child(n, "brief").Value)
		if refs := child(n, "attributes"); refs != nil {
			span.Content = append(span.Content, stringNode("attributes"), refs)
		}
		list = slices.Insert(list, i, span)
	}
	return list
}

const heading = "aburn writes this file. Edit what stands here; aburn only adds to it."

// addition is what is put into a list of a file. key is what its items are ordered by.
type addition struct {
	list, key string
	items     []*yaml.Node
}

// insert puts items into one of aburn's files: in the form that the file has, and a new one
// in that of the registry's other files.
func (r *Registry) insert(name string, old, today addition) ([]byte, error) {
	text := r.source.texts[name]
	second := len(r.Groups) > 0 && !slices.ContainsFunc(r.Groups, func(g *Group) bool { return !g.second })
	if len(bytes.TrimSpace(text)) > 0 {
		var doc yaml.Node
		format := &yaml.Node{}
		if yaml.Unmarshal(text, &doc) == nil && len(doc.Content) > 0 {
			format = cmp.Or(child(doc.Content[0], "file_format"), format)
		}
		second = strings.HasPrefix(format.Value, "definition/2")
	}
	if second {
		return insert(name, text, today, "definition/2")
	}
	return insert(name, text, old, "")
}

// insert puts items into a file's text, each at its place. Items that are there get the new
// attributes. format is that of a new file, "" for the old one.
func insert(name string, text []byte, add addition, format string) ([]byte, error) {
	top := mappingOf(add.list, sequence(nil))
	head := heading + "\nfile_format: definition/1 of OpenTelemetry Weaver."
	if format != "" {
		head, top = heading, mappingOf("file_format", format, add.list, sequence(nil))
	}
	doc := yaml.Node{Kind: yaml.DocumentNode, HeadComment: head, Content: []*yaml.Node{top}}
	if len(bytes.TrimSpace(text)) > 0 {
		doc = yaml.Node{}
		if err := yaml.Unmarshal(text, &doc); err != nil {
			line, why := NoYAML(err, text)
			return nil, &LoadError{name, fmt.Sprintf("line %d: is no YAML: %s", line, why), "repair it, or move it away"}
		}
	}
	if len(doc.Content) == 0 {
		return nil, &LoadError{name, "holds only comments", "move it away"}
	}
	list := child(doc.Content[0], add.list)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, &LoadError{name, "has no list of " + add.list, "repair it, or move it away"}
	}
	for _, item := range add.items {
		list.Content = insertByKey(list.Content, item, add.key)
	}
	list.Style = 0
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, &LoadError{name, "cannot be written: " + err.Error(), ""}
	}
	return out.Bytes(), enc.Close()
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func insertByKey(list []*yaml.Node, add *yaml.Node, key string) []*yaml.Node {
	id := child(add, key).Value
	for i, n := range list {
		had := child(n, key)
		switch {
		case had == nil || had.Value < id:
			continue
		case had.Value == id:
			if to, from := child(n, "attributes"), child(add, "attributes"); to != nil && from != nil {
				for _, a := range from.Content {
					to.Content = insertByKey(to.Content, a, key)
				}
			}
			return list
		}
		return slices.Insert(list, i, add)
	}
	return append(list, add)
}
