package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxResolved bounds the attributes of a resolved registry: groups that extend one
// another can repeat them without end.
const maxResolved = 200_000

// Resolved is a registry whose references are replaced by what they stand for. Its
// JSON is Weaver's, with name, version and hash beside it.
type Resolved struct {
	URL     string  `json:"registry_url"`
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Hash    string  `json:"hash"`   // SHA-256 of the groups without their lineage, in hex
	Groups  []Group `json:"groups"` // by id
	// Attributes are all definitions in reach, dependencies included, by name.
	Attributes map[string]Attribute `json:"-"`

	roots map[string]root
}

type root struct {
	attribute Attribute
	group     string
	own       bool
	registry  *Registry
	others    []string // further dependencies that define it
}

type resolver struct {
	registry *Registry
	roots    map[string]root
	groups   map[string]*Group
	missing  []string // dependencies that are not here, at any depth
	parents  map[*Group]map[string]inherited
	busy     map[*Group]bool
	count    int
	findings []Finding
}

// inherited is an attribute before it is resolved, and the parent that it came from;
// "" for the group's own.
type inherited struct {
	Attribute
	from string
}

// Resolve replaces references and reports those that it cannot. The result is whole
// if no finding is an error or not judged. The error is a *LoadError where the
// result would be too large.
func (r *Registry) Resolve() (*Resolved, []Finding, error) {
	s := &resolver{registry: r, roots: map[string]root{}, groups: map[string]*Group{}, parents: map[*Group]map[string]inherited{}, busy: map[*Group]bool{}}
	s.index(r, true, map[*Registry]bool{})
	out := &Resolved{URL: r.Manifest.SchemaURL, Name: r.Manifest.Name, Version: r.Manifest.Version, Attributes: map[string]Attribute{}, roots: s.roots}
	for name, root := range s.roots {
		out.Attributes[name] = root.attribute
	}
	for _, g := range slices.Concat(r.Groups, r.importedGroups()) {
		resolved := s.group(g)
		if g.internal {
			continue
		}
		out.Groups = append(out.Groups, resolved)
		if s.count > maxResolved {
			return nil, nil, &LoadError{r.Dir, fmt.Sprintf("resolves to more than %d attributes", maxResolved), "look for groups that extend one another in a long row"}
		}
	}
	slices.SortStableFunc(out.Groups, func(a, b Group) int { return cmp.Compare(a.ID, b.ID) })
	out.Hash = out.hash()
	return out, order(s.findings), nil
}

// index collects definitions and groups: the registry's own before those of its
// dependencies, and each dependency once.
func (s *resolver) index(r *Registry, own bool, seen map[*Registry]bool) {
	if seen[r] {
		return
	}
	seen[r] = true
	s.missing = append(s.missing, r.missing...)
	for _, g := range r.Groups {
		if s.groups[g.ID] == nil {
			s.groups[g.ID] = g
		}
		for _, a := range g.Attributes {
			if !a.ref && a.Name != "" {
				s.define(r, g, a, own)
			}
		}
	}
	for _, dep := range r.uses {
		s.index(dep, false, seen)
	}
}

func (s *resolver) define(r *Registry, g *Group, a Attribute, own bool) {
	a.Name = fullName(g, a)
	had, ok := s.roots[a.Name]
	switch {
	case !ok:
		s.roots[a.Name] = root{attribute: a, group: g.ID, own: own, registry: r}
	case own || had.own || had.registry == r:
	case had.registry.Manifest.sameSchema(r.Manifest): // versions of one major are merged: the newest counts
		if had.registry.Manifest.olderThan(r.Manifest) {
			s.roots[a.Name] = root{attribute: a, group: g.ID, registry: r, others: had.others}
		}
	case !slices.Contains(had.others, r.Dir):
		had.others = append(had.others, r.Dir)
		s.roots[a.Name] = had
	}
}

func fullName(g *Group, a Attribute) string {
	if g.Prefix == "" || a.ref && !a.prefixed {
		return a.Name
	}
	return g.Prefix + "." + a.Name
}

// group resolves one group. Its attributes are by name.
func (s *resolver) group(g *Group) Group {
	out := *g
	if parent := s.groups[g.Extends]; parent != nil && g.second {
		out.refine(parent)
	}
	out.Prefix, out.Extends, out.Attributes, out.includes, out.unrefs = "", "", []Attribute{}, nil, nil
	out.Lineage = &Lineage{Provenance: Provenance{s.registry.Manifest.SchemaURL, g.Place.File}, Extends: g.Extends}
	specs := s.specs(g)
	for _, name := range sortedKeys(specs) {
		a, lineage, ok := s.attribute(g, specs[name])
		out.Attributes = append(out.Attributes, a)
		if ok {
			if out.Lineage.Attributes == nil {
				out.Lineage.Attributes = map[string]AttributeLineage{}
			}
			out.Lineage.Attributes[a.Name] = lineage
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// specs gives a group's own attributes and those of the groups that it extends. Own
// references keep what the parent said otherwise.
func (s *resolver) specs(g *Group) map[string]inherited {
	if done, ok := s.parents[g]; ok {
		return done
	}
	all := map[string]inherited{}
	if s.busy[g] {
		s.findings = append(s.findings, found("UnresolvedExtendsRef", g.Place, "group %q extends itself, by way of %q", g.ID, g.Extends))
		return all
	}
	s.busy[g] = true
	defer delete(s.busy, g)
	if parent := s.groups[g.Extends]; parent != nil {
		from := s.specs(parent)
		if s.count > maxResolved { // a row of parents has grown too long: Resolve gives up
			return all
		}
		for name, a := range from {
			a.local = 0
			all[name] = inherited{a.Attribute, parent.ID}
		}
	} else if g.Extends != "" {
		s.unresolved("UnresolvedExtendsRef", g.Place, fmt.Sprintf("group %q extends %q, which is no group", g.ID, g.Extends))
	}
	s.include(g, all)
	for _, a := range g.Attributes {
		own := a
		own.Name = fullName(g, a)
		from := ""
		if parent, ok := all[own.Name]; ok && own.ref {
			given := own.given
			own.ref, own.Type = parent.ref, parent.Type
			own.fill(&parent.Attribute)
			own.local, from = given, parent.from
		}
		all[own.Name] = inherited{own, from}
	}
	s.count += len(all)
	s.parents[g] = all
	return all
}

// include takes the attributes of groups that g names. Two of them may not have the same
// attribute: nothing would say which counts.
func (s *resolver) include(g *Group, all map[string]inherited) {
	of := map[string]string{}
	for _, inc := range g.includes {
		group := s.groups[inc.name]
		if group == nil || group.Type != "attribute_group" {
			s.unresolved("UnresolvedExtendsRef", inc.place, fmt.Sprintf("group %q takes attributes of %q, which is no attribute group", g.ID, inc.name))
			continue
		}
		from := s.specs(group)
		if s.count > maxResolved {
			return
		}
		for name, a := range from {
			if first := of[name]; first != "" && first != inc.name {
				s.findings = append(s.findings, found("AmbiguousReference", inc.place, "%q is in both %s and %s", name, first, inc.name))
			}
			of[name] = inc.name
			if had, ok := all[name]; ok { // of the refined signal: what the group does not say stays
				a.fill(&had.Attribute)
			}
			a.local = 0
			all[name] = inherited{a.Attribute, cmp.Or(a.from, group.ID)}
		}
	}
	for _, u := range g.unrefs {
		if _, ok := all[u.name]; !ok && s.groups[g.Extends] != nil {
			s.unresolved("UnresolvedAttributeRef", u.place, fmt.Sprintf("group %q leaves out %q, which the refined one does not have", g.ID, u.name))
		}
		delete(all, u.name)
	}
}

// refine takes from the refined signal what a refinement does not say.
func (g *Group) refine(from *Group) {
	for _, f := range [...][2]*string{{&g.Brief, &from.Brief}, {&g.Note, &from.Note}, {&g.Stability, &from.Stability}, {&g.SpanKind, &from.SpanKind},
		{&g.Instrument, &from.Instrument}, {&g.Unit, &from.Unit}} {
		*f[0] = cmp.Or(*f[0], *f[1])
	}
	if g.Deprecated == nil {
		g.Deprecated = from.Deprecated
	}
	if g.Associations == nil {
		g.Associations = from.Associations
	}
}

// unresolved reports a reference to nothing. It is not judged where a dependency is
// not here that may hold it.
func (s *resolver) unresolved(name string, at Place, message string) {
	f := found(name, at, "%s", message)
	if len(s.missing) > 0 {
		f.Severity, f.Example = NotJudged, rules[NeedsWeaver].example
		f.Message = cut(fmt.Sprintf("%s here; it may stand in %s, which is not on this disk", message, strings.Join(s.missing[:min(len(s.missing), 3)], " or ")))
	}
	s.findings = append(s.findings, f)
}

func (s *resolver) attribute(g *Group, a inherited) (Attribute, AttributeLineage, bool) {
	out := a.Attribute
	if !a.ref {
		out.defined = a.from == ""
		return out, AttributeLineage{a.from, (out.given &^ out.local).keys(), out.local.keys()}, a.from != ""
	}
	out.ref = false
	if a.from == "" {
		out.local = out.given
	}
	root, ok := s.roots[a.Name]
	if !ok {
		out.Unresolved = true
		s.unresolved("UnresolvedAttributeRef", a.Place, fmt.Sprintf("group %q refers to %q, which is not defined", g.ID, a.Name))
		return out, AttributeLineage{}, false
	}
	if len(root.others) > 0 {
		s.findings = append(s.findings, found("AmbiguousReference", a.Place, "%q is defined in more than one dependency, also in %s", a.Name,
			strings.Join(root.others, ", ")))
	}
	out.Type = root.attribute.Type
	out.fill(&root.attribute)
	return out, AttributeLineage{cmp.Or(a.from, root.group), (out.given &^ out.local).keys(), out.local.keys()}, true
}

// importedGroups are the groups of dependencies that imports name.
func (r *Registry) importedGroups() (list []*Group) {
	taken := map[*Group]bool{}
	for _, imp := range r.imports {
		for _, dep := range r.uses {
			for _, g := range dep.Groups {
				if !taken[g] && imp.takes(g) {
					taken[g] = true
					list = append(list, g)
				}
			}
		}
	}
	return list
}

func (i imported) takes(g *Group) bool {
	by := map[string][2]string{"metrics": {"metric", g.MetricName}, "events": {"event", g.Name}, "entities": {"entity", g.Name},
		"spans": {"span", cmp.Or(g.Name, g.ID)}, "attribute_groups": {"attribute_group", g.ID}}[i.kind]
	ok, err := path.Match(i.pattern, by[1])
	return by[0] == g.Type && by[1] != "" && !g.internal && ok && err == nil
}

func (r *Resolved) hash() string {
	plain := make([]Group, len(r.Groups))
	for i, g := range r.Groups {
		g.Lineage = nil
		plain[i] = g
	}
	data, err := json.Marshal(plain)
	if err != nil { // values come from YAML scalars: there is nothing that JSON has not
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
