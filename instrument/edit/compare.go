package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// Difference is one place where the files differ beyond the additions.
type Difference struct {
	What string
	// Offset is a place in the later file: of the difference, or of what stands
	// before what is gone.
	Offset int
	// Orig is its place in the original, -1 where that has nothing of it.
	Orig int
	// A and B are nodes of the two files; nil where one has none, and for a comment.
	A, B *jsast.Node
}

// Capture is a name of the original that means another variable in the later file.
type Capture struct {
	Name   string
	Offset int // of the use, in the later file
	// By is where the name is declared that it now means; -1 if none.
	By int
}

const maxDifferences = 20

// compare fills in what differs. a is the original's normal form.
func (u *Undone) compare(a *jsast.Node) {
	u.pair(a, u.Stripped)
	u.sorted = slices.Sorted(maps.Keys(u.starts))
	u.collect(a, u.Stripped)
	for _, n := range u.foreign {
		u.Differences = append(u.Differences, Difference{What: "code was added", Offset: n.Start, Orig: -1, B: n})
	}
	u.compareComments()
	u.compareFirstLine()
	u.compareTypes(a)
	u.compareNames()
	u.compareEarly()
	slices.SortStableFunc(u.Differences, func(a, b Difference) int { return cmp.Compare(a.Offset, b.Offset) })
}

// pair notes which identifier and which function of the later file is which of the
// original, as far as the trees have the same shape.
func (u *Undone) pair(a, b *jsast.Node) {
	if a == nil || b == nil {
		return
	}
	if a.Type != b.Type {
		a, b = declaration(a), declaration(b)
	}
	if a.Type != b.Type {
		return
	}
	isName := a.Type == "Identifier" || a.Type == "JSXIdentifier"
	if isName && a.Text("name") == b.Text("name") || isFunction(a) || a.Type == "ClassDeclaration" {
		u.starts[a.Start] = b.Start
	}
	if isName {
		u.kept[b.Start] = true
	}
	for _, f := range a.Fields {
		g := b.Field(f.Name)
		if g == nil || g.Kind != f.Kind {
			continue
		}
		u.pair(f.Node, g.Node)
		for i, j := range aligned(f.List, g.List) {
			if j >= 0 {
				u.pair(f.List[i], g.List[j])
			}
		}
	}
}

// aligned gives for each element of a the one of b that it is: by place, and where
// the lengths differ by what it is recognised by, from both ends.
func aligned(a, b []*jsast.Node) []int {
	to := make([]int, len(a))
	for i := range to {
		to[i] = i
	}
	if len(a) == len(b) {
		return to
	}
	front := 0
	for front < min(len(a), len(b)) && head(a[front]) == head(b[front]) {
		front++
	}
	for i := range to {
		switch back := i + len(b) - len(a); {
		case i < front:
		case back >= front && head(a[i]) == head(b[back]):
			to[i] = back
		default:
			to[i] = -1
		}
	}
	return to
}

// collect finds differences as deep in the trees as they can be told apart.
func (u *Undone) collect(a, b *jsast.Node) {
	d := jsast.DiffNormal(a, b)
	if d == nil || len(u.Differences) >= maxDifferences {
		return
	}
	if a != nil && b != nil && sameShape(a, b) {
		for i, f := range a.Fields {
			g := b.Fields[i]
			if f.Node != nil {
				u.collect(f.Node, g.Node)
			}
			for k := range f.List {
				if f.List[k] != nil {
					u.collect(f.List[k], g.List[k])
				}
			}
		}
		return
	}
	u.Differences = append(u.Differences, u.difference(d, b))
}

// sameShape says whether two nodes can differ only below.
func sameShape(a, b *jsast.Node) bool {
	if a.Type != b.Type || len(a.Fields) != len(b.Fields) {
		return false
	}
	for i, f := range a.Fields {
		g := b.Fields[i]
		if f.Name != g.Name || f.Kind != g.Kind || f.Text != g.Text || len(f.List) != len(g.List) {
			return false
		}
		for k := range f.List {
			if (f.List[k] == nil) != (g.List[k] == nil) {
				return false
			}
		}
	}
	return true
}

func (u *Undone) difference(d *jsast.Difference, around *jsast.Node) Difference {
	out := Difference{What: d.What, Orig: -1, A: d.A, B: d.B}
	if d.A != nil {
		out.Orig = d.A.Start
	}
	switch {
	case d.B != nil:
		out.Offset = d.B.Start
	case d.A != nil:
		out.Offset = u.near(d.A.Start, around)
	case around != nil:
		out.Offset = around.Start
	}
	return out
}

// near is where something that is gone would stand: after the last name before it
// that the later file still has.
func (u *Undone) near(orig int, around *jsast.Node) int {
	i, _ := slices.BinarySearch(u.sorted, orig)
	if i > 0 {
		if at := u.starts[u.sorted[i-1]]; around == nil || at >= around.Start {
			return at
		}
	}
	if around != nil {
		return around.Start
	}
	return 0
}

// compareFirstLine compares what a system starts the file with. It is no part of the
// tree, and as a comment above an added statement it would be taken out.
func (u *Undone) compareFirstLine() {
	was, now := hashbang(u.Orig.Source), hashbang(u.New.Source)
	if was == now || len(u.Differences) > 0 {
		return
	}
	u.Differences = append(u.Differences, Difference{What: fmt.Sprintf("the first line is %q, was %q", short(now), short(was)), Orig: 0})
}

func hashbang(source []byte) string {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	return strings.TrimRight(string(line), "\r \t")
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// Taken says whether a range lies in one piece of inserted code.
func (u *Undone) Taken(r jsast.Range) bool {
	return slices.ContainsFunc(u.taken, func(t jsast.Range) bool { return t.Holds(r) })
}

// compareNames finds uses whose variable is not the original's.
func (u *Undone) compareNames() {
	references := map[int]jsast.Reference{}
	for i := range u.New.Scopes.All {
		for _, r := range u.New.Scopes.All[i].References {
			references[r.Start] = r
		}
	}
	seen := map[int]bool{}
	for i := range u.Orig.Scopes.All {
		for _, r := range u.Orig.Scopes.All[i].References {
			at, ok := u.starts[r.Start]
			now, uses := references[at]
			if !ok || seen[r.Start] || !uses || now.Name != r.Name {
				continue
			}
			seen[r.Start] = true
			if v, w := u.Orig.Scopes.Resolve(r), u.New.Scopes.Resolve(now); !u.sameVariable(v, w) {
				by := -1
				if w != nil && len(w.Definitions) > 0 {
					by = w.Definitions[0].Name.Start
				}
				u.Captures = append(u.Captures, Capture{r.Name, at, by})
			}
		}
	}
	slices.SortFunc(u.Captures, func(a, b Capture) int { return cmp.Compare(a.Offset, b.Offset) })
}

// fileScope is the scope of an ES module, or of the function that node puts around
// a CommonJS file. Outside of it is only the global scope.
const fileScope = 1

func (u *Undone) sameVariable(v, w *jsast.Variable) bool {
	switch {
	case v == nil || w == nil:
		return v == nil && w == nil || v != nil && u.declaredAnew(v)
	case len(v.Definitions) != len(w.Definitions):
		return false
	case len(v.Definitions) == 0: // arguments: of the same function
		if v.Scope <= fileScope || w.Scope <= fileScope {
			return v.Scope == w.Scope
		}
		return u.starts[u.Orig.Scopes.All[v.Scope].Start] == u.New.Scopes.All[w.Scope].Start
	}
	if v.Name == "arguments" && v.Definitions[0].Kind == "var" && u.starts[u.Orig.Scopes.All[v.Scope].Start] != u.New.Scopes.All[w.Scope].Start {
		return false // a var of this name keeps what its function was called with, and an arrow has none
	}
	for _, d := range v.Definitions {
		at, ok := u.starts[d.Name.Start]
		if !ok { // what declares it differs, and that is told
			continue
		}
		if !slices.ContainsFunc(w.Definitions, func(e jsast.Definition) bool { return e.Name.Start == at }) {
			return false
		}
	}
	return true
}

// declaredAnew says whether nothing of what declares a variable is left: that is told as a
// difference, and not again at each use.
func (u *Undone) declaredAnew(v *jsast.Variable) bool {
	return len(u.Differences) > 0 && len(v.Definitions) > 0 && !slices.ContainsFunc(v.Definitions, func(d jsast.Definition) bool {
		_, left := u.starts[d.Name.Start]
		return left
	})
}

// Wrapper gives the added span whose callback is a function of the later file; nil
// for a function of the original.
func (u *Undone) Wrapper(f *jsast.Function) *Span { return u.wrapping[f.Node.Start] }

// Original gives the function of the original that a span was added to; nil at the
// top level.
func (u *Undone) Original(s *Span) *jsast.Function {
	if s.Orig == nil {
		return nil
	}
	for i := range u.Orig.Functions {
		if f := &u.Orig.Functions[i]; f.Node.Range == s.Orig.Range && f.Node.Type == s.Orig.Type {
			return f
		}
	}
	return nil
}

// Added says whether a use of a name in the later file was added.
func (u *Undone) Added(r jsast.Reference) bool { return !u.kept[r.Start] }

// Near gives the place in the later file where something of the original stands: by
// the first name in it that is left, else by the last one before it.
func (u *Undone) Near(r jsast.Range) int {
	i, _ := slices.BinarySearch(u.sorted, r.Start)
	if i < len(u.sorted) && u.sorted[i] < r.End {
		return u.starts[u.sorted[i]]
	}
	return u.near(r.Start, nil)
}

// Later gives the offset in the later file of a function of the original; -1 if it is gone.
func (u *Undone) Later(f *jsast.Function) int {
	if at, ok := u.starts[f.Node.Start]; ok {
		return at
	}
	return -1
}
