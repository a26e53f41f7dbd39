package scan

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"aburn/instrument/jsast"
	"aburn/instrument/registry"
)

// Contract is what a registry says of spans. A nil one says nothing.
type Contract struct {
	Spans      []Span // by name
	Attributes map[string]registry.Attribute
	Namespace  string // that the project's own names begin with; "" where it is not known
	// Partial: it stands on something that is not on this disk. What it lacks may be there.
	Partial bool
	// New are the attributes and span groups (span.x.y) that were added for the file at hand.
	New []string
}

// Span is a span that the project should make.
type Span struct {
	Name     string // without span.
	Kind     string
	Required []string // attributes
	Wanted   []string // attributes that are required or recommended, required ones first
	function string   // that the registry names for it
	file     string
}

// NewContract takes what matters of a resolved registry.
func NewContract(r *registry.Resolved) *Contract {
	c := &Contract{Attributes: r.Attributes}
	for _, g := range r.Groups {
		if g.Type != "span" {
			continue
		}
		s := Span{Name: strings.TrimPrefix(g.ID, "span."), Kind: g.SpanKind}
		s.file, s.function = place(g.Annotations)
		for _, a := range g.Attributes {
			if a.Level.Name == "required" {
				s.Required = append(s.Required, a.Name)
			}
		}
		s.Wanted = slices.Clone(s.Required)
		for _, a := range g.Attributes {
			if a.Level.Name == "recommended" {
				s.Wanted = append(s.Wanted, a.Name)
			}
		}
		c.Spans = append(c.Spans, s)
	}
	slices.SortFunc(c.Spans, func(a, b Span) int { return strings.Compare(a.Name, b.Name) })
	c.Namespace = namespace(c, r)
	return c
}

// namespace is the first part of most names of spans; where there are none, of the
// attributes in groups of the registry's own.
func namespace(c *Contract, r *registry.Resolved) string {
	var names []string
	for _, s := range c.Spans {
		names = append(names, s.Name)
	}
	for i := 0; len(c.Spans) == 0 && i < len(r.Groups); i++ {
		for _, a := range r.Groups[i].Attributes {
			names = append(names, a.Name)
		}
	}
	counts := map[string]int{}
	for _, name := range names {
		if first, _, more := strings.Cut(name, "."); more {
			counts[first]++
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[best] {
			best = name
		}
	}
	return best
}

// place reads the annotation code.function: placeOrder, or src/order.js#placeOrder.
func place(annotations map[string]any) (file, function string) {
	v := annotations["code.function"]
	if code, ok := annotations["code"].(map[string]any); ok && v == nil {
		v = code["function"]
	}
	text, _ := v.(string)
	if file, function, ok := strings.Cut(text, "#"); ok {
		return file, function
	}
	return "", text
}

// Span finds one by its name.
func (c *Contract) Span(name string) *Span {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Spans, func(s Span) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Spans[i]
}

// spanFor finds the span that a registry wants of a function: the one that names it,
// else the one whose last part, or last two, are the words of its name.
func (c *Contract) spanFor(file string, f *jsast.Function) *Span {
	if c == nil || f.Name == "" {
		return nil
	}
	name := f.Name[strings.LastIndexByte(f.Name, '.')+1:] // of exports.placeOrder
	own := words(name)
	var best *Span
	for i := range c.Spans {
		s := &c.Spans[i]
		switch {
		case s.function != "":
			if (s.function == name || s.function == f.Name || s.function == f.Label()) && (s.file == "" || s.file == file || strings.HasSuffix(file, "/"+s.file)) {
				return s
			}
		case best != nil:
		default:
			parts := strings.Split(s.Name, ".")
			last := parts[max(len(parts)-2, 0):]
			if slices.Equal(own, words(parts[len(parts)-1])) || slices.Equal(own, words(strings.Join(last, "_"))) {
				best = s
			}
		}
	}
	return best
}

// words are the words of a name in any writing, sorted: placeOrder, place_orders and
// order.place are the same.
func words(name string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		before = r
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	list := strings.Fields(b.String())
	for i, w := range list {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			list[i] = strings.TrimSuffix(w, "s")
		}
	}
	slices.Sort(list)
	return list
}
