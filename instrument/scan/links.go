package scan

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// links are what a look at the whole project needs of one module: which functions call which,
// and what it gives to other modules.
type links struct {
	exports []exportLink
	calls   [][]target // by function
	top     []target   // calls outside of functions
	wraps   string     // a module of node's own that it is a wrapper of; "" for none
}

// target is a function that is called or exported: one of the module, by its index, or a name of
// another module. name is "" for a module that is a function itself.
type target struct {
	function     int // -1 for one of another module
	module, name string
	call         string // as it is written
}

// exportLink is a name that a module gives, "" for what module.exports is, "*" for all of a module.
type exportLink struct {
	name  string
	class string // the class that is given; "" for none
	to    []target
}

// wrapped are packages that are node's own modules with another face.
var wrapped = map[string]string{"graceful-fs": "fs", "fs-extra": "fs", "mz": "fs", "cross-spawn": "child_process", "execa": "child_process"}

type linker struct {
	*origins
	index map[*jsast.Node]int
	inits map[*jsast.Variable]*jsast.Node
}

func (o *origins) links() *links {
	l := &linker{origins: o, index: map[*jsast.Node]int{}, inits: map[*jsast.Variable]*jsast.Node{}}
	for i := range o.m.Functions {
		l.index[o.m.Functions[i].Node] = i
	}
	out := &links{calls: make([][]target, len(o.m.Functions))}
	for _, i := range o.m.Imports {
		pkg := packageOf(i.Module)
		if own := wrapped[pkg]; own != "" {
			pkg = own
		}
		if slices.Contains(outside, pkg) && out.wraps == "" {
			out.wraps = pkg
		}
	}
	jsast.Walk(o.m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		switch n.Type {
		case "VariableDeclarator":
			if id := n.Child("id"); id.Type == "Identifier" && n.Child("init") != nil {
				l.inits[o.m.Scopes.Lookup(id.Start, id.Text("name"))] = n.Child("init")
			}
		case "AssignmentExpression":
			out.exports = append(out.exports, l.spreads(n)...)
		}
		return true
	})
	delete(l.inits, nil)
	jsast.Walk(o.m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		if n.Type == "CallExpression" {
			l.add(out, n, above)
		}
		return true
	})
	for _, e := range o.m.Exports {
		out.exports = append(out.exports, l.export(e))
		if e.Name == "" && e.Local != "" {
			out.exports = append(out.exports, l.membersOf(e.Local)...)
		}
	}
	return out
}

// add notes a call at the named function around it. Callbacks are parts of that.
func (l *linker) add(out *links, n *jsast.Node, above []*jsast.Node) {
	at := -1
	for _, p := range slices.Backward(above) {
		if i, ok := l.index[p]; ok {
			if at < 0 || l.m.Functions[at].Name == "" {
				at = i
			}
			if l.m.Functions[i].Name != "" {
				break
			}
		}
	}
	class := ""
	if at >= 0 {
		class, _, _ = strings.Cut(l.m.Functions[at].Label(), ".")
	}
	t, ok := l.callee(n.Child("callee"), class)
	switch {
	case !ok:
	case at < 0:
		out.top = append(out.top, t)
	default:
		out.calls[at] = append(out.calls[at], t)
	}
}

// callee is the function that a call names. class is that of the function around it.
func (l *linker) callee(n *jsast.Node, class string) (t target, ok bool) {
	t = target{function: -1, call: jsast.Path(n)}
	switch n.Type {
	case "Identifier":
		if f := l.functionOf(n); f != nil {
			t.function = l.index[f.Node]
			return t, true
		}
		t.module, t.name, ok = l.importOf(n)
		return t, ok
	case "MemberExpression":
		object := n.Child("object")
		if object.Type == "ThisExpression" && class != "" {
			for i := range l.m.Functions {
				if l.m.Functions[i].Label() == class+strings.TrimPrefix(t.call, "this") {
					t.function = i
					return t, true
				}
			}
		}
		if module, name, is := l.importOf(object); is && (name == "" || name == "default") && lastName(n) != "" {
			t.module, t.name = module, lastName(n)
			return t, true
		}
	}
	return t, false
}

// importOf is the module of the project, and the name in it, that a variable has. The name is ""
// for the module itself.
func (l *linker) importOf(n *jsast.Node) (module, name string, ok bool) {
	if n.Type != "Identifier" {
		return "", "", false
	}
	v := l.m.Scopes.Lookup(n.Start, n.Text("name"))
	for _, i := range l.m.Imports {
		if v != nil && i.Local == n.Text("name") && strings.HasPrefix(i.Module, ".") && l.m.Scopes.Lookup(i.Node.Start, i.Local) == v {
			return i.Module, strings.TrimPrefix(i.Imported, "*"), true
		}
	}
	return "", "", false
}

// membersOf are names that an object gets one by one before module.exports is set to it.
func (l *linker) membersOf(object string) (list []exportLink) {
	jsast.Walk(l.m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		if n.Type == "AssignmentExpression" {
			if of, name, ok := strings.Cut(jsast.Path(n.Child("left")), "."); ok && of == object && !strings.Contains(name, ".") {
				list = append(list, exportLink{name: name, to: l.value(n.Child("right"), 0)})
			}
		}
		return !isFunction(n)
	})
	return list
}

// spreads are modules whose names module.exports takes: {...require('./copy')}, and all of one.
func (l *linker) spreads(n *jsast.Node) (list []exportLink) {
	if jsast.Path(n.Child("left")) != "module.exports" || n.Child("right").Type != "ObjectExpression" {
		return nil
	}
	for _, p := range n.Child("right").List("properties") {
		if p.Type == "SpreadElement" {
			if module := l.required(p.Child("argument")); module != "" {
				list = append(list, exportLink{name: "*", to: []target{{function: -1, module: module}}})
			}
		}
	}
	return list
}

// required is the project's module of require('./x'), there or in a variable.
func (l *linker) required(n *jsast.Node) string {
	if module, name, ok := l.importOf(n); ok && name == "" {
		return module
	}
	for _, i := range l.m.Imports {
		if i.Node == n && strings.HasPrefix(i.Module, ".") {
			return i.Module
		}
	}
	return ""
}

func (l *linker) export(e jsast.Export) exportLink {
	out := exportLink{name: e.Name}
	if e.From != "" {
		if strings.HasPrefix(e.From, ".") {
			out.to = []target{{function: -1, module: e.From, name: strings.TrimPrefix(e.Local, "*")}}
		}
		return out
	}
	value := e.Value
	if value != nil && (value.Type == "ClassDeclaration" || value.Type == "ClassExpression") {
		out.class = e.Local
		return out
	}
	if value == nil || value.Type == "Identifier" {
		name := e.Local
		for i := range l.m.Functions {
			if class, _, method := strings.Cut(l.m.Functions[i].Label(), "."); method && class == name {
				out.class = name
			}
		}
		for v, init := range l.inits {
			if value == nil && v.Name == name {
				value = init
			}
		}
		for i := range l.m.Functions {
			if value == nil && l.m.Functions[i].Name == name && l.m.Functions[i].Parent < 0 {
				out.to = append(out.to, target{function: i})
			}
		}
	}
	out.to = append(out.to, l.value(value, 0)...)
	return out
}

// value are the functions that a value is, or is made of: u(copy), run.bind(this).
func (l *linker) value(n *jsast.Node, depth int) (list []target) {
	if n == nil || depth > 4 {
		return nil
	}
	if i, ok := l.index[n]; ok {
		return []target{{function: i}}
	}
	switch n.Type {
	case "Identifier":
		if f := l.functionOf(n); f != nil {
			return []target{{function: l.index[f.Node]}}
		}
		if module, name, ok := l.importOf(n); ok {
			return []target{{function: -1, module: module, name: name}}
		}
		return l.value(l.inits[l.m.Scopes.Lookup(n.Start, n.Text("name"))], depth+1)
	case "CallExpression":
		if module := l.required(n); module != "" {
			return []target{{function: -1, module: module}}
		}
		if callee := n.Child("callee"); lastName(callee) == "bind" {
			return l.value(callee.Child("object"), depth+1)
		}
		for _, a := range n.List("arguments") {
			if list = l.value(a, depth+1); len(list) > 0 {
				return list
			}
		}
	case "MemberExpression":
		if t, ok := l.callee(n, ""); ok {
			return []target{t}
		}
		for i := range l.m.Functions { // client.copy, where one class has the method
			if _, method, is := strings.Cut(l.m.Functions[i].Label(), "."); is && method == lastName(n) {
				list = append(list, target{function: i})
			}
		}
		if len(list) != 1 {
			return nil
		}
	}
	return list
}
