package jsast

import (
	"fmt"
	"slices"
	"strings"
)

// Types that only normal forms have.
const (
	// Key is the name of a property, method or field, however it is quoted: text name.
	Key = "Key"
	// LogicalChain is a && (b && c) and (a && b) && c alike: text operator, list operands.
	LogicalChain = "LogicalChain"
)

// Normal gives the normal form of a tree: two trees with equal normal forms do the
// same. It is a copy, with the positions of the original. What is taken out is what
// a formatter may choose, beside what the tree never had (parentheses, commas,
// quotes, the spelling of numbers):
//
//   - empty statements in a list;
//   - braces around the one statement of an if or a loop;
//   - quotes around the name of a property;
//   - the grouping of a chain of one logical operator;
//   - in JSX: white space that is not rendered, {" "} for a blank, braces around a
//     string, <a></a> for <a/>.
//
// Templates, regular expressions, directives and the values of strings stay as they
// are, so what a formatter does to CSS in a template is a difference.
func Normal(n *Node) *Node {
	if n == nil {
		return nil
	}
	out := &Node{Type: n.Type, Range: n.Range, Fields: make([]Field, 0, len(n.Fields))}
	for _, f := range n.Fields {
		if !spelling(n, f.Name) {
			out.Fields = append(out.Fields, normalField(n, f))
		}
	}
	switch n.Type {
	case "LogicalExpression":
		return logicalChain(out)
	case "JSXAttribute":
		unbrace(out.Field("value"))
	}
	return out
}

// spelling says whether a field tells only how n is written.
func spelling(n *Node, field string) bool {
	switch n.Type {
	case "ExpressionStatement":
		return field == "expression" && n.Field("directive") != nil
	case "JSXElement":
		return field == "closingElement"
	case "JSXOpeningElement":
		return field == "selfClosing"
	}
	return false
}

func normalField(n *Node, f Field) Field {
	switch {
	case f.Kind == NodeField && f.Name == "key" && !n.Is("computed") && f.Node.Type != "PrivateIdentifier":
		name := Field{Name: "name", Kind: TextField, Text: nameOf(f.Node)}
		f.Node = &Node{Type: Key, Range: f.Node.Range, Fields: []Field{name}}
		if odd := n.Child("key").Field("value16"); odd != nil {
			f.Node.Fields = []Field{*odd}
		}
	case f.Kind == NodeField:
		f.Node = Normal(f.Node)
		if isBranch(n.Type, f.Name) {
			f.Node = WithoutBraces(f.Node)
		}
	case f.Kind == ListField && f.Name == "children":
		f.List = rendered(f.List)
	case f.Kind == ListField:
		from := f.List
		f.List = make([]*Node, 0, len(from))
		for _, c := range from {
			if c == nil || c.Type != "EmptyStatement" {
				f.List = append(f.List, Normal(c))
			}
		}
	}
	return f
}

func isBranch(typ, field string) bool {
	switch typ {
	case "IfStatement":
		return field == "consequent" || field == "alternate"
	case "ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement":
		return field == "body"
	}
	return false
}

// WithoutBraces gives the one statement of a block that is the body of an if or a
// loop. It keeps braces that give a declaration its scope.
func WithoutBraces(n *Node) *Node {
	if n.Type != "BlockStatement" || len(n.List("body")) != 1 {
		return n
	}
	switch only := n.List("body")[0]; only.Type {
	case "VariableDeclaration":
		if only.Text("kind") == "var" {
			return only
		}
		return n
	case "FunctionDeclaration", "ClassDeclaration":
		return n
	default:
		return only
	}
}

func logicalChain(n *Node) *Node {
	operator := n.Text("operator")
	var operands []*Node
	for _, side := range []string{"left", "right"} {
		c := n.Child(side)
		if c.Type == LogicalChain && c.Text("operator") == operator {
			operands = append(operands, c.List("operands")...)
		} else {
			operands = append(operands, c)
		}
	}
	return &Node{Type: LogicalChain, Range: n.Range, Fields: []Field{
		{Name: "operands", Kind: ListField, List: operands},
		{Name: "operator", Kind: TextField, Text: operator},
	}}
}

// unbrace turns a={"b"} into a="b". Compilers join the lines of a string that has no braces.
func unbrace(f *Field) {
	if f == nil || f.Node == nil || f.Node.Type != "JSXExpressionContainer" {
		return
	}
	if c := f.Node.Child("expression"); c.Type == "Literal" && c.Text("kind") == "string" && !strings.Contains(c.Text("value"), "\n") {
		f.Node = c
	}
}

// rendered are the children of an element as React gets them, with texts that
// follow one another in one.
func rendered(children []*Node) []*Node {
	out := make([]*Node, 0, len(children))
	for _, c := range children {
		text, isText := jsxText(c)
		if isText && text == "" || c.Type == "JSXExpressionContainer" && c.Child("expression").Type == "JSXEmptyExpression" {
			continue
		}
		if !isText {
			out = append(out, Normal(c))
			continue
		}
		if len(out) > 0 && out[len(out)-1].Type == "JSXText" {
			last := out[len(out)-1]
			last.Fields[0].Text += text
			last.End = c.End
			continue
		}
		out = append(out, &Node{Type: "JSXText", Range: c.Range, Fields: []Field{{Name: "value", Kind: TextField, Text: text}}})
	}
	return out
}

func jsxText(n *Node) (string, bool) {
	switch {
	case n.Type == "JSXText" && n.Field("value") != nil:
		return cleanJSX(n.Text("value")), true
	case n.Type == "JSXExpressionContainer":
		// Of any other string React gets a child of its own.
		e := n.Child("expression")
		return e.Text("value"), e.Type == "Literal" && e.Text("kind") == "string" && e.Text("value") == " "
	}
	return "", false
}

// cleanJSX does what every compiler of JSX does: lines are trimmed where they
// meet, empty ones vanish, the rest is joined by a blank.
func cleanJSX(text string) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	var kept []string
	for i, line := range lines {
		if i > 0 {
			line = strings.TrimLeft(line, " \t")
		}
		if i < len(lines)-1 {
			line = strings.TrimRight(line, " \t")
		}
		if line != "" {
			kept = append(kept, strings.ReplaceAll(line, "\t", " "))
		}
	}
	return strings.Join(kept, " ")
}

// Difference is the first place where two trees do not do the same.
type Difference struct {
	// Path leads from the root to the place: body[2].declaration.body.body[0].
	Path string
	// What says what differs there: `operator is "+", was "-"`.
	What string
	// A and B are the nodes that differ, or that hold what differs. They belong to
	// normal forms; one of them is nil where the other has no counterpart.
	A, B *Node
}

func (d *Difference) String() string {
	if d.Path == "" {
		return d.What
	}
	return d.Path + ": " + d.What
}

// Diff compares the normal forms of two trees, b being the later one. It gives nil
// where they are equal.
func Diff(a, b *Node) *Difference { return DiffNormal(Normal(a), Normal(b)) }

// DiffNormal is [Diff] for two trees that are normal forms already.
func DiffNormal(a, b *Node) *Difference {
	d := &differ{}
	d.nodes(a, b)
	return d.found
}

// DiffComments compares comments as lists. What a formatter may do to one is none.
func DiffComments(a, b []Comment) *Difference {
	for i := range max(len(a), len(b)) {
		path := fmt.Sprintf("comment %d", i+1)
		switch {
		case i >= len(a):
			return &Difference{Path: path, What: fmt.Sprintf("added: %q", b[i].Text)}
		case i >= len(b):
			return &Difference{Path: path, What: fmt.Sprintf("gone: %q", a[i].Text)}
		case a[i].Normal() != b[i].Normal():
			return &Difference{Path: path, What: fmt.Sprintf("is %q, was %q", b[i].Text, a[i].Text)}
		}
	}
	return nil
}

type differ struct {
	path  []string
	found *Difference
}

func (d *differ) differ(a, b *Node, format string, args ...any) bool {
	path := strings.TrimPrefix(strings.Join(d.path, ""), ".")
	d.found = &Difference{Path: path, What: fmt.Sprintf(format, args...), A: a, B: b}
	return false
}

func (d *differ) nodes(a, b *Node) bool {
	switch {
	case a == nil && b == nil:
		return true
	case a == nil:
		return d.differ(a, b, "%s was added", b.Type)
	case b == nil:
		return d.differ(a, b, "%s is gone", a.Type)
	case a.Type != b.Type:
		return d.differ(a, b, "is %s, was %s", b.Type, a.Type)
	}
	for _, f := range a.Fields {
		other := b.Field(f.Name)
		if other == nil {
			return d.differ(a, b, "%s is gone", f.Name)
		}
		if !d.fields(a, b, f, *other) {
			return false
		}
	}
	for _, f := range b.Fields {
		if a.Field(f.Name) == nil {
			return d.differ(a, b, "%s was added", f.Name)
		}
	}
	return true
}

func (d *differ) fields(a, b *Node, f, g Field) bool {
	if f.Kind == NodeField && g.Kind == NodeField || f.Kind == NullField && g.Kind == NodeField || f.Kind == NodeField && g.Kind == NullField {
		return d.below("."+f.Name, f.Node, g.Node)
	}
	if f.Kind != g.Kind || f.Text != g.Text {
		return d.differ(a, b, "%s is %s, was %s", f.Name, g.value(), f.value())
	}
	return d.lists(a, b, f, g)
}

// lists names what was added or is gone, not the first pair that no longer meets.
func (d *differ) lists(a, b *Node, f, g Field) bool {
	n := len(f.List) - len(g.List)
	for i := range max(len(f.List), len(g.List)) {
		at := fmt.Sprintf(".%s[%d]", f.Name, i)
		switch {
		case i >= len(f.List):
			return d.element(at, g.List[i], "was added")
		case i >= len(g.List):
			return d.element(at, f.List[i], "is gone")
		case n == 0:
			if !d.below(at, f.List[i], g.List[i]) {
				return false
			}
		case !same(f.List[i], g.List[i]):
			if n < 0 && slices.EqualFunc(f.List[i:], g.List[i-n:], same) {
				return d.element(at, g.List[i], "was added")
			}
			if n > 0 && slices.EqualFunc(f.List[i+n:], g.List[i:], same) {
				return d.element(at, f.List[i], "is gone")
			}
			return d.below(at, f.List[i], g.List[i])
		}
	}
	return true
}

func (d *differ) below(step string, a, b *Node) bool {
	d.path = append(d.path, step)
	equal := d.nodes(a, b)
	d.path = d.path[:len(d.path)-1]
	return equal
}

// element is one that only one of two lists has. A hole of an array counts.
func (d *differ) element(step string, n *Node, what string) bool {
	d.path = append(d.path, step)
	typ, a, b := "a hole", n, (*Node)(nil)
	if n != nil {
		typ = n.Type
	}
	if what == "was added" {
		a, b = b, a
	}
	return d.differ(a, b, "%s %s", typ, what)
}

// same compares normal forms.
func same(a, b *Node) bool { return (&differ{}).nodes(a, b) }

func (f Field) value() string {
	switch f.Kind {
	case FalseField:
		return "false"
	case TrueField:
		return "true"
	case TextField:
		return fmt.Sprintf("%q", f.Text)
	}
	return "nothing"
}
