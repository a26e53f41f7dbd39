package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aburn/instrument/registry"
)

// spanOf is the definition of spans with this name: a group whose id is the name, with
// or without "span." in front, or whose own name it is.
func (c *Contract) spanOf(name string) *registry.Group {
	for i := range c.Groups {
		g := &c.Groups[i]
		if g.Type == "span" && (strings.TrimPrefix(g.ID, "span.") == name || g.ID == name || g.Name != "" && g.Name == name) {
			return g
		}
	}
	return nil
}

// Spans are the span definitions of the registry itself.
func (c *Contract) Spans() (list []*registry.Group) {
	for i := range c.Groups {
		if c.Groups[i].Type == "span" {
			list = append(list, &c.Groups[i])
		}
	}
	return list
}

// contract judges the spans against the registry. Weaver has no look-up of a span's
// definition: what needs one is aburn's own.
func (j *judge) contract(c *Contract) {
	known := c.Spans()
	seen := map[string]bool{}
	for i := range j.recording.Spans {
		s := &j.recording.Spans[i]
		g := c.spanOf(s.Name)
		switch {
		case g != nil:
			seen[g.ID] = true
			j.definition(s, g)
		case len(known) > 0 && c.Whole:
			j.about(s, "aburn.undefined_span", Violation, "", "is no span of the registry")
		case len(known) > 0:
			j.about(s, "aburn.undefined_span", NotJudged, "", "is no span of the registry's own files; what it stands on is not all here")
		}
		for _, a := range s.Attributes {
			j.attribute(c, s, a)
		}
	}
	for _, g := range known {
		if !seen[g.ID] {
			j.add(Finding{ID: "aburn.schema_span_never_seen", Level: Improvement, Span: strings.TrimPrefix(g.ID, "span."),
				Message: fmt.Sprintf("the registry has it (%s:%d), and the command made none", g.Place.File, g.Place.Line)})
		}
	}
}

func (j *judge) definition(s *Span, g *registry.Group) {
	if g.SpanKind != "" && g.SpanKind != s.Kind {
		j.about(s, "aburn.span_kind_mismatch", Violation, "", "is %s; the registry says %s", s.Kind, g.SpanKind)
	}
	for i := range g.Attributes {
		a := &g.Attributes[i]
		if slices.ContainsFunc(s.Attributes, func(have Attribute) bool { return matches(a, have.Key) }) {
			continue
		}
		switch a.Level.Name {
		case "required":
			j.about(s, "aburn.span_required_attribute_not_present", Violation, a.Name, "lacks %s, which is required", a.Name)
		case "recommended":
			j.about(s, "aburn.span_recommended_attribute_not_present", Improvement, a.Name, "lacks %s, which is recommended", a.Name)
		}
	}
}

// matches reports whether the key is the attribute, or one that its template makes.
func matches(a *registry.Attribute, key string) bool {
	return a.Name == key || template(a) && strings.HasPrefix(key, a.Name+".")
}

func template(a *registry.Attribute) bool { return strings.HasPrefix(a.Type.Name, "template[") }

func (c *Contract) lookup(key string) (a registry.Attribute, ok bool) {
	if a, ok = c.Attributes[key]; ok && !template(&a) {
		return a, true
	}
	for at := len(key); at > 0; {
		at = strings.LastIndexByte(key[:at], '.')
		if at <= 0 {
			break
		}
		if t, ok := c.Attributes[key[:at]]; ok && template(&t) {
			return t, true
		}
	}
	return a, ok
}

// attribute gives what Weaver's live check says of one attribute.
func (j *judge) attribute(c *Contract, s *Span, a Attribute) {
	if a.Kind == "undefined" || a.Kind == "null" || !attributeKind(a.Kind) {
		return // said already; no exporter would send it
	}
	def, ok := c.lookup(a.Key)
	j.naming(c, s, a.Key, ok)
	switch {
	case !ok && c.Whole:
		j.about(s, "missing_attribute", Violation, a.Key, "%s is not in the registry", a.Key)
		return
	case !ok || def.Unresolved:
		j.about(s, "missing_attribute", NotJudged, a.Key, "%s may stand in what the registry depends on and is not here", a.Key)
		return
	}
	if template(&def) {
		j.about(s, "template_attribute", Information, a.Key, "%s comes from the template %s", a.Key, def.Name)
	}
	if d := def.Deprecated; d != nil {
		j.about(s, "deprecated", Violation, a.Key, "%s is deprecated: %s", a.Key, deprecation(d))
	}
	if st := def.Stability; st != "" && st != "stable" {
		j.about(s, "not_stable", Improvement, a.Key, "%s is %s", a.Key, st)
	}
	j.value(s, a, def.Type)
}

func deprecation(d *registry.Deprecated) string {
	switch {
	case d.RenamedTo != "":
		return "renamed to " + d.RenamedTo
	case d.Note != "":
		return d.Note
	}
	return d.Reason
}

func (j *judge) value(s *Span, a Attribute, t registry.Type) {
	if t.Members != nil {
		j.member(s, a, t.Members)
		return
	}
	want := strings.TrimSuffix(strings.TrimPrefix(t.Name, "template["), "]")
	if !strings.HasPrefix(t.Name, "template[") {
		want = t.Name
	}
	switch {
	case want == "any" || want == "" || want == a.Kind:
	case want == "any[]" && strings.HasSuffix(a.Kind, "[]"):
	case a.Kind == "array[]" && strings.HasSuffix(want, "[]"): // an empty one
	case want == "double" && a.Kind == "int", want == "double[]" && a.Kind == "int[]": // JavaScript has one kind of number
	default:
		j.about(s, "type_mismatch", Violation, a.Key, "%s is %s; the registry says %s", a.Key, a.Kind, want)
	}
}

// member compares with an enum. The value itself is not told: it is the project's data.
func (j *judge) member(s *Span, a Attribute, members []registry.Member) {
	kinds := map[string]bool{}
	var ids []string
	for _, m := range members {
		var kind, text string
		switch v := m.Value.(type) {
		case string:
			kind, text = "string", v
		case int64:
			kind, text = "int", strconv.FormatInt(v, 10)
		case float64:
			kind, text = "double", strconv.FormatFloat(v, 'g', -1, 64)
		case bool:
			kind, text = "boolean", strconv.FormatBool(v)
		}
		if kind == a.Kind && text == a.Value {
			return
		}
		kinds[kind] = true
		ids = append(ids, text)
	}
	if !kinds[a.Kind] {
		j.about(s, "type_mismatch", Violation, a.Key, "%s is %s; the registry has an enum of other values", a.Key, a.Kind)
		return
	}
	if len(ids) > 6 {
		ids = append(ids[:6], "…")
	}
	j.about(s, "undefined_enum_variant", Information, a.Key, "%s has a value that the registry does not list (%s)", a.Key, strings.Join(ids, ", "))
}

// naming is what Weaver's built-in policy says of a name.
func (j *judge) naming(c *Contract, s *Span, key string, known bool) {
	if !strings.Contains(key, ".") {
		j.about(s, "missing_namespace", Improvement, key, "%s has no namespace", key)
	}
	if !wellFormed(key) {
		j.about(s, "invalid_format", Violation, key, "%s is no name: lower case letters, digits and _ between dots", key)
	}
	if known {
		return
	}
	for name := range c.Attributes {
		if strings.HasPrefix(name, key+".") {
			j.about(s, "illegal_namespace", Violation, key, "%s is the beginning of other attributes' names", key)
			break
		}
	}
	for at := strings.IndexByte(key, '.'); at > 0; {
		if def, ok := c.Attributes[key[:at]]; ok && !template(&def) {
			j.about(s, "illegal_namespace", Violation, key, "%s has the attribute %s in its name", key, def.Name)
			break
		}
		next := strings.IndexByte(key[at+1:], '.')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if namespace, _, ok := strings.Cut(key, "."); ok {
		for name := range c.Attributes {
			if strings.HasPrefix(name, namespace+".") {
				j.about(s, "extends_namespace", Information, key, "%s adds to the namespace %s", key, namespace)
				break
			}
		}
	}
}

func wellFormed(key string) bool {
	for part := range strings.SplitSeq(key, ".") {
		if part == "" || part[0] < 'a' || part[0] > 'z' {
			return false
		}
		for i := range len(part) {
			if b := part[i]; (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '_' {
				return false
			}
		}
	}
	return true
}
