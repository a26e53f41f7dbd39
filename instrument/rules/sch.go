package rules

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

// nameForm is what a span is called where a registry has no spans.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){1,4}$`)

// spanName is the constant name of an added span.
func (p *Pair) spanName(s *edit.Span) (string, bool) {
	if s.Name == nil {
		return "", false
	}
	return text(p.made(s.Name))
}

func spansInRegistry(p *Pair) (list []found) {
	c := p.Config.Contract
	if c == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		name, ok := p.spanName(s)
		switch {
		case !ok:
			list = append(list, at(s.Call.Start, "the span's name is no constant"))
		case len(c.Spans) == 0 && !nameForm.MatchString(name):
			list = append(list, at(s.Call.Start, "%q is no name of the form a.b.c", name))
		case c.Span(name) == nil && c.Partial:
			f := at(s.Call.Start, "%q was not judged: the registry holds what aburn cannot read", name)
			f.severity = Advisory
			list = append(list, f)
		case len(c.Spans) > 0 && c.Span(name) == nil:
			list = append(list, at(s.Call.Start, "the registry has no span %q%s", name, nearSpan(c, name)))
		}
	}
	return list
}

func nearSpan(c *scan.Contract, name string) string {
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, s := range c.Spans {
		if normal(s.Name) == normal(name) || s.Name[strings.LastIndexByte(s.Name, '.')+1:] == last {
			return fmt.Sprintf("; it has %q", s.Name)
		}
	}
	return ""
}

// normal is a name without its writing.
func normal(name string) string {
	return strings.ToLower(strings.NewReplacer(".", "", "_", "", "-", "").Replace(name))
}

// definition finds what the registry says of a key, templates included.
func (p *Pair) definition(key string) (registry.Attribute, bool) {
	if a, ok := p.Config.Contract.Attributes[key]; ok {
		return a, true
	}
	for begin := key; strings.Contains(begin, "."); {
		begin = begin[:strings.LastIndexByte(begin, '.')]
		if a, ok := p.Config.Contract.Attributes[begin]; ok && strings.HasPrefix(a.Type.Name, "template[") {
			a.Type.Name = strings.TrimSuffix(strings.TrimPrefix(a.Type.Name, "template["), "]")
			return a, true
		}
	}
	return registry.Attribute{}, false
}

func keysInRegistry(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, a := range p.attributes() {
		if a.call.Method == "addEvent" {
			continue
		}
		def, ok := p.definition(a.key)
		f := at(a.call.Node.Start, "the registry has no attribute %q", a.key)
		switch {
		case a.key == "":
			f.message, f.severity = "the key is no constant: it was not judged", Advisory
		case !ok && p.Config.Contract.Partial:
			f.message, f.severity = fmt.Sprintf("%q was not judged: the registry holds what aburn cannot read", a.key), Advisory
		case !ok:
			if near := p.nearKey(a.key); near != "" {
				f.message += fmt.Sprintf("; it has %q", near)
			}
		case def.Deprecated != nil:
			f.message, f.severity = fmt.Sprintf("%q is deprecated%s", a.key, instead(def.Deprecated)), Advisory
		default:
			continue
		}
		list = append(list, f)
	}
	return list
}

func instead(d *registry.Deprecated) string {
	if d.RenamedTo == "" {
		return ""
	}
	return fmt.Sprintf("; it is now %q", d.RenamedTo)
}

func (p *Pair) nearKey(key string) string {
	best := ""
	for name := range p.Config.Contract.Attributes {
		if normal(name) == normal(key) && (best == "" || name < best) {
			best = name
		}
	}
	return best
}

func valuesFit(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, a := range p.attributes() {
		def, ok := p.definition(a.key)
		if !ok || a.call.Method == "addEvent" || a.value.Type == "SpreadElement" {
			continue
		}
		kind := cmp.Or(p.kindOf(a.value, 4), p.Undone().Kind(a.value, a.call.Guards))
		if constant, ok := text(p.made(a.value)); ok && len(def.Type.Members) > 0 {
			if !slices.ContainsFunc(def.Type.Members, func(m registry.Member) bool { return fmt.Sprint(m.Value) == constant }) {
				list = append(list, at(a.value.Start, "%q has no value %q", a.key, constant))
			}
			continue
		}
		if want := typeOf(def.Type); !fits(kind, want) {
			list = append(list, at(a.value.Start, "%s has the type %s, and %q wants %s", excerpt(p.New, a.value), kind, a.key, want))
		}
	}
	return list
}

// typeOf is an attribute's type; of an enum that of its values.
func typeOf(t registry.Type) string {
	if len(t.Members) == 0 {
		return t.Name
	}
	switch t.Members[0].Value.(type) {
	case string:
		return "string"
	case int64:
		return "int"
	case float64:
		return "double"
	case bool:
		return "boolean"
	}
	return "any"
}

// fits says whether a value of a kind may be what a type wants; true where the kind is
// not known.
func fits(kind, want string) bool {
	switch {
	case kind == "" || want == "any" || want == "" || kind == want:
		return true
	case kind == "number" || kind == "int":
		return want == "double" || kind == "number" && want == "int"
	case kind == "array":
		return strings.HasSuffix(want, "[]")
	case strings.HasSuffix(kind, "[]"):
		return want == "double[]" && kind == "int[]"
	}
	return false
}

// isAdded says whether an attribute of the registry was added for this file, or stands
// in the file that aburn writes.
func (p *Pair) isAdded(key string) bool {
	c := p.Config.Contract
	return slices.Contains(c.New, key) || path.Base(c.Attributes[key].Place.File) == registry.AttributesFile
}

// newNames judges names that the registry does not have, or that were added to it: none
// is another way to write one that a person put there.
func newNames(p *Pair) (list []found) {
	c := p.Config.Contract
	if c == nil {
		return nil
	}
	for _, a := range p.attributes() {
		if _, known := p.definition(a.key); a.key == "" || a.call.Method == "addEvent" || known && !p.isAdded(a.key) {
			continue
		}
		for name := range c.Attributes {
			switch {
			case name == a.key || p.isAdded(name):
			case normal(name) == normal(a.key):
				list = append(list, at(a.call.Node.Start, "%q is another way to write %q", a.key, name))
			case similar(name, a.key):
				f := at(a.call.Node.Start, "%q is near to %q", a.key, name)
				f.severity = Advisory
				list = append(list, f)
			}
		}
	}
	for _, s := range p.Undone().Spans {
		name, ok := p.spanName(s)
		if !ok || c.Span(name) != nil && !p.isNew(name) {
			continue
		}
		for _, had := range c.Spans {
			if had.Name != name && !p.isNew(had.Name) && normal(had.Name) == normal(name) {
				list = append(list, at(s.Call.Start, "%q is another way to write %q", name, had.Name))
			}
		}
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.message, b.message) })
	return list
}

// similar says whether two names of one parent share most of their words.
func similar(a, b string) bool {
	parentA, lastA, _ := cutLast(a)
	parentB, lastB, _ := cutLast(b)
	if parentA != parentB {
		return false
	}
	x, y := strings.Split(lastA, "_"), strings.Split(lastB, "_")
	shared := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			shared++
		}
	}
	return 10*shared >= 6*max(len(x), len(y))
}

func cutLast(name string) (parent, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}
