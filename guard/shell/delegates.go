package shell

import (
	"path"
	"strings"
)

// xargs runs its operands with the words of its input, of which none may be known.
func (w *walker) xargs(p *Program, sh *scope, in stream) stream {
	const values = "-n -P -I -d -L -s -a -E --max-args --max-procs --replace --delimiter --max-lines --arg-file -j --jobs -i"
	args, replace := p.Args, ""
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		a := args[0].Text
		if (a == "-I" || a == "--replace") && len(args) > 1 {
			replace = args[1].Text
		}
		if strings.HasPrefix(a, "-I") && len(a) > 2 {
			replace = a[2:]
		}
		if takesNext(a, values) && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return stream{any: true}
	}
	words := args[:len(args):len(args)]
	given := []Word{{Text: Hole}}
	if in.known && in.any {
		given = nil
		for _, f := range strings.Fields(in.text) {
			given = append(given, Word{Text: f})
		}
	}
	switch {
	case replace != "":
		words = append([]Word(nil), args...)
		for i := range words {
			if strings.Contains(words[i].Text, replace) && len(given) > 0 {
				words[i].Text = strings.ReplaceAll(words[i].Text, replace, given[0].Text)
			}
		}
	case in.known && in.any:
		words = append(words, given...)
	default:
		w.fed = true
	}
	out := w.run(words, nil, nil, sh, stream{})
	w.fed = false
	return out
}

// find runs the programs of its actions, on the files that it finds below its starting points.
func (w *walker) find(p *Program, sh *scope) bool {
	var from []Word
	for _, a := range p.Args {
		if strings.HasPrefix(a.Text, "-") || a.Text == "(" || a.Text == "!" {
			break
		}
		from = append(from, a)
	}
	if len(from) == 0 {
		from = []Word{{Text: "."}}
	}
	for i := 0; i < len(p.Args); i++ {
		switch p.Args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch":
			var words []Word
			for i++; i < len(p.Args) && p.Args[i].Text != ";" && p.Args[i].Text != "+"; i++ {
				if strings.Contains(p.Args[i].Text, "{}") {
					words = append(words, found(p.Args[i], from, p.Args)...)
					continue
				}
				words = append(words, p.Args[i])
			}
			if len(words) > 0 {
				w.run(words, nil, nil, sh, stream{})
			}
		}
	}
	return true
}

// found are the files that find puts in the place of {}: something below each starting point, whose name is known if -name
// says it.
func found(word Word, from []Word, args []Word) (list []Word) {
	name := "*"
	if n, ok := value(args, "-name", "-iname"); ok && n.Known() {
		name = n.Text
	}
	for _, f := range from {
		below := path.Join(f.Text, name)
		list = append(list, Word{Text: strings.ReplaceAll(word.Text, "{}", below), Glob: strings.ContainsAny(name, "*?[")})
	}
	return list
}

// git runs the programs that git's own options name: an alias on its command line, the command of a bisect or a rebase.
func (w *walker) git(p *Program, sh *scope) bool {
	for i := 0; i < len(p.Args); i++ {
		a := p.Args[i].Text
		switch {
		case a == "-c" && i+1 < len(p.Args):
			i++
			name, text, ok := strings.Cut(p.Args[i].Text, "=")
			if !ok || !strings.HasPrefix(strings.ToLower(name), "alias.") || w.depth >= maxDepth {
				continue
			}
			w.depth++
			w.gitAlias(name[len("alias."):], text, p, i, sh)
			w.depth--
		case a == "-C" || a == "--git-dir" || a == "--work-tree" || a == "--namespace":
			i++
		case strings.HasPrefix(a, "-"):
		case a == "bisect" && i+1 < len(p.Args) && p.Args[i+1].Text == "run":
			w.run(p.Args[i+2:], nil, nil, sh, stream{})
			return true
		case a == "rebase":
			if text, ok := value(p.Args[i:], "-x", "--exec"); ok {
				w.code(text, p, sh, stream{})
			}
			return true
		case a == "submodule":
			for k, b := range p.Args[i:] {
				if b.Text == "foreach" {
					if rest := operands(p.Args[i+k+1:], ""); len(rest) > 0 {
						w.code(joined(rest), p, sh, stream{})
					}
					return true
				}
			}
			return true
		default:
			return true
		}
	}
	return true
}

func (w *walker) gitAlias(alias, text string, p *Program, at int, sh *scope) {
	for k, b := range p.Args[at+1:] {
		if b.Text != alias {
			continue
		}
		if cmd, ok := strings.CutPrefix(text, "!"); ok {
			w.text(cmd, sh, stream{}, 0)
			return
		}
		words := []Word{p.Path}
		for _, f := range strings.Fields(text) {
			words = append(words, Word{Text: f})
		}
		w.run(append(words, p.Args[at+k+2:]...), p.Redirects, p.Env, sh, stream{})
		return
	}
}
