package registry

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// common2 are the keys that every definition of definition/2 may have.
var common2 = []string{"brief", "note", "stability", "deprecated", "annotations", "requirement_level"}

// signal2 says how a list of definition/2 becomes groups of definition/1, as Weaver makes them.
type signal2 struct {
	list, typ  string
	name       string   // the key of its name
	keys       []string // besides common2 and name
	required   []string
	refinement bool
}

var signals2 = []signal2{
	{"entities", "entity", "type", []string{"identity", "description"}, []string{"identity"}, false},
	{"events", "event", "name", []string{"attributes", "entity_associations"}, nil, false},
	{"metrics", "metric", "name", []string{"unit", "instrument", "attributes", "entity_associations"}, []string{"unit", "instrument"}, false},
	{"spans", "span", "type", []string{"kind", "name", "attributes", "entity_associations"}, []string{"kind", "name"}, false},
	{"entity_refinements", "entity", "id", []string{"ref", "description"}, []string{"ref"}, true},
	{"event_refinements", "event", "id", []string{"ref", "attributes", "entity_associations"}, []string{"ref"}, true},
	{"metric_refinements", "metric", "id", []string{"ref", "attributes", "entity_associations"}, []string{"ref"}, true},
	{"span_refinements", "span", "id", []string{"ref", "name", "attributes", "entity_associations"}, []string{"ref"}, true},
}

// definitions2 reads a file in the form definition/2.
func (r *reader) definitions2(doc *yaml.Node) (groups []*Group, imports []imported) {
	keys := []string{"file_format", "version", "attributes", "attribute_groups", "imports"}
	for _, s := range signals2 {
		keys = append(keys, s.list)
	}
	top := r.mapping(doc, "the file", keys...)
	if list := r.list(top["attributes"], "attributes"); len(list) > 0 {
		g := &Group{ID: "registry." + r.file, Type: "attribute_group", Brief: "<synthetic v2>", Place: r.place(top["attributes"]), second: true}
		for _, n := range list {
			g.Attributes = append(g.Attributes, r.attribute2(n))
		}
		groups = append(groups, g)
	}
	for _, s := range signals2 {
		for _, n := range r.list(top[s.list], s.list) {
			groups = append(groups, r.signal2(n, s))
		}
	}
	for _, n := range r.list(top["attribute_groups"], "attribute_groups") {
		groups = append(groups, r.group2(n))
	}
	if n := top["imports"]; n != nil {
		imports = r.imports(n)
	}
	return groups, imports
}

func (r *reader) attribute2(n *yaml.Node) Attribute {
	a := Attribute{Place: r.place(n)}
	m := r.mapping(n, "the attribute", "key", "type", "brief", "note", "stability", "deprecated", "annotations", "examples")
	r.require(n, m, "the attribute", "key", "type", "brief", "stability")
	a.Name = r.text(m["key"], "key")
	if m["type"] != nil {
		a.Type = r.typ(m["type"])
	}
	r.shared(&a, m)
	a.given |= bit("note") | bit("requirement_level")
	a.Level.Name = "recommended"
	return a
}

func (r *reader) signal2(n *yaml.Node, s signal2) *Group {
	what := "the " + s.typ
	required := append([]string{s.name}, s.required...)
	if s.refinement {
		what = "the refinement"
	} else {
		required = append(required, "brief", "stability")
	}
	m := r.mapping(n, what, slices.Concat([]string{s.name}, s.keys, common2)...)
	r.require(n, m, what, required...)
	g := &Group{Place: r.place(n), Type: s.typ, second: true}
	name := r.text(m[s.name], s.name)
	g.ID = s.typ + "." + name
	if s.refinement {
		g.ID, g.Extends = name, s.typ+"."+r.text(m["ref"], "ref")
	}
	r.fillSignal(g, s, m, name)
	r.references2(g, m["attributes"], "attributes", s.refinement, "")
	r.references2(g, m["identity"], "identity", false, "identifying")
	r.references2(g, m["description"], "description", s.refinement, "descriptive")
	return g
}

// fillSignal reads what belongs to a kind of signal, besides its attributes.
func (r *reader) fillSignal(g *Group, s signal2, m map[string]*yaml.Node, name string) {
	r.common2(g, m)
	switch s.typ {
	case "metric":
		g.MetricName, g.Unit = name, r.text(m["unit"], "unit")
		g.Instrument = r.word(m["instrument"], "instrument", instruments...)
	case "span":
		g.Name, g.SpanKind = name, r.word(m["kind"], "kind", spanKinds...)
		if n := m["name"]; n != nil {
			r.require(n, r.mapping(n, "name", "note"), "name", "note")
		}
	default:
		g.Name = name
	}
	if n := m["entity_associations"]; n != nil {
		g.Associations = r.associations(n, 0)
	}
}

func (r *reader) common2(g *Group, m map[string]*yaml.Node) {
	g.Brief, g.Note = r.text(m["brief"], "brief"), r.text(m["note"], "note")
	g.Stability, g.Deprecated, g.Annotations = r.stability(m["stability"]), r.deprecated(m["deprecated"]), r.annotations(m["annotations"])
	r.word(m["requirement_level"], "requirement_level", "recommended", "opt_in")
}

// group2 reads an attribute group. Internal ones are only for references.
func (r *reader) group2(n *yaml.Node) *Group {
	g := &Group{Place: r.place(n), Type: "attribute_group", second: true}
	keys := []string{"id", "visibility", "attributes"}
	if v := child(n, "visibility"); v == nil || v.Value != "internal" {
		keys = slices.Concat(keys, common2)
	}
	m := r.mapping(n, "the attribute group", keys...)
	r.require(n, m, "the attribute group", "id", "visibility")
	g.ID = r.text(m["id"], "id")
	if visibility := r.word(m["visibility"], "visibility", "internal", "public"); visibility == "internal" {
		g.internal = true
	} else if visibility == "public" {
		r.require(n, m, "the attribute group", "brief", "stability")
	}
	r.common2(g, m)
	g.Brief = cmp.Or(g.Brief, g.ID)
	r.references2(g, m["attributes"], "attributes", false, "")
	return g
}

// references2 reads references to attributes and to groups. unref, in refinements, takes
// away an attribute of the refined signal. role is that of an entity's attributes.
func (r *reader) references2(g *Group, n *yaml.Node, what string, refines bool, role string) {
	for _, n := range r.list(n, what) {
		switch {
		case hasKey(n, "ref_group") && role == "":
			m := r.mapping(n, "the reference", "ref_group")
			g.includes = append(g.includes, include{r.text(m["ref_group"], "ref_group"), r.place(n)})
		case hasKey(n, "unref") && refines:
			unknown := r.unknown
			r.unknown = "" // it says nothing else of the attribute
			m := r.mapping(n, "the reference", "unref")
			r.unknown = unknown
			g.unrefs = append(g.unrefs, include{r.text(m["unref"], "unref"), r.place(n)})
		default:
			keys := []string{"ref", "brief", "note", "examples", "requirement_level", "stability", "deprecated", "annotations"}
			if g.Type == "span" {
				keys = append(keys, "sampling_relevant")
			}
			a := Attribute{Place: r.place(n), ref: true}
			m := r.mapping(n, "the reference", keys...)
			r.require(n, m, "the reference", "ref")
			if a.Name = r.text(m["ref"], "ref"); a.Name == "" {
				continue
			}
			r.shared(&a, m)
			if role != "" {
				a.Role = role
				a.given |= bit("role")
			}
			g.Attributes = append(g.Attributes, a)
		}
	}
}

// associations reads names of entities, and one_of and all_of over such lists.
func (r *reader) associations(n *yaml.Node, depth int) (list []any) {
	for _, n := range r.list(n, "entity_associations") {
		if n.Kind == yaml.ScalarNode {
			list = append(list, r.text(n, "an entity"))
			continue
		}
		m := r.mapping(n, "the association", "one_of", "all_of", "ref")
		if len(m) != 1 || depth > maxDepth {
			r.wrong(n, "an association is an entity, one_of or all_of")
			continue
		}
		for key, value := range m {
			if key == "ref" { // the form of the language's own description
				list = append(list, r.text(value, "an entity"))
			} else {
				list = append(list, map[string]any{key: r.associations(value, depth+1)})
			}
		}
	}
	return list
}
