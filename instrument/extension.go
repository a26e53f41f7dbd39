package instrument

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

// extension is the registry with what one file's plan adds.
type extension struct {
	contract   *Contract // nil without a registry
	files      map[string][]byte
	names      []string // of what is new
	attributes int      // of names
}

// extend adds the new spans and attributes of a plan in memory. What the registry has
// already is no news, so that a second run finds nothing to add.
func (w *applying) extend(p Planned) (*extension, error) {
	out := &extension{contract: w.contract}
	var add registry.Extension
	for _, a := range p.NewAttributes {
		if w.contract != nil {
			if _, known := w.contract.Resolved.Attributes[a.Key]; known {
				continue
			}
		}
		examples, err := typed(a.Type, a.Examples)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Key, err)
		}
		add.Attributes = append(add.Attributes, registry.NewAttribute{Name: a.Key, Type: a.Type, Brief: a.Brief, Examples: examples})
		out.names = append(out.names, a.Key)
	}
	for _, s := range p.NewSpans {
		id := "span." + strings.TrimPrefix(s.ID, "span.")
		if w.contract != nil && slices.ContainsFunc(w.contract.Resolved.Groups, func(g registry.Group) bool { return g.ID == id }) {
			continue
		}
		add.Spans = append(add.Spans, registry.NewSpan{ID: id, Kind: cmp.Or(s.Kind, "internal"), Brief: s.Brief, Attributes: s.Attributes})
		out.names = append(out.names, id)
	}
	out.attributes = len(add.Attributes)
	switch {
	case len(out.names) == 0:
		return out, nil
	case w.contract == nil:
		return nil, fmt.Errorf("the plan adds %s, and %s names no registry", out.names[0], ConfigFile)
	case out.attributes > maxNewPerFile:
		return nil, fmt.Errorf("the plan adds %d attributes for one file; more than %d need a look by a person", out.attributes, maxNewPerFile)
	case out.attributes+w.created > maxNewPerRun:
		return nil, fmt.Errorf("the plan adds more than %d attributes: extend the registry by hand", maxNewPerRun)
	}
	files, err := w.contract.Registry.Extend(Namespace(w.contract, w.tracer), add)
	if err != nil {
		return nil, err
	}
	later, err := w.contract.Registry.With(files)
	if err != nil {
		return nil, err
	}
	resolved, _, err := later.Resolve()
	if err != nil {
		return nil, err
	}
	out.files, out.contract = files, &Contract{Registry: later, Resolved: resolved, Spans: scan.NewContract(resolved), Unsure: w.contract.Unsure}
	out.contract.Spans.Partial, out.contract.Spans.New = len(w.contract.Unsure) > 0, out.names
	return out, nil
}

// withAttributes lists on each new span the attributes that the plan sets on it.
func (w *applying) withAttributes(p Planned) []edit.NewSpan {
	isKnown := func(key string) bool {
		if slices.ContainsFunc(p.NewAttributes, func(a edit.NewAttribute) bool { return a.Key == key }) {
			return true
		}
		if w.contract == nil {
			return false
		}
		_, known := w.contract.Resolved.Attributes[key]
		return known
	}
	spans := slices.Clone(p.NewSpans)
	for i, s := range spans {
		list := slices.Clone(s.Attributes)
		for _, c := range p.Functions {
			if c.Action != "span" || c.Span != strings.TrimPrefix(s.ID, "span.") {
				continue
			}
			for _, a := range c.Attributes {
				if !slices.Contains(list, a.Key) && isKnown(a.Key) {
					list = append(list, a.Key)
				}
			}
		}
		spans[i].Attributes = list
	}
	return spans
}

// made is a plan with only those new names that its spans use, without what was dropped.
func made(p edit.Plan, dropped []edit.Dropped) edit.Plan {
	isDropped := func(function, attribute string) bool {
		return slices.ContainsFunc(dropped, func(d edit.Dropped) bool { return d.Function == function && d.Attribute == attribute })
	}
	spans, keys, isNew := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var functions []edit.Choice
	for _, c := range p.Functions {
		if c.Action != "span" || isDropped(c.ID, "") {
			continue
		}
		c.Attributes = slices.DeleteFunc(slices.Clone(c.Attributes), func(a edit.Attribute) bool { return isDropped(c.ID, a.Key) })
		functions = append(functions, c)
		spans[c.Span] = true
		for _, a := range c.Attributes {
			keys[a.Key] = true
		}
	}
	out := p
	out.Functions, out.NewSpans, out.NewAttributes = functions, nil, nil
	for _, a := range p.NewAttributes {
		if isNew[a.Key] = true; keys[a.Key] {
			out.NewAttributes = append(out.NewAttributes, a)
		}
	}
	for _, s := range p.NewSpans {
		if !spans[strings.TrimPrefix(s.ID, "span.")] {
			continue
		}
		s.Attributes = slices.DeleteFunc(slices.Clone(s.Attributes), func(key string) bool { return isNew[key] && !keys[key] })
		out.NewSpans = append(out.NewSpans, s)
	}
	return out
}

// TracerName is the configuration's, else the package's, else the first part of the
// registry's names. contract may be nil.
func TracerName(dir string, c Config, contract *Contract) string {
	if c.TracerName != "" {
		return c.TracerName
	}
	if root, err := os.OpenRoot(dir); err == nil {
		defer root.Close()
		if m, err := readManifest(root, "."); err == nil && m.Name != "" {
			return m.Name
		}
	}
	if contract != nil && contract.Spans.Namespace != "" {
		return contract.Spans.Namespace
	}
	return "app"
}

// Namespace is what the project's own names begin with.
func Namespace(c *Contract, tracer string) string {
	if c != nil && c.Spans.Namespace != "" {
		return c.Spans.Namespace
	}
	return namespaceOf(tracer)
}

// typed reads examples as what they are examples of.
func typed(typ string, examples []string) (list []any, err error) {
	for _, e := range examples {
		var v any = e
		switch strings.TrimSuffix(typ, "[]") {
		case "int":
			v, err = strconv.ParseInt(e, 10, 64)
		case "double":
			v, err = strconv.ParseFloat(e, 64)
		case "boolean":
			v, err = strconv.ParseBool(e)
		}
		if err != nil {
			return nil, fmt.Errorf("the example %q is no %s", e, typ)
		}
		if strings.HasSuffix(typ, "[]") {
			v = []any{v}
		}
		list = append(list, v)
	}
	return list, nil
}
