package excerpt

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables and strikethrough as in goldmark's own package of extensions. That package compiles regular expressions at the start of
// each process that links it, which took a fifth of what all packages of `aburn` do there.

// table makes a table of a paragraph.
type table struct{}

// Transform is for goldmark.
func (table) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		columns := delimiters(line.Value(source))
		if columns == 0 {
			continue
		}
		header := row(lines.At(i-1), source, columns, true)
		if header.ChildCount() != columns {
			return
		}
		t := tables.NewTable()
		t.AppendChild(t, tables.NewTableHeader(header))
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, row(lines.At(j), source, columns, false))
		}
		lines.SetSliced(0, i-1)
		parent := node.Parent()
		if parent.InsertAfter(parent, node, t); lines.Len() == 0 {
			parent.RemoveChild(parent, node)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // its line break
		lines.Set(i-2, last)
		return
	}
}

// delimiters is the number of columns that a line below a header names; 0 if it is no such line.
func delimiters(line []byte) int {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 || len(bytes.Trim(line, "-")) == 0 {
		return 0
	}
	columns := bytes.Split(line, []byte("|"))
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if n := len(columns); n > 0 && util.IsBlank(columns[n-1]) {
		columns = columns[:n-1]
	}
	for _, c := range columns {
		c = bytes.TrimSuffix(bytes.TrimPrefix(bytes.Trim(c, " \t\n\v\f\r"), []byte(":")), []byte(":"))
		if len(c) == 0 || len(bytes.Trim(c, "-")) > 0 {
			return 0
		}
	}
	return len(columns)
}

// row has a cell for each column, and a header also those that it names beyond.
func row(segment text.Segment, source []byte, columns int, header bool) *tables.TableRow {
	segment = segment.TrimLeftSpace(source)
	segment = segment.TrimRightSpace(source)
	line, r := segment.Value(source), tables.NewTableRow(nil)
	pos, limit := 0, len(line)
	if limit > 0 && line[0] == '|' {
		pos++
	}
	if limit > 0 && line[limit-1] == '|' {
		limit--
	}
	for n := 0; pos < limit && (header || n < columns); n++ {
		end := pos
		for end < limit && (line[end] != '|' || end > 0 && line[end-1] == '\\') {
			end++
		}
		cell := tables.NewTableCell()
		content := text.NewSegment(segment.Start+pos, segment.Start+end)
		content = content.TrimLeftSpace(source)
		cell.Lines().Append(content.TrimRightSpace(source))
		r.AppendChild(r, cell)
		pos = end + 1
	}
	for r.ChildCount() < columns {
		r.AppendChild(r, tables.NewTableCell())
	}
	return r
}

// strike parses text between tildes that is struck through.
type strike struct{}

// IsDelimiter is for goldmark.
func (strike) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser is for goldmark.
func (strike) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch is for goldmark.
func (strike) OnMatch(int) ast.Node { return tables.NewStrikethrough() }

// Trigger is for goldmark.
func (strike) Trigger() []byte { return []byte{'~'} }

// Parse is for goldmark.
func (s strike) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, s)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// html writes both.
type tableHTML struct{}

// RegisterFuncs is for goldmark.
func (tableHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tables.KindTable, tags("<table>\n", "</table>\n"))
	r.Register(tables.KindTableHeader, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString("<thead>\n<tr>\n")
			return ast.WalkContinue, nil
		}
		w.WriteString("</tr>\n</thead>\n")
		if n.NextSibling() != nil {
			w.WriteString("<tbody>\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(tables.KindTableRow, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString("<tr>\n")
			return ast.WalkContinue, nil
		}
		w.WriteString("</tr>\n")
		if n.Parent().LastChild() == n {
			w.WriteString("</tbody>\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(tables.KindTableCell, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "td"
		if n.Parent().Kind() == tables.KindTableHeader {
			tag = "th"
		}
		if entering {
			w.WriteString("<" + tag + ">")
		} else {
			w.WriteString("</" + tag + ">\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(tables.KindStrikethrough, tags("<del>", "</del>"))
	r.Register(ast.KindCodeSpan, codeSpan)
}

func tags(begin, end string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(begin)
		} else {
			w.WriteString(end)
		}
		return ast.WalkContinue, nil
	}
}

// codeSpan is code in a line. In a cell a backslash before a bar is the table's.
func codeSpan(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		w.WriteString("</code>")
		return ast.WalkContinue, nil
	}
	inCell := false
	for n := node.Parent(); n != nil; n = n.Parent() {
		inCell = inCell || n.Kind() == tables.KindTableCell
	}
	w.WriteString("<code>")
	for c := node.FirstChild(); c != nil; c = c.NextSibling() {
		value := c.(*ast.Text).Segment.Value(source)
		if inCell {
			value = bytes.ReplaceAll(value, []byte(`\|`), []byte("|"))
		}
		if bytes.HasSuffix(value, []byte("\n")) {
			value = append(value[:len(value)-1:len(value)-1], ' ')
		}
		w.Write(util.EscapeHTML(value))
	}
	return ast.WalkSkipChildren, nil
}
