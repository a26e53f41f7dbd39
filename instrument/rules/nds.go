package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

func syntax(p *Pair) []found {
	var list []found
	if p.Broken != nil {
		f := at(p.Broken.Pos.Offset, "the file does not parse as %s: %s", p.Orig.Type, p.Broken.Message)
		list = append(list, f)
		if p.New == nil {
			return list
		}
	}
	told := map[string]bool{} // the first use tells
	for _, r := range p.known().uses {
		if p.undeclared(r) && !told[r.Name] {
			told[r.Name] = true
			list = append(list, at(r.Start, "%s is not declared", r.Name))
		}
	}
	return list
}

func nothingElse(p *Pair) []found {
	var list []found
	for _, d := range p.Undone().Differences {
		list = append(list, at(d.Offset, "%s", p.told(d)))
	}
	for _, r := range p.Undone().Refused() {
		if !r.Throws {
			list = append(list, at(r.Node.Start, "an added expression can run code of the program: %s: %s", excerpt(p.New, r.Node), &r))
		}
	}
	return list
}

// told says a difference with the code that differs.
func (p *Pair) told(d edit.Difference) string {
	switch {
	case d.A == nil && d.B == nil:
		return d.What
	case d.A == nil:
		return fmt.Sprintf("code was added: %s", excerpt(p.New, d.B))
	case d.B == nil:
		return fmt.Sprintf("line %d of the original is gone: %s", p.Orig.Pos(d.Orig).Line, excerpt(p.Orig, d.A))
	}
	was, now := excerpt(p.Orig, d.A), excerpt(p.New, d.B)
	if was == now {
		return fmt.Sprintf("%s changed: %s", now, d.What)
	}
	return fmt.Sprintf("is %s, was %s on line %d of the original", now, was, p.Orig.Pos(d.Orig).Line)
}

func signatures(p *Pair) []found {
	if p.OtherType { // exports of the other kind are not comparable
		return nil
	}
	list := p.exportsKept()
	type key struct { // a getter and a setter have one name
		name     string
		accessor jsast.FunctionKind
	}
	keyOf := func(name string, f *jsast.Function) key {
		if f.Kind == jsast.Getter || f.Kind == jsast.Setter {
			return key{name, f.Kind}
		}
		return key{name: name}
	}
	now := map[key][]*jsast.Function{} // in order: a name can be given in each branch of an if
	for i := range p.New.Functions {
		for _, name := range p.New.Functions[i].Exported {
			k := keyOf(name, &p.New.Functions[i])
			now[k] = append(now[k], &p.New.Functions[i])
		}
	}
	for i := range p.Orig.Functions {
		was := &p.Orig.Functions[i]
		if len(was.Exported) == 0 {
			list = append(list, p.innerSignature(was)...)
		}
		for _, name := range was.Exported {
			k := keyOf(name, was)
			if left := now[k]; len(left) > 0 {
				now[k] = left[1:]
				list = append(list, signature(p, name, was, left[0])...)
			} else if e := exported(p.New, name); e != nil {
				list = append(list, at(p.declared(*e), "%s is no longer the function that it was", name))
			}
		}
	}
	return list
}

// innerSignature judges a function that is not exported, where it still stands: callers in the
// file, and those that it is handed to, rely on its parameters too.
func (p *Pair) innerSignature(was *jsast.Function) []found {
	for i := range p.New.Functions {
		if now := &p.New.Functions[i]; now.Node.Start == p.Undone().Later(was) {
			return signature(p, cmp.Or(was.Label(), "the function"), was, now)
		}
	}
	return nil
}

// exported finds an export by its name; nil if it is gone.
func exported(m *jsast.Module, name string) *jsast.Export {
	i := slices.IndexFunc(m.Exports, func(e jsast.Export) bool { return exportName(e) == name })
	if i < 0 {
		return nil
	}
	return &m.Exports[i]
}

func (p *Pair) exportsKept() (list []found) {
	names := func(m *jsast.Module) map[string]int {
		all := map[string]int{}
		for _, e := range m.Exports {
			all[e.Name+" "+e.From] = e.Node.Start
		}
		return all
	}
	was, now := names(p.Orig), names(p.New)
	var added []jsast.Export
	for _, e := range p.New.Exports {
		if _, ok := was[e.Name+" "+e.From]; !ok {
			added = append(added, e)
		}
	}
	for _, e := range p.Orig.Exports {
		if _, ok := now[e.Name+" "+e.From]; ok {
			continue
		}
		renamed := slices.IndexFunc(added, func(o jsast.Export) bool { return e.Local != "" && o.Local == e.Local && o.From == e.From })
		if renamed < 0 {
			list = append(list, at(p.declared(e), "the export %s is gone", exportName(e)))
			continue
		}
		list = append(list, at(added[renamed].Node.Start, "%s is exported as %s, was %s", e.Local, exportName(added[renamed]), exportName(e)))
		added = slices.Delete(added, renamed, renamed+1)
	}
	for _, e := range added {
		list = append(list, at(e.Node.Start, "the export %s was added", exportName(e)))
	}
	return list
}

// declared is where the later file declares what the original exports, or where the
// export would stand.
func (p *Pair) declared(e jsast.Export) int {
	for i := range min(2, len(p.New.Scopes.All)) {
		for _, v := range p.New.Scopes.All[i].Variables {
			if v.Name == e.Local && len(v.Definitions) > 0 {
				return v.Definitions[0].Name.Start
			}
		}
	}
	return p.Undone().Near(e.Node.Range)
}

func exportName(e jsast.Export) string {
	if e.Name == "" {
		return "module.exports"
	}
	return e.Name
}

func signature(p *Pair, name string, was, now *jsast.Function) (list []found) {
	say := func(format string, args ...any) {
		list = append(list, at(now.Start.Offset, name+" "+format, args...))
	}
	switch {
	case was.Async && !now.Async:
		say("is no longer async")
	case !was.Async && now.Async:
		say("is async now")
	}
	if was.Generator != now.Generator {
		say("is a generator: %v, was %v", now.Generator, was.Generator)
	}
	if len(was.Params) != len(now.Params) {
		say("takes %d parameters, was %d", len(now.Params), len(was.Params))
		return list
	}
	before, after := was.Node.List("params"), now.Node.List("params")
	for i := range before {
		if jsast.Diff(before[i], after[i]) != nil {
			say("has another parameter %d: %s, was %s", i+1, excerpt(p.New, after[i]), excerpt(p.Orig, before[i]))
		}
	}
	return list
}

// handling is a try, a part of one or a throw, with what is around it up to its function.
type handling struct {
	key  string
	node *jsast.Node
}

// handlings lists them in order.
func handlings(tree *jsast.Node) []handling {
	var list []handling
	jsast.Walk(tree, func(n *jsast.Node, above []*jsast.Node) bool {
		what := n.Type
		switch n.Type {
		case "TryStatement":
			what += fmt.Sprint(n.Child("handler") != nil, n.Child("finalizer") != nil)
		case "ThrowStatement", "CatchClause":
		default:
			return true
		}
		around := ""
		for i := len(above) - 1; i >= 0 && !isFunction(above[i]); i-- {
			switch a := above[i]; {
			case a.Type == "TryStatement":
				for _, part := range []string{"block", "handler", "finalizer"} {
					if c := a.Child(part); c != nil && c.Holds(n.Range) {
						around += " in " + part
					}
				}
			case a.Type == "IfStatement" || strings.HasSuffix(a.Type, "While") || strings.HasPrefix(a.Type, "For"):
				around += " in " + a.Type
			}
		}
		list = append(list, handling{what + around, n})
		return true
	})
	return list
}

func errorHandling(p *Pair) []found {
	was, now := handlings(jsast.Normal(p.Orig.Tree)), handlings(p.Undone().Stripped)
	var list []found
	var told []jsast.Range
	j := 0
	for _, h := range was {
		k := j
		for k < len(now) && now[k].key != h.key {
			k++
		}
		if k < len(now) {
			j = k + 1
			continue
		}
		if slices.ContainsFunc(told, func(r jsast.Range) bool { return r.Holds(h.node.Range) }) {
			continue // it went with what is around it
		}
		told = append(told, h.node.Range)
		offset := p.Undone().Near(p.lost(h.node, now).Range)
		list = append(list, at(offset, "the %s on line %d of the original is not where it was", handlingNames[h.node.Type], p.Orig.Pos(h.node.Start).Line))
		if len(list) == 3 {
			break
		}
	}
	return list
}

// lost is the catch of a try where only that is gone; else the node itself.
func (p *Pair) lost(n *jsast.Node, now []handling) *jsast.Node {
	clause := n.Child("handler")
	if n.Type != "TryStatement" || clause == nil {
		return n
	}
	at := p.Undone().Near(n.Child("block").Range)
	for _, h := range now {
		if h.node.Type == "TryStatement" && h.node.Child("handler") == nil && h.node.Child("block").Start <= at && at < h.node.Child("block").End {
			return clause
		}
	}
	return n
}

var handlingNames = map[string]string{"TryStatement": "try", "CatchClause": "catch", "ThrowStatement": "throw"}

func moduleSystem(p *Pair) []found {
	var list []found
	for _, i := range p.known().imports {
		switch {
		case i.Form == jsast.ImportStatic && p.Orig.Type == jsast.CommonJS:
			list = append(list, at(i.Node.Start, "import in a CommonJS file"))
		case i.Form == jsast.ImportRequire && p.Orig.Type == jsast.ESModule:
			list = append(list, at(i.Node.Start, "require in an ES module"))
		case i.Form == jsast.ImportDynamic && p.OtherType && p.Orig.Type == jsast.CommonJS:
			list = append(list, at(i.Node.Start, "await import at the top level of a CommonJS file"))
		}
	}
	return slices.CompactFunc(list, func(a, b found) bool { return a.offset == b.offset })
}

func handledErrors(p *Pair) []found {
	var list []found
	for _, c := range p.Undone().Calls {
		if c.Place != edit.InUserHandler || c.Method != "recordException" && !(c.Method == "setStatus" && isError(c)) {
			continue
		}
		if !throwsAfter(c.Clause.Child("body").List("body"), c.Node.Range, false) {
			list = append(list, at(c.Node.Start, "%s in a catch that does not throw the error again", c.Method))
		}
	}
	return list
}

// isError says whether setStatus may set ERROR: not where it says something else.
func isError(c *edit.Call) bool {
	code, said := statusCode(c)
	return !said || code == nil || property(code) != "OK" && property(code) != "UNSET" && code.Text("value") != "1" && code.Text("value") != "0"
}

// setsError says whether setStatus sets ERROR, as far as that can be read.
func setsError(c *edit.Call) bool {
	code, said := statusCode(c)
	return !said || code != nil && (strings.HasSuffix(jsast.Path(code), ".ERROR") || code.Text("value") == "2")
}

// statusCode is the code that setStatus is given; nil for none. said is false where
// its argument is not written out.
func statusCode(c *edit.Call) (code *jsast.Node, said bool) {
	if len(c.Args) == 0 || c.Args[0].Type != "ObjectExpression" {
		return nil, len(c.Args) == 0
	}
	for _, prop := range c.Args[0].List("properties") {
		if prop.Type == "SpreadElement" {
			return nil, false
		}
		if prop.Child("key").Text("name") == "code" {
			return prop.Child("value"), true
		}
	}
	return nil, true
}

var elided = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[\s*/]*(\.\.\.|…)|(\.\.\.|…)[\s*/]*$|\b(existing|original|remaining|previous) (code|implementation|logic|methods?|` +
		`functions?|body|content)\b|\brest of\b|\bunchanged\b|\bsame as (before|above|original)\b|\bcode (stays|remains|omitted)\b`)
})

func elision(p *Pair) []found {
	var list []found
	had := map[string]int{}
	for _, c := range p.Orig.Comments {
		had[c.Normal()]++
	}
	for _, c := range p.New.Comments {
		if had[c.Normal()]--; had[c.Normal()] < 0 && elided().MatchString(c.Text) {
			list = append(list, at(c.Start, "an added comment stands for code: %s", strings.TrimSpace(c.Text)))
		}
	}
	was, now := lines(p.Orig), lines(p.New)
	if len(p.Undone().Spans) > 0 && now*5 < was*4 {
		list = append(list, at(0, "the file has %d lines, was %d", now, was))
	}
	return list
}

func lines(m *jsast.Module) int { return m.Pos(len(m.Source)).Line }
