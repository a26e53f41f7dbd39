package jsast

import (
	"slices"
	"strconv"
	"strings"
)

// Function is one function of a file.
type Function struct {
	// ID is f1, f2, … in the order in which the functions start.
	ID   string
	Kind FunctionKind
	// Name is its own, or that of the variable, property, field or assignment it
	// is the value of. "" for a callback; then Callee is what it is handed to.
	Name string
	// Owner is the class or the object literal whose member it is.
	Owner  string
	Class  bool // Owner is a class; it may have no name
	Static bool
	Callee string // app.get in app.get('/', async () => {})
	Parent int    // index of the function around it, -1 for none

	Async, Generator bool
	Params           []Param
	// Exported are the names under which others can reach it: "default", "place",
	// "Cart.add" for a method of an exported class or object. "module.exports" where
	// it is all of it. Names with # reach nobody.
	Exported []string

	Node       *Node // the function; of a method its value
	Range            // of the member, for a method, getter or setter; else of the function
	Body       Range // with braces, or of an arrow's expression
	Concise    bool  // the body is an expression
	Start, End Pos   // of Range
}

// Label is how a person finds the function: with its owner, such as Cart.add.
func (f *Function) Label() string {
	switch {
	case f.Name != "" && f.Owner != "":
		return f.Owner + "." + f.Name
	case f.Name != "":
		return f.Name
	case f.Callee != "":
		return "callback of " + f.Callee
	}
	return "anonymous"
}

// FunctionKind says how a function is written.
type FunctionKind string

const (
	Declaration FunctionKind = "declaration"
	Expression  FunctionKind = "expression"
	Arrow       FunctionKind = "arrow"
	Method      FunctionKind = "method"
	Getter      FunctionKind = "getter"
	Setter      FunctionKind = "setter"
	Constructor FunctionKind = "constructor"
)

// Param is one parameter.
type Param struct {
	Range                  // of all of it, its default included
	Names         []string // that it declares
	Default, Rest bool
}

func (m *Module) findFunctions() {
	var around []int // functions around the node, by index
	Walk(m.Tree, func(n *Node, above []*Node) bool {
		switch n.Type {
		case "FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression":
		default:
			return true
		}
		for len(around) > 0 && !m.Functions[around[len(around)-1]].Node.Holds(n.Range) {
			around = around[:len(around)-1]
		}
		f := m.function(n, above)
		f.Parent = -1
		if len(around) > 0 {
			f.Parent = around[len(around)-1]
		}
		around = append(around, len(m.Functions))
		m.Functions = append(m.Functions, f)
		return true
	})
	values := m.exportedValues()
	for i := range m.Functions {
		m.Functions[i].ID = "f" + strconv.Itoa(i+1)
		m.Functions[i].Exported = m.exportedAs(&m.Functions[i], values)
	}
}

// exportedValues gives, for each export, what it stands for; nil where that is
// not in this file.
func (m *Module) exportedValues() []*Node {
	values := make([]*Node, len(m.Exports))
	for i, e := range m.Exports {
		switch {
		case e.From != "":
		case e.Value == nil, e.Value.Type == "Identifier":
			values[i] = m.valueOf(e)
		default:
			values[i] = e.Value
		}
	}
	return values
}

func (m *Module) function(n *Node, above []*Node) Function {
	body := n.Child("body")
	f := Function{
		Kind: Expression, Name: nameOf(n.Child("id")), Node: n, Range: n.Range,
		Async: n.Is("async"), Generator: n.Is("generator"),
		Body: body.Range, Concise: body.Type != "BlockStatement",
	}
	switch n.Type {
	case "FunctionDeclaration":
		f.Kind = Declaration
		if f.Name == "" {
			f.Name = "default"
		}
	case "ArrowFunctionExpression":
		f.Kind = Arrow
	}
	for _, p := range n.List("params") {
		f.Params = append(f.Params, Param{p.Range, boundNames(p), p.Type == "AssignmentPattern", p.Type == "RestElement"})
	}
	f.place(n, above)
	f.Start, f.End = m.Pos(f.Range.Start), m.Pos(f.Range.End)
	return f
}

// place names a function by what it is the value of.
func (f *Function) place(n *Node, above []*Node) {
	if len(above) == 0 || f.Kind == Declaration {
		return
	}
	parent, rest := above[len(above)-1], above[:len(above)-1]
	name := ""
	switch parent.Type {
	case "VariableDeclarator":
		name = nameOf(parent.Child("id"))
	case "AssignmentExpression", "AssignmentPattern":
		name = Path(parent.Child("left"))
	case "ExportDefaultDeclaration":
		name = "default"
	case "CallExpression", "NewExpression":
		if slices.Contains(parent.List("arguments"), n) {
			f.Callee = Path(parent.Child("callee"))
		}
	case "MethodDefinition", "PropertyDefinition":
		if parent.Child("value") == n {
			name = memberName(parent)
			f.Class, f.Static = true, parent.Is("static")
			f.Owner = valueName(rest[:len(rest)-1]) // past ClassBody
			f.member(parent)
		}
	case "Property":
		if parent.Child("value") == n && rest[len(rest)-1].Type == "ObjectExpression" {
			name = memberName(parent)
			f.Owner = valueName(rest)
			f.member(parent)
		}
	}
	if f.Name == "" {
		f.Name = name
	}
}

// memberName is a key, or its source form where it is computed and no string.
func memberName(member *Node) string {
	key := member.Child("key")
	if member.Is("computed") && key.Text("kind") != "string" {
		return "[" + Path(key) + "]"
	}
	return nameOf(key)
}

func (f *Function) member(member *Node) {
	switch kind := member.Text("kind"); {
	case kind == "get":
		f.Kind = Getter
	case kind == "set":
		f.Kind = Setter
	case kind == "constructor":
		f.Kind = Constructor
	case kind == "method", member.Is("method"):
		f.Kind = Method
	default: // a field or property whose value is a function: it stands for itself
		return
	}
	f.Range = member.Range
}

// valueName names a class or object, the last of nodes, by itself or by what it is
// the value of. A value in an object that has a name is called object.key.
func valueName(nodes []*Node) string {
	n, above := nodes[len(nodes)-1], nodes[:len(nodes)-1]
	if id := n.Child("id"); id != nil {
		return nameOf(id)
	}
	if len(above) == 0 {
		return ""
	}
	switch parent := above[len(above)-1]; parent.Type {
	case "VariableDeclarator":
		return nameOf(parent.Child("id"))
	case "AssignmentExpression":
		return Path(parent.Child("left"))
	case "ExportDefaultDeclaration":
		return "default"
	case "Property":
		if len(above) > 1 && above[len(above)-2].Type == "ObjectExpression" {
			if outer := valueName(above[:len(above)-1]); outer != "" {
				return outer + "." + memberName(parent)
			}
		}
	}
	return ""
}

// exportedAs works out under which names others reach a function: it is an
// exported value, the value of an exported variable, or a member of one.
func (m *Module) exportedAs(f *Function, values []*Node) []string {
	var names []string
	add := func(name string) {
		if name == "" {
			name = "module.exports"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, e := range m.Exports {
		value := values[i]
		switch {
		case value == nil:
		case value == f.Node:
			add(e.Name)
		case strings.HasPrefix(f.Name, "#") || !isMemberOf(f, value):
		case e.Name == "": // module.exports = a class, or a variable that holds an object
			if f.Class {
				add("module.exports." + f.Name)
			} else {
				add(f.Name)
			}
		default:
			add(e.Name + "." + f.Name)
		}
	}
	return names
}

// isMemberOf says whether a function stands directly in a class or object.
func isMemberOf(f *Function, value *Node) bool {
	members := value.List("properties")
	if body := value.Child("body"); body != nil && body.Type == "ClassBody" {
		members = body.List("body")
	}
	return slices.ContainsFunc(members, func(n *Node) bool { return n != nil && n.Child("value") == f.Node })
}

// valueOf finds what an exported name stands for: a function or class that is
// declared by that name, or what its variable is initialised with.
func (m *Module) valueOf(e Export) *Node {
	v := m.Scopes.Lookup(e.Node.Start, e.Local)
	if v == nil || len(v.Definitions) != 1 {
		return nil
	}
	node := v.Definitions[0].Node
	var found *Node
	Walk(m.Tree, func(n *Node, _ []*Node) bool {
		if found != nil || !n.Holds(node) {
			return false
		}
		switch {
		case n.Range != node:
		case n.Type == "VariableDeclarator" && n.Child("id").Type == "Identifier":
			found = n.Child("init")
		case n.Type == "FunctionDeclaration", n.Type == "ClassDeclaration":
			found = n
		}
		return found == nil
	})
	return found
}
