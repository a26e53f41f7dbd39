package registry

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	groupKeys = []string{"id", "type", "brief", "note", "prefix", "extends", "stability", "deprecated", "attributes", "span_kind", "events", "metric_name",
		"instrument", "unit", "name", "display_name", "body", "annotations", "entity_associations"}
	sharedKeys  = []string{"brief", "examples", "tag", "requirement_level", "sampling_relevant", "note", "stability", "deprecated", "annotations", "role"}
	groupTypes  = []string{"attribute_group", "span", "event", "metric", "metric_group", "entity", "resource", "scope", "undefined"}
	spanKinds   = []string{"client", "server", "producer", "consumer", "internal"}
	stabilities = []string{"stable", "development", "experimental", "alpha", "beta", "release_candidate", "deprecated"}
	instruments = []string{"counter", "gauge", "histogram", "updowncounter"}
	primitives  = []string{"string", "int", "double", "boolean", "any"}
	arrays      = []string{"string[]", "int[]", "double[]", "boolean[]"}
	typeNames   = withTemplates(slices.Concat(primitives, arrays))
	levels      = []string{"required", "recommended", "opt_in"}
)

func withTemplates(names []string) []string {
	all := slices.Clone(names)
	for _, n := range names {
		all = append(all, "template["+n+"]")
	}
	return all
}

// imported is one pattern of a file's imports.
type imported struct {
	kind    string // metrics, events, entities, spans, attribute_groups
	pattern string
	place   Place
}

// definitions reads one file: its groups and imports. A file of another format is a
// finding, and gives nothing.
func (r *reader) definitions(text []byte) (groups []*Group, imports []imported) {
	doc := r.document(text)
	if doc == nil {
		return nil, nil
	}
	if doc.Kind == yaml.MappingNode {
		r.unknown = ""
		switch second, ok := r.format(doc); {
		case !ok:
			return nil, nil
		case second:
			return r.definitions2(doc)
		}
	}
	top := r.mapping(doc, "the file", "file_format", "version", "groups", "imports")
	for _, n := range r.list(top["groups"], "groups") {
		groups = append(groups, r.group(n))
	}
	if n := top["imports"]; n != nil {
		imports = r.imports(n)
	}
	return groups, imports
}

// format says whether the file is in the form definition/2, and whether it is in a form
// that is known. A newer minor version of a form is the form.
func (r *reader) format(doc *yaml.Node) (second, ok bool) {
	for i := 0; i+1 < len(doc.Content); i += 2 {
		key, value := r.follow(doc.Content[i]), r.follow(doc.Content[i+1])
		if key == nil || value == nil {
			return false, false
		}
		var form, want string
		switch key.Value {
		case "file_format":
			form, want = value.Value, "definition/"
		case "version":
			form = value.Value
		default:
			continue
		}
		number, found := strings.CutPrefix(form, want)
		major, _, _ := strings.Cut(number, ".")
		switch {
		case found && major == "2":
			second = true
			if form != "definition/2.0" {
				r.unknown = "UnexpectedFields"
			}
		case !found || major != "1":
			r.wrong(value, "unknown %s %s; aburn reads %s1 and %[3]s2", key.Value, describe(value), want)
			return false, false
		}
	}
	return second, true
}

func (r *reader) imports(n *yaml.Node) (out []imported) {
	kinds := []string{"metrics", "events", "entities", "spans", "attribute_groups"}
	m := r.mapping(n, "imports", kinds...)
	for _, kind := range kinds {
		for _, p := range r.list(m[kind], "imports."+kind) {
			if text := r.text(p, "a pattern"); text != "" {
				out = append(out, imported{kind, text, r.place(p)})
			}
		}
	}
	return out
}

func (r *reader) group(n *yaml.Node) *Group {
	g := &Group{Place: r.place(n), given: map[string]bool{}, Type: "undefined"}
	m := r.mapping(n, "the group", groupKeys...)
	for key := range m {
		g.given[key] = true
	}
	r.require(n, m, "the group", "id", "brief")
	g.ID = r.text(m["id"], "id")
	if t := r.word(m["type"], "type", groupTypes...); t != "" {
		g.Type = strings.Replace(t, "resource", "entity", 1)
	}
	g.Brief, g.Note, g.Prefix = r.text(m["brief"], "brief"), r.text(m["note"], "note"), r.text(m["prefix"], "prefix")
	g.Extends, g.Unit = r.text(m["extends"], "extends"), r.text(m["unit"], "unit")
	g.Name, g.DisplayName, g.MetricName = r.text(m["name"], "name"), r.text(m["display_name"], "display_name"), r.text(m["metric_name"], "metric_name")
	g.Stability, g.Deprecated = r.stability(m["stability"]), r.deprecated(m["deprecated"])
	g.SpanKind, g.Instrument = r.word(m["span_kind"], "span_kind", spanKinds...), r.word(m["instrument"], "instrument", instruments...)
	g.Events = r.texts(m["events"], "events")
	for _, name := range r.texts(m["entity_associations"], "entity_associations") {
		g.Associations = append(g.Associations, name)
	}
	if m["body"] != nil {
		g.Body = r.value(m["body"], 0)
	}
	g.Annotations = r.annotations(m["annotations"])
	for _, a := range r.list(m["attributes"], "attributes") {
		g.Attributes = append(g.Attributes, r.attribute(a))
	}
	return g
}

func (r *reader) require(n *yaml.Node, m map[string]*yaml.Node, what string, keys ...string) {
	for _, key := range keys {
		if m != nil && m[key] == nil {
			r.wrong(n, "%s has no %s", what, key)
		}
	}
}

func (r *reader) stability(n *yaml.Node) string {
	s := r.word(n, "stability", stabilities...)
	if s == "experimental" {
		return "development"
	}
	return s
}

func (r *reader) annotations(n *yaml.Node) map[string]any {
	if n == nil {
		return nil
	}
	r.mapping(n, "annotations")
	m, _ := r.value(n, 0).(map[string]any)
	return m
}

func (r *reader) deprecated(n *yaml.Node) *Deprecated {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return &Deprecated{Reason: "unspecified", Note: r.text(n, "deprecated")}
	}
	m := r.mapping(n, "deprecated", "reason", "renamed_to", "note")
	r.require(n, m, "deprecated", "reason")
	d := &Deprecated{r.word(m["reason"], "reason", "renamed", "obsoleted", "uncategorized", "unspecified"), r.text(m["renamed_to"], "renamed_to"),
		r.text(m["note"], "note")}
	if d.Reason == "renamed" {
		r.require(n, m, "deprecated", "renamed_to")
	}
	return d
}

func (r *reader) attribute(n *yaml.Node) Attribute {
	a := Attribute{Place: r.place(n)}
	what, keys := "the attribute", slices.Concat([]string{"id", "type"}, sharedKeys)
	if a.ref = hasKey(n, "ref"); a.ref {
		what, keys = "the reference", slices.Concat([]string{"ref", "prefix"}, sharedKeys)
	}
	m := r.mapping(n, what, keys...)
	if a.ref {
		a.Name = r.text(m["ref"], "ref")
		a.prefixed = deref(r.truth(m["prefix"], "prefix"))
	} else {
		r.require(n, m, what, "id", "type")
		a.Name = r.text(m["id"], "id")
		if m["type"] != nil {
			a.Type = r.typ(m["type"])
		}
	}
	r.shared(&a, m)
	if !a.ref { // a definition always says these two: nothing inherits them
		a.given |= bit("note") | bit("requirement_level")
		a.Level.Name = cmp.Or(a.Level.Name, "recommended")
	}
	return a
}

func (r *reader) shared(a *Attribute, m map[string]*yaml.Node) {
	for i, o := range overridable {
		if m[o.key] != nil {
			a.given |= 1 << i
		}
	}
	a.Brief, a.Note, a.Tag = r.text(m["brief"], "brief"), r.text(m["note"], "note"), r.text(m["tag"], "tag")
	a.Stability, a.Deprecated = r.stability(m["stability"]), r.deprecated(m["deprecated"])
	a.Role = r.word(m["role"], "role", "identifying", "descriptive")
	a.Sampling, a.Annotations = r.truth(m["sampling_relevant"], "sampling_relevant"), r.annotations(m["annotations"])
	if m["examples"] != nil {
		a.Examples = r.value(m["examples"], 0)
	}
	if m["requirement_level"] != nil {
		a.Level = r.level(m["requirement_level"])
	}
}

func (r *reader) level(n *yaml.Node) Level {
	if n.Kind == yaml.ScalarNode {
		return Level{Name: r.word(n, "requirement_level", levels...)}
	}
	m := r.mapping(n, "requirement_level", "conditionally_required", "recommended", "opt_in")
	if m != nil && len(m) != 1 {
		r.wrong(n, "requirement_level names one level")
	}
	for name, text := range m {
		return Level{name, r.text(text, name)}
	}
	return Level{}
}

func (r *reader) typ(n *yaml.Node) Type {
	if n.Kind == yaml.ScalarNode {
		return Type{Name: r.word(n, "type", typeNames...)}
	}
	m := r.mapping(n, "type", "members")
	r.require(n, m, "type", "members")
	t := Type{Members: []Member{}}
	for _, member := range r.list(m["members"], "members") {
		t.Members = append(t.Members, r.member(member))
	}
	return t
}

func (r *reader) member(n *yaml.Node) Member {
	m := r.mapping(n, "the member", "id", "value", "brief", "note", "stability", "deprecated", "annotations")
	r.require(n, m, "the member", "id")
	out := Member{ID: r.text(m["id"], "id"), Brief: r.text(m["brief"], "brief"), Note: r.text(m["note"], "note"),
		Stability: r.stability(m["stability"]), Deprecated: r.deprecated(m["deprecated"])}
	out.Value = out.ID // since Weaver 0.25
	if v := m["value"]; v != nil {
		if v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" {
			r.wrong(v, "value has to be a text, a number or a boolean, and is %s", describe(v))
		} else {
			out.Value = scalar(v)
		}
	}
	return out
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

func deref(b *bool) bool { return b != nil && *b }
