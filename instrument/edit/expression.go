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

// value is an attribute's expression as it is written.
type value struct {
	code   string
	guards []string // must not be null or undefined
	costly bool
	names  []string // identifiers that it uses
}

// expression checks an expression of a plan and prints it anew, so that nothing of
// its text gets into the file. It cannot throw where it stands: members are read
// with ?. unless known says that the path before them has a value there.
func expression(ctx context.Context, e jsast.Engine, text string, known paths) (*value, *jsast.Node, error) {
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
	n := body[0].Child("expression")
	if bad := Impure(n); bad != nil {
		return nil, nil, fmt.Errorf("the expression has an effect: %s", m.Text(bad.Range))
	}
	if bad := throwing(n); bad != nil {
		return nil, nil, fmt.Errorf("the expression can throw: %s", m.Text(bad.Range))
	}
	p := &printer{m: m, known: known}
	v := &value{code: p.print(n), costly: Costly(n)}
	if p.failed != "" {
		return nil, nil, fmt.Errorf("the expression holds a %s", p.failed)
	}
	p.guards(n, v)
	for _, s := range m.Scopes.All {
		for _, r := range s.References {
			if m.Scopes.Resolve(r) == nil && !slices.Contains(v.names, r.Name) {
				v.names = append(v.names, r.Name)
			}
		}
	}
	return v, n, nil
}

// mayThrow are pure calls that throw on some values: circular ones, dates that are none.
var mayThrow = []string{"JSON.stringify", "BigInt", "toISOString", "toJSON", "repeat", "toFixed", "toPrecision", "reduce", "localeCompare"}

// throwing gives the first part that can throw for a reason that no ?. prevents.
func throwing(n *jsast.Node) *jsast.Node {
	var found *jsast.Node
	jsast.Walk(n, func(c *jsast.Node, _ []*jsast.Node) bool {
		op := c.Text("operator")
		if found == nil && (c.Type == "CallExpression" && calls(c, mayThrow, mayThrow) || c.Type == "BinaryExpression" && (op == "in" || op == "instanceof")) {
			found = c
		}
		return found == nil
	})
	return found
}

// paths are what is known of paths at a place: present have a value, read were read
// by the code itself, so that reading them is no news.
type paths struct{ present, read map[string]bool }

type printer struct {
	m      *jsast.Module
	known  paths
	failed string // the type of a node that is not printed
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
		return slices.Contains(pureFunctions, jsast.Path(n.Child("callee")))
	case "Identifier":
		if slices.ContainsFunc(pureFunctions, func(f string) bool { return strings.HasPrefix(f, n.Text("name")+".") }) {
			return true
		}
	}
	path := jsast.Path(n)
	return path != "" && p.known.present[path]
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
	if slices.Contains(pureFunctions, jsast.Path(callee)) {
		return jsast.Path(callee) + args
	}
	if callee.Type == "ChainExpression" {
		callee = callee.Child("expression")
	}
	// A method that is not there would throw too.
	return p.member(callee) + "?." + args
}

func (p *printer) arrow(n *jsast.Node) string {
	var params []string
	inner := &printer{m: p.m, known: p.known}
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
func (p *printer) guards(n *jsast.Node, v *value) {
	switch n.Type {
	case "LogicalExpression", "ConditionalExpression", "ArrowFunctionExpression", "UnaryExpression":
		return // they say what to do without
	case "ChainExpression":
		p.guards(n.Child("expression"), v)
		return
	case "Identifier", "MemberExpression":
		if p.present(n) || n.Text("name") == "undefined" {
			return
		}
		if path := jsast.Path(n); path != "" && p.known.read[path] {
			return
		}
		if code := p.print(n); !slices.Contains(v.guards, code) {
			v.guards = append(v.guards, code)
		}
		return
	case "CallExpression":
		if callee := n.Child("callee"); callee.Type == "MemberExpression" && !slices.Contains(pureFunctions, jsast.Path(callee)) {
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

// known works out which paths a function reads before anything else can happen:
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
