package edit

import "aburn/instrument/jsast"

// knownAtStart works out which paths a function reads before anything else can happen:
// before a call, an await, an assignment, a branch.
func knownAtStart(f *jsast.Node) paths {
	k := &reading{paths: paths{map[string]bool{}, map[string]bool{}}}
	for _, n := range bodyOf(f.Child("body")) {
		if !k.statement(n) {
			break
		}
	}
	return k.paths
}

type reading struct{ paths }

// statement says whether the one behind it is reached with nothing else done.
func (k *reading) statement(n *jsast.Node) bool {
	switch n.Type {
	case "ExpressionStatement":
		return k.expression(n.Child("expression"))
	case "ReturnStatement", "ThrowStatement":
		if a := n.Child("argument"); a != nil {
			k.expression(a)
		}
		return false
	case "IfStatement":
		k.expression(n.Child("test"))
		return false
	case "VariableDeclaration":
		for _, d := range n.List("declarations") {
			if d.Child("init") != nil && !k.expression(d.Child("init")) {
				return false
			}
			if d.Child("id").Type == "Identifier" {
				continue
			}
			if path := jsast.Path(d.Child("init")); path != "" && d.Child("id").Type == "ObjectPattern" {
				k.present[path] = true
			}
			return false
		}
		return true
	case "FunctionDeclaration", "EmptyStatement":
		return true
	}
	return false
}

// expression visits in the order of evaluation, and says whether all of it only reads.
func (k *reading) expression(n *jsast.Node) bool {
	switch n.Type {
	case "Identifier", "Literal", "ThisExpression", "ArrowFunctionExpression", "FunctionExpression", "TemplateElement":
		return true
	case "MemberExpression":
		if n.Is("optional") || !k.expression(n.Child("object")) {
			return false
		}
		if path := jsast.Path(n.Child("object")); path != "" {
			k.present[path] = true
		}
		if n.Is("computed") && !k.expression(n.Child("property")) {
			return false
		}
		if path := jsast.Path(n); path != "" {
			k.read[path] = true
		}
		return true
	case "AwaitExpression", "UnaryExpression":
		return k.expression(n.Child("argument")) && n.Type == "UnaryExpression" && n.Text("operator") != "delete"
	case "CallExpression", "NewExpression":
		if n.Is("optional") || n.Child("callee").Type == "Super" || !k.expression(n.Child("callee")) {
			return false
		}
		for _, a := range n.List("arguments") {
			if !k.expression(a) {
				return false
			}
		}
		return false
	case "BinaryExpression", "TemplateLiteral", "ArrayExpression":
		for c := range n.Children() {
			if !k.expression(c) {
				return false
			}
		}
		return n.Type != "BinaryExpression" || n.Text("operator") == "===" || n.Text("operator") == "!=="
	}
	return false
}
