package registry

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// published reads the resolved file of a packaged registry (manifest/2): everything stands in it,
// dependencies included.
func (r *reader) published(s *source, m Manifest) []*Group {
	for _, name := range []string{path.Base(m.Resolved), "resolved.yaml", "resolved-registry.yaml"} {
		text, ok := s.texts[name]
		if !ok {
			continue
		}
		r.file, r.unknown = name, "UnexpectedFields"
		doc := r.document(text)
		if doc == nil {
			return nil
		}
		top := r.mapping(doc, "the file", "file_format", "schema_url", "dependencies", "attribute_catalog", "registry", "refinements")
		if v := top["file_format"]; v == nil || v.Value != "resolved/2" && !strings.HasPrefix(v.Value, "resolved/2.") {
			r.wrong(doc, "is no file of the form resolved/2")
			return nil
		}
		r.require(doc, top, "the file", "attribute_catalog", "registry")
		return r.resolved(top)
	}
	r.report(found(NeedsWeaver, Place{m.File, 1, 1}, "the resolved registry %s is not beside the manifest, and aburn fetches nothing", m.Resolved))
	return nil
}

// catalog is a resolved file's attributes, by their index.
type catalog []Attribute

func (r *reader) resolved(top map[string]*yaml.Node) (groups []*Group) {
	var all catalog
	for _, n := range r.list(top["attribute_catalog"], "attribute_catalog") {
		a := Attribute{Place: r.place(n)}
		m := r.mapping(n, "the attribute", "key", "type", "brief", "note", "stability", "deprecated", "annotations", "examples", "provenance")
		r.require(n, m, "the attribute", "key", "type")
		a.Name = r.text(m["key"], "key")
		if m["type"] != nil {
			a.Type = r.typ(m["type"])
		}
		r.shared(&a, m)
		a.given |= bit("note")
		all = append(all, a)
	}
	registry := map[string]*yaml.Node{}
	if n := top["registry"]; n != nil {
		registry = r.mapping(n, "registry", "attributes", "attribute_groups", "spans", "metrics", "events", "entities")
	}
	groups = append(groups, r.definedIn(all, registry["attributes"]))
	for _, n := range r.list(registry["attribute_groups"], "attribute_groups") {
		m := r.mapping(n, "the attribute group", slices.Concat([]string{"id", "attributes", "provenance"}, common2)...)
		g := &Group{ID: r.text(m["id"], "id"), Place: r.place(n), Type: "attribute_group", second: true}
		r.common2(g, m)
		for _, i := range r.list(m["attributes"], "attributes") {
			r.take(g, all, i, nil, "")
		}
		groups = append(groups, g)
	}
	groups = append(groups, r.signalsOf(all, registry, false)...)
	if n := top["refinements"]; n != nil {
		groups = append(groups, r.signalsOf(all, r.mapping(n, "refinements", "spans", "metrics", "events", "entities"), true)...)
	}
	return groups
}

// definedIn makes a group that defines each key once: as registry.attributes says, else as the
// catalog has it first, for a key that only a dependency defines.
func (r *reader) definedIn(all catalog, indices *yaml.Node) *Group {
	g := &Group{ID: "registry." + r.file, Type: "attribute_group", Brief: "<synthetic v2>", Place: Place{r.file, 1, 1}, second: true}
	seen := map[string]bool{}
	define := func(a Attribute) {
		if !seen[a.Name] {
			seen[a.Name] = true
			a.given |= bit("requirement_level")
			a.Level.Name = "recommended"
			g.Attributes = append(g.Attributes, a)
		}
	}
	for _, n := range r.list(indices, "attributes") {
		if a, ok := r.at(all, n); ok {
			define(a)
		}
	}
	for _, a := range all {
		define(a)
	}
	return g
}

func (r *reader) at(all catalog, n *yaml.Node) (Attribute, bool) {
	i, ok := scalar(n).(int64)
	if n.Kind != yaml.ScalarNode || !ok || i < 0 || i >= int64(len(all)) {
		r.wrong(n, "%s is no place of attribute_catalog", describe(n))
		return Attribute{}, false
	}
	return all[i], true
}

// take adds an attribute of the catalog to a group. m are the members that stand next to its
// index, role that of an entity's.
func (r *reader) take(g *Group, all catalog, index *yaml.Node, m map[string]*yaml.Node, role string) {
	a, ok := r.at(all, index)
	if !ok {
		return
	}
	a.ref, a.Place = true, r.place(index)
	if n := m["requirement_level"]; n != nil {
		a.Level = r.level(n)
		a.given |= bit("requirement_level")
	}
	if n := m["sampling_relevant"]; n != nil {
		a.Sampling = r.truth(n, "sampling_relevant")
		a.given |= bit("sampling_relevant")
	}
	if role != "" {
		a.Role = role
		a.given |= bit("role")
	}
	g.Attributes = append(g.Attributes, a)
}

// signalsOf reads the signals of a resolved file. Its refinements hold the signals themselves
// too, which are left out.
func (r *reader) signalsOf(all catalog, lists map[string]*yaml.Node, refinements bool) (groups []*Group) {
	for _, s := range signals2 {
		if s.refinement {
			continue
		}
		for _, n := range r.list(lists[s.list], s.list) {
			keys := slices.Concat([]string{"id", "provenance", "attributes", "entity_associations", s.name}, s.keys, common2)
			m := r.mapping(n, "the "+s.typ, keys...)
			g := &Group{Place: r.place(n), Type: s.typ, second: true}
			name := r.text(m[s.name], s.name)
			id := r.text(m["id"], "id")
			if refinements && (id == "" || id == name) {
				continue
			}
			g.ID = s.typ + "." + name
			if refinements {
				g.ID, name = id, id
			}
			r.fillSignal(g, s, m, name)
			for _, list := range []struct{ key, role string }{{"attributes", ""}, {"identity", "identifying"}, {"description", "descriptive"}} {
				for _, n := range r.list(m[list.key], list.key) {
					ref := r.mapping(n, "the reference", "base", "requirement_level", "sampling_relevant")
					r.require(n, ref, "the reference", "base")
					if ref["base"] != nil {
						r.take(g, all, ref["base"], ref, list.role)
					}
				}
			}
			groups = append(groups, g)
		}
	}
	return groups
}
