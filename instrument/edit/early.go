package edit

import (
	"fmt"

	"aburn/instrument/jsast"
)

// compareEarly finds code that runs before the tracer has its value, and that leads to a span: the
// original has neither, so it did not throw there. Only what plainly runs at once counts: a name
// at the file's top level, or in a function that is called where it stands.
func (u *Undone) compareEarly() {
	var tracers []*jsast.Variable
	for i := range min(fileScope+1, len(u.New.Scopes.All)) {
		for j := range u.New.Scopes.All[i].Variables {
			v := &u.New.Scopes.All[i].Variables[j]
			if len(v.Definitions) == 1 && u.Taken(v.Definitions[0].Name) && holdsTracer(u.Tracers, v.Definitions[0].Node) {
				tracers = append(tracers, v)
			}
		}
	}
	for _, v := range tracers {
		if at := u.early(v); at != nil {
			u.Differences = append(u.Differences, Difference{What: fmt.Sprintf("%s runs before %s has its value, and needs it", at.Name, v.Name), Offset: at.Start,
				Orig: -1})
		}
	}
}

func holdsTracer(tracers []*jsast.Node, declarator jsast.Range) bool {
	for _, t := range tracers {
		if declarator.Holds(t.Range) {
			return true
		}
	}
	return false
}

// early gives the first use that runs before a variable has its value, of what needs it.
func (u *Undone) early(v *jsast.Variable) *jsast.Reference {
	body := u.New.Tree.List("body")
	needs := map[*jsast.Variable]bool{v: true}
	for grown := true; grown; {
		grown = false
		for i := range u.New.Scopes.All {
			for _, r := range u.New.Scopes.All[i].References {
				if !needs[u.New.Scopes.Resolve(r)] {
					continue
				}
				for _, w := range u.declaredBy(statementAt(body, r.Start)) {
					if !needs[w] {
						needs[w], grown = true, true
					}
				}
			}
		}
	}
	var first *jsast.Reference
	for i := range u.New.Scopes.All {
		for _, r := range u.New.Scopes.All[i].References {
			n := statementAt(body, r.Start)
			if n == nil || n.Start > v.Definitions[0].Node.Start || r.Initialises || !needs[u.New.Scopes.Resolve(r)] || !runsAtOnce(n, r.Range) {
				continue
			}
			if first == nil || r.Start < first.Start {
				first = &r
			}
		}
	}
	return first
}

func statementAt(body []*jsast.Node, offset int) *jsast.Node {
	for _, n := range body {
		if n.Start <= offset && offset < n.End {
			return n
		}
	}
	return nil
}

// declaredBy are the variables of the file that a statement declares.
func (u *Undone) declaredBy(n *jsast.Node) (list []*jsast.Variable) {
	for i := range min(fileScope+1, len(u.New.Scopes.All)) {
		for j := range u.New.Scopes.All[i].Variables {
			v := &u.New.Scopes.All[i].Variables[j]
			for _, d := range v.Definitions {
				if n != nil && n.Holds(d.Name) {
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// runsAtOnce says whether a place in a statement runs with it: in no function but one that
// is called where it stands.
func runsAtOnce(statement *jsast.Node, r jsast.Range) bool {
	at, once := false, true
	jsast.Walk(statement, func(n *jsast.Node, above []*jsast.Node) bool {
		if !n.Holds(r) || at {
			return false
		}
		if isFunction(n) {
			called := len(above) > 0 && above[len(above)-1].Type == "CallExpression" && above[len(above)-1].Child("callee") == n
			once = once && called
		}
		at = n.Range == r
		return !at
	})
	return at && once
}
