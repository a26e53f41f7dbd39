package jsast

import "slices"

// Scopes are the scopes of a module, outermost first: a scope's Upper has a
// smaller index.
type Scopes struct{ All []Scope }

// Scope is a region in which names are declared.
type Scope struct {
	Index int
	Upper int // -1 for the global scope
	// Kind is eslint-scope's: global, module, function, block, catch, class, for,
	// switch, with, class-field-initializer, class-static-block, function-expression-name.
	Kind string
	Range
	// Dynamic says that names here may mean what no analysis can know: with, direct eval.
	Dynamic    bool
	Variables  []Variable
	References []Reference // those that stand directly in this scope
}

// Variable is a name declared in a scope. A name that the language itself
// declares, such as arguments, has no Definitions.
type Variable struct {
	Name        string
	Scope       int
	Definitions []Definition
}

// Definition is one place that declares a variable.
type Definition struct {
	// Kind is var, let, const, using, await using, Parameter, FunctionName, ClassName,
	// ImportBinding or CatchClause.
	Kind string
	Name Range
	Node Range // of the declarator, function, class or import specifier
}

// Reference is one use of a name.
type Reference struct {
	Range
	Name        string
	Scope       int // where it stands
	Reads       bool
	Writes      bool
	Initialises bool // it is the declaration's own write
	variable    [2]int
}

// Resolve gives the variable that a reference means; nil for a name that the
// module does not declare.
func (s *Scopes) Resolve(r Reference) *Variable {
	if r.variable[0] < 0 {
		return nil
	}
	return &s.All[r.variable[0]].Variables[r.variable[1]]
}

// At gives the innermost scope around offset.
func (s *Scopes) At(offset int) *Scope {
	best := &s.All[0]
	for i := range s.All {
		c := &s.All[i]
		// Of scopes that span the same node the later is the inner one.
		if c.Start <= offset && offset < c.End && c.End-c.Start <= best.End-best.Start {
			best = c
		}
	}
	return best
}

// Lookup gives what name means at offset; nil for a name that is not declared there.
func (s *Scopes) Lookup(offset int, name string) *Variable {
	for i := s.At(offset).Index; i >= 0; i = s.All[i].Upper {
		for j := range s.All[i].Variables {
			if v := &s.All[i].Variables[j]; v.Name == name {
				return v
			}
		}
	}
	return nil
}

// Visible gives all that is declared at offset, innermost first. What is hidden by
// an inner name is left out.
func (s *Scopes) Visible(offset int) []*Variable {
	var visible []*Variable
	seen := map[string]bool{}
	for i := s.At(offset).Index; i >= 0; i = s.All[i].Upper {
		for j := range s.All[i].Variables {
			if v := &s.All[i].Variables[j]; !seen[v.Name] {
				seen[v.Name] = true
				visible = append(visible, v)
			}
		}
	}
	return visible
}

// Readiness says whether a variable has been given its value at a place.
type Readiness uint8

const (
	// Unready: not yet, or not on every way there.
	Unready Readiness = iota
	// Ready: always.
	Ready
	// Outer: it is a variable of an enclosing function or of the module, so it
	// depends on when the function is called. At the module's level that is almost
	// always after the module was evaluated.
	Outer
)

// Ready says whether v has its value at offset. Parameters, imports, functions
// and caught errors always have; others from the end of their declaration on,
// in the block that declares them (a var: in the same block as its declaration).
func (s *Scopes) Ready(v *Variable, offset int) Readiness {
	for _, d := range v.Definitions {
		switch d.Kind {
		case "Parameter", "ImportBinding", "FunctionName", "CatchClause":
			return Ready
		}
	}
	if len(v.Definitions) == 0 { // arguments
		return Ready
	}
	at := s.At(offset)
	if s.function(at.Index) != s.function(v.Scope) {
		return Outer
	}
	for _, d := range v.Definitions {
		block := s.At(d.Name.Start)
		if d.Kind == "ClassName" {
			block = &s.All[v.Scope]
		}
		if d.Node.End <= offset && block.Kind != "switch" && block.Start <= offset && offset <= block.End {
			return Ready
		}
	}
	return Unready
}

// function gives the function or module scope that a scope belongs to. A field's
// initialiser and a static block run on their own, like a function.
func (s *Scopes) function(i int) int {
	for ; s.All[i].Upper >= 0; i = s.All[i].Upper {
		switch s.All[i].Kind {
		case "function", "module", "class-field-initializer", "class-static-block":
			return i
		}
	}
	return i
}

// Collision is why a name cannot be bound around a range.
type Collision struct {
	Range
	// Declared: the range's own code declares the name, so it would hide the new
	// one. Otherwise the range uses the name, and would get the new one.
	Declared bool
}

// Collides says what in body is in the way of a new binding of name that is
// visible in all of body, and used at its top level. A nil answer: nothing.
//
// What a nested block or function declares for itself is in nobody's way.
func (s *Scopes) Collides(body Range, name string) *Collision {
	for i := range s.All {
		scope := &s.All[i]
		for j := range scope.Variables {
			if v := &scope.Variables[j]; v.Name == name {
				if c := s.declaredAtTop(scope, v, body); c != nil {
					return c
				}
			}
		}
	}
	for i := range s.All {
		for _, r := range s.All[i].References {
			if r.Name != name || !body.Holds(r.Range) {
				continue
			}
			if v := s.Resolve(r); v == nil || !body.Holds(s.All[v.Scope].Range) || s.All[v.Scope].Range == body {
				return &Collision{Range: r.Range}
			}
		}
	}
	return nil
}

// declaredAtTop finds a declaration in body whose scope is body itself, or reaches
// beyond it (a hoisted var).
func (s *Scopes) declaredAtTop(scope *Scope, v *Variable, body Range) *Collision {
	if scope.Range != body && body.Holds(scope.Range) {
		return nil
	}
	for _, d := range v.Definitions {
		if body.Holds(d.Name) {
			return &Collision{Range: d.Name, Declared: true}
		}
	}
	return nil
}

// Free gives the first of names that collides with nothing in body; "" if all do.
func (s *Scopes) Free(body Range, names ...string) string {
	i := slices.IndexFunc(names, func(name string) bool { return s.Collides(body, name) == nil })
	if i < 0 {
		return ""
	}
	return names[i]
}

// Dynamic says whether a range holds, or lies in, code whose names no analysis can know.
func (s *Scopes) Dynamic(r Range) bool {
	for i := range s.All {
		c := &s.All[i]
		if c.Dynamic && (r.Holds(c.Range) || c.Holds(r)) {
			return true
		}
	}
	return false
}

type answeredScope struct {
	Type       string
	Range      []int32
	Upper      int
	Dynamic    bool
	Variables  [][]int32
	References []int32
}

func (m *Module) decodeScopes(a *answered, o offsets) error {
	s := &Scopes{All: make([]Scope, len(a.Scopes))}
	for i, from := range a.Scopes {
		to := &s.All[i]
		d := &decoder{numbers: from.Range, strings: a.Strings, offsets: o}
		*to = Scope{Index: i, Upper: from.Upper, Kind: from.Type, Range: d.span(), Dynamic: from.Dynamic}
		if d.failed || from.Upper >= i || (from.Upper < 0) != (i == 0) {
			return errMalformed
		}
		for _, numbers := range from.Variables {
			d := &decoder{numbers: numbers, strings: a.Strings, offsets: o}
			v := Variable{Name: d.text(), Scope: i}
			for d.at < len(numbers) && !d.failed {
				v.Definitions = append(v.Definitions, Definition{Kind: d.text(), Name: d.span(), Node: d.span()})
			}
			if d.failed {
				return errMalformed
			}
			to.Variables = append(to.Variables, v)
		}
	}
	for i, from := range a.Scopes {
		d := &decoder{numbers: from.References, strings: a.Strings, offsets: o}
		for d.at < len(from.References) {
			r := Reference{Range: d.span(), Name: d.text(), Scope: i}
			flags := d.next()
			r.Reads, r.Writes, r.Initialises = flags&1 != 0, flags&2 != 0, flags&4 != 0
			r.variable = [2]int{d.next(), d.next()}
			if d.failed || !s.has(r.variable) {
				return errMalformed
			}
			s.All[i].References = append(s.All[i].References, r)
		}
	}
	if len(s.All) == 0 {
		return errMalformed
	}
	m.Scopes = s
	return nil
}

func (s *Scopes) has(variable [2]int) bool {
	scope, v := variable[0], variable[1]
	return scope == -1 || scope >= 0 && scope < len(s.All) && v >= 0 && v < len(s.All[scope].Variables)
}
