package rules

import (
	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

func accessors(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil {
			continue
		}
		if f.Kind == jsast.Getter || f.Kind == jsast.Setter {
			list = append(list, at(s.Call.Start, "the span is on an accessor"))
		} else if !f.Async && returnsProperty(f) {
			list = append(list, at(s.Call.Start, "the function only returns a property"))
		}
	}
	return list
}

// returnsProperty says whether a function does nothing but return a member of something.
func returnsProperty(f *jsast.Function) bool {
	n := f.Node.Child("body")
	if !f.Concise {
		list := n.List("body")
		if len(list) != 1 || list[0].Type != "ReturnStatement" || list[0].Child("argument") == nil {
			return false
		}
		n = list[0].Child("argument")
	}
	return n.Type == "MemberExpression" && jsast.Path(n) != ""
}

func ownSpans(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		if s.Orig != nil && edit.MakesSpans(s.Orig) {
			list = append(list, at(s.Call.Start, "the function made spans before"))
		}
	}
	return list
}

func exits(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		if s.Orig != nil && edit.Exits(s.Orig) {
			list = append(list, at(s.Call.Start, "the function calls process.exit"))
		}
	}
	return list
}
