package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks through a simple command.
func (w *walker) call(c *syntax.CallExpr, redirects []Redirect, sh *scope, in stream) stream {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a, sh)
		}
		if len(redirects) > 0 {
			w.program(Program{Name: ":", Redirects: redirects, Dir: sh.dir, Remote: sh.remote})
		}
		return stream{}
	}
	var words []Word
	for _, a := range c.Args {
		words = append(words, w.fields(a, sh)...)
	}
	set := map[string]string{}
	for _, a := range c.Assigns {
		if a.Name == nil || a.Value == nil {
			continue
		}
		if v := w.field(a.Value, sh); v.Known() {
			set[a.Name.Value] = v.Text
		}
	}
	if len(words) == 0 {
		return stream{any: true}
	}
	if lit := c.Args[0].Lit(); lit != "" && w.depth < maxDepth {
		if text, ok := w.aliases[lit]; ok {
			w.depth++
			defer func() { w.depth-- }()
			return w.alias(text, words[1:], redirects, set, sh, in)
		}
	}
	return w.run(words, redirects, set, sh, in)
}

// alias runs the text of an alias with the words behind it.
func (w *walker) alias(text string, rest []Word, redirects []Redirect, set map[string]string, sh *scope, in stream) stream {
	head := strings.Fields(text)
	if strings.ContainsAny(text, "|&;<>()$`\"'\\") || len(head) == 0 {
		w.text(text, sh, in, 0)
		return stream{any: true}
	}
	words := make([]Word, 0, len(head)+len(rest))
	for _, h := range head {
		words = append(words, Word{Text: h})
	}
	return w.run(append(words, rest...), redirects, set, sh, in)
}

// run adds the program that words start, and those that it starts in turn. It returns what the program prints.
func (w *walker) run(words []Word, redirects []Redirect, set map[string]string, sh *scope, in stream) stream {
	if len(words) == 0 {
		return stream{any: true}
	}
	if len(w.line.Programs) >= maxPrograms {
		w.line.opaque("more than 4096 programs")
		return stream{any: true}
	}
	p := Program{
		Path: words[0], Args: words[1:], Dir: sh.dir, Env: set, Redirects: redirects, Remote: sh.remote,
		Stdin: in.text, StdinKnown: in.known && in.any, Fed: w.fed,
	}
	if words[0].Known() && !words[0].Glob {
		p.Name = strings.TrimSuffix(path.Base(words[0].Text), ".exe")
	} else {
		w.line.opaque("the name of a program is not in the text")
	}
	if f, ok := w.functions[p.Name]; ok && p.Name == words[0].Text && w.depth < maxDepth {
		return w.function(f, words[1:], sh, in)
	}
	w.fed = false
	p.Download = w.downloads[at(sh.dir, words[0].Text)] && strings.Contains(words[0].Text, "/")
	i := len(w.line.Programs)
	w.program(p)
	out := w.starts(&p, sh, in)
	if w.line.Programs[i].Download = p.Download; p.Download {
		w.line.opaque("runs what it downloads")
	}
	for _, r := range redirects {
		if r.Write && (out.net || in.net) && r.Path.Known() {
			w.downloads[at(sh.dir, r.Path.Text)] = true
		}
	}
	return out
}

func (w *walker) function(f *function, args []Word, sh *scope, in stream) stream {
	w.depth++
	defer func() { w.depth-- }()
	inner := *sh
	inner.args, inner.argsOK = nil, true
	for _, a := range args {
		if inner.args = append(inner.args, a.Text); !a.Known() || a.Glob {
			inner.argsOK = false
		}
	}
	out := w.stmt(f.body, &inner, in)
	sh.dir = inner.dir
	return out
}

// starts handles the programs whose arguments or input name further programs, and those that change the shell itself.
func (w *walker) starts(p *Program, sh *scope, in stream) stream {
	out := stream{any: true, net: in.net}
	switch p.Name {
	case "cd", "pushd":
		if args := operands(p.Args, ""); len(args) > 0 {
			sh.chdir(args[len(args)-1])
		} else if home, ok := sh.vars["HOME"]; ok && p.Name == "cd" {
			sh.chdir(Word{Text: home})
		} else {
			sh.dir = ""
		}
	case "popd":
		sh.dir = ""
	case "pwd":
		return stream{text: sh.dir, known: sh.dir != "", any: true}
	case "read", "mapfile", "readarray", "getopts", "unset":
		for _, a := range p.Args {
			delete(sh.vars, a.Text)
		}
	case "alias":
		for _, a := range p.Args {
			if name, text, ok := strings.Cut(a.Text, "="); ok && a.Known() {
				w.aliases[name] = text
			}
		}
	case "unalias":
		for _, a := range p.Args {
			delete(w.aliases, a.Text)
		}
	case "set", "shift":
		sh.argsOK = false
	case "echo", "printf":
		return echoed(p)
	case "cat":
		return w.cat(p, sh, in)
	case "eval":
		w.code(joined(p.Args), p, sh, in)
	case ".", "source":
		w.script(p, p.Args, sh, in)
	case "curl", "wget", "aria2c", "http", "https", "xh":
		return w.download(p, sh)
	case "trap":
		if len(p.Args) > 1 {
			w.code(p.Args[0], p, sh, in)
		}
	default:
		if next, ok := w.behind(p, sh, in); ok {
			return next
		}
		w.interpreted(p, sh, in)
	}
	return out
}

// cat prints its input, or the downloads among its files.
func (w *walker) cat(p *Program, sh *scope, in stream) stream {
	files := operands(p.Args, "")
	if len(files) == 0 {
		return in
	}
	out := stream{any: true}
	for _, f := range files {
		out.net = out.net || f.Net || f.Known() && w.downloads[at(sh.dir, f.Text)]
	}
	return out
}

// echoed is what echo and printf print, if that is known.
func echoed(p *Program) stream {
	words, out := p.Args, stream{any: true}
	for p.Name == "echo" && len(words) > 0 && (words[0].Text == "-n" || words[0].Text == "-e" || words[0].Text == "-ne" || words[0].Text == "-en") {
		words = words[1:]
	}
	if p.Name == "printf" && len(words) > 1 {
		words = words[1:]
	}
	all := joined(words)
	out.net = all.Net
	if all.Known() && !all.Glob {
		out.text, out.known = all.Text+"\n", true
	}
	if p.Name == "printf" || len(words) > 0 && strings.Contains(all.Text, `\n`) {
		out.text = strings.ReplaceAll(out.text, `\n`, "\n")
	}
	return out
}

func joined(words []Word) (all Word) {
	for i, a := range words {
		if i > 0 {
			all.Text += " "
		}
		all.Text += a.Text
		all.Glob, all.Net = all.Glob || a.Glob, all.Net || a.Net
	}
	return all
}

// code walks through a word that is a script.
func (w *walker) code(word Word, p *Program, sh *scope, in stream) {
	if word.Net {
		p.Download = true
	}
	if word.Known() {
		w.text(word.Text, sh, in, 0)
		return
	}
	w.line.opaque("a script is not wholly in the text")
	w.text(strings.ReplaceAll(word.Text, Hole, `"$_"`), sh.without("_"), in, 0)
}

func (s *scope) without(name string) *scope {
	c := s.sub()
	delete(c.vars, name)
	return c
}

// download notes where a download goes, and returns what it prints.
func (w *walker) download(p *Program, sh *scope) stream {
	out := stream{any: true, net: p.Name != "wget" && p.Name != "aria2c"}
	for i, a := range p.Args {
		name, value, has := strings.Cut(a.Text, "=")
		next := Word{}
		if i+1 < len(p.Args) {
			next = p.Args[i+1]
		}
		switch {
		case p.Name == "wget" && (name == "--output-document" && value == "-" || isOutput(a.Text, 'O') && (strings.HasSuffix(a.Text, "O-") || next.Text == "-")):
			out.net = true
		case isOutput(a.Text, 'O') && p.Name == "wget", isOutput(a.Text, 'o') && p.Name != "wget", name == "--output", name == "--output-document":
			file := next.Text
			if has {
				file = value
			}
			if _, after, ok := strings.Cut(a.Text, "o"); ok && after != "" && !strings.HasPrefix(a.Text, "--") && p.Name == "curl" {
				file = after
			}
			w.downloads[at(sh.dir, file)] = true
			out.net = false
		case p.Name == "curl" && (isOutput(a.Text, 'O') || name == "--remote-name"), p.Name == "wget" && strings.Contains(a.Text, "://"):
			for _, u := range p.Args {
				if strings.Contains(u.Text, "://") {
					w.downloads[at(sh.dir, path.Base(u.Text))] = true
				}
			}
			out.net = out.net && p.Name == "wget"
		}
	}
	for _, r := range p.Redirects {
		if r.Write && out.net && r.Path.Known() {
			w.downloads[at(sh.dir, r.Path.Text)] = true
			out.net = false
		}
	}
	return out
}

// isOutput reports whether arg is a cluster of short options with this letter.
func isOutput(arg string, letter byte) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.IndexByte(arg[1:], letter) >= 0 && !strings.Contains(arg, "/")
}
