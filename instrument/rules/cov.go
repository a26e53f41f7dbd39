package rules

import (
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/jsast"
	"aburn/instrument/scan"
)

// scanned is what a scan says of the original, by the function's syntax node.
func (p *Pair) scanned() map[*jsast.Node]*scan.Function {
	f := p.known()
	if f.scanned == nil {
		f.scanned = map[*jsast.Node]*scan.Function{}
		inventory := scan.Inventory(p.Orig, scan.Options{Path: p.Config.File, Contract: p.Config.Contract})
		for i := range inventory.Functions {
			f.scanned[p.Orig.Functions[i].Node] = &inventory.Functions[i]
		}
	}
	return f.scanned
}

// hasSpan are the functions of the original that got a span.
func (p *Pair) hasSpan() map[*jsast.Node]bool {
	has := map[*jsast.Node]bool{}
	for _, s := range p.Undone().Spans {
		if f := p.original(s); f != nil {
			has[f.Node] = true
		}
	}
	return has
}

// judgesMissing says whether what a file lacks is judged: only in one that somebody
// instrumented, and against a registry.
func (p *Pair) judgesMissing() bool { return p.Config.Contract != nil && len(p.Undone().Spans) > 0 }

// missing gives the candidates without a span, each with the place where it stands now.
// blocks says for which of them the file is not taken; where a plan chose the
// functions, what it left out was left out on purpose.
func (p *Pair) missing(tier, blocks func(*scan.Function) bool) (list []found) {
	if !p.judgesMissing() {
		return nil
	}
	has := p.hasSpan()
	for i := range p.Orig.Functions {
		f := &p.Orig.Functions[i]
		fn := p.scanned()[f.Node]
		if fn.Verdict != scan.Candidate || has[f.Node] || !tier(fn) {
			continue
		}
		if inside := f.Parent >= 0 && has[p.Orig.Functions[f.Parent].Node]; inside {
			continue
		}
		lacks := at(p.Undone().Later(f), "%s has no span: %s", fn.Name, fn.Reason)
		if blocks(fn) && !p.Config.Chosen {
			lacks.severity = Blocking
		}
		list = append(list, lacks)
	}
	return list
}

func entryPoints(p *Pair) []found {
	wanted := func(f *scan.Function) bool { return f.Span != "" && f.Async && len(f.Exported) > 0 }
	return p.missing(func(f *scan.Function) bool { return f.Tier != 1 || wanted(f) }, wanted)
}

// externalCalls leaves out what a function with a span calls: the call lies in that span.
func externalCalls(p *Pair) []found {
	callers := p.callers()
	within := p.hasSpan()
	for grew := true; grew; {
		grew = false
		for f, by := range callers {
			if !within[f] && slices.ContainsFunc(by, func(n *jsast.Node) bool { return within[n] }) {
				within[f], grew = true, true
			}
		}
	}
	return p.missing(func(f *scan.Function) bool { return f.Tier == 1 && !within[f.Node()] }, func(*scan.Function) bool { return true })
}

// callers gives for each function of the original those functions of the file that use
// it by its name, the nested ones counted for the function around them. The top level
// is nil.
func (p *Pair) callers() map[*jsast.Node][]*jsast.Node {
	all := map[*jsast.Node][]*jsast.Node{}
	named := map[string]*jsast.Node{}
	for i := range p.Orig.Functions {
		if f := &p.Orig.Functions[i]; f.Name != "" {
			named[f.Name] = f.Node
			if f.Class {
				named["this."+f.Name] = f.Node
			}
		}
	}
	jsast.Walk(p.Orig.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		if n.Type != "Identifier" && n.Type != "MemberExpression" {
			return true
		}
		f := named[jsast.Path(n)]
		if f == nil || f.Child("id") == n || isDeclared(n, above) || f.Holds(n.Range) {
			return true
		}
		all[f] = append(all[f], outermost(above))
		return true
	})
	return all
}

// isDeclared says whether a name stands where something gets, or is given away by, its name.
func isDeclared(n *jsast.Node, above []*jsast.Node) bool {
	parent := above[len(above)-1]
	switch parent.Type {
	case "VariableDeclarator", "FunctionDeclaration", "FunctionExpression":
		return parent.Child("id") == n
	case "Property", "MethodDefinition", "PropertyDefinition", "MemberExpression":
		return !parent.Is("computed") && (parent.Child("key") == n || parent.Child("property") == n) && !parent.Is("shorthand")
	case "ExportSpecifier", "ImportSpecifier", "ExportDefaultDeclaration", "AssignmentExpression":
		return true
	}
	return false
}

// outermost is the function around a place that lies in no other, methods counted as
// such; nil at the top level.
func outermost(above []*jsast.Node) *jsast.Node {
	i := slices.IndexFunc(above, isFunction)
	if i < 0 {
		return nil
	}
	return above[i]
}

// asyncFunctions wants a span, or a reason for none, of each async function that no
// other rule speaks of. Helpers of functions with a span need none.
func asyncFunctions(p *Pair) (list []found) {
	if !p.judgesMissing() || p.Config.Chosen {
		return nil
	}
	has, callers := p.hasSpan(), p.callers()
	for i := range p.Orig.Functions {
		f := &p.Orig.Functions[i]
		fn := p.scanned()[f.Node]
		by := callers[f.Node]
		helper := len(f.Exported) == 0 && len(by) > 0 && !slices.ContainsFunc(by, func(n *jsast.Node) bool { return !has[n] })
		if !f.Async || has[f.Node] || fn.Verdict != scan.Skip || fn.Span != "" || f.Parent >= 0 || helper || !waits(f) || scan.ThinCall(f.Node) != "" {
			continue
		}
		list = append(list, at(p.Undone().Later(f), "%s is async, and has no span: %s", fn.Name, fn.Reason))
	}
	return list
}

// waits says whether a function waits for something itself.
func waits(f *jsast.Function) (found bool) {
	jsast.Walk(f.Node.Child("body"), func(n *jsast.Node, _ []*jsast.Node) bool {
		found = found || n.Type == "AwaitExpression" || n.Type == "ForOfStatement" && n.Is("await")
		return !found && !isFunction(n)
	})
	return found
}

// attributesSet wants what the registry requires and recommends on a span.
func attributesSet(p *Pair) (list []found) {
	c := p.Config.Contract
	if c == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		name, _ := p.spanName(s)
		span := c.Span(name)
		if span == nil {
			continue
		}
		var lacks []string
		for _, key := range span.Wanted {
			if slices.ContainsFunc(p.attributes(), func(a attribute) bool {
				return a.key == key && (a.call.Span == s || a.call.New != nil && a.call.New == s.New)
			}) {
				continue
			}
			if slices.Contains(span.Required, key) {
				key += " (required)"
			}
			lacks = append(lacks, key)
		}
		if len(lacks) > 0 {
			list = append(list, at(s.Call.Start, "the registry wants on %s also %s", name, strings.Join(lacks, ", ")))
		}
	}
	return list
}

// coveredTwice finds spans around what a library makes a span for. Like all rules on
// which function deserves a span, it needs a registry: that may want the span.
func coveredTwice(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil {
			continue
		}
		if fn := p.scanned()[f.Node]; fn.Verdict == scan.Covered && fn.HandlerOf == "" && ownStatements(f) < 2 {
			list = append(list, at(s.Call.Start, "%s: %s", fn.Reason, strings.Join(fn.CoveredBy, ", ")))
		}
	}
	return list
}

// ownStatements counts the statements that wait for nothing, the last return left out.
func ownStatements(f *jsast.Function) (n int) {
	list := f.Node.Child("body").List("body")
	for i, s := range list {
		waits := false
		jsast.Walk(s, func(c *jsast.Node, _ []*jsast.Node) bool {
			waits = waits || c.Type == "AwaitExpression"
			return !isFunction(c)
		})
		if !waits && (s.Type != "ReturnStatement" || i < len(list)-1) {
			n++
		}
	}
	return n
}

// wanted says whether the registry names the span of a function, or the function calls
// out of the program: then a span may stand there, however small it is.
func (p *Pair) wanted(f *jsast.Function) bool {
	fn := p.scanned()[f.Node]
	return fn.Span != "" && !p.isNew(fn.Span) || len(fn.Calls) > 0
}

func smallFunctions(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil || f.Async || len(f.Exported) > 0 || p.wanted(f) {
			continue
		}
		if n := len(f.Node.Child("body").List("body")); f.Concise || n <= 5 {
			list = append(list, at(s.Call.Start, "%s is synchronous, short, not exported, and calls nothing outside", f.Label()))
		}
	}
	return list
}

// isNew says whether a span was added to the registry for this file.
func (p *Pair) isNew(span string) bool { return slices.Contains(p.Config.Contract.New, "span."+span) }

func thinFunctions(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil || p.wanted(f) {
			continue
		}
		callee := scan.ThinCall(f.Node)
		if callee == "" {
			continue
		}
		found := at(s.Call.Start, "%s only calls %s", f.Label(), callee)
		own := strings.TrimPrefix(callee, "this.")
		if slices.ContainsFunc(p.Orig.Functions, func(o jsast.Function) bool { return o.Name == own && o.Class == (own != callee) }) {
			found.severity = Blocking
		}
		list = append(list, found)
	}
	return list
}

func internalFunctions(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil || len(f.Exported) > 0 || f.Callee != "" || p.wanted(f) {
			continue
		}
		why := fmt.Sprintf("%s is not exported, and calls nothing outside", f.Label())
		found := at(s.Call.Start, "%s", why)
		if callsItself(f) {
			found.message, found.severity = why+"; it calls itself, so one operation makes many spans", Blocking
		}
		list = append(list, found)
	}
	return list
}

func callsItself(f *jsast.Function) bool {
	itself := false
	jsast.Walk(f.Node.Child("body"), func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "CallExpression" {
			path := jsast.Path(n.Child("callee"))
			itself = itself || path != "" && (path == f.Name && f.Owner == "" || path == "this."+f.Name && f.Class)
		}
		return !itself
	})
	return itself
}
