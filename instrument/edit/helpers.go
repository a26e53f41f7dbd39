package edit

import (
	"maps"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// helpers are the names by which wrappers call what they need.
type helpers struct {
	trace, status, tracer string // what the code writes: trace, otel.SpanStatusCode
	kind                  string // SpanKind; "" until a span needs it
	// own are those that the file has already, by the name that is looked up.
	own  map[string]bool
	add  []string // names to import: "trace", "SpanStatusCode as OtelStatus"
	form jsast.ImportForm
}

// takenNames are all names that the file uses, wherever.
func takenNames(m *jsast.Module) map[string]bool {
	taken := map[string]bool{}
	for i := range m.Scopes.All {
		s := &m.Scopes.All[i]
		for _, v := range s.Variables {
			taken[v.Name] = true
		}
		for _, r := range s.References {
			taken[r.Name] = true
		}
	}
	for _, t := range m.Types {
		for _, word := range typeTokens(t.Text) {
			taken[word] = true
		}
	}
	return taken
}

func (a *applier) free(names ...string) string {
	for _, n := range names {
		if !a.taken[n] {
			return n
		}
	}
	return names[len(names)-1] + "_"
}

// findHelpers looks for what the file has: an import of the API, a tracer.
func (a *applier) findHelpers() {
	h := &a.helpers
	h.own = map[string]bool{}
	h.form = jsast.ImportStatic
	if a.m.Type == jsast.CommonJS {
		h.form = jsast.ImportRequire
	}
	for _, i := range a.m.Imports {
		if i.Module != API || i.Form != h.form || i.Local == "" || topLevel(a.m, i.Local) == nil {
			continue
		}
		switch i.Imported {
		case "trace":
			h.trace = i.Local
		case "SpanStatusCode":
			h.status = i.Local
		case "SpanKind":
			h.kind = i.Local
		case "*":
			h.trace, h.status, h.kind = i.Local+".trace", i.Local+".SpanStatusCode", i.Local+".SpanKind"
		default:
			continue
		}
		h.own[i.Local] = true
	}
	api := apiNames(a.m)
	for _, n := range a.m.Tree.List("body") {
		if n.Type == "ExportNamedDeclaration" && n.Child("declaration") != nil {
			n = n.Child("declaration")
		}
		for _, d := range n.List("declarations") {
			if d != nil && d.Child("id").Type == "Identifier" && getTracer(d.Child("init"), api) && topLevel(a.m, d.Child("id").Text("name")) != nil {
				h.tracer = d.Child("id").Text("name")
				h.own[h.tracer] = true
			}
		}
	}
	a.nameMissing()
}

// named chooses the local name of an export of the API that the file lacks, and has it imported.
func (a *applier) named(name, other string) string {
	h := &a.helpers
	local := a.free(name, other)
	spec := name
	if local != name && h.form == jsast.ImportStatic {
		spec += " as " + local
	} else if local != name {
		spec += ": " + local
	}
	h.add = append(h.add, spec)
	return local
}

// options are those of a span of a kind: "" for an internal one, which is the API's default.
func (a *applier) options(kind string) string {
	if kind == "" || kind == "internal" {
		return ""
	}
	if a.helpers.kind == "" {
		a.helpers.kind = a.named("SpanKind", "OtelSpanKind")
	}
	return "{ kind: " + a.helpers.kind + "." + strings.ToUpper(kind) + " }, "
}

// nameMissing chooses names for the helpers that the file lacks.
func (a *applier) nameMissing() {
	h := &a.helpers
	named := a.named
	if h.tracer == "" && h.trace == "" {
		h.trace = named("trace", "otelTrace")
	}
	if h.status == "" {
		h.status = named("SpanStatusCode", "OtelSpanStatusCode")
	}
	if h.tracer != "" {
		return
	}
	h.tracer = a.free("tracer", "otelTracer", "otelTracer2")
}

// topLevel gives a name that is declared once, at the file's top level; nil otherwise.
func topLevel(m *jsast.Module, name string) *jsast.Variable {
	var found *jsast.Variable
	for i := range min(fileScope+1, len(m.Scopes.All)) {
		s := &m.Scopes.All[i]
		for j := range s.Variables {
			if v := &s.Variables[j]; v.Name == name && len(v.Definitions) == 1 {
				found = v
			}
		}
	}
	return found
}

// hiddenIn says which of the file's own helpers means something else in a function.
func (h *helpers) hiddenIn(m *jsast.Module, f *jsast.Function) string {
	for _, name := range slices.Sorted(maps.Keys(h.own)) {
		if m.Scopes.Lookup(f.Body.Start, name) != topLevel(m, name) {
			return name + " means something else in it"
		}
	}
	return ""
}

// declareHelpers writes the import and the tracer, where the file lacks them.
func (a *applier) declareHelpers() {
	h := &a.helpers
	var lines []string
	if len(h.add) > 0 && !a.extendImport() {
		names := "{ " + strings.Join(h.add, ", ") + " }"
		if h.form == jsast.ImportStatic {
			lines = append(lines, "import "+names+" from "+a.quoted(API)+a.semicolon)
		} else {
			lines = append(lines, "const "+names+" = require("+a.quoted(API)+")"+a.semicolon)
		}
	}
	if !h.own[h.tracer] {
		lines = append(lines, "const "+h.tracer+" = "+h.trace+".getTracer("+a.quoted(a.names.Tracer)+")"+a.semicolon)
	}
	if len(lines) == 0 {
		return
	}
	at, before := a.headOfFile()
	if before {
		if a.semicolon == "" && a.continues(at) {
			lines[len(lines)-1] += ";"
		}
		a.insert(at, strings.Join(lines, a.m.NewLine)+a.m.NewLine+a.m.NewLine)
		return
	}
	text := a.m.NewLine + strings.Join(lines, a.m.NewLine)
	if a.lineEnd(at) != at || a.continues(at) { // something follows on the line, or would go on
		text = strings.TrimSuffix(text, ";") + ";"
	}
	if a.lineEnd(at) != at {
		text += a.m.NewLine
	}
	a.edits = append(a.edits, edit{at, at, rankLast, text})
}

// extendImport adds the names to the file's own import of the API.
func (a *applier) extendImport() bool {
	for _, n := range a.m.Tree.List("body") {
		list, last := a.namesOf(n), 0
		if len(list) == 0 {
			continue
		}
		last = list[len(list)-1].End
		a.insert(last, ", "+strings.Join(a.helpers.add, ", "))
		return true
	}
	return false
}

// namesOf are the names in braces of an import of the API.
func (a *applier) namesOf(n *jsast.Node) []*jsast.Node {
	var list []*jsast.Node
	switch {
	case n.Type == "ImportDeclaration" && n.Child("source").Text("value") == API:
		list = n.List("specifiers")
	case n.Type == "VariableDeclaration" && a.helpers.form == jsast.ImportRequire:
		for _, d := range n.List("declarations") {
			if init := d.Child("init"); init != nil && init.Type == "CallExpression" && loaded(init) == API && d.Child("id").Type == "ObjectPattern" {
				list = d.Child("id").List("properties")
			}
		}
	}
	if len(list) == 0 || !slices.Contains([]string{"ImportSpecifier", "Property"}, list[len(list)-1].Type) {
		return nil
	}
	return list
}

// headOfFile is where the helpers go: behind the imports, or requires, or directives
// that the file begins with; else before its first statement and the comments that
// belong to that. before: the text goes in front of what is there.
func (a *applier) headOfFile() (at int, before bool) {
	body := a.m.Tree.List("body")
	last := -1
	for i, n := range body {
		if n.Field("directive") == nil && n.Type != "ImportDeclaration" && !(a.helpers.form == jsast.ImportRequire && isRequire(n)) {
			break
		}
		last = i
	}
	if last >= 0 {
		behind := a.pastType(body[last].End)
		if end := a.lineEnd(behind); end >= 0 {
			return end, false
		}
		return behind, false
	}
	at = 0
	if len(a.m.Source) > 3 && string(a.m.Source[:3]) == "\uFEFF" {
		at = 3
	}
	first := len(a.m.Source)
	if len(body) > 0 {
		first = body[0].Start
	}
	for _, c := range a.m.Comments {
		if c.End > first {
			break
		}
		// A comment with a blank line behind it is the file's.
		behind := string(a.m.Source[c.End:min(first, a.nextComment(c.End))])
		if n := strings.Count(behind, "\n"); n > 1 || n == 1 && c.Kind == jsast.Hashbang {
			at = c.End + strings.LastIndexByte(behind, '\n') + 1
		}
	}
	return at, true
}

func (a *applier) nextComment(at int) int {
	for _, c := range a.m.Comments {
		if c.Start >= at {
			return c.Start
		}
	}
	return len(a.m.Source)
}

// isRequire says whether a statement only loads modules.
func isRequire(n *jsast.Node) bool {
	switch n.Type {
	case "ExpressionStatement":
		return loaded(n.Child("expression")) != ""
	case "VariableDeclaration":
		return !slices.ContainsFunc(n.List("declarations"), func(d *jsast.Node) bool { return loaded(d.Child("init")) == "" })
	}
	return false
}
