package rules

import (
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
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

// missing gives the candidates without a span, each with the place where it stands now.
// Only files that somebody instrumented are judged.
func (p *Pair) missing(tier func(*scan.Function) bool, message string) (list []found) {
	if p.Config.Contract == nil || len(p.Undone().Spans) == 0 {
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
		list = append(list, at(p.Undone().Later(f), "%s "+message+": %s", fn.Name, fn.Reason))
	}
	return list
}

func entryPoints(p *Pair) []found {
	return p.missing(func(f *scan.Function) bool { return f.Tier != 1 }, "has no span")
}

func externalCalls(p *Pair) []found {
	return p.missing(func(f *scan.Function) bool { return f.Tier == 1 }, "has no span")
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
		if fn := p.scanned()[f.Node]; fn.Verdict == scan.Covered && fn.HandlerOf == "" && ownStatements(f) < 2 && !p.registered(s) {
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
		if f == nil || f.Async || len(f.Exported) > 0 || p.wanted(f) || p.registered(s) {
			continue
		}
		if n := len(f.Node.Child("body").List("body")); f.Concise || n <= 5 {
			list = append(list, at(s.Call.Start, "%s is synchronous, short, not exported, and calls nothing outside", f.Label()))
		}
	}
	return list
}

// registered says whether the registry had the added span by its name.
func (p *Pair) registered(s *edit.Span) bool {
	name, ok := p.spanName(s)
	return ok && p.Config.Contract.Span(name) != nil && !p.isNew(name)
}

// isNew says whether a span was added to the registry for this file.
func (p *Pair) isNew(span string) bool { return slices.Contains(p.Config.Contract.New, "span."+span) }

func thinFunctions(p *Pair) (list []found) {
	if p.Config.Contract == nil {
		return nil
	}
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil || p.wanted(f) || p.registered(s) {
			continue
		}
		callee := scan.ThinCall(f.Node)
		if callee == "" {
			continue
		}
		found := at(s.Call.Start, "%s only calls %s", f.Label(), callee)
		if slices.ContainsFunc(p.Orig.Functions, func(o jsast.Function) bool { return o.Name == callee }) {
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
		if f == nil || len(f.Exported) > 0 || f.Callee != "" || p.wanted(f) || p.registered(s) {
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
