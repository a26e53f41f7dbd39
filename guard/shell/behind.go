package shell

import (
	"strings"
)

// wrapper is a program that starts the program that its operands name.
type wrapper struct {
	// values are the options that take the next word, separated by blanks.
	values string
	// skip is how many operands come before the program.
	skip int
	// assigns: words like A=b before the program set variables.
	assigns bool
	// remote: the program runs elsewhere.
	remote bool
	// after are words, one of which has to come first: `docker exec`.
	after string
}

var wrappers = map[string]wrapper{
	"sudo":              {values: "-u -g -h -p -C -T -r -t -D --user --group --host --prompt --chdir", assigns: true},
	"doas":              {values: "-u -C"},
	"env":               {values: "-u -C -S --unset --chdir --split-string", assigns: true},
	"command":           {},
	"builtin":           {},
	"exec":              {values: "-a"},
	"nohup":             {},
	"nice":              {values: "-n --adjustment"},
	"ionice":            {values: "-c -n -p --class --classdata"},
	"chrt":              {skip: 1},
	"taskset":           {skip: 1},
	"time":              {values: "-f -o --format --output"},
	"timeout":           {values: "-k -s --kill-after --signal", skip: 1},
	"gtimeout":          {values: "-k -s --kill-after --signal", skip: 1},
	"stdbuf":            {values: "-i -o -e --input --output --error"},
	"setsid":            {},
	"unbuffer":          {},
	"caffeinate":        {values: "-t -w"},
	"strace":            {values: "-e -o -p -s -u"},
	"ltrace":            {values: "-e -o -p -s -u"},
	"watch":             {values: "-n --interval"},
	"flock":             {values: "-w -E --timeout", skip: 1},
	"chroot":            {skip: 1, remote: true},
	"unshare":           {values: "-R -w --root --wd"},
	"nsenter":           {values: "-t --target", remote: true},
	"runuser":           {values: "-u -g"},
	"busybox":           {},
	"dotenv":            {values: "-e -f -v"},
	"direnv":            {after: "exec", skip: 1},
	"npx":               {values: "-p --package -c --call"},
	"bunx":              {},
	"pnpx":              {},
	"uvx":               {values: "--from --with -p --python"},
	"pipx":              {after: "run"},
	"bundle":            {after: "exec"},
	"poetry":            {after: "run"},
	"pipenv":            {after: "run"},
	"pdm":               {after: "run"},
	"hatch":             {after: "run"},
	"rye":               {after: "run"},
	"uv":                {after: "run", values: "--with -p --python --project --directory --extra --group --env-file"},
	"mise":              {after: "exec x"},
	"nix-shell":         {values: "-p"},
	"docker":            {after: "exec", values: "-u -w -e --user --workdir --env --env-file --detach-keys", skip: 1, remote: true},
	"podman":            {after: "exec", values: "-u -w -e --user --workdir --env", skip: 1, remote: true},
	"kubectl":           {after: "exec", values: "-n -c --namespace --container --context --kubeconfig", skip: 1, remote: true},
	"proxychains":       {},
	"torsocks":          {},
	"systemd-run":       {values: "-p -u --unit --property --uid --gid"},
	"start-stop-daemon": {},
}

// packageRunners start a program of a package manager's by a word of their own: `npm exec prisma`, `pnpm prisma`.
var packageRunners = map[string]string{"npm": "exec x", "pnpm": "exec dlx", "yarn": "exec dlx", "bun": "x"}

// operands are the words that are no options and no values of options. values are the options that take the next word.
func operands(args []Word, values string) (list []Word) {
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "--":
			return append(list, args[i+1:]...)
		case len(a) > 1 && a[0] == '-':
			if takesNext(a, values) {
				i++
			}
		default:
			list = append(list, args[i])
		}
	}
	return list
}

// takesNext reports whether the option a takes the next word: it is one of values, or a cluster that ends in one.
func takesNext(a, values string) bool {
	for rest := values; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		if a == one || len(one) == 2 && len(a) > 2 && a[1] != '-' && strings.HasSuffix(a, one[1:]) && !strings.Contains(a[:len(a)-1], one[1:]) {
			return true
		}
	}
	return false
}

// behind walks through the program that p starts, if p is one that starts others by its operands.
func (w *walker) behind(p *Program, sh *scope, in stream) (out stream, ok bool) {
	switch p.Name {
	case "xargs", "parallel":
		return w.xargs(p, sh, in), true
	case "find", "fd", "fdfind":
		return stream{any: true}, w.find(p, sh)
	case "git":
		return stream{any: true}, w.git(p, sh)
	case "script", "su":
		if text, found := value(p.Args, "-c", "--command"); found {
			w.code(text, p, sh, in)
			return stream{any: true}, true
		}
		return out, false
	}
	if words, found := packageRunners[p.Name]; found {
		return w.packaged(p, words, sh, in)
	}
	about, found := wrappers[p.Name]
	if !found {
		return out, false
	}
	args := p.Args
	if about.after != "" {
		rest, found := w.behindWord(p, about)
		if !found {
			return out, false
		}
		args = rest
	}
	return w.wrapped(p, about, args, sh, in)
}

// behindWord is the arguments behind the wrapper's own word: `exec` of `docker compose exec`.
func (w *walker) behindWord(p *Program, about wrapper) ([]Word, bool) {
	for i, a := range p.Args {
		switch {
		case strings.Contains(" "+about.after+" ", " "+a.Text+" "):
			return p.Args[i+1:], true
		case strings.HasPrefix(a.Text, "-"), a.Text == "compose", i > 0 && takesNext(p.Args[i-1].Text, about.values):
		default:
			return nil, false
		}
	}
	return nil, false
}

// wrapped skips the wrapper's own options and runs the rest.
func (w *walker) wrapped(p *Program, about wrapper, args []Word, sh *scope, in stream) (out stream, ok bool) {
	inner := *sh
	inner.remote = sh.remote || about.remote
	set := map[string]string{}
	for k, v := range p.Env {
		set[k] = v
	}
	skip := about.skip
	for len(args) > 0 {
		a := args[0].Text
		if a == "--" {
			args = args[1:]
			if skip == 0 || about.remote {
				break
			}
			continue
		}
		if len(a) > 1 && a[0] == '-' {
			if (a == "-S" || a == "--split-string") && p.Name == "env" && len(args) > 1 {
				w.code(joined(args[1:]), p, &inner, in)
				return stream{any: true, net: in.net}, true
			}
			if (a == "-c" || a == "--call") && p.Name == "npx" && len(args) > 1 {
				w.code(args[1], p, &inner, in)
				return stream{any: true}, true
			}
			if takesNext(a, about.values) && len(args) > 1 {
				if a == "-C" || a == "-D" || a == "--chdir" {
					inner.chdir(args[1])
				}
				args = args[1:]
			}
			args = args[1:]
			continue
		}
		if name, text, is := strings.Cut(a, "="); is && about.assigns && !strings.Contains(name, "/") {
			set[name] = text
			args = args[1:]
			continue
		}
		if skip > 0 {
			skip--
			args = args[1:]
			continue
		}
		break
	}
	if len(args) == 0 {
		return out, p.Name != "env" && p.Name != "sudo"
	}
	if p.Name == "watch" && len(args) == 1 {
		w.code(args[0], p, &inner, in)
		return stream{any: true}, true
	}
	if p.Name == "npx" || p.Name == "pnpx" || p.Name == "bunx" || p.Name == "uvx" {
		args = append([]Word{{Text: unversioned(args[0].Text)}}, args[1:]...)
	}
	return w.run(args, p.Redirects, set, &inner, in), true
}

// unversioned is a package's name without its version.
func unversioned(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

func (w *walker) packaged(p *Program, words string, sh *scope, in stream) (stream, bool) {
	for i, a := range p.Args {
		switch {
		case strings.Contains(" "+words+" ", " "+a.Text+" "):
			return w.wrapped(p, wrapper{values: "-p --package"}, p.Args[i+1:], sh, in)
		case strings.HasPrefix(a.Text, "-"):
		case p.Name != "npm" && w.isLocal(a.Text):
			return w.wrapped(p, wrapper{}, p.Args[i:], sh, in)
		default:
			if strings.Contains(" run run-script test start t stop restart ", " "+a.Text+" ") {
				w.line.opaque("runs a script of the project: " + p.Name + " " + a.Text)
			}
			return stream{}, false
		}
	}
	return stream{}, false
}

// isLocal names programs of packages that people start by the package manager alone.
func (w *walker) isLocal(name string) bool {
	return strings.Contains(" prisma sequelize knex lerna supabase typeorm drizzle-kit vsce ", " "+name+" ")
}

// value is the value of an option.
func value(args []Word, names ...string) (Word, bool) {
	for i, a := range args {
		for _, n := range names {
			if a.Text == n && i+1 < len(args) {
				return args[i+1], true
			}
			if rest, ok := strings.CutPrefix(a.Text, n+"="); ok && strings.HasPrefix(n, "--") {
				return Word{Text: rest, Net: a.Net}, true
			}
		}
	}
	return Word{}, false
}
