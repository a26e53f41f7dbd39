package shell

import (
	"path"
	"strings"
)

// shells are programs that run shell texts.
const shells = " sh bash zsh dash ksh ash mksh rbash fish "

// interpreters are programs that run texts in other languages, and the options that take such a text.
var interpreters = map[string]string{
	"python": "-c", "python2": "-c", "python3": "-c", "node": "-e --eval -p --print", "deno": "", "bun": "-e --eval",
	"perl": "-e -E -ne -pe -lne -nle -ple -i -pi -ane", "ruby": "-e -ne -pe", "php": "-r", "lua": "-e", "Rscript": "-e",
	"osascript": "-e", "pwsh": "-c -Command", "powershell": "-c -Command", "tclsh": "", "ts-node": "-e", "tsx": "-e",
}

// runners run what a file of the project says.
const runners = " make gmake just task rake gradle gradlew mvn mvnw ant ninja tox nox invoke fab ansible-playbook act mage bazel "

// elsewhere are programs that start others on another machine, later, or in another terminal; editors do with an exclamation mark.
const (
	elsewhere = " ssh tmux screen "
	editors   = " vim vi nvim ex view less man ed "
)

// interpreted walks through what a shell runs, and notes what other interpreters run without the text showing it.
func (w *walker) interpreted(p *Program, sh *scope, in stream) {
	switch {
	case strings.Contains(shells, " "+p.Name+" ") && p.Name != "":
		w.shell(p, sh, in)
	case isInterpreter(p.Name):
		w.other(p, sh, in)
	case strings.Contains(elsewhere, " "+p.Name+" ") && p.Name != "" && len(operands(p.Args, "-p -i -l -o -F -L -S")) > 1 || p.Name == "at" || p.Name == "batch":
		w.line.opaque("starts programs elsewhere: " + p.Name)
	case strings.Contains(editors, " "+p.Name+" ") && p.Name != "" && strings.Contains(joined(p.Args).Text, "!"):
		w.line.opaque("starts programs elsewhere: " + p.Name)
	case strings.Contains(runners, " "+p.Name+" ") && p.Name != "":
		w.line.opaque("runs a file of the project: " + p.Name)
	case p.Name == "go" && len(p.Args) > 0 && (p.Args[0].Text == "run" || p.Args[0].Text == "generate"),
		p.Name == "cargo" && len(p.Args) > 0 && p.Args[0].Text == "run":
		w.line.opaque("runs a file of the project: " + p.Name + " " + p.Args[0].Text)
	case p.Path.Known() && strings.Contains(p.Path.Text, "/") && !system(p.Path.Text):
		w.line.opaque("runs a file of the project: " + p.Name)
	case p.Name == "awk" || p.Name == "gawk" || p.Name == "sed":
		if strings.Contains(joined(p.Args).Text, "system(") {
			w.line.opaque("runs code of another language: " + p.Name)
		}
	}
}

// system reports whether path is a program of the system.
func system(p string) bool {
	for _, dir := range [...]string{"/bin/", "/usr/", "/sbin/", "/opt/", "/nix/", "/snap/"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	return false
}

func isInterpreter(name string) bool {
	if _, ok := interpreters[name]; ok {
		return true
	}
	_, ok := interpreters[strings.TrimRight(name, "0123456789.")]
	return ok && name != ""
}

// shell runs the text of -c, a file, or its input.
func (w *walker) shell(p *Program, sh *scope, in stream) {
	inner := sh.sub()
	args := p.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "-":
			continue
		case a == "--":
			continue
		case a == "--rcfile" || a == "--init-file" || a == "-o" || a == "-O" || a == "+o" || a == "+O":
			i++
			continue
		case a == "--version" || a == "--help":
			return
		case strings.HasPrefix(a, "--"):
			continue
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			if strings.Contains(a, "n") && !strings.Contains(a, "c") {
				return // it only checks the text
			}
			if strings.Contains(a, "c") && a[0] == '-' {
				w.commandText(p, args[i+1:], inner, in)
				return
			}
			if strings.Contains(a, "s") {
				w.stdin(p, inner, in)
				return
			}
			continue
		}
		w.script(p, args[i:], inner, in)
		return
	}
	w.stdin(p, inner, in)
}

// commandText runs the text of `sh -c`, whose further words are $0, $1 and so on.
func (w *walker) commandText(p *Program, rest []Word, sh *scope, in stream) {
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	sh.args, sh.argsOK = nil, true
	for i, a := range rest[1:] {
		if i > 0 {
			sh.args = append(sh.args, a.Text)
		}
		sh.argsOK = sh.argsOK && a.Known()
	}
	if w.line.Programs[len(w.line.Programs)-1].Fed { // by xargs
		sh.argsOK = false
	}
	w.code(rest[0], p, sh, in)
}

// stdin runs what comes on the standard input.
func (w *walker) stdin(p *Program, sh *scope, in stream) {
	switch {
	case in.net:
		p.Download = true
	case in.known && in.any:
		w.text(in.text, sh, stream{}, 0)
	case in.any:
		w.line.opaque("a script comes from another program")
	}
}

// script is a file that a shell runs. It is not opened.
func (w *walker) script(p *Program, args []Word, sh *scope, in stream) {
	if len(args) == 0 {
		return
	}
	file := args[0]
	if file.Net || file.Known() && w.downloads[at(sh.dir, file.Text)] {
		p.Download = true
		return
	}
	if file.Text == "/dev/stdin" || file.Text == "-" {
		w.stdin(p, sh, in)
		return
	}
	w.line.opaque("runs a file: " + path.Base(strings.ReplaceAll(file.Text, Hole, "?")))
}

// other is an interpreter of another language.
func (w *walker) other(p *Program, sh *scope, in stream) {
	values := interpreters[p.Name]
	if values == "" {
		values = interpreters[strings.TrimRight(p.Name, "0123456789.")]
	}
	for i := 0; i < len(p.Args); i++ {
		a := p.Args[i].Text
		switch {
		case strings.HasPrefix(p.Name, "python") && a == "-m" && i+1 < len(p.Args):
			w.run(p.Args[i+1:], nil, p.Env, sh, in)
			return
		case a == "--version" || a == "-V" || a == "-v" || a == "--help" || a == "-h" || a == "--check" || a == "--test":
			return
		case len(a) > 1 && a[0] == '-' && strings.Contains(" "+values+" ", " "+a+" "):
			if i+1 < len(p.Args) && p.Args[i+1].Net {
				p.Download = true
			}
			w.line.opaque("runs code of another language: " + p.Name + " " + a)
			return
		case a == "-":
			w.foreignInput(p, in)
			return
		case len(a) > 1 && a[0] == '-':
			if a == "-r" || a == "--require" || a == "--import" || a == "-I" || a == "-W" || a == "-X" {
				i++
			}
			continue
		case p.Name == "deno" || p.Name == "bun":
			if a != "run" {
				return
			}
			continue
		default:
			if p.Args[i].Net || p.Args[i].Known() && w.downloads[at(sh.dir, a)] {
				p.Download = true
				return
			}
			w.line.opaque("runs a file: " + path.Base(strings.ReplaceAll(a, Hole, "?")))
			return
		}
	}
	w.foreignInput(p, in)
}

func (w *walker) foreignInput(p *Program, in stream) {
	switch {
	case in.net:
		p.Download = true
	case in.any:
		w.line.opaque("runs code of another language: " + p.Name)
	}
}
