package jsast

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// SourceType is how a file is parsed.
type SourceType string

const (
	// Auto is for a file whose type neither its extension nor a package.json
	// says: CommonJS where it is valid so, else an ES module, as node decides.
	Auto     SourceType = "auto"
	ESModule SourceType = "module"
	CommonJS SourceType = "commonjs"
)

// TypeByName says what the extension decides: Auto for .js, .jsx and .ts, which the
// nearest package.json decides.
func TypeByName(name string) SourceType {
	switch {
	case strings.HasSuffix(name, ".mjs"), strings.HasSuffix(name, ".mts"):
		return ESModule
	case strings.HasSuffix(name, ".cjs"), strings.HasSuffix(name, ".cts"):
		return CommonJS
	}
	return Auto
}

// A file beyond one of these is not parsed.
const (
	MaxBytes    = 300 << 10
	MaxLines    = 8000
	MaxMeanLine = 400 // bytes a line, all lines together: beyond it the file is minified
)

// LimitError says why a file is not parsed.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

// SyntaxError says where a file is no JavaScript. Message is acorn's, or ours for
// what is refused.
type SyntaxError struct {
	Pos     Pos
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, e.Message)
}

// Module is one parsed file. All offsets are bytes of Source.
type Module struct {
	Source    []byte
	Type      SourceType // ESModule or CommonJS
	Functions []Function // in the order in which they start
	Imports   []Import
	Exports   []Export
	Comments  []Comment
	Tree      *Node
	Scopes    *Scopes
	NewLine   string // "\n" or "\r\n": what most lines end with
	Indent    string // one step of indentation: "\t" or spaces

	// TypeScript: the tree is that of the file without its types, which are in Types.
	TypeScript bool
	Types      []Type

	lines    []int // offset of each line's first byte
	verbatim []Range
}

// Pos gives line and column of an offset.
func (m *Module) Pos(offset int) Pos { return posAt(m.lines, offset) }

// Text is the source of a range.
func (m *Module) Text(r Range) string { return string(m.Source[r.Start:r.End]) }

// Verbatim says whether offset lies within a template's text, a string or a block
// comment. A line that begins there is not indented anew.
func (m *Module) Verbatim(offset int) bool {
	i, _ := slices.BinarySearchFunc(m.verbatim, offset, func(r Range, o int) int { return cmp.Compare(r.End, o) })
	for ; i < len(m.verbatim) && m.verbatim[i].Start < offset; i++ {
		if offset < m.verbatim[i].End {
			return true
		}
		// The end of a template's text is the place before ${ or `: still text.
		if offset == m.verbatim[i].End && m.Source[m.verbatim[i].Start] != '/' {
			return true
		}
	}
	return false
}

// Parse parses a file. The error is a *LimitError, a *SyntaxError, an
// *EngineError, or the context's.
func Parse(ctx context.Context, e Engine, source []byte, t SourceType) (*Module, error) {
	m := &Module{Source: source, lines: lineStarts(source)}
	if err := m.withinLimits(); err != nil {
		return nil, err
	}
	text, marked := strings.CutPrefix(string(source), byteOrderMark)
	base := 0
	if marked {
		base = len(byteOrderMark)
	}
	if err := m.parse(ctx, e, text, newOffsets(text, base), t); err != nil {
		return nil, err
	}
	return m, nil
}

// parse fills the module with what the engine says of text.
func (m *Module) parse(ctx context.Context, e Engine, text string, o offsets, t SourceType) error {
	answer, err := e.Parse(ctx, text, t)
	if err != nil {
		return err
	}
	if err := m.decode(answer, o); err != nil {
		var syntax *SyntaxError
		if errors.As(err, &syntax) {
			return err
		}
		return &EngineError{e.Name(), err}
	}
	m.NewLine, m.Indent = newLine(m.Source), m.indent()
	m.link()
	m.findFunctions()
	return nil
}

func (m *Module) withinLimits() error {
	size, lines := len(m.Source), len(m.lines)
	if size > 0 && m.Source[size-1] == '\n' {
		lines--
	}
	switch {
	case size > MaxBytes:
		return &LimitError{fmt.Sprintf("the file has %d KB, the limit is %d", size>>10, MaxBytes>>10)}
	case lines > MaxLines:
		return &LimitError{fmt.Sprintf("the file has %d lines, the limit is %d", lines, MaxLines)}
	case size > MaxMeanLine*max(lines, 1):
		return &LimitError{fmt.Sprintf("the file looks minified: %d bytes a line, the limit is %d", size/max(lines, 1), MaxMeanLine)}
	}
	// Offsets could not be brought back to bytes: a decoder replaces what is invalid.
	for i := 0; i < size; {
		r, n := utf8.DecodeRune(m.Source[i:])
		if r == utf8.RuneError && n == 1 {
			return &SyntaxError{m.Pos(i), "is not valid UTF-8"}
		}
		i += n
	}
	return nil
}

type answered struct {
	Type     SourceType
	Tree     []int32
	Comments []int32
	Scopes   []answeredScope
	Strings  []string
	Failure  string
	Error    *struct {
		Pos     int
		Message string
	}
}

func (m *Module) decode(answer []byte, o offsets) error {
	var a answered
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if a.Failure != "" {
		return errors.New(a.Failure)
	}
	if a.Error != nil {
		at, ok := o.byteAt(a.Error.Pos)
		if !ok {
			return errMalformed
		}
		return &SyntaxError{m.Pos(at), a.Error.Message}
	}
	m.Type = a.Type
	d := &decoder{numbers: a.Tree, strings: a.Strings, offsets: o}
	m.Tree = d.node()
	if d.failed || d.at != len(d.numbers) {
		return errMalformed
	}
	if err := m.decodeComments(a.Comments, o); err != nil {
		return err
	}
	return m.decodeScopes(&a, o)
}

// Comment is one comment, its marks included in Range.
type Comment struct {
	Range
	Kind CommentKind
	Text string // without marks
}

// CommentKind says how a comment is marked.
type CommentKind string

const (
	LineComment  CommentKind = "//"
	BlockComment CommentKind = "/*"
	Hashbang     CommentKind = "#!"
	HTMLComment  CommentKind = "<!--" // and -->, in CommonJS
)

// Normal is what two comments are compared by: a formatter may indent the lines of
// a block comment anew, change line ends, and take blanks off the ends of lines.
func (c Comment) Normal() string {
	lines := strings.FieldsFunc(c.Text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return string(c.Kind) + strings.Join(lines, "\n")
}

func (m *Module) decodeComments(numbers []int32, o offsets) error {
	d := &decoder{numbers: numbers, offsets: o}
	for d.at < len(numbers) && !d.failed {
		block := d.next() == 1
		c := Comment{Range: d.span()}
		if d.failed || c.End-c.Start < 2 {
			return errMalformed
		}
		text := m.Text(c.Range)
		switch {
		case block:
			c.Kind, c.Text = BlockComment, text[2:len(text)-2]
			m.verbatim = append(m.verbatim, c.Range)
		case strings.HasPrefix(text, "//"):
			c.Kind, c.Text = LineComment, text[2:]
		case strings.HasPrefix(text, "#!"):
			c.Kind, c.Text = Hashbang, text[2:]
		default:
			c.Kind, c.Text = HTMLComment, strings.TrimPrefix(strings.TrimPrefix(text, "<!--"), "-->")
		}
		m.Comments = append(m.Comments, c)
	}
	Walk(m.Tree, func(n *Node, _ []*Node) bool {
		if n.Type == "TemplateElement" || n.Type == "Literal" && n.Text("kind") == "string" {
			m.verbatim = append(m.verbatim, n.Range)
		}
		return true
	})
	slices.SortFunc(m.verbatim, func(a, b Range) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return nil
}

func newLine(source []byte) string {
	if 2*bytes.Count(source, []byte("\r\n")) > bytes.Count(source, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// indent is the step by which lines most often go deeper; two spaces where none does.
func (m *Module) indent() string {
	steps := map[string]int{}
	before := ""
	for _, start := range m.lines {
		if m.Verbatim(start) {
			continue
		}
		line := m.Source[start:]
		blank := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if len(blank) == len(line) || line[len(blank)] == '\n' || line[len(blank)] == '\r' {
			continue
		}
		if step, deeper := strings.CutPrefix(string(blank), before); deeper && step != "" && len(step) <= 8 {
			steps[step]++
		}
		before = string(blank)
	}
	best, most := "  ", 0
	for step, n := range steps {
		if n > most || n == most && step < best {
			best, most = step, n
		}
	}
	return best
}
