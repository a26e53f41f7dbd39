package shell

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// at is a path seen from a folder.
func at(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// maxFields bounds the words that one word expands to: braces multiply.
const maxFields = 256

// fields expands a word as the shell does, without replacing patterns by names of files.
func (w *walker) fields(word *syntax.Word, sh *scope) (list []Word) {
	braced := []*syntax.Word{word}
	if hasBraces(word) {
		syntax.SplitBraces(word) // it changes the word, once
		if combinations(word) > maxFields {
			w.line.opaque("a word becomes more than 256")
			return []Word{{Text: Hole}}
		}
		braced = nil
		for one := range expand.BracesSeq(nil, word) {
			braced = append(braced, one)
		}
	}
	for _, one := range braced {
		list = append(list, w.split(one, sh)...)
		if len(list) > maxFields {
			w.line.opaque("a word becomes more than 256")
			return list[:maxFields]
		}
	}
	return list
}

func hasBraces(word *syntax.Word) bool {
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.Contains(p.Value, "{") {
				return true
			}
		case *syntax.BraceExp:
			return true
		}
	}
	return false
}

// combinations is how many words the braces of a word make.
func combinations(word *syntax.Word) int {
	n := 1
	for _, p := range word.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if b.Sequence {
			sum = sequence(b)
		} else {
			for _, e := range b.Elems {
				sum += combinations(e)
			}
		}
		if n *= max(sum, 1); n > maxFields {
			return maxFields + 1
		}
	}
	return n
}

func sequence(b *syntax.BraceExp) int {
	if len(b.Elems) < 2 {
		return 1
	}
	from, err := strconv.Atoi(b.Elems[0].Lit())
	to, err2 := strconv.Atoi(b.Elems[1].Lit())
	if err != nil || err2 != nil {
		return 64
	}
	return min(max(to-from, from-to)+1, maxFields+1)
}

// splitter builds the fields of one word.
type splitter struct {
	fields []Word
	now    strings.Builder
	open   bool // a field has begun
	glob   bool
	net    bool
}

func (s *splitter) end() {
	if s.open {
		s.fields = append(s.fields, Word{Text: s.now.String(), Glob: s.glob, Net: s.net})
	}
	s.now.Reset()
	s.open, s.glob, s.net = false, false, false
}

// add adds a text of the expansion. Unquoted blanks of a variable's value end the field.
func (s *splitter) add(text string, split bool) {
	for split {
		i := strings.IndexAny(text, " \t\n")
		if i < 0 {
			break
		}
		if i > 0 {
			s.now.WriteString(text[:i])
			s.open = true
		}
		s.end()
		text = text[i+1:]
	}
	if text != "" || !split {
		s.now.WriteString(text)
		s.open = true
	}
}

func (w *walker) split(word *syntax.Word, sh *scope) []Word {
	s := &splitter{}
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.literal(s, p.Value, i == 0, sh)
		case *syntax.SglQuoted:
			s.add(single(p), false)
		case *syntax.DblQuoted:
			if all, ok := w.allArgs(p, sh); ok {
				for i, a := range all {
					if i > 0 {
						s.end()
					}
					s.add(a, false)
				}
				continue
			}
			inner := w.quoted(p.Parts, sh)
			s.net = s.net || inner.Net
			s.add(inner.Text, false)
		case *syntax.BraceExp: // where the shell replaces no braces
			s.add(Hole, false)
		case *syntax.ExtGlob:
			s.glob = true
			s.add(p.Pattern.Value, false)
		default:
			inner := w.quoted([]syntax.WordPart{part}, sh)
			s.net = s.net || inner.Net
			if strings.ContainsAny(inner.Text, "*?[") {
				s.glob = true
			}
			s.add(inner.Text, true)
		}
	}
	s.end()
	return s.fields
}

// allArgs is "$@", if the arguments are known.
func (w *walker) allArgs(p *syntax.DblQuoted, sh *scope) ([]string, bool) {
	if len(p.Parts) != 1 || !sh.argsOK {
		return nil, false
	}
	e, ok := p.Parts[0].(*syntax.ParamExp)
	if !ok || e.Param == nil || e.Param.Value != "@" {
		return nil, false
	}
	return sh.args, true
}

// literal adds unquoted text: escapes, a tilde at the beginning, patterns.
func (w *walker) literal(s *splitter, text string, first bool, sh *scope) {
	if first && (text == "~" || strings.HasPrefix(text, "~/")) {
		if home, ok := sh.vars["HOME"]; ok {
			text = home + text[1:]
		} else {
			text = Hole + text[1:]
		}
	} else if first && strings.HasPrefix(text, "~") {
		_, rest, _ := strings.Cut(text, "/")
		text = Hole + "/" + rest // somebody's home
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case '*', '?', '[':
			s.glob = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	s.add(b.String(), false)
}

func single(p *syntax.SglQuoted) string {
	if !p.Dollar {
		return p.Value
	}
	text, _, err := expand.Format(nil, strings.ReplaceAll(p.Value, "%", "%%"), nil)
	if err != nil {
		return Hole
	}
	return strings.ReplaceAll(text, Hole, "\ufffd")
}

// field is a word that the shell doesn't split.
func (w *walker) field(word *syntax.Word, sh *scope) Word {
	if word == nil {
		return Word{}
	}
	list := w.split(word, sh)
	if len(list) == 1 {
		return list[0]
	}
	all := Word{}
	for i, f := range list {
		if i > 0 {
			all.Text += " "
		}
		all.Text += f.Text
		all.Net = all.Net || f.Net
	}
	return all
}

// quoted expands parts inside of double quotes.
func (w *walker) quoted(parts []syntax.WordPart, sh *scope) (word Word) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(single(p))
		case *syntax.DblQuoted:
			inner := w.quoted(p.Parts, sh)
			word.Net = word.Net || inner.Net
			b.WriteString(inner.Text)
		case *syntax.ParamExp:
			text, net := w.param(p, sh)
			word.Net = word.Net || net
			b.WriteString(text)
		case *syntax.CmdSubst:
			out := w.stmts(p.Stmts, sh.sub(), stream{})
			word.Net = word.Net || out.net
			if out.known {
				b.WriteString(strings.TrimRight(out.text, "\n"))
			} else {
				b.WriteString(Hole)
			}
		case *syntax.ProcSubst:
			out := w.stmts(p.Stmts, sh.sub(), stream{})
			word.Net = word.Net || out.net
			b.WriteString(Hole)
		default:
			w.inside(p, sh)
			b.WriteString(Hole)
		}
	}
	word.Text = b.String()
	return word
}

// unescaped removes the backslashes that count inside of double quotes.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\$`\"\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// param is the value of a variable.
func (w *walker) param(p *syntax.ParamExp, sh *scope) (text string, net bool) {
	if p.Exp != nil && p.Exp.Word != nil {
		w.field(p.Exp.Word, sh) // its substitutions may run
	}
	if p.Param == nil {
		return Hole, false
	}
	name := p.Param.Value
	net = w.downloads["$"+name]
	value, ok := sh.vars[name]
	if n, err := strconv.Atoi(name); err == nil && sh.argsOK && n > 0 {
		value, ok = "", true
		if n <= len(sh.args) {
			value = sh.args[n-1]
		}
	}
	plain := p.Exp == nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil
	switch {
	case ok && plain:
		return value, net
	case ok && value != "" && p.Exp != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull):
		return value, net
	}
	return Hole, net
}
