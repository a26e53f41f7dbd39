package jsproject

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"aburn/instrument/jsast"
	"aburn/instrument/scan"
)

// bundle has all instrumentations of OpenTelemetry's own.
const bundle = "@opentelemetry/auto-instrumentations-node"

func inBundle(l scan.Library) bool {
	return strings.HasPrefix(l.Package, "@opentelemetry/instrumentation-")
}

// FallbackName is the file, without its extension, that holds instrumentations where aburn does not understand the
// set-up.
const FallbackName = "aburn-instrumentations"

// SetUp is a file that sets up telemetry, parsed.
type SetUp struct {
	File   string // below the project, with /
	Module *jsast.Module
}

// SetUpEdit is what is added to a set-up.
type SetUpEdit struct {
	File    string   `json:"file"`
	Added   []string `json:"added"`   // packages
	Present []string `json:"present"` // packages that it has already, one by one or in the bundle
	// Fallback is a file beside the set-up that holds what could not be added, "" for none; Why says why. A person has to
	// load it.
	Fallback string   `json:"fallback,omitempty"`
	Why      string   `json:"why,omitempty"`
	Notes    []string `json:"notes"`
	Before   []byte   `json:"-"`
	After    []byte   `json:"-"` // of File; equal to Before if nothing is added to it
	// FallbackBefore is nil where there is no such file yet.
	FallbackBefore, FallbackAfter []byte `json:"-"`
}

// Lacks are the libraries that the set-up does not start, and those that it does.
func (s SetUp) Lacks(libraries []scan.Library) (lacking, present []scan.Library) {
	loads := func(pkg string) bool {
		return slices.ContainsFunc(s.Module.Imports, func(i jsast.Import) bool { return i.Module == pkg })
	}
	for _, l := range libraries {
		if loads(l.Package) || loads(bundle) && inBundle(l) {
			present = append(present, l)
		} else {
			lacking = append(lacking, l)
		}
	}
	return lacking, present
}

// Add works out how libraries get into a set-up. All of it is insertions: nothing is removed or reordered, and a second
// time there is nothing to add. had is the fallback file as it is, nil for none. The error is that of parsing, or the context's.
func (s SetUp) Add(ctx context.Context, engine jsast.Engine, libraries []scan.Library, had []byte) (*SetUpEdit, error) {
	out := &SetUpEdit{File: s.File, Added: []string{}, Present: []string{}, Notes: []string{}, Before: s.Module.Source, After: s.Module.Source,
		FallbackBefore: had}
	lacking, present := s.Lacks(libraries)
	for _, l := range present {
		out.Present = append(out.Present, l.Package)
	}
	if len(lacking) == 0 {
		return out, nil
	}
	if s.Module.Type == jsast.ESModule && !strings.Contains(string(s.Module.Source), "hook.mjs") {
		out.Notes = append(out.Notes,
			"libraries that are ES modules are only patched after register('@opentelemetry/instrumentation/hook.mjs', import.meta.url) of node:module; the set-up "+
				"does not call it")
	}
	after, why := insert(s.Module, lacking)
	if why == "" {
		if _, err := jsast.ParseNamed(ctx, engine, s.File, after, s.Module.Type); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			why = "what aburn would write does not parse"
		}
	}
	if why == "" {
		out.After = after
		out.Added = packages(lacking)
		return out, nil
	}
	return out, s.fallBack(ctx, engine, out, lacking, why)
}

func packages(list []scan.Library) (names []string) {
	for _, l := range list {
		names = append(names, l.Package)
	}
	return names
}

// FallbackFile is where the fallback of a set-up stands.
func (s SetUp) FallbackFile() string {
	return path.Join(path.Dir(s.File), FallbackName+path.Ext(s.File))
}

// fallBack puts libraries into a file of aburn's own.
func (s SetUp) fallBack(ctx context.Context, engine jsast.Engine, out *SetUpEdit, lacking []scan.Library, why string) error {
	out.Fallback, out.Why = s.FallbackFile(), why
	text := out.FallbackBefore
	if text == nil {
		text = []byte(s.emptyFallback())
	}
	m, err := jsast.ParseNamed(ctx, engine, out.Fallback, text, s.Module.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", out.Fallback, err)
	}
	lacking, present := SetUp{out.Fallback, m}.Lacks(lacking)
	out.Present = append(out.Present, packages(present)...)
	out.FallbackAfter = text
	if len(lacking) == 0 {
		return nil
	}
	if out.FallbackAfter, why = insert(m, lacking); why != "" {
		return fmt.Errorf("%s is not as aburn wrote it: %s", out.Fallback, why)
	}
	out.Added = packages(lacking)
	return nil
}

func (s SetUp) emptyFallback() string {
	name := FallbackName + path.Ext(s.File)
	load, export := "import { instrumentations } from './"+name+"';", "export const instrumentations = [\n];\n"
	if s.Module.Type == jsast.CommonJS {
		load, export = "const { instrumentations } = require('./"+name+"');", "const instrumentations = [\n];\n\nmodule.exports = { instrumentations };\n"
	}
	return "// Instrumentations that " + path.Base(s.File) + " lacks: aburn did not see where it takes them. Load them there:\n//   " + load + "\n" +
		"//   new NodeSDK({ instrumentations: [...yours, ...instrumentations] })\n" + export
}

// target is where instrumentations go.
type target struct {
	list   *jsast.Node // an array literal
	bare   *jsast.Node // an expression that stands in place of an array
	object *jsast.Node // an object literal without the member
	call   *jsast.Node // new NodeSDK()
}

// insertion is text that is put at an offset.
type insertion struct {
	at   int
	text string
}

// insert gives the source with libraries in it. why says why not.
func insert(m *jsast.Module, libraries []scan.Library) (after []byte, why string) {
	t, why := find(m)
	if why != "" {
		return nil, why
	}
	var elements []string
	for _, l := range libraries {
		if m.Scopes.Lookup(len(m.Source)-1, l.Class) != nil {
			return nil, l.Class + " is the name of something else in it"
		}
		elements = append(elements, "new "+l.Class+"("+argumentsOf(l)+")")
	}
	list, why := t.insertions(m, elements)
	if why != "" {
		return nil, why
	}
	list = append(list, loading(m, libraries))
	slices.SortStableFunc(list, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	at := 0
	for _, i := range list {
		b.Write(m.Source[at:i.at])
		b.WriteString(i.text)
		at = i.at
	}
	b.Write(m.Source[at:])
	return []byte(b.String()), ""
}

// argumentsOf are what a library's class needs to do its work by itself.
func argumentsOf(l scan.Library) string {
	if l.Package == "@fastify/otel" { // without it, it is a plugin that the code has to register
		return "{ registerOnInitialization: true }"
	}
	return ""
}

// loading is the import of libraries, behind those that the file begins with.
func loading(m *jsast.Module, libraries []scan.Library) insertion {
	var text strings.Builder
	for _, l := range libraries {
		if m.Type == jsast.CommonJS {
			text.WriteString(m.NewLine + "const { " + l.Class + " } = require('" + l.Package + "');")
		} else {
			text.WriteString(m.NewLine + "import { " + l.Class + " } from '" + l.Package + "';")
		}
	}
	at := -1
	body := m.Tree.List("body")
	for _, n := range body {
		required := n.Type == "VariableDeclaration" && slices.ContainsFunc(m.Imports,
			func(i jsast.Import) bool { return i.Form == jsast.ImportRequire && n.Holds(i.Node.Range) })
		if n.Field("directive") != nil || n.Type == "ImportDeclaration" || m.Type == jsast.CommonJS && required {
			at = n.End
		} else if at >= 0 {
			break
		}
	}
	if at >= 0 {
		return insertion{at, text.String()}
	}
	first := 0
	if len(body) > 0 {
		first = body[0].Start
	}
	return insertion{first, strings.TrimPrefix(text.String(), m.NewLine) + m.NewLine}
}

// find finds the one place that takes instrumentations.
func find(m *jsast.Module) (t target, why string) {
	var found []target
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		name := jsast.Path(n.Child("callee"))
		name = name[strings.LastIndexByte(name, '.')+1:]
		args := n.List("arguments")
		switch {
		case n.Type == "NewExpression" && name == "NodeSDK" && len(args) == 0:
			found = append(found, target{call: n})
		case n.Type == "NewExpression" && name == "NodeSDK", n.Type == "CallExpression" && name == "registerInstrumentations":
			if len(args) == 1 {
				u, reason := inOptions(m, args[0])
				why = cmp.Or(why, reason)
				found = append(found, u)
			}
		}
		return true
	})
	if len(found) == 0 {
		if list := ownList(m); list != nil {
			return target{list: list}, ""
		}
		return t, "it has neither new NodeSDK(…) nor registerInstrumentations(…)"
	}
	// Of a NodeSDK and a registerInstrumentations the one that has a list is meant.
	var lists []target
	for _, u := range found {
		if u.list != nil || u.bare != nil {
			lists = append(lists, u)
		}
	}
	switch {
	case len(lists) == 1:
		return lists[0], ""
	case len(lists) > 1:
		return t, "it has more than one list of instrumentations"
	case why != "":
		return t, why
	case len(found) > 1:
		return t, "it sets up telemetry more than once"
	}
	return found[0], ""
}

// ownList is the list of aburn's fallback file.
func ownList(m *jsast.Module) (list *jsast.Node) {
	if !strings.Contains(string(m.Source), "aburn did not see where it takes them") {
		return nil
	}
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "VariableDeclarator" && n.Child("id").Text("name") == "instrumentations" && n.Child("init") != nil && n.Child("init").Type == "ArrayExpression" {
			list = n.Child("init")
		}
		return true
	})
	return list
}

// inOptions finds the list in the options of a set-up.
func inOptions(m *jsast.Module, options *jsast.Node) (t target, why string) {
	options = resolved(m, options)
	if options == nil || options.Type != "ObjectExpression" {
		return t, "its options are no object that stands in the file"
	}
	for _, p := range options.List("properties") {
		if p.Type == "SpreadElement" {
			why = "its options hold a spread, which may have instrumentations"
			continue
		}
		if key := p.Child("key"); p.Is("computed") || key.Text("name") != "instrumentations" && key.Text("value") != "instrumentations" {
			continue
		}
		value := resolved(m, p.Child("value"))
		switch {
		case value == nil:
			return t, "its instrumentations come from elsewhere"
		case value.Type == "ArrayExpression":
			return target{list: value}, ""
		case value.Type == "CallExpression" && strings.HasSuffix(jsast.Path(value.Child("callee")), "getNodeAutoInstrumentations"):
			return target{bare: value}, ""
		}
		return t, "its instrumentations are no list that stands in the file"
	}
	return target{object: options}, why
}

// resolved is the value that a name gets where it is declared, once; nil where that is not in the file.
func resolved(m *jsast.Module, n *jsast.Node) *jsast.Node {
	for range 5 {
		if n == nil || n.Type != "Identifier" {
			return n
		}
		v := m.Scopes.Lookup(n.Start, n.Text("name"))
		if v == nil || len(v.Definitions) != 1 {
			return nil
		}
		var init *jsast.Node
		jsast.Walk(m.Tree, func(d *jsast.Node, _ []*jsast.Node) bool {
			if d.Type == "VariableDeclarator" && d.Child("id").Range == v.Definitions[0].Name {
				init = d.Child("init")
			}
			return true
		})
		n = init
	}
	return nil
}

func (t target) insertions(m *jsast.Module, elements []string) ([]insertion, string) {
	all := strings.Join(elements, ", ")
	switch {
	case t.list != nil:
		return appended(m, t.list, t.list.List("elements"), elements)
	case t.bare != nil:
		return []insertion{{t.bare.Start, "["}, {t.bare.End, ", " + all + "]"}}, ""
	case t.object != nil:
		return appended(m, t.object, t.object.List("properties"), []string{"instrumentations: [" + all + "]"})
	case m.Source[t.call.End-1] != ')': // new NodeSDK
		return []insertion{{t.call.End, "({ instrumentations: [" + all + "] })"}}, ""
	}
	return []insertion{{t.call.End - 1, "{ instrumentations: [" + all + "] }"}}, ""
}

// appended puts elements behind the last one of an array or object, in its own layout.
func appended(m *jsast.Module, around *jsast.Node, had []*jsast.Node, elements []string) ([]insertion, string) {
	shut := around.End - 1
	line := strings.LastIndexByte(string(m.Source[:shut]), '\n') + 1
	alone := line > around.Start && strings.Trim(string(m.Source[line:shut]), " \t") == ""
	indent := string(m.Source[line:shut]) + m.Indent
	if len(had) == 0 {
		if alone {
			return []insertion{{line, indent + strings.Join(elements, ","+m.NewLine+indent) + "," + m.NewLine}}, ""
		}
		text := strings.Join(elements, ", ")
		if around.Type == "ObjectExpression" {
			text = " " + text + " "
		}
		return []insertion{{around.Start + 1, text}}, ""
	}
	last := had[len(had)-1]
	if last == nil || slices.ContainsFunc(m.Types, func(t jsast.Type) bool { return t.Start < shut && t.End > last.End }) {
		return nil, "its last element has no plain form"
	}
	comma := false
	for i := last.End; i < shut; i++ {
		if j := slices.IndexFunc(m.Comments, func(c jsast.Comment) bool { return c.Start == i }); j >= 0 {
			i = m.Comments[j].End - 1
			continue
		}
		comma = comma || m.Source[i] == ','
	}
	if !alone {
		return []insertion{{last.End, ", " + strings.Join(elements, ", ")}}, ""
	}
	if begin := strings.LastIndexByte(string(m.Source[:last.Start]), '\n') + 1; begin > around.Start {
		text := string(m.Source[begin:last.Start])
		indent = text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	}
	add := insertion{line, indent + strings.Join(elements, ","+m.NewLine+indent)}
	if comma {
		add.text += "," + m.NewLine
		return []insertion{add}, ""
	}
	add.text += m.NewLine
	return []insertion{{last.End, ","}, add}, ""
}
