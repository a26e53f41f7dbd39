package edit

import (
	"fmt"
	"slices"
	"strconv"

	"aburn/instrument/jsast"
)

// Refusal is a part of an added expression that isn't known to be harmless: evaluating it could call
// code of the program, or throw. What is harmless is a list of forms: the table in
// docs/reference/instrument.md has a row for each, with its reason.
type Refusal struct {
	Node   *jsast.Node
	Throws bool   // it calls nothing, but can throw
	Why    string // what could happen
	Needs  string // what the code would have to show; "" if nothing would help
	path   string // which path has to have which type; "" for none
	types  types
	Call   *Call // of the expression, as in [Expr]
	Data   bool
}

func (r *Refusal) String() string {
	if r.Needs == "" {
		return r.Why
	}
	return r.Why + ": " + r.Needs
}

// surroundings say what the names in an expression are.
type surroundings struct {
	// global says whether an identifier means what the language or the host gives that name.
	global func(*jsast.Node) bool
	// constant is the expression that gave a constant its value; nil for all other names.
	constant func(*jsast.Node) *jsast.Node
	isSpan   func(*jsast.Node) bool
	isAPI    func(*jsast.Node) bool // a name of the telemetry API
	accessor func(name string) bool // the file gives a member of this name a getter
	caught   func(*jsast.Node) bool // the variable of a catch clause
}

// judge evaluates an expression by its form. It keeps the first refusal.
type judge struct {
	surroundings
	refused *Refusal
	params  map[string]value // of the arrows around it
	short   bool             // an optional chain may end early
	depth   int              // of constants that are followed
	unsure  []*jsast.Node    // members of what may be null or undefined, as far as the form shows
}

func (j *judge) refuse(n *jsast.Node, why, needs string) value {
	return j.refuseFor(Refusal{Node: n, Why: why, Needs: needs})
}

func (j *judge) throws(n *jsast.Node, why, needs string) value {
	return j.refuseFor(Refusal{Node: n, Why: why, Needs: needs, Throws: true})
}

func (j *judge) refuseFor(r Refusal) value {
	if j.refused == nil {
		j.refused = &r
	}
	return of(anyType)
}

// need refuses a value that isn't of one of the wanted types for sure.
func (j *judge) need(n *jsast.Node, v value, wanted types, what string) bool {
	if v.is(wanted) {
		return true
	}
	r := Refusal{Node: n, Why: what, path: jsast.Path(n), types: wanted}
	// A type that cannot be converted throws; anything with methods calls them.
	r.Throws = v.types&(arrayType|objectType) == 0
	names := namesOf(wanted)
	r.Needs = "it needs " + names
	if r.path != "" && !r.Throws {
		r.Needs = fmt.Sprintf("test typeof %s first: it has to be %s", r.path, names)
	}
	j.refuseFor(r)
	return false
}

func namesOf(t types) string {
	switch {
	case t == stringType:
		return "a string"
	case t == numberType:
		return "a number"
	case t&stringType == 0:
		return "a number or boolean"
	}
	return "a string, number or boolean"
}

// eval gives what is known of an expression's value, and refuses what isn't harmless.
func (j *judge) eval(n *jsast.Node, k known) value {
	if n == nil { // a hole
		return of(undefinedType)
	}
	switch n.Type {
	case "Literal":
		return j.literal(n)
	case "TemplateLiteral":
		for _, e := range n.List("expressions") {
			j.need(e, j.eval(e, k), textual, "a template calls toString of an object, and throws on a symbol")
		}
		return of(stringType)
	case "Identifier":
		return j.identifier(n, k)
	case "ThisExpression", "MetaProperty":
		return of(anyType)
	case "ChainExpression":
		was := j.short
		j.short = false
		v := j.eval(n.Child("expression"), k)
		if j.short {
			v.types |= undefinedType
		}
		j.short = was
		return j.typed(n, v, k)
	case "MemberExpression":
		return j.typed(n, j.member(n, k), k)
	case "CallExpression":
		return j.call(n, k)
	case "NewExpression":
		return j.construct(n, k)
	case "UnaryExpression":
		return j.unary(n, k)
	case "BinaryExpression":
		return j.binary(n, k)
	case "LogicalExpression", jsast.LogicalChain:
		return j.logical(n, k)
	case "ConditionalExpression":
		test := n.Child("test")
		j.eval(test, k)
		return join(j.eval(n.Child("consequent"), narrow(test, true, k)), j.eval(n.Child("alternate"), narrow(test, false, k)))
	case "ArrayExpression":
		return j.array(n, k)
	case "ObjectExpression":
		return j.object(n, k)
	case "SequenceExpression":
		var v value
		for _, e := range n.List("expressions") {
			v = j.eval(e, k)
		}
		return v
	}
	return j.refuse(n, "it can run code, or change something", "")
}

func (j *judge) literal(n *jsast.Node) value {
	if n.Text("kind") == "regexp" {
		return value{types: objectType, fresh: freshRegexp}
	}
	t, _ := literalTypes(n)
	return of(t)
}

// typed is a value with what guards say of its path.
func (j *judge) typed(n *jsast.Node, v value, k known) value {
	if t, ok := k[jsast.Path(n)]; ok && v.fresh == notFresh {
		v.types &= t
	}
	return v
}

func (j *judge) identifier(n *jsast.Node, k known) value {
	name := n.Text("name")
	if v, ok := j.params[name]; ok {
		return j.typed(n, v, k)
	}
	if j.global(n) {
		switch name {
		case "undefined":
			return of(undefinedType)
		case "NaN", "Infinity":
			return of(numberType)
		}
	}
	v := of(anyType)
	if made := j.constant(n); made != nil && j.depth < 4 {
		inner := &judge{surroundings: j.surroundings, depth: j.depth + 1}
		// The program may have changed an object since.
		v = of(inner.eval(made, nil).types)
	}
	return j.typed(n, v, k)
}

// barred are members whose reading runs code or throws for built-in objects.
var barred = []string{"__proto__", "caller", "callee", "arguments", "prototype"}

func (j *judge) member(n *jsast.Node, k known) value {
	object, property := n.Child("object"), n.Child("property")
	if object.Type == "Super" {
		return j.refuse(n, "super reads from a class of the program", "")
	}
	v := j.eval(object, k)
	if !j.mayRead(n, v) {
		return of(anyType)
	}
	name := propertyOf(n)
	switch {
	case property.Type == "PrivateIdentifier":
		name = "#" + property.Text("name")
		if object.Type != "ThisExpression" {
			return j.throws(n, "a private member of another object may not be there", "")
		}
	case n.Is("computed"):
		if !j.need(property, j.eval(property, k), textual, "a computed member calls toString of an object") {
			return of(anyType)
		}
	}
	switch {
	case slices.Contains(barred, name):
		return j.refuse(n, name+" is no plain data", "")
	case j.accessor(name):
		return j.refuse(n, "the file gives "+name+" a getter, which would run", "")
	}
	return memberOf(v, name)
}

// mayRead says whether a member of a value can be read: null and undefined throw. Of what nothing
// is known, rule SAF-005 judges with the function around it.
func (j *judge) mayRead(n *jsast.Node, v value) bool {
	switch {
	case v.types&nullish == 0:
	case v.types&objectType != 0:
		if !n.Is("optional") {
			j.unsure = append(j.unsure, n)
		}
	case n.Is("optional"):
		j.short = true
	default:
		j.throws(n, "null and undefined have no members", "read it with ?.")
		return false
	}
	return true
}

func memberOf(v value, name string) value {
	text, list := v.is(stringType), v.is(arrayType)
	_, err := strconv.Atoi(name)
	switch {
	case name == "length" && (text || list), v.types&^nullish != 0 && v.types&^(nullish|stringType|arrayType) == 0 && name == "length":
		return of(numberType)
	case text && (err == nil || name == ""):
		return of(stringType | undefinedType)
	case v.fresh == freshList && (err == nil || name == ""):
		return of(v.elem | undefinedType)
	}
	return of(anyType)
}

func (j *judge) array(n *jsast.Node, k known) value {
	var elem types
	for _, e := range n.List("elements") {
		if e != nil && e.Type == "SpreadElement" {
			v := j.eval(e.Child("argument"), k)
			switch {
			case v.fresh == freshList:
				elem |= v.elem
			case v.is(stringType):
				elem |= stringType
			default:
				j.refuse(e, "it runs an iterator of the program, and uses it up", "")
			}
			continue
		}
		elem |= j.eval(e, k).types
	}
	return listOf(elem)
}

func (j *judge) object(n *jsast.Node, k known) value {
	for _, p := range n.List("properties") {
		if p.Type == "SpreadElement" {
			v := j.eval(p.Child("argument"), k)
			if v.fresh != freshObject && v.fresh != freshList && !v.is(primitives) && !j.spreadsFresh(p.Child("argument"), k) {
				j.refuse(p, "a spread reads all members of an object, getters too", "name the members")
			}
			continue
		}
		key := p.Child("key")
		switch {
		case p.Text("kind") != "init" || p.Is("method"):
			return j.refuse(p, "it makes a function", "")
		case p.Is("computed"):
			j.need(key, j.eval(key, k), textual, "a computed key calls toString of an object")
		case keyText(key) == "__proto__" && !p.Is("shorthand"):
			return j.refuse(p, "it changes the object's prototype", "")
		}
		j.eval(p.Child("value"), k)
	}
	return value{types: objectType, fresh: freshObject}
}

// spreadsFresh: ...(condition && { a: 1 }) spreads that object, or nothing.
func (j *judge) spreadsFresh(n *jsast.Node, k known) bool {
	if n.Type != jsast.LogicalChain && n.Type != "LogicalExpression" || n.Text("operator") != "&&" {
		return false
	}
	list := operands(n)
	return list[len(list)-1].Type == "ObjectExpression"
}

func keyText(key *jsast.Node) string {
	if name := key.Text("name"); name != "" {
		return name
	}
	return key.Text("value")
}
