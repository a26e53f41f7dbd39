package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ChangeKind is what happened to an item or a field.
type ChangeKind string

// The kinds. Weaver never says updated, and does not see a span without a name.
const (
	Added         ChangeKind = "added"
	Removed       ChangeKind = "removed"
	Updated       ChangeKind = "updated"
	Renamed       ChangeKind = "renamed"       // deprecated, New is the new name
	Obsoleted     ChangeKind = "obsoleted"     // deprecated
	Uncategorized ChangeKind = "uncategorized" // deprecated
)

// Change is one difference between two registries.
type Change struct {
	Kind  ChangeKind `json:"kind"`
	Item  string     `json:"item"`  // attribute, or a group's type
	Name  string     `json:"name"`  // the attribute's name, or the group's id
	Field string     `json:"field"` // "" for the whole item
	Old   string     `json:"old"`   // a text, or JSON of what is no text
	New   string     `json:"new"`
	File  string     `json:"file"` // of the item in the later registry, or in the earlier one if removed
	Line  int        `json:"line"`
}

// item is an attribute or a group with its fields flattened.
type item struct {
	kind   string
	name   string
	fields map[string]string
	// effective has the fields of a group's attributes, wherever they come from: saying
	// again what the definition says is no change.
	effective map[string]string
	place     Place
	gone      *Deprecated
}

// Diff compares two registries by attribute and by group id, field by field. A group
// has the fields that it gives itself: what it takes from a definition changes with
// the definition, once.
func Diff(base, head *Resolved) []Change {
	was, is := base.items(), head.items()
	changes := []Change{}
	for key, a := range was {
		if b, ok := is[key]; ok {
			changes = append(changes, a.compare(b)...)
		} else {
			changes = append(changes, a.change(Removed))
		}
	}
	for key, b := range is {
		if _, ok := was[key]; !ok {
			changes = append(changes, b.change(Added))
		}
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.New, b.New))
	})
	return changes
}

// NotAdded are the changes that an extension may not make.
func NotAdded(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Kind == Added })
}

func (i item) change(kind ChangeKind) Change {
	return Change{Kind: kind, Item: i.kind, Name: i.name, File: i.place.File, Line: i.place.Line}
}

func (a item) compare(b item) (list []Change) {
	if c, ok := a.deprecation(b); ok {
		list = append(list, c)
	}
	for _, field := range sortedKeys(a.fields) {
		is, there := b.fields[field]
		if !there {
			is = b.effective[field]
		}
		if is == a.fields[field] || within(field, a.fields, b.fields) {
			continue
		}
		c := b.change(Updated)
		if !there && isPart(field) {
			c.Kind = Removed
		}
		c.Field, c.Old, c.New = field, a.fields[field], is
		list = append(list, c)
	}
	for _, field := range sortedKeys(b.fields) {
		if _, there := a.fields[field]; there || a.effective[field] == b.fields[field] || within(field, b.fields, a.fields) {
			continue
		}
		c := b.change(Updated)
		if isPart(field) {
			c.Kind = Added
		}
		c.Field, c.Old, c.New = field, a.effective[field], b.fields[field]
		list = append(list, c)
	}
	return list
}

// deprecation compares what the items say of their end. A new one has Weaver's kind.
func (a item) deprecation(b item) (Change, bool) {
	var was, is Deprecated
	if a.gone != nil {
		was = *a.gone
	}
	if b.gone != nil {
		is = *b.gone
	}
	c := b.change(Updated)
	c.Field, c.Old, c.New = "deprecated", cmp.Or(was.RenamedTo, was.Note, was.Reason), cmp.Or(is.RenamedTo, is.Note, is.Reason)
	if kind := ChangeKind(is.Reason); kind == Renamed || kind == Obsoleted || kind == Uncategorized {
		c.Kind = kind
	}
	return c, was != is
}

// isPart tells whether a field is an attribute of a group or a member of an enum,
// rather than a field of one.
func isPart(field string) bool {
	return strings.HasPrefix(field, "attributes[") && strings.HasSuffix(field, "]") || strings.HasPrefix(field, "members[") && strings.HasSuffix(field, "]")
}

// within tells whether a field belongs to a part that only one side has. The part
// itself then stands for its fields.
func within(field string, here, there map[string]string) bool {
	i := strings.LastIndex(field, "].")
	if i < 0 {
		return false
	}
	part := field[:i+1]
	_, a := here[part]
	_, b := there[part]
	return a && !b
}

// items are the registry's own definitions, those of dependencies that its groups
// use, and its groups.
func (r *Resolved) items() map[string]item {
	all := map[string]item{}
	attribute := func(a Attribute, at Place) {
		all["attribute\x00"+a.Name] = item{"attribute", a.Name, a.fieldsOf(), nil, at, a.Deprecated}
	}
	counts := map[string]int{}
	for i := range r.Groups {
		g := &r.Groups[i]
		counts[g.ID]++ // an id may stand twice
		fields, effective := g.fieldsOf(r.roots)
		all[fmt.Sprintf("group\x00%s\x00%d", g.ID, counts[g.ID])] = item{g.Type, g.ID, fields, effective, g.Place, g.Deprecated}
		for _, a := range g.Attributes {
			if root, ok := r.roots[a.Name]; ok && !root.own {
				attribute(root.attribute, a.Place)
			}
		}
	}
	for _, root := range r.roots {
		if root.own {
			attribute(root.attribute, root.attribute.Place)
		}
	}
	return all
}

// fieldsOf gives what a group says itself, and what its attributes are in effect. The
// first definition of an attribute is an item of its own; a second one, in a span,
// counts here.
func (g *Group) fieldsOf(roots map[string]root) (f, effective map[string]string) {
	f = map[string]string{"type": g.Type, "brief": g.Brief, "note": g.Note, "stability": g.Stability, "span_kind": g.SpanKind, "metric_name": g.MetricName,
		"instrument": g.Instrument, "unit": g.Unit, "name": g.Name, "display_name": g.DisplayName}
	setJSON(f, "events", g.Events, len(g.Events) > 0)
	setJSON(f, "entity_associations", g.Associations, len(g.Associations) > 0)
	setJSON(f, "body", g.Body, g.Body != nil)
	setJSON(f, "annotations", g.Annotations, g.Annotations != nil)
	effective = map[string]string{}
	for _, a := range g.Attributes {
		part := "attributes[" + a.Name + "]"
		f[part] = cmp.Or(levelText(a.Level), "unknown")
		definition := a.defined && roots[a.Name].attribute.Place != a.Place
		for key, v := range a.fieldsOf() {
			effective[part+"."+key] = v
			if definition || a.local.key(key) && !a.defined && key != "requirement_level" {
				f[part+"."+key] = v
			}
		}
	}
	return given(f), effective
}

func levelText(l Level) string {
	if l.Text == "" {
		return l.Name
	}
	return l.Name + ": " + l.Text
}

func (a *Attribute) fieldsOf() map[string]string {
	f := map[string]string{"type": a.Type.Name, "requirement_level": levelText(a.Level)}
	if a.Type.Name == "" {
		f["type"] = "enum"
	}
	for i, o := range overridable {
		if a.given.has(i) && o.key != "requirement_level" && o.key != "deprecated" {
			setJSON(f, o.key, a.fieldJSON(i), true)
		}
	}
	for _, m := range a.Type.Members {
		part := "members[" + m.ID + "]"
		f[part] = fmt.Sprintf("%#v", m.Value)
		f[part+".brief"], f[part+".note"], f[part+".stability"] = m.Brief, m.Note, m.Stability
		setJSON(f, part+".deprecated", m.Deprecated, m.Deprecated != nil)
	}
	return given(f)
}

func (a *Attribute) fieldJSON(i int) any {
	return [...]any{a.Brief, a.Examples, a.Tag, a.Level, a.Sampling, a.Note, a.Stability, a.Deprecated, a.Annotations, a.Role}[i]
}

func setJSON(f map[string]string, key string, v any, is bool) {
	if !is {
		return
	}
	if text, ok := v.(string); ok {
		f[key] = text
		return
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // values come from YAML: there is nothing that JSON has not
	}
	f[key] = string(data)
}

func given(f map[string]string) map[string]string {
	for key, v := range f {
		if v == "" {
			delete(f, key)
		}
	}
	return f
}
