package jsast

// Import is one name that a file takes from another module, or one load of a
// module that binds no name.
type Import struct {
	Form   ImportForm
	Module string // as written; "" where it is computed
	// Imported is the name in that module: "default", or "*" for all of it.
	// Local is the name here. Both are "" where nothing is bound.
	Imported, Local string
	Node            *Node // the import declaration, the require call, the import() expression
}

// ImportForm says how a module is loaded.
type ImportForm string

const (
	ImportStatic  ImportForm = "import"
	ImportRequire ImportForm = "require"
	ImportDynamic ImportForm = "import()"
)

// Export is one name that a file gives to others.
type Export struct {
	// Name is "default" for export default, "*" for export * and "" for what
	// module.exports itself is set to.
	Name  string
	Local string // the name of the variable; "" for a value without one
	From  string // the module, where it is handed on
	Node  *Node  // the declaration, the specifier, the assignment, the property
	Value *Node  // the function, class or expression, where it stands there
}

// link finds imports and exports.
func (m *Module) link() {
	Walk(m.Tree, func(n *Node, above []*Node) bool {
		switch n.Type {
		case "ImportDeclaration":
			m.importDeclaration(n)
		case "CallExpression":
			if m.undeclared(n.Child("callee"), "require") && len(n.List("arguments")) > 0 {
				m.load(ImportRequire, n, n.List("arguments")[0], above)
			}
		case "ImportExpression":
			m.load(ImportDynamic, n, n.Child("source"), above)
		case "ExportAllDeclaration":
			name := "*"
			if as := n.Child("exported"); as != nil {
				name = nameOf(as)
			}
			m.Exports = append(m.Exports, Export{Name: name, From: n.Child("source").Text("value"), Node: n})
		case "ExportDefaultDeclaration":
			value := n.Child("declaration")
			local := value.Child("id").Text("name")
			if value.Type == "Identifier" {
				local = value.Text("name")
			}
			m.Exports = append(m.Exports, Export{Name: "default", Local: local, Node: n, Value: value})
		case "ExportNamedDeclaration":
			m.exportNamed(n)
		case "AssignmentExpression":
			m.exportAssigned(n)
		}
		return true
	})
}

// undeclared says whether n is the name that the host gives, not one of the file's own.
func (m *Module) undeclared(n *Node, name string) bool {
	return n != nil && n.Type == "Identifier" && n.Text("name") == name && m.Scopes.Lookup(n.Start, name) == nil
}

// nameOf is the name in an identifier, a private name or a string.
func nameOf(n *Node) string {
	switch {
	case n == nil:
		return ""
	case n.Type == "Literal":
		return n.Text("value")
	case n.Type == "PrivateIdentifier":
		return "#" + n.Text("name")
	}
	return n.Text("name")
}

func (m *Module) importDeclaration(n *Node) {
	module := n.Child("source").Text("value")
	specifiers := n.List("specifiers")
	if len(specifiers) == 0 {
		m.Imports = append(m.Imports, Import{Form: ImportStatic, Module: module, Node: n})
	}
	for _, s := range specifiers {
		i := Import{Form: ImportStatic, Module: module, Local: nameOf(s.Child("local")), Node: n}
		switch s.Type {
		case "ImportDefaultSpecifier":
			i.Imported = "default"
		case "ImportNamespaceSpecifier":
			i.Imported = "*"
		default:
			i.Imported = nameOf(s.Child("imported"))
		}
		m.Imports = append(m.Imports, i)
	}
}

// load is a require or import(): what it binds says what stands around it.
func (m *Module) load(form ImportForm, n, source *Node, above []*Node) {
	i := Import{Form: form, Node: n}
	if source.Text("kind") == "string" {
		i.Module = source.Text("value")
	}
	imported, value := "*", n
	for len(above) > 0 {
		parent := above[len(above)-1]
		above = above[:len(above)-1]
		switch {
		case parent.Type == "AwaitExpression":
		case parent.Type == "MemberExpression" && parent.Child("object") == value && imported == "*" && propertyName(parent) != "":
			imported = propertyName(parent)
		case parent.Type == "VariableDeclarator" && parent.Child("init") == value:
			m.bind(i, imported, parent.Child("id"))
			return
		case parent.Type == "AssignmentExpression" && parent.Child("right") == value:
			m.bind(i, imported, parent.Child("left"))
			return
		default:
			m.Imports = append(m.Imports, i)
			return
		}
		value = parent
	}
	m.Imports = append(m.Imports, i)
}

func (m *Module) bind(i Import, imported string, target *Node) {
	before := len(m.Imports)
	switch {
	case target.Type == "Identifier":
		i.Imported, i.Local = imported, target.Text("name")
		m.Imports = append(m.Imports, i)
		return
	case target.Type == "ObjectPattern" && imported == "*":
		for _, p := range target.List("properties") {
			if p.Type == "RestElement" {
				i.Imported, i.Local = "*", nameOf(p.Child("argument"))
			} else {
				local := p.Child("value")
				if local.Type == "AssignmentPattern" {
					local = local.Child("left")
				}
				if p.Is("computed") || local.Type != "Identifier" {
					continue
				}
				i.Imported, i.Local = nameOf(p.Child("key")), local.Text("name")
			}
			m.Imports = append(m.Imports, i)
		}
	}
	if len(m.Imports) == before {
		m.Imports = append(m.Imports, Import{Form: i.Form, Module: i.Module, Node: i.Node})
	}
}

func (m *Module) exportNamed(n *Node) {
	from := n.Child("source").Text("value")
	for _, s := range n.List("specifiers") {
		m.Exports = append(m.Exports, Export{Name: nameOf(s.Child("exported")), Local: nameOf(s.Child("local")), From: from, Node: s})
	}
	d := n.Child("declaration")
	if d == nil {
		return
	}
	if d.Type != "VariableDeclaration" {
		name := nameOf(d.Child("id"))
		m.Exports = append(m.Exports, Export{Name: name, Local: name, Node: n, Value: d})
		return
	}
	for _, v := range d.List("declarations") {
		if v.Child("id").Type == "Identifier" {
			name := nameOf(v.Child("id"))
			m.Exports = append(m.Exports, Export{Name: name, Local: name, Node: n, Value: v.Child("init")})
			continue
		}
		for _, name := range boundNames(v.Child("id")) {
			m.Exports = append(m.Exports, Export{Name: name, Local: name, Node: n})
		}
	}
}

// boundNames are the names that a pattern declares.
func boundNames(pattern *Node) []string {
	if pattern == nil {
		return nil
	}
	switch pattern.Type {
	case "Identifier":
		return []string{pattern.Text("name")}
	case "AssignmentPattern":
		return boundNames(pattern.Child("left"))
	case "Property":
		return boundNames(pattern.Child("value"))
	case "MemberExpression": // a target of an assignment
		return nil
	}
	var names []string
	for c := range pattern.Children() {
		names = append(names, boundNames(c)...)
	}
	return names
}

// exportAssigned finds exports.x = v, module.exports.x = v and module.exports = v,
// whose value may be a further assignment.
func (m *Module) exportAssigned(n *Node) {
	if m.Type != CommonJS || n.Text("operator") != "=" {
		return
	}
	name, ok := m.exportTarget(n.Child("left"))
	if !ok {
		return
	}
	value := n.Child("right")
	for value.Type == "AssignmentExpression" {
		value = value.Child("right")
	}
	if name != "" {
		m.Exports = append(m.Exports, Export{Name: name, Local: localName(value), Node: n, Value: value})
		return
	}
	if value.Type != "ObjectExpression" {
		m.Exports = append(m.Exports, Export{Local: localName(value), Node: n, Value: value})
		return
	}
	for _, p := range value.List("properties") {
		if p.Type == "Property" && !p.Is("computed") {
			v := p.Child("value")
			m.Exports = append(m.Exports, Export{Name: nameOf(p.Child("key")), Local: localName(v), Node: p, Value: v})
		}
	}
}

func localName(value *Node) string {
	if value.Type == "Identifier" {
		return value.Text("name")
	}
	return value.Child("id").Text("name")
}

// exportTarget gives x of exports.x and module.exports.x, and "" for module.exports.
func (m *Module) exportTarget(left *Node) (name string, ok bool) {
	if m.isModuleExports(left) {
		return "", true
	}
	if left.Type != "MemberExpression" {
		return "", false
	}
	object := left.Child("object")
	name = propertyName(left)
	return name, name != "" && (m.undeclared(object, "exports") || m.isModuleExports(object))
}

func (m *Module) isModuleExports(n *Node) bool {
	return n.Type == "MemberExpression" && propertyName(n) == "exports" && m.undeclared(n.Child("object"), "module")
}

// propertyName is p of o.p, o.#p and o["p"]; "" where it is computed.
func propertyName(member *Node) string {
	p := member.Child("property")
	if member.Is("computed") && p.Text("kind") != "string" {
		return ""
	}
	return nameOf(p)
}

// Path writes a chain of plain members, such as db.users.find or this.#pool;
// "" for anything else.
func Path(n *Node) string {
	if n == nil {
		return ""
	}
	switch n.Type {
	case "Identifier":
		return n.Text("name")
	case "ThisExpression":
		return "this"
	case "Super":
		return "super"
	case "ChainExpression":
		return Path(n.Child("expression"))
	case "MemberExpression":
		object, property := Path(n.Child("object")), propertyName(n)
		if object != "" && property != "" {
			return object + "." + property
		}
	}
	return ""
}
