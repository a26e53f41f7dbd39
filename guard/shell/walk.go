package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

type walker struct {
	line      *Line
	home      string
	downloads map[string]bool // files that the line has downloaded
	aliases   map[string]string
	functions map[string]*function
	depth     int
	fed       bool // the program that comes next gets operands that the text does not show
}

type function struct{ body *syntax.Stmt }

// text walks through a script. Statements before a mistake count, because a shell runs them.
func (w *walker) text(text string, sh *scope, in stream, extra int) {
	if len(text) > MaxText {
		w.line.opaque("longer than 1 MiB")
		return
	}
	if w.depth >= maxDepth {
		w.line.opaque("nested too deeply")
		return
	}
	w.depth += 1 + extra
	defer func() { w.depth -= 1 + extra }()
	if nesting(text) > maxNesting {
		w.line.opaque("nested too deeply")
		return
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, Hole, "\ufffd"), "\ufffd")
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	for stmt, err := range parser.StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			w.line.opaque("not valid shell") // the iterator may not be left here: it goes on after an error
			continue
		}
		w.stmt(stmt, sh, in)
	}
}

// nesting is more than the depth to which the parser recurses in text.
func nesting(text string) int {
	depth, deepest, word := 0, 0, 0
	count := func(s string) {
		switch s {
		case "if", "while", "until", "for", "case", "select", "!", "time":
			depth++
		case "fi", "done", "esac":
			depth--
		}
	}
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c == '!' {
			continue
		}
		if i > word {
			count(text[word:i])
		}
		word = i + 1
		switch c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']', '\n':
			depth = max(depth-1, 0)
		case '"', '`', '|', '&': // a chain of pipes is nested to the left
			depth++
		case ';':
			depth = max(depth-2, 0)
		}
		deepest = max(deepest, depth)
	}
	return max(deepest, depth)
}

// stmt walks through a statement and returns what it prints, as far as that is known.
func (w *walker) stmt(s *syntax.Stmt, sh *scope, in stream) stream {
	if len(w.line.Programs) >= maxPrograms {
		w.line.opaque("more than 4096 programs")
		return stream{any: true}
	}
	if s.Background {
		sh = sh.sub()
	}
	redirects, here := w.redirects(s.Redirs, sh)
	if here.any {
		in = here
	}
	call, simple := s.Cmd.(*syntax.CallExpr)
	switch {
	case s.Cmd == nil:
		w.program(Program{Name: ":", Redirects: redirects, Dir: sh.dir, Remote: sh.remote})
	case simple:
		return w.call(call, redirects, sh, in)
	default:
		out := w.command(s.Cmd, sh, in)
		if len(redirects) > 0 {
			w.program(Program{Name: ":", Redirects: redirects, Dir: sh.dir, Remote: sh.remote})
		}
		return out
	}
	return stream{}
}

func (w *walker) program(p Program) { w.line.Programs = append(w.line.Programs, p) }

func (w *walker) stmts(list []*syntax.Stmt, sh *scope, in stream) (out stream) {
	for _, s := range list {
		one := w.stmt(s, sh, in)
		if out.net = out.net || one.net; len(list) == 1 {
			out = one
		}
		out.any = true
	}
	return out
}

func (w *walker) command(c syntax.Command, sh *scope, in stream) stream {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			left := w.stmt(c.X, sh.sub(), in)
			left.any = true
			return w.stmt(c.Y, sh.sub(), left)
		}
		a := w.stmt(c.X, sh, in)
		b := w.stmt(c.Y, sh, in)
		return stream{net: a.net || b.net, any: true}
	case *syntax.Subshell:
		return w.stmts(c.Stmts, sh.sub(), in)
	case *syntax.Block:
		return w.stmts(c.Stmts, sh, in)
	case *syntax.IfClause:
		w.branch(sh, in, c.Cond, c.Then)
		for e := c.Else; e != nil; e = e.Else {
			w.branch(sh, in, e.Cond, e.Then)
		}
	case *syntax.WhileClause:
		w.branch(sh, in, c.Cond, c.Do)
	case *syntax.ForClause:
		w.loop(c, sh, in)
	case *syntax.CaseClause:
		w.field(c.Word, sh)
		for _, item := range c.Items {
			w.branch(sh, in, item.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			w.functions[c.Name.Value] = &function{c.Body}
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, sh, in)
		}
	case *syntax.CoprocClause:
		return w.stmt(c.Stmt, sh.sub(), in)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			w.assign(a, sh)
		}
	default:
		w.inside(c, sh) // tests, arithmetic: only their substitutions start programs
	}
	return stream{any: true}
}

// branch walks through a part that may not run: what it sets is unknown afterwards where it differs.
func (w *walker) branch(sh *scope, in stream, parts ...[]*syntax.Stmt) {
	inner := sh.sub()
	for _, list := range parts {
		w.stmts(list, inner, in)
	}
	for k, v := range sh.vars {
		if inner.vars[k] != v {
			delete(sh.vars, k)
		}
	}
	if inner.dir != sh.dir {
		sh.dir = ""
	}
}

// maxTurns bounds how many values of a loop are tried.
const maxTurns = 64

// loop walks through a loop's body once for each value that the text shows.
func (w *walker) loop(c *syntax.ForClause, sh *scope, in stream) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.inside(c.Loop, sh)
		w.branch(sh, in, c.Do)
		return
	}
	var values []Word
	for _, word := range iter.Items {
		values = append(values, w.fields(word, sh)...)
	}
	name := iter.Name.Value
	if len(values) > maxTurns || len(values) == 0 {
		values = []Word{{Text: Hole}}
	}
	for _, v := range values {
		inner := sh.sub()
		if delete(inner.vars, name); v.Known() && !v.Glob {
			inner.vars[name] = v.Text
		}
		w.stmts(c.Do, inner, in)
	}
	delete(sh.vars, name)
}

// inside walks through the substitutions of a node.
func (w *walker) inside(n syntax.Node, sh *scope) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.stmts(n.Stmts, sh.sub(), stream{})
			return false
		case *syntax.ProcSubst:
			w.stmts(n.Stmts, sh.sub(), stream{})
			return false
		}
		return n != nil
	})
}

// redirects are the files of a statement, and what a here-document gives to it.
func (w *walker) redirects(list []*syntax.Redirect, sh *scope) (files []Redirect, in stream) {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			in = stream{any: true}
			if r.Hdoc != nil {
				word := w.quoted(r.Hdoc.Parts, sh)
				in.text, in.known, in.net = word.Text, word.Known(), word.Net
			} else {
				in.known = true
			}
		case syntax.WordHdoc:
			word := w.field(r.Word, sh)
			in = stream{text: word.Text, known: word.Known(), net: word.Net, any: true}
		case syntax.DplIn, syntax.DplOut:
			if word := w.field(r.Word, sh); strings.Trim(word.Text, "0123456789-") != "" && r.Op == syntax.DplOut {
				files = append(files, Redirect{Path: word, Write: true})
			}
		case syntax.RdrIn:
			word := w.field(r.Word, sh)
			in = stream{any: true, net: word.Net || w.downloads[at(sh.dir, word.Text)]}
			files = append(files, Redirect{Path: word})
		default:
			files = append(files, Redirect{
				Path: w.field(r.Word, sh), Write: true, Append: r.Op == syntax.AppOut || r.Op == syntax.AppAll || r.Op == syntax.RdrInOut,
			})
		}
	}
	return files, in
}

// assign notes a variable.
func (w *walker) assign(a *syntax.Assign, sh *scope) {
	if a.Name == nil {
		if a.Value != nil {
			w.field(a.Value, sh)
		}
		return
	}
	name := a.Name.Value
	if a.Naked {
		return
	}
	if a.Array != nil || a.Index != nil {
		w.inside(a, sh)
		delete(sh.vars, name)
		return
	}
	value := Word{}
	if a.Value != nil {
		value = w.field(a.Value, sh)
	}
	old, had := sh.vars[name]
	switch {
	case !value.Known() || a.Append && !had:
		delete(sh.vars, name)
	case a.Append:
		sh.vars[name] = old + value.Text
	default:
		sh.vars[name] = value.Text
	}
	if value.Net {
		w.downloads["$"+name] = true
	}
}
