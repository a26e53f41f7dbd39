package edit

import (
	"cmp"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// edit replaces the bytes from at to end. Of edits at one place the lower rank
// comes first.
type edit struct {
	at, end int
	rank    int
	text    string
}

// Ranks at one place: indentation, then what begins something, then what ends it,
// the inner function before the one around it.
const (
	rankIndent = 0
	rankInsert = 1
	rankLast   = 1 << 40
)

// rankOf is for what stands behind a function's last statement; what ends the
// function comes one later.
func (a *applier) rankOf(f *jsast.Function) int {
	return 2 * (len(a.m.Source) - f.Node.Start + 1)
}

func (a *applier) insert(at int, text string) {
	a.edits = append(a.edits, edit{at, at, rankInsert, text})
}

func (a *applier) splice() []byte {
	slices.SortStableFunc(a.edits, func(x, y edit) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.rank, y.rank)) })
	var out strings.Builder
	at := 0
	for _, e := range a.edits {
		if e.at < at && e.rank == rankIndent { // the line that it would indent is joined with the one before
			continue
		}
		out.Write(a.m.Source[at:max(at, e.at)])
		out.WriteString(e.text)
		at = max(at, e.end)
	}
	out.Write(a.m.Source[at:])
	return []byte(out.String())
}

// wrap puts the canonical form around a function's body.
func (a *applier) wrap(f *jsast.Function, name, span string, start []statement) {
	nl, unit := a.m.NewLine, a.m.Indent
	from, to, outer := a.inner(f)
	i1, i2, i3 := outer+unit, outer+unit+unit, outer+unit+unit+unit
	async := ""
	if f.Async {
		async = "async "
	}
	begin := "return " + a.helpers.tracer + ".startActiveSpan(" + a.quoted(name) + ", "
	open := nl + i1 + begin + a.options(a.names.Kinds[name]) + async + "(" + span + ")" + a.returns(f) + " => {" + nl + i2 +
		"try {"
	for i, s := range start {
		line := s.lines(a, span, i3)
		if i == len(start)-1 && a.semicolon == "" && strings.HasSuffix(line, ")") && a.continues(from) {
			line += ";"
		}
		open += line
	}
	end := a.semicolon
	shut := nl + i2 + "} catch (error) {" + nl + i3 + span + ".recordException(" + a.caught() + ")" + end +
		nl + i3 + span + ".setStatus({ code: " + a.helpers.status + ".ERROR })" + end + nl + i3 + "throw error" + end +
		nl + i2 + "} finally {" + nl + i3 + span + ".end()" + end + nl + i2 + "}" + nl + i1 + "})" + end
	rank := a.rankOf(f) + 1
	if f.Concise {
		a.wrapConcise(f, from, to, open+nl+i3+"return ", shut, outer, rank)
		return
	}
	source := a.m.Source
	closing := f.Body.End - 1
	first := from + len(source[from:closing]) - len(strings.TrimLeft(string(source[from:closing]), " \t\r\n"))
	switch {
	case from == to:
		a.insert(from, open)
	case strings.Contains(string(source[from:first]), "\n"):
		a.insert(from, open)
		a.indent(from, to, unit+unit)
	default:
		a.edits = append(a.edits, edit{from, first, rankInsert, open + nl + i3})
		a.indent(first, to, unit+unit)
	}
	if strings.Contains(string(source[to:closing]), "\n") {
		a.edits = append(a.edits, edit{to, to, rank, shut})
	} else {
		a.edits = append(a.edits, edit{to, closing, rank, shut + nl + outer})
	}
}

// wrapConcise gives an arrow's expression a body. In parentheses it may begin with
// a comment; a return alone would end there.
func (a *applier) wrapConcise(f *jsast.Function, from, to int, open, shut, outer string, rank int) {
	source := a.m.Source
	first := from + len(source[from:to]) - len(strings.TrimLeft(string(source[from:to]), " \t\r\n"))
	end := a.semicolon
	if slices.ContainsFunc(a.m.Comments, func(c jsast.Comment) bool { return c.Start >= from && c.Start < f.Body.Start }) {
		open, end = open+"(", ")"+end
	}
	more := a.m.Indent + a.m.Indent
	if !strings.Contains(string(source[from:first]), "\n") {
		more += a.m.Indent
	}
	a.edits = append(a.edits, edit{from, first, rankInsert, " {" + open})
	a.indent(first, to, more)
	a.edits = append(a.edits, edit{to, to, rank, end + shut + a.m.NewLine + outer + "}"})
}

// inner gives what is wrapped: behind directives and a comment on their line, up to
// the last thing in the body. outer is the indentation of the function's own line.
// Of a concise body it is what stands behind =>.
func (a *applier) inner(f *jsast.Function) (from, to int, outer string) {
	source := a.m.Source
	if f.Concise {
		return a.behindArrow(f), a.pastType(f.Node.End), a.indentAt(f.Node.Start)
	}
	from, closing := f.Body.Start+1, f.Body.End-1
	for _, n := range f.Node.Child("body").List("body") {
		if n.Type != "ExpressionStatement" || n.Field("directive") == nil {
			break
		}
		from = n.End
	}
	if end := a.lineEnd(from); end >= 0 && end <= closing {
		from = end
	}
	to = from + len(strings.TrimRight(string(source[from:closing]), " \t\r\n\f\v"))
	outer = a.indentAt(f.Body.Start)
	if line := a.lineStart(closing); line > f.Body.Start && strings.TrimLeft(string(source[line:closing]), " \t") == "" {
		outer = string(source[line:closing])
	}
	return from, to, outer
}

// behindArrow is the offset behind =>. Between the parameters and the body there
// are only parentheses, a comma and comments beside it.
func (a *applier) behindArrow(f *jsast.Function) int {
	at := f.Node.Start
	if n := len(f.Params); n > 0 {
		at = f.Params[n-1].End
	}
	for at < f.Body.Start {
		if i := slices.IndexFunc(a.m.Comments, func(c jsast.Comment) bool { return c.Start == at }); i >= 0 {
			at = a.m.Comments[i].End
			continue
		}
		if t := a.typeAt(at); t != nil {
			at = t.End
			continue
		}
		if strings.HasPrefix(string(a.m.Source[at:f.Body.Start]), "=>") {
			return at + 2
		}
		at++
	}
	return f.Body.Start
}

// indent puts more in front of each line that begins between two places, except
// blank lines and those within text.
func (a *applier) indent(from, to int, more string) {
	source := a.m.Source
	for i := from; i < to; i++ {
		if source[i] != '\n' || i+1 >= to || a.m.Verbatim(i+1) {
			continue
		}
		if c := source[i+1]; c != '\n' && c != '\r' {
			a.edits = append(a.edits, edit{i + 1, i + 1, rankIndent, more})
		}
	}
}

func (a *applier) lineStart(at int) int {
	return strings.LastIndexByte(string(a.m.Source[:at]), '\n') + 1
}

// indentAt is the white space that the line of at begins with.
func (a *applier) indentAt(at int) string {
	line := string(a.m.Source[a.lineStart(at):at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineEnd is where the line ends if only white space and comments stand behind at; -1
// otherwise. A comment that goes on in the next line is something else.
func (a *applier) lineEnd(at int) int {
	source := a.m.Source
	for i := at; i <= len(source); i++ {
		if t := a.typeAt(i); t != nil && !strings.Contains(t.Text, "\n") {
			i = t.End - 1
			continue
		}
		if i == len(source) || source[i] == '\n' {
			if i > at && source[i-1] == '\r' {
				return i - 1
			}
			return i
		}
		if j := slices.IndexFunc(a.m.Comments, func(c jsast.Comment) bool { return c.Start == i }); j >= 0 {
			c := a.m.Comments[j]
			if a.m.Pos(c.Start).Line != a.m.Pos(c.End).Line {
				return -1
			}
			i = c.End - 1
			continue
		}
		if source[i] != ' ' && source[i] != '\t' && source[i] != '\r' {
			return -1
		}
	}
	return -1
}

// continues says whether what follows would be taken as the rest of a statement
// that ends without a semicolon.
func (a *applier) continues(at int) bool {
	source := a.m.Source
	for i := at; i < len(source); i++ {
		if j := slices.IndexFunc(a.m.Comments, func(c jsast.Comment) bool { return c.Start == i }); j >= 0 {
			i = a.m.Comments[j].End - 1
			continue
		}
		if !strings.ContainsRune(" \t\r\n", rune(source[i])) {
			return strings.ContainsRune("([`+-/*,.<", rune(source[i]))
		}
	}
	return false
}

// semicolons is ";" unless most statements of the file end without.
func semicolons(m *jsast.Module) string {
	with, without := 0, 0
	jsast.Walk(m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		switch n.Type {
		case "ExpressionStatement", "VariableDeclaration", "ReturnStatement", "ImportDeclaration", "ThrowStatement":
			if len(above) > 0 && strings.HasPrefix(above[len(above)-1].Type, "For") {
				return true
			}
			if m.Source[n.End-1] == ';' {
				with++
			} else {
				without++
			}
		}
		return true
	})
	if without > with {
		return ""
	}
	return ";"
}

// quotes is that of most strings in the file; those that hold a quote had no choice.
func quotes(m *jsast.Module) string {
	double := 0
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "JSXAttribute" {
			return n.Child("value") != nil && n.Child("value").Type != "Literal"
		}
		if n.Type != "Literal" || n.Text("kind") != "string" || strings.ContainsAny(n.Text("value"), `'"`) {
			return true
		}
		if m.Source[n.Start] == '"' {
			double++
		} else {
			double--
		}
		return true
	})
	if double > 0 {
		return `"`
	}
	return "'"
}
