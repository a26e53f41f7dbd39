package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
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
		kind := p.kindOf(a.value, 4)
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

// integers are calls that give a whole number.
var integers = []string{"Math.floor", "Math.ceil", "Math.round", "Math.trunc", "parseInt", "Number.parseInt", "Date.now", "indexOf", "lastIndexOf", "findIndex", "getTime"}

// truths are calls that give true or false.
var truths = []string{"Boolean", "Array.isArray", "Number.isInteger", "Number.isFinite", "isNaN", "includes", "startsWith", "endsWith", "some", "every", "Object.hasOwn"}

// kindOf is what an expression gives, where its form tells it: string, int, double,
// number (either), boolean, their arrays, array, object; "" otherwise.
func (p *Pair) kindOf(n *jsast.Node, depth int) string {
	if n == nil || depth == 0 {
		return ""
	}
	switch n.Type {
	case "Identifier":
		if made := p.made(n); made != nil && made != n {
			return p.kindOf(made, depth-1)
		}
		return ""
	case "Literal":
		return literalKind(n)
	case "ConditionalExpression":
		return same(p.kindOf(n.Child("consequent"), depth-1), p.kindOf(n.Child("alternate"), depth-1))
	case "UnaryExpression":
		switch n.Text("operator") {
		case "!":
			return "boolean"
		case "typeof":
			return "string"
		case "-":
			return p.kindOf(n.Child("argument"), depth-1)
		}
	case "BinaryExpression":
		if op := n.Text("operator"); slices.Contains([]string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"}, op) {
			return "boolean"
		}
	case "ArrayExpression":
		kind := ""
		for i, e := range n.List("elements") {
			if k := p.kindOf(e, depth-1); i == 0 {
				kind = k
			} else {
				kind = same(kind, k)
			}
		}
		if kind == "" || strings.HasSuffix(kind, "]") {
			return "array"
		}
		return kind + "[]"
	case "ObjectExpression":
		return "object"
	case "MemberExpression":
		if property(n) == "length" {
			return "int"
		}
	case "CallExpression":
		return p.callKind(n)
	}
	switch {
	case p.isString(n):
		return "string"
	case isNumber(n):
		return "number"
	}
	return ""
}

func (p *Pair) callKind(n *jsast.Node) string {
	path, method := jsast.Path(n.Child("callee")), property(n.Child("callee"))
	is := func(list []string) bool { return slices.Contains(list, path) || slices.Contains(list, method) }
	switch {
	case is(integers):
		return "int"
	case is(truths):
		return "boolean"
	case path == "Object.keys" || method == "split":
		return "string[]"
	case edit.NewArray(n):
		return "array"
	case p.isString(n):
		return "string"
	case isNumber(n):
		return "number"
	}
	return ""
}

func literalKind(n *jsast.Node) string {
	switch kind := n.Text("kind"); kind {
	case "string", "boolean":
		return kind
	case "number":
		if strings.ContainsAny(n.Text("value"), ".eIN") {
			return "double"
		}
		return "int"
	}
	return ""
}

func same(a, b string) string {
	switch {
	case a == b:
		return a
	case slices.Contains([]string{"int", "double", "number"}, a) && slices.Contains([]string{"int", "double", "number"}, b):
		return "number"
	}
	return ""
}

// newNames judges the names that a plan added to the registry for this file: none is
// another way to write one that was there.
func newNames(p *Pair) (list []found) {
	c := p.Config.Contract
	if c == nil {
		return nil
	}
	for _, a := range p.attributes() {
		if !slices.Contains(c.New, a.key) {
			continue
		}
		for name := range c.Attributes {
			switch {
			case name == a.key || slices.Contains(c.New, name):
			case normal(name) == normal(a.key):
				list = append(list, at(a.call.Node.Start, "%q is another way to write %q", a.key, name))
			case similar(name, a.key):
				f := at(a.call.Node.Start, "%q is near to %q", a.key, name)
				f.severity = Advisory
				list = append(list, f)
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
