package registry

import (
	"fmt"
	"strings"
)

// Verdict is what can be said of a registry as a whole.
type Verdict string

const (
	// Valid means that Weaver would load the registry; there may be warnings.
	Valid Verdict = "valid"
	// Invalid means that there is an error.
	Invalid Verdict = "invalid"
	// Unknown means that no error was found and that something could not be judged.
	Unknown Verdict = "unknown"
)

// VerdictOf sums findings up.
func VerdictOf(list []Finding) Verdict {
	v := Valid
	for _, f := range list {
		switch f.Severity {
		case Error:
			return Invalid
		case NotJudged:
			v = Unknown
		}
	}
	return v
}

// Check gives everything that is wrong with the registry, in the order of files and
// lines. The error is a *LoadError where the registry is too large to be resolved.
func (r *Registry) Check() ([]Finding, error) {
	_, unresolved, err := r.Resolve()
	if err != nil {
		return nil, err
	}
	c := &checker{findings: append([]Finding{}, r.findings...)}
	for _, g := range r.Groups {
		c.group(g)
	}
	c.duplicates(r.Groups)
	c.versions(r, map[*Registry]bool{}, map[string]string{})
	if n := len(r.policies); n > 0 {
		c.add(NeedsWeaver, Place{r.policies[0], 1, 1}, "%d policy %s not run: aburn has no Rego; weaver on PATH runs them", n, plural(n, "file was", "files were"))
	}
	return order(append(c.findings, unresolved...)), nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

type checker struct{ findings []Finding }

func (c *checker) add(rule string, at Place, format string, args ...any) {
	c.findings = append(c.findings, found(rule, at, format, args...))
}

func (c *checker) group(g *Group) {
	if g.second { // the form itself asks for what is judged of definition/1
		c.group2(g)
		return
	}
	if g.Prefix != "" {
		c.add("InvalidGroupUsesPrefix", g.Place, "group %q has a prefix", g.ID)
	}
	if g.Type != "attribute_group" && !g.given["stability"] {
		c.add("InvalidGroupStability", g.Place, "group %q has no stability", g.ID)
	}
	if g.Stability == "deprecated" {
		c.add("InvalidGroupStability", g.Place, "group %q has the stability deprecated, which is gone", g.ID)
	}
	if g.Type != "metric" && g.Type != "event" && !g.given["extends"] && len(g.Attributes) == 0 {
		c.add("InvalidGroupMissingExtendsOrAttributes", g.Place, "group %q has neither extends nor attributes", g.ID)
	}
	if g.Deprecated != nil && g.Deprecated.Reason == "unspecified" {
		c.add("UnstructuredDeprecatedProperty", g.Place, "group %q is deprecated by a bare text", g.ID)
	}
	c.signal(g)
	refs := map[string]bool{}
	for i := range g.Attributes {
		a := &g.Attributes[i]
		if !a.ref {
			c.attribute(g, a)
		} else if refs[a.Name] {
			c.add("InvalidGroupDuplicateAttributeRef", a.Place, "group %q refers to %q twice", g.ID, a.Name)
		}
		refs[a.Name] = refs[a.Name] || a.ref
	}
}

// group2 judges a group of definition/2. Weaver takes examples of any type there.
func (c *checker) group2(g *Group) {
	refs := map[string]bool{}
	for i := range g.Attributes {
		a := &g.Attributes[i]
		switch {
		case a.ref && refs[a.Name]:
			c.add("InvalidGroupDuplicateAttributeRef", a.Place, "group %q refers to %q twice", g.ID, a.Name)
		case !a.ref:
			at := len(c.findings)
			c.examples(a)
			for j := range c.findings[at:] {
				c.findings[at+j].Severity, c.findings[at+j].Rule = Warning, "InvalidExampleWarning"
			}
		}
		refs[a.Name] = refs[a.Name] || a.ref
	}
}

// signal judges fields that belong to one type of group.
func (c *checker) signal(g *Group) {
	switch g.Type {
	case "undefined":
		c.add("InvalidGroupMissingType", g.Place, "group %q has no type", g.ID)
	case "span":
		if !g.given["span_kind"] {
			c.add("InvalidSpanMissingSpanKind", g.Place, "span %q has no span_kind", g.ID)
		}
	case "metric":
		for _, key := range []string{"metric_name", "instrument", "unit"} {
			if !g.given[key] {
				c.add("InvalidMetric", g.Place, "metric %q has no %s", g.ID, key)
			}
		}
	case "event":
		if !g.given["name"] && (g.Prefix == "" || g.given["body"]) {
			c.add("InvalidGroup", g.Place, "event %q has no name", g.ID)
		}
	}
	if g.Type != "span" && g.Type != "undefined" {
		for key, is := range map[string]bool{"span_kind": g.given["span_kind"], "events": len(g.Events) > 0} {
			if is {
				c.add("InvalidGroup", g.Place, "group %q has %s and is no span", g.ID, key)
			}
		}
	}
	if g.given["body"] && g.Type != "event" {
		c.add("InvalidGroup", g.Place, "group %q has a body and is no event", g.ID)
	}
	if len(g.Associations) > 0 && g.Type != "event" && g.Type != "metric" && g.Type != "span" {
		c.add("InvalidGroup", g.Place, "group %q has entity_associations and is neither span nor event nor metric", g.ID)
	}
}

func (c *checker) attribute(g *Group, a *Attribute) {
	if !a.given.key("brief") && a.Deprecated == nil {
		c.add("InvalidAttribute", a.Place, "attribute %q has no brief and is not deprecated", a.Name)
	}
	c.stability(a.Place, fmt.Sprintf("attribute %q", a.Name), a.Stability, a.given.key("stability"))
	for _, m := range a.Type.Members {
		c.stability(a.Place, fmt.Sprintf("member %q of %q", m.ID, a.Name), m.Stability, m.Stability != "")
	}
	if a.Deprecated != nil && a.Deprecated.Reason == "unspecified" {
		c.add("UnstructuredDeprecatedProperty", a.Place, "attribute %q is deprecated by a bare text", a.Name)
	}
	c.examples(a)
}

func (c *checker) stability(at Place, what, stability string, given bool) {
	switch {
	case !given:
		c.add("InvalidAttributeWarning", at, "%s has no stability", what)
	case stability == "deprecated":
		c.add("InvalidAttributeWarning", at, "%s has the stability deprecated, which is gone", what)
	}
}

// examples compares what the examples are with what the attribute is. An enum and
// any take everything.
func (c *checker) examples(a *Attribute) {
	t := a.Type.Name
	base, template := strings.CutPrefix(t, "template[")
	if template {
		base = strings.TrimSuffix(base, "]")
	}
	switch {
	case t == "" || base == "any":
	case !a.given.key("examples"):
		if t == "string" || t == "string[]" {
			c.add("InvalidExampleWarning", a.Place, "attribute %q is a %s and has no examples", a.Name, t)
		}
	default:
		is := kindOf(a.Examples)
		element, array := strings.CutSuffix(base, "[]")
		flat := is == element+"[]" || template && element == "string" && is == "string"
		switch {
		case array && is == base+"[]" || !array && (is == base || is == base+"[]"):
		case array && flat && (!template || element == "string"):
			c.add("InvalidExampleWarning", a.Place, "examples of %q should each be a %s", a.Name, t)
		default:
			c.add("InvalidExampleError", a.Place, "examples of %q have to be %s, and are %s", a.Name, t, is)
		}
	}
}

// kindOf names what examples are: int, int[] for a list, int[][] for a list of
// lists; "mixed" for what is none of them. An empty list counts as one of ints, as
// in Weaver.
func kindOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case int64:
		return "int"
	case float64:
		return "double"
	case string:
		return "string"
	case []any:
		kind := ""
		for _, e := range v {
			k := kindOf(e)
			switch {
			case kind == "" || kind == k:
				kind = k
			case strings.ReplaceAll(kind, "int", "double") == strings.ReplaceAll(k, "int", "double"):
				kind = strings.ReplaceAll(kind, "int", "double")
			default:
				return "mixed"
			}
		}
		if kind == "" {
			kind = "int"
		}
		if kind == "mixed" {
			return kind
		}
		return kind + "[]"
	}
	return "mixed"
}

// duplicates reports what is defined twice. Definitions in spans do not count.
func (c *checker) duplicates(groups []*Group) {
	ids, metrics, names, attributes := map[string]Place{}, map[string]Place{}, map[string]Place{}, map[string]string{}
	once := func(seen map[string]Place, rule, what, key string, at Place) {
		if first, ok := seen[key]; ok && key != "" {
			c.add(rule, at, "%s %q is also on %s:%d", what, key, first.File, first.Line)
		} else {
			seen[key] = at
		}
	}
	for _, g := range groups {
		once(ids, "DuplicateGroupId", "the group id", g.ID, g.Place)
		once(metrics, "DuplicateMetricName", "the metric name", g.MetricName, g.Place)
		once(names, "DuplicateGroupName", "the name", g.Name, g.Place)
		if g.Type != "attribute_group" {
			continue
		}
		for _, a := range g.Attributes {
			name := fullName(g, a)
			if first, ok := attributes[name]; ok && !a.ref && name != "" {
				c.add("DuplicateAttributeId", a.Place, "attribute %q is also defined in %s", name, first)
			} else if !a.ref {
				attributes[name] = fmt.Sprintf("group %q on %s:%d", g.ID, a.Place.File, a.Place.Line)
			}
		}
	}
}

// versions reports one schema in two major versions.
func (c *checker) versions(r *Registry, seen map[*Registry]bool, major map[string]string) {
	if seen[r] {
		return
	}
	seen[r] = true
	for _, d := range r.Manifest.Dependencies {
		if d.SchemaURL == "" {
			continue
		}
		name, version := splitURL(d.SchemaURL)
		first, _, _ := strings.Cut(version, ".")
		if had, ok := major[name]; ok && had != first {
			c.add("IncompatibleDependencyVersions", d.Place, "%s is needed in version %s and in version %s", name, had, first)
		}
		major[name] = first
	}
	for _, dep := range r.uses {
		c.versions(dep, seen, major)
	}
}
