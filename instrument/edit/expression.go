package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// maxExpression bounds an attribute's expression, in bytes.
const maxExpression = 200

// setValue is an attribute's expression as it is written.
type setValue struct {
	code   string
	guards []string // conditions without which it is not evaluated
	costly bool
	names  []string // identifiers that it uses
}

// maxGuards bounds the types that are tested for one expression.
const maxGuards = 3

// expression checks an expression of a plan and prints it anew, so that nothing of its text gets
// into the file. It is harmless where it stands: members are read with ?. unless known says that the
// path before them has a value there, and what has to be of a type is tested first.
func expression(ctx context.Context, e jsast.Engine, text string, at place) (*setValue, error) {
	m, n, err := parseExpression(ctx, e, text)
	if err != nil {
		return nil, err
	}
	p := &printer{m: m, known: at.paths, typed: map[string]bool{}}
	v := &setValue{costly: Costly(n)}
	if err := p.testTypes(n, v, at.accessors); err != nil {
		return nil, err
	}
	v.code = p.print(n)
	if p.failed != "" {
		return nil, fmt.Errorf("the expression holds a %s", p.failed)
	}
	p.guards(n, v)
	for _, s := range m.Scopes.All {
		for _, r := range s.References {
			if m.Scopes.Resolve(r) == nil && !slices.Contains(v.names, r.Name) {
				v.names = append(v.names, r.Name)
			}
		}
	}
	return v, nil
}

func parseExpression(ctx context.Context, e jsast.Engine, text string) (*jsast.Module, *jsast.Node, error) {
	if len(text) > maxExpression {
		return nil, nil, fmt.Errorf("the expression is longer than %d bytes", maxExpression)
	}
	m, err := jsast.Parse(ctx, e, []byte("("+text+")"), jsast.CommonJS)
	if err != nil {
		var syntax *jsast.SyntaxError
		if errors.As(err, &syntax) {
			return nil, nil, fmt.Errorf("the expression is no JavaScript: %s", syntax.Message)
		}
		return nil, nil, err
	}
	if m.Pos(len(m.Source)).Line > 1 {
		return nil, nil, errors.New("the expression is longer than a line")
	}
	body := m.Tree.List("body")
	if len(body) != 1 || body[0].Type != "ExpressionStatement" || body[0].Start != 0 || len(m.Comments) > 0 {
		return nil, nil, errors.New("the expression is not one expression")
	}
	return m, body[0].Child("expression"), nil
}

// testTypes refuses what isn't harmless. Where a test of a type would make it so, it writes that test.
func (p *printer) testTypes(n *jsast.Node, v *setValue, accessors map[string]bool) error {
	around := surroundings{
		global:   func(n *jsast.Node) bool { return isGlobal(p.m, n) },
		constant: func(*jsast.Node) *jsast.Node { return nil },
		isSpan:   func(*jsast.Node) bool { return false },
		isAPI:    func(*jsast.Node) bool { return false },
		caught:   func(*jsast.Node) bool { return false },
		accessor: func(name string) bool { return accessors[name] },
	}
	k := known{}
	var guards []string
	for {
		j := &judge{surroundings: around}
		j.eval(n, k)
		r := j.refused
		if r == nil {
			break
		}
		root := rootOf(r.Node)
		if r.types != 0 && r.path != jsast.Path(r.Node) { // it is about the object of a call
			root = rootOf(r.Node.Child("callee"))
		}
		if r.path == "" || r.Throws || len(guards) == maxGuards || root == nil || root.Type == "Identifier" && !isGlobal(p.m, root) {
			verb := "has an effect"
			if r.Throws {
				verb = "can throw"
			}
			return fmt.Errorf("the expression %s: %s: %s", verb, p.m.Text(r.Node.Range), r)
		}
		path := r.Node
		if jsast.Path(path) != r.path {
			path = calleeOf(path).Child("object")
		}
		code := p.print(path)
		if p.failed != "" {
			return fmt.Errorf("the expression holds a %s", p.failed)
		}
		test, t := "typeof "+code+" === 'string'", stringType
		switch {
		case r.types == numberType, r.types&stringType == 0, isArithmetic(n, path):
			test, t = "typeof "+code+" === 'number'", numberType
		case r.types != stringType:
			test, t = "typeof "+code+" === 'string' || typeof "+code+" === 'number'", stringType|numberType
		}
		guards = append(guards, test)
		k = present(k, path).with(r.path, t)
		for path := range k { // the next test is evaluated only if this one is true
			p.typed[path] = true
		}
	}
	v.guards = guards
	return nil
}

// isArithmetic says whether a part of an expression is compared, or is an operand of what needs numbers.
func isArithmetic(n, part *jsast.Node) (is bool) {
	jsast.Walk(n, func(c *jsast.Node, above []*jsast.Node) bool {
		if c == part && len(above) > 0 {
			up := above[len(above)-1]
			is = up.Type == "BinaryExpression" && (!slices.Contains([]string{"+", "==", "!="}, up.Text("operator")) ||
				up.Child("left").Text("kind") == "number" || up.Child("right").Text("kind") == "number") ||
				up.Type == "UnaryExpression" || up.Type == "CallExpression" && slices.Contains(up.List("arguments"), c) && jsast.Path(up.Child("callee")) != "String"
		}
		return !is
	})
	return is
}

func calleeOf(call *jsast.Node) *jsast.Node {
	callee := call.Child("callee")
	if callee.Type == "ChainExpression" {
		return callee.Child("expression")
	}
	return callee
}

// place is what is known where an attribute is set.
type place struct {
	paths
	accessors map[string]bool // members that the file gives getters
}

// paths are what is known of paths at a place: present have a value, read were read
// by the code itself, so that reading them is no news.
type paths struct{ present, read map[string]bool }

type printer struct {
	m      *jsast.Module
	known  paths
	typed  map[string]bool // paths whose type is tested before
	failed string          // the type of a node that is not printed
}

// print writes parentheses wherever precedence could matter.
func (p *printer) print(n *jsast.Node) string {
	switch n.Type {
	case "Identifier":
		return n.Text("name")
	case "ThisExpression":
		return "this"
	case "Literal":
		return p.m.Text(n.Range)
	case "TemplateLiteral":
		return p.template(n)
	case "ChainExpression":
		return p.print(n.Child("expression"))
	case "MemberExpression":
		return p.member(n)
	case "CallExpression":
		return p.call(n)
	case "UnaryExpression":
		op := n.Text("operator")
		if op != "!" {
			op += " "
		}
		return op + p.operand(n.Child("argument"))
	case "BinaryExpression", "LogicalExpression":
		return p.operand(n.Child("left")) + " " + n.Text("operator") + " " + p.operand(n.Child("right"))
	case "ConditionalExpression":
		return p.operand(n.Child("test")) + " ? " + p.operand(n.Child("consequent")) + " : " + p.operand(n.Child("alternate"))
	case "ArrayExpression":
		return "[" + p.join(n.List("elements")) + "]"
	case "ArrowFunctionExpression":
		return p.arrow(n)
	}
	p.failed = n.Type
	return ""
}

func (p *printer) join(list []*jsast.Node) string {
	var out []string
	for _, n := range list {
		if n == nil {
			p.failed = "hole"
			continue
		}
		out = append(out, p.print(n))
	}
	return strings.Join(out, ", ")
}

func (p *printer) operand(n *jsast.Node) string {
	switch n.Type {
	case "BinaryExpression", "LogicalExpression", "ConditionalExpression", "UnaryExpression", "ArrowFunctionExpression":
		return "(" + p.print(n) + ")"
	}
	return p.print(n)
}

func (p *printer) template(n *jsast.Node) string {
	var b strings.Builder
	b.WriteByte('`')
	for i, q := range n.List("quasis") {
		b.WriteString(q.Text("raw"))
		if e := n.List("expressions"); i < len(e) {
			b.WriteString("${" + p.print(e[i]) + "}")
		}
	}
	return b.String() + "`"
}

// present says whether an expression has a value for sure, so that . may follow.
func (p *printer) present(n *jsast.Node) bool {
	switch n.Type {
	case "Literal", "TemplateLiteral", "ArrayExpression":
		return n.Text("kind") != "null"
	case "CallExpression":
		if calleeOf(n).Type == "MemberExpression" { // of a value whose type is known
			return !slices.Contains([]string{"at", "codePointAt", "find"}, propertyOf(calleeOf(n)))
		}
		return isBuiltin(jsast.Path(n.Child("callee")))
	case "Identifier":
		if isBuiltin(n.Text("name")) {
			return true
		}
	}
	path := jsast.Path(n)
	return path != "" && (p.known.present[path] || p.typed[path])
}

func (p *printer) member(n *jsast.Node) string {
	object, property := n.Child("object"), n.Child("property")
	if property.Type == "PrivateIdentifier" {
		p.failed = "private name"
		return ""
	}
	dot := "?."
	if p.present(object) {
		dot = "."
	}
	text := p.operand(object)
	if object.Type == "Literal" && object.Text("kind") != "string" {
		text = "(" + text + ")"
	}
	if !n.Is("computed") {
		return text + dot + property.Text("name")
	}
	if dot == "." {
		dot = ""
	}
	return text + dot + "[" + p.print(property) + "]"
}

func (p *printer) call(n *jsast.Node) string {
	args := "(" + p.join(n.List("arguments")) + ")"
	callee := n.Child("callee")
	if isBuiltin(jsast.Path(callee)) {
		return jsast.Path(callee) + args
	}
	return p.member(calleeOf(n)) + args // a method of a value whose type is known
}

func (p *printer) arrow(n *jsast.Node) string {
	var params []string
	inner := &printer{m: p.m, known: p.known, typed: p.typed}
	for _, param := range n.List("params") {
		if param.Type != "Identifier" {
			p.failed = "pattern"
			return ""
		}
		params = append(params, param.Text("name"))
	}
	body := inner.operand(n.Child("body"))
	if inner.failed != "" {
		p.failed = inner.failed
	}
	return "(" + strings.Join(params, ", ") + ") => " + body
}

// guards finds the outermost paths without which there is nothing to say.
func (p *printer) guards(n *jsast.Node, v *setValue) {
	switch n.Type {
	case "LogicalExpression", "ConditionalExpression", "ArrowFunctionExpression", "UnaryExpression":
		return // they say what to do without
	case "ChainExpression":
		p.guards(n.Child("expression"), v)
		return
	case "Identifier", "MemberExpression":
		if p.present(n) || n.Text("name") == "undefined" || n.Type == "MemberExpression" && n.Child("object").Type == "CallExpression" && propertyOf(n) == "length" {
			return
		}
		if path := jsast.Path(n); path != "" && p.known.read[path] {
			return
		}
		if code := p.print(n) + " != null"; !slices.Contains(v.guards, code) {
			v.guards = append(v.guards, code)
		}
		return
	case "CallExpression":
		if callee := n.Child("callee"); callee.Type == "MemberExpression" && !isBuiltin(jsast.Path(callee)) {
			p.guards(callee.Child("object"), v)
		}
		for _, a := range n.List("arguments") {
			p.guards(a, v)
		}
		return
	}
	for c := range n.Children() {
		p.guards(c, v)
	}
}
