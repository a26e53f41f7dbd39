package jsast

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Type is text of a TypeScript file that is gone when the file runs: annotations,
// assertions, declarations of types, modifiers. Neighbours with only white space in
// between are one.
type Type struct {
	Range
	Text string
	// Closes: the text begins with the parenthesis that closes the parameters of an arrow
	// function. node sets it anew, before the arrow.
	Closes bool
}

// TypesError says why the types of a file cannot be taken off.
type TypesError struct {
	Reason string
	// Missing: it is not the file's fault. There is no suitable node.
	Missing bool
}

func (e *TypesError) Error() string { return e.Reason }

// NeedsNode is what TypeScript needs of this machine.
const NeedsNode = "TypeScript needs node 22.13 or later on PATH"

// IsTypeScript says whether a file's name is one of TypeScript that can be parsed.
// .tsx is none: node takes no types off JSX.
func IsTypeScript(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return true
	}
	return false
}

// ParseNamed is [Parse] for a file of this name: the types of a TypeScript file are
// blanked first, by node's own stripTypeScriptTypes. Offsets are those of the source as
// it is. Beside the errors of Parse there is *TypesError.
func ParseNamed(ctx context.Context, e Engine, name string, source []byte, t SourceType) (*Module, error) {
	if !IsTypeScript(name) {
		return Parse(ctx, e, source, t)
	}
	m := &Module{Source: source, TypeScript: true, lines: lineStarts(source)}
	if err := m.withinLimits(); err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(source), byteOrderMark)
	base := len(source) - len(text)
	s, ok := e.(stripper)
	if !ok {
		return nil, &TypesError{NeedsNode, true}
	}
	stripped, err := s.strip(ctx, text)
	if err != nil {
		return nil, err
	}
	o := newOffsets(text, base)
	if m.Types, err = typesOf(text, stripped, o); err != nil {
		return nil, &EngineError{e.Name(), err}
	}
	if err := m.parse(ctx, e, stripped, o, t); err != nil {
		return nil, err
	}
	return m, nil
}

// stripper is an engine that can blank types.
type stripper interface {
	// strip gives a text of as many UTF-16 code units. The error is a *TypesError, a
	// *SyntaxError, an *EngineError, or the context's.
	strip(ctx context.Context, source string) (string, error)
}

// typesOf finds what was blanked. It trusts nobody: what is not blank is as it was, but
// for a semicolon or a parenthesis in place of a type.
func typesOf(text, stripped string, o offsets) (list []Type, err error) {
	was, now := utf16.Encode([]rune(text)), utf16.Encode([]rune(stripped))
	if len(was) != len(now) {
		return nil, fmt.Errorf("the text without types has %d code units, the file %d", len(now), len(was))
	}
	from, to := -1, -1
	end := func() {
		if from < 0 {
			return
		}
		start, _ := o.byteAt(from)
		stop, _ := o.byteAt(to)
		closes := strings.ContainsRune(string(utf16.Decode(now[from:to])), ')')
		list = append(list, Type{Range{start, stop}, text[start-o.base : stop-o.base], closes})
		from = -1
	}
	for i := range was {
		r := rune(now[i])
		blank := unicode.IsSpace(r) || r == '\uFEFF'
		switch {
		case was[i] == now[i] && !blank:
			end()
		case was[i] == now[i]:
		case blank || r == ';' || r == ')' || r == '(':
			if from < 0 {
				from = i
			}
			to = i + 1
		default:
			return nil, fmt.Errorf("more than types was taken off, at code unit %d", i)
		}
	}
	end()
	return list, nil
}

func (n *NodeProcess) strip(ctx context.Context, source string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answer, err := n.askTwice(ctx, map[string]string{"types": source})
	if err != nil {
		return "", err
	}
	var said struct{ Text, Code, Message, Version string }
	if err := json.Unmarshal(answer, &said); err != nil {
		return "", &EngineError{n.Name(), err}
	}
	switch said.Code {
	case "":
		return said.Text, nil
	case "none":
		return "", &TypesError{fmt.Sprintf("%s; that is %s", NeedsNode, said.Version), true}
	case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
		return "", &TypesError{"it cannot run without a compiler: " + said.Message, false}
	}
	return "", &SyntaxError{Pos{0, 1, 1}, said.Message}
}
