package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aburn/instrument/jsast"
)

// Apply puts the spans of a plan into a module and gives the new source. What it
// cannot do without changing more is dropped: a span, or one attribute. e parses
// the plan's expressions. The caller parses the result and proves it with [Undo].
func Apply(ctx context.Context, e jsast.Engine, m *jsast.Module, p Plan, names Names) ([]byte, []Dropped, error) {
	if !printable(names.Tracer) {
		return nil, nil, errors.New("the tracer has no name")
	}
	a := &applier{m: m, engine: e, names: names, semicolon: semicolons(m), quote: quotes(m), taken: takenNames(m)}
	a.findHelpers()
	seen := map[string]bool{}
	for _, c := range p.Functions {
		if c.Action != "span" {
			continue
		}
		i := slices.IndexFunc(m.Functions, func(f jsast.Function) bool { return f.ID == c.ID })
		switch {
		case i < 0:
			a.drop(c.ID, "", "the file has no such function")
		case c.Name != "" && c.Name != m.Functions[i].Label():
			a.drop(c.ID, "", "the function is %s, and the plan was made for %s", m.Functions[i].Label(), c.Name)
		case seen[c.ID]:
			a.drop(c.ID, "", "the plan names it twice")
		default:
			seen[c.ID] = true
			if err := a.function(ctx, &m.Functions[i], c); err != nil {
				return nil, nil, err
			}
		}
	}
	if a.spans == 0 {
		return slices.Clone(m.Source), a.dropped, nil
	}
	a.declareHelpers()
	return a.splice(), a.dropped, nil
}

type applier struct {
	m         *jsast.Module
	engine    jsast.Engine
	names     Names
	semicolon string // ";" or ""
	quote     string // of strings
	taken     map[string]bool
	helpers   helpers
	edits     []edit
	dropped   []Dropped
	spans     int
	getters   map[string]bool
}

// accessors are the members that the file gives getters.
func (a *applier) accessors() map[string]bool {
	if a.getters == nil {
		a.getters = accessors(a.m.Tree)
	}
	return a.getters
}

func (a *applier) drop(function, attribute, format string, args ...any) {
	a.dropped = append(a.dropped, Dropped{function, attribute, fmt.Sprintf(format, args...)})
}

// function wraps one function, or drops the choice.
func (a *applier) function(ctx context.Context, f *jsast.Function, c Choice) error {
	why := a.refuse(f)
	if !printable(c.Span) {
		why = "the span has no name"
	}
	if why != "" {
		a.drop(c.ID, "", "%s", why)
		return nil
	}
	start, after, used, err := a.attributes(ctx, f, c)
	if err != nil {
		return err
	}
	for _, t := range a.m.Types {
		if f.Body.Holds(t.Range) {
			used = append(used, typeTokens(t.Text)...)
		}
	}
	span := a.spanName(f, used)
	if span == "" {
		a.drop(c.ID, "", "each name for the span is taken in it")
		return nil
	}
	a.spans++
	a.wrap(f, c.Span, span, start)
	for _, s := range after {
		text := s.lines(a, span, s.indent)
		if a.semicolon == "" && strings.HasSuffix(text, ")") && a.continues(s.at) {
			text += ";"
		}
		a.edits = append(a.edits, edit{s.at, s.at, a.rankOf(f), text})
	}
	return nil
}

// AlreadyMakesSpans is the reason of [Refusals] for a function with spans of its own.
const AlreadyMakesSpans = "it makes spans already"

// Refusals gives a function that says why [Apply] would not wrap a function of m; ""
// if it would.
func Refusals(m *jsast.Module) func(*jsast.Function) string {
	a := &applier{m: m, taken: takenNames(m)}
	a.findHelpers()
	return a.refuse
}

func (a *applier) refuse(f *jsast.Function) string {
	if MakesSpans(f.Node) || strings.HasSuffix(f.Callee, "startActiveSpan") {
		return AlreadyMakesSpans
	}
	if why := Forbidden(a.m, f); why != "" {
		return why
	}
	if why := a.hoistConflict(f); why != "" {
		return why
	}
	if !f.Concise && f.Node.Child("body").Type != "BlockStatement" {
		return "its body is no block"
	}
	return a.helpers.hiddenIn(a.m, f)
}

// hoistConflict finds declarations that mean something else in a block of their
// own: a parameter declared again, a function declared twice.
func (a *applier) hoistConflict(f *jsast.Function) string {
	for i := range a.m.Scopes.All {
		s := &a.m.Scopes.All[i]
		if s.Kind != "function" || s.Range != f.Node.Range {
			continue
		}
		for _, v := range s.Variables {
			functions, others := 0, 0
			for _, d := range v.Definitions {
				if d.Kind == "FunctionName" {
					functions++
				} else {
					others++
				}
			}
			inBody := slices.ContainsFunc(v.Definitions, func(d jsast.Definition) bool { return f.Body.Holds(d.Name) })
			outside := slices.ContainsFunc(v.Definitions, func(d jsast.Definition) bool { return !f.Body.Holds(d.Name) })
			switch {
			case inBody && (outside || len(v.Definitions) == 0):
				return fmt.Sprintf("it declares its parameter %s again", v.Name)
			case inBody && v.Name == "arguments":
				return "it declares arguments"
			case functions > 1 || functions > 0 && others > 0:
				return fmt.Sprintf("it declares the function %s twice", v.Name)
			}
		}
	}
	return ""
}

// spanName is a name for the span that neither the body nor an attribute uses.
func (a *applier) spanName(f *jsast.Function, used []string) string {
	free := []string{}
	for _, name := range []string{"span", "otelSpan", "otelSpan2", "otelSpan3"} {
		if !slices.Contains(used, name) && name != a.helpers.tracer && name != a.helpers.status && name != a.helpers.kind {
			free = append(free, name)
		}
	}
	return a.m.Scopes.Free(f.Body, free...)
}

// statement sets one attribute. A line of its own holds the if, where there is one.
type statement struct {
	at     int // 0: at the start
	indent string
	key    string
	value  *setValue
}

func (s statement) lines(a *applier, span, indent string) string {
	set := span + ".setAttribute(" + a.quoted(s.key) + ", " + s.value.code + ")" + a.semicolon
	var conditions []string
	if s.value.costly {
		conditions = append(conditions, span+".isRecording()")
	}
	for _, g := range s.value.guards {
		conditions = append(conditions, g)
	}
	for i, c := range conditions {
		if len(conditions) > 1 && strings.Contains(c, " || ") {
			conditions[i] = "(" + c + ")"
		}
	}
	nl := a.m.NewLine
	if len(conditions) == 0 {
		return nl + indent + set
	}
	return nl + indent + "if (" + strings.Join(conditions, " && ") + ") {" + nl + indent + a.m.Indent + set + nl + indent + "}"
}

// attributes checks the attributes of a choice. used are the names in their expressions.
func (a *applier) attributes(ctx context.Context, f *jsast.Function, c Choice) (start, after []statement, used []string, err error) {
	known := knownAtStart(f.Node)
	for _, attribute := range c.Attributes {
		if !printable(attribute.Key) {
			a.drop(c.ID, attribute.Key, "the attribute has no name")
			continue
		}
		at, indent, here, why := a.place(f, attribute.At, known)
		if why != "" {
			a.drop(c.ID, attribute.Key, "%s", why)
			continue
		}
		v, bad := expression(ctx, a.engine, attribute.Expr, place{here, a.accessors()})
		var engine *jsast.EngineError
		if errors.As(bad, &engine) || bad != nil && ctx.Err() != nil {
			return nil, nil, nil, bad
		}
		if bad == nil {
			bad = a.reachable(f, v, at)
		}
		if bad != nil {
			a.drop(c.ID, attribute.Key, "%s", bad)
			continue
		}
		used = append(used, v.names...)
		s := statement{at, indent, attribute.Key, v}
		if at == 0 {
			start = append(start, s)
		} else {
			after = append(after, s)
		}
	}
	return start, after, used, nil
}

// place finds where an attribute is set: 0 for the start, else the offset behind a
// declaration, and what is known there.
func (a *applier) place(f *jsast.Function, at string, known paths) (offset int, indent string, here paths, why string) {
	if at == "" || at == "start" {
		return 0, "", known, ""
	}
	text, ok := strings.CutPrefix(at, "after:")
	line, err := strconv.Atoi(text)
	if !ok || err != nil {
		return 0, "", known, fmt.Sprintf("at is %q, neither start nor after:LINE", at)
	}
	if f.Concise {
		return 0, "", known, "the function has no declarations"
	}
	for _, n := range f.Node.Child("body").List("body") {
		if n.Type != "VariableDeclaration" || a.m.Pos(n.Start).Line > line || a.m.Pos(n.End-1).Line < line {
			continue
		}
		end := a.lineEnd(a.pastType(n.End))
		if end < 0 {
			return 0, "", known, fmt.Sprintf("something else stands on line %d", line)
		}
		return end, a.indentAt(n.Start) + a.m.Indent + a.m.Indent, paths{map[string]bool{}, map[string]bool{}}, ""
	}
	return 0, "", known, fmt.Sprintf("no declaration of the function's own block stands on line %d", line)
}

// globals are names without a declaration that an expression may use.
var globals = []string{"undefined", "NaN", "Infinity"}

// reachable says why a name of an expression cannot be used at a place.
func (a *applier) reachable(f *jsast.Function, v *setValue, at int) error {
	if at == 0 {
		at = f.Body.Start + 1
		if f.Concise {
			at = f.Body.Start
		}
	}
	for _, name := range v.names {
		variable := a.m.Scopes.Lookup(at, name)
		builtin := isBuiltin(name)
		switch {
		case variable == nil && (builtin || slices.Contains(globals, name)):
		case variable == nil:
			return fmt.Errorf("%s is not declared", name)
		case builtin:
			return fmt.Errorf("%s is not the built-in one here", name)
		case a.m.Scopes.Ready(variable, at) == jsast.Unready:
			return fmt.Errorf("%s has no value yet there", name)
		}
	}
	return nil
}

func printable(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/ @:{}", r))
	})
}

func (a *applier) quoted(s string) string { return a.quote + s + a.quote } // printable has neither quotes nor backslashes
