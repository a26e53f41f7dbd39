package rules

import (
	"strings"

	"aburn/instrument/jsast"
)

func tracerNamed(p *Pair) []found {
	var list []found
	for _, t := range p.Undone().Tracers {
		args := t.List("arguments")
		if len(args) == 0 {
			list = append(list, at(t.Start, "getTracer is called without a name"))
		} else if name, ok := p.constantText(args[0]); !ok || strings.TrimSpace(name) == "" {
			list = append(list, at(args[0].Start, "the tracer's name is no string: %s", excerpt(p.New, args[0])))
		}
	}
	return list
}

// constantText is the value of a string, or of a constant that holds one.
func (p *Pair) constantText(n *jsast.Node) (string, bool) {
	return text(p.made(n))
}

func oneTracer(p *Pair) []found {
	want := p.Config.TracerName
	if want == "" {
		want = tracerName(p.Orig)
	}
	var list []found
	for _, t := range p.Undone().Tracers {
		args := t.List("arguments")
		if len(args) == 0 {
			continue
		}
		name, ok := p.constantText(args[0])
		switch {
		case !ok || name == "":
		case want == "":
			want = name // all of a file agree
		case name != want:
			list = append(list, at(args[0].Start, "the tracer is named %q, the project's is %q", name, want))
		}
	}
	return list
}

// tracerName is the name of the first tracer that a file has; "" if it has none.
func tracerName(m *jsast.Module) string {
	name := ""
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if args := n.List("arguments"); name == "" && n.Type == "CallExpression" && property(n.Child("callee")) == "getTracer" && len(args) > 0 {
			name, _ = text(args[0])
		}
		return name == ""
	})
	return name
}
