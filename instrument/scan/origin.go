package scan

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// origins says which package a value comes from: what an import gives, what is
// constructed or connected with it, and what holds that.
type origins struct {
	m         *jsast.Module
	variables map[*jsast.Variable]string
	members   map[string]string // this.pool
	handlers  map[*jsast.Node]string
	functions map[*jsast.Node]*jsast.Function
}

func findOrigins(m *jsast.Module) *origins {
	o := &origins{m: m, variables: map[*jsast.Variable]string{}, members: map[string]string{}, handlers: map[*jsast.Node]string{},
		functions: map[*jsast.Node]*jsast.Function{}}
	for i := range m.Functions {
		o.functions[m.Functions[i].Node] = &m.Functions[i]
	}
	for _, i := range m.Imports {
		if pkg := packageOf(i.Module); pkg != "" && i.Local != "" {
			o.variables[m.Scopes.Lookup(i.Node.Start, i.Local)] = pkg
		}
	}
	delete(o.variables, nil)
	// A value may be handed on by what stands further down; three rounds are enough for
	// import, client and what the client gives.
	for range 3 {
		before := len(o.variables) + len(o.members)
		o.follow()
		if len(o.variables)+len(o.members) == before {
			break
		}
	}
	o.findHandlers()
	return o
}

// follow takes one more step through declarations, assignments and fields.
func (o *origins) follow() {
	jsast.Walk(o.m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		switch n.Type {
		case "VariableDeclarator":
			if pkg := o.held(n.Child("init")); pkg != "" {
				o.bind(n.Child("id"), pkg)
			}
		case "AssignmentExpression":
			if pkg := o.held(n.Child("right")); pkg != "" && n.Text("operator") == "=" {
				o.bind(n.Child("left"), pkg)
			}
		case "PropertyDefinition":
			if pkg := o.held(n.Child("value")); pkg != "" && !n.Is("computed") {
				name := n.Child("key").Text("name")
				if n.Child("key").Type == "PrivateIdentifier" {
					name = "#" + name
				}
				o.members["this."+name] = pkg
			}
		}
		return true
	})
}

func (o *origins) bind(target *jsast.Node, pkg string) {
	switch target.Type {
	case "Identifier":
		if v := o.m.Scopes.Lookup(target.Start, target.Text("name")); v != nil {
			o.variables[v] = pkg
		}
	case "MemberExpression":
		if path := jsast.Path(target); path != "" {
			o.members[path] = pkg
		}
	case "ObjectPattern":
		for _, p := range target.List("properties") {
			if p.Type == "Property" {
				o.bind(p.Child("value"), pkg)
			}
		}
	case "AssignmentPattern":
		o.bind(target.Child("left"), pkg)
	}
}

// giving begin the names of functions whose result is a client, not data.
var giving = []string{"create", "connect", "open", "getConnection", "getClient", "getDb", "model", "collection", "db", "client", "pool", "router", "acquire",
	"launch", "init", "make", "build", "promises"}

// held is the package of a value that a variable keeps: a client, not what it
// answered.
func (o *origins) held(n *jsast.Node) string {
	if n == nil {
		return ""
	}
	switch n.Type {
	case "AwaitExpression":
		return o.held(n.Child("argument"))
	case "LogicalExpression":
		if pkg := o.held(n.Child("left")); pkg != "" {
			return pkg
		}
		return o.held(n.Child("right"))
	case "CallExpression":
		callee := n.Child("callee")
		if o.isPromisify(callee) && len(n.List("arguments")) > 0 {
			return o.of(n.List("arguments")[0])
		}
		if o.loaded(n) != "" {
			return o.loaded(n)
		}
		name := strings.ToLower(lastName(callee))
		if callee.Type == "Identifier" && o.imported(callee) || o.loaded(callee) != "" ||
			slices.ContainsFunc(giving, func(g string) bool { return strings.HasPrefix(name, strings.ToLower(g)) }) {
			return o.of(callee)
		}
		return ""
	}
	return o.of(n)
}

// imported says whether a name is that of an import which is called itself, such as
// express(). Functions of node's own modules answer with data.
func (o *origins) imported(n *jsast.Node) bool {
	pkg := o.of(n)
	return pkg != "" && !slices.Contains(outside, pkg)
}

func (o *origins) isPromisify(callee *jsast.Node) bool {
	return lastName(callee) == "promisify" && o.of(callee) == "util"
}

// loaded is the package of require('x') and import('x').
func (o *origins) loaded(n *jsast.Node) string {
	for _, i := range o.m.Imports {
		if i.Node == n && i.Form != jsast.ImportStatic {
			return packageOf(i.Module)
		}
	}
	return ""
}

// of is the package that an expression belongs to; "" for the project's own and for
// what is not known. "fetch" is node's own.
func (o *origins) of(n *jsast.Node) string {
	if n == nil {
		return ""
	}
	switch n.Type {
	case "Identifier":
		v := o.m.Scopes.Lookup(n.Start, n.Text("name"))
		if v == nil && n.Text("name") == "fetch" {
			return "fetch"
		}
		return o.variables[v]
	case "MemberExpression":
		if pkg := o.members[jsast.Path(n)]; pkg != "" {
			return pkg
		}
		if path := jsast.Path(n); path == "globalThis.fetch" || path == "window.fetch" {
			return "fetch"
		}
		return o.of(n.Child("object"))
	case "CallExpression":
		if pkg := o.loaded(n); pkg != "" {
			return pkg
		}
		return o.of(n.Child("callee"))
	case "ImportExpression":
		return o.loaded(n)
	case "NewExpression":
		return o.of(n.Child("callee"))
	case "AwaitExpression": // what a call answers is data; a module that is loaded is not
		if n.Child("argument").Type == "ImportExpression" {
			return o.loaded(n.Child("argument"))
		}
	case "ChainExpression":
		return o.of(n.Child("expression"))
	}
	return ""
}

func lastName(callee *jsast.Node) string {
	switch callee.Type {
	case "Identifier":
		return callee.Text("name")
	case "MemberExpression":
		if !callee.Is("computed") {
			return callee.Child("property").Text("name")
		}
	}
	return ""
}

// routing are methods by which a server is given handlers.
var routing = []string{"get", "post", "put", "patch", "delete", "head", "options", "use", "all", "route", "on", "createServer"}

// findHandlers finds the functions that are handed to a server, there or by name.
func (o *origins) findHandlers() {
	jsast.Walk(o.m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type != "CallExpression" || !slices.Contains(routing, lastName(n.Child("callee"))) {
			return true
		}
		pkg := o.of(n.Child("callee"))
		if !slices.Contains(servers, pkg) {
			return true
		}
		for _, a := range n.List("arguments") {
			if f := o.functionOf(a); f != nil {
				o.handlers[f.Node] = pkg
			}
		}
		return true
	})
}

// functionOf is the function that an expression is or names.
func (o *origins) functionOf(n *jsast.Node) *jsast.Function {
	if n == nil || n.Type != "Identifier" {
		return o.functions[n]
	}
	v := o.m.Scopes.Lookup(n.Start, n.Text("name"))
	if v == nil || len(v.Definitions) != 1 || v.Definitions[0].Kind == "Parameter" {
		return nil
	}
	at := v.Definitions[0].Node
	for i := range o.m.Functions {
		if f := &o.m.Functions[i]; f.Node.Range == at || at.Holds(f.Node.Range) && f.Node.End == at.End {
			return f
		}
	}
	return nil
}
