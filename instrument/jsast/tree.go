package jsast

import (
	"errors"
	"iter"
)

// Node is a node of the syntax tree, with the types and fields of ESTree. What
// only says how something was spelled is left out: raw, parentheses. A Literal has
// kind and value (of a regexp pattern and flags); a string that is no Unicode has
// value16, its code units as hex digits, instead of value. A file's own types are
// [Key] and [LogicalChain], which only normal forms contain.
type Node struct {
	Type string
	Range
	Fields []Field
}

// Field is one field of a node. Children come first, in source order where the
// syntax has one, then what the node says of itself, by name.
type Field struct {
	Name string
	Kind FieldKind
	Text string  // of TextField
	Node *Node   // of NodeField
	List []*Node // of ListField; nil for a hole of an array
}

// FieldKind is what a field holds.
type FieldKind uint8

const (
	NullField FieldKind = iota
	FalseField
	TrueField
	TextField
	NodeField
	ListField
)

// Field finds a field by name; nil where the node has none.
func (n *Node) Field(name string) *Field {
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return &n.Fields[i]
		}
	}
	return nil
}

// Child gives a single child; nil where there is none.
func (n *Node) Child(name string) *Node {
	if f := n.Field(name); f != nil {
		return f.Node
	}
	return nil
}

// List gives a list of children.
func (n *Node) List(name string) []*Node {
	if f := n.Field(name); f != nil {
		return f.List
	}
	return nil
}

// Text gives what a field says, and "" where there is none.
func (n *Node) Text(name string) string {
	if f := n.Field(name); f != nil {
		return f.Text
	}
	return ""
}

// Is says whether a field is true.
func (n *Node) Is(name string) bool {
	f := n.Field(name)
	return f != nil && f.Kind == TrueField
}

// Children are the node's direct children, without holes.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, f := range n.Fields {
			if f.Node != nil && !yield(f.Node) {
				return
			}
			for _, c := range f.List {
				if c != nil && !yield(c) {
					return
				}
			}
		}
	}
}

// Walk visits n and what is below it, parents first. above are the ancestors,
// the root first; it is valid during the call only. Nothing below a node is visited
// for which visit is false.
func Walk(n *Node, visit func(n *Node, above []*Node) bool) { walk(n, nil, visit) }

func walk(n *Node, above []*Node, visit func(*Node, []*Node) bool) {
	if n == nil || !visit(n, above) {
		return
	}
	above = append(above, n)
	for c := range n.Children() {
		walk(c, above, visit)
	}
}

var errMalformed = errors.New("the bundle's answer is malformed")

// decoder reads the flat tree of bundle/main.js, flatten.
type decoder struct {
	numbers []int32
	strings []string
	offsets offsets
	at      int
	failed  bool
}

func (d *decoder) next() int {
	if d.at >= len(d.numbers) {
		d.failed = true
		return 0
	}
	d.at++
	return int(d.numbers[d.at-1])
}

func (d *decoder) text() string { return d.textAt(d.next()) }

func (d *decoder) textAt(i int) string {
	if i < 0 || i >= len(d.strings) {
		d.failed = true
		return ""
	}
	return d.strings[i]
}

func (d *decoder) offset(unit int) int {
	b, ok := d.offsets.byteAt(unit)
	d.failed = d.failed || !ok
	return b
}

func (d *decoder) span() Range {
	start := d.offset(d.next())
	return Range{start, d.offset(d.next())}
}

func (d *decoder) count() int {
	n := d.next()
	if n < 0 || n > len(d.numbers) {
		d.failed = true
		return 0
	}
	return n
}

func (d *decoder) node() *Node {
	n := &Node{Type: d.text()}
	n.Range = d.span()
	fields := d.count()
	n.Fields = make([]Field, 0, fields)
	for range fields {
		if d.failed {
			break
		}
		n.Fields = append(n.Fields, d.field())
	}
	return n
}

func (d *decoder) field() Field {
	f := Field{Name: d.text(), Kind: FieldKind(d.next())}
	switch f.Kind {
	case NullField, FalseField, TrueField:
	case TextField:
		f.Text = d.text()
	case NodeField:
		f.Node = d.node()
	case ListField:
		n := d.count()
		f.List = make([]*Node, 0, n)
		for range n {
			if d.failed {
				break
			}
			f.List = append(f.List, d.element())
		}
	default:
		d.failed = true
	}
	return f
}

func (d *decoder) element() *Node {
	if d.at < len(d.numbers) && d.numbers[d.at] < 0 {
		d.at++
		return nil
	}
	return d.node()
}
