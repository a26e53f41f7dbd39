package guard

import (
	"path"
	"strings"

	"aburn/guard/shell"
)

// effects are what a program does to files and the network, as far as its arguments show it.
type effects struct {
	reads, writes, empties []target
	network                Truth
	hosts                  []shell.Word
}

// readers print or send what is in the files that they are given. The number is how many operands come first that are no files.
var readers = map[string]int{
	"cat": 0, "head": 0, "tail": 0, "less": 0, "more": 0, "bat": 0, "batcat": 0, "nl": 0, "tac": 0, "rev": 0, "sort": 0, "uniq": 0, "cut": 0, "paste": 0, "tr": 9,
	"base64": 0, "base32": 0, "xxd": 0, "od": 0, "hexdump": 0, "strings": 0, "diff": 0, "cmp": 0, "comm": 0, "join": 0, "fold": 0, "column": 0, "iconv": 0,
	"grep": 1, "egrep": 1, "fgrep": 1, "rg": 1, "ag": 1, "ack": 1,
	"sed": 1, "awk": 1, "gawk": 1, "jq": 1, "yq": 1, "view": 0, "vim": 0, "vi": 0, "nano": 0, "emacs": 0,
	"code": 0, "source": 0, ".": 0, "tar": 0, "zip": 0, "gzip": 0, "gpg": 0,
	"scp": 0, "rsync": 0, "cp": -1, "mv": -1, "install": -1, "ln": -1, "envsubst": 0, "pbcopy": 0, "xclip": 0,
}

// script are the options of readers that stand in for the operand that is no file.
var script = []string{"-e", "-f", "--expression", "--file", "--regexp"}

func (m *matcher) effects(p *shell.Program, a *arguments) *effects {
	e := &effects{network: No}
	at := func(w shell.Word) target { return m.target(p, w) }
	for _, r := range p.Redirects {
		t := at(r.Path)
		if !r.Write {
			e.reads = append(e.reads, t)
			continue
		}
		t.empty = !r.Append && (p.Name == ":" || p.Name == "true" || p.Name == "cat" && readsNull(a) || p.Name == "echo" && a.has("-n") && blank(a.operands))
		e.write(t)
	}
	m.fileEffects(p, a, e, at)
	m.networkEffects(p, a, e)
	if p.Remote {
		e.reads, e.writes, e.empties = nil, nil, nil
	}
	return e
}

func (e *effects) write(t target) {
	e.writes = append(e.writes, t)
	if t.empty {
		e.empties = append(e.empties, t)
	}
}

func (e *effects) writeAll(files []shell.Word, at func(shell.Word) target) {
	for _, f := range files {
		e.write(at(f))
	}
}

func readsNull(a *arguments) bool { return len(a.operands) == 1 && a.operands[0].Text == "/dev/null" }

func blank(words []shell.Word) bool {
	for _, w := range words {
		if w.Text != "" {
			return false
		}
	}
	return true
}

// target is the file that a word names for a program.
func (m *matcher) target(p *shell.Program, w shell.Word) target {
	t := target{path: w.Text, known: w.Known(), glob: w.Glob}
	switch {
	case !t.known:
		return t
	case path.IsAbs(t.path):
		t.path = path.Clean(t.path)
	case p.Dir != "":
		t.path = path.Join(p.Dir, t.path)
	default:
		t.known = false
	}
	if t.glob && strings.ContainsAny(path.Dir(t.path), "*?[") {
		dir := path.Dir(t.path) // what is below a pattern is below the folder in front of it
		for strings.ContainsAny(dir, "*?[") {
			dir = path.Dir(dir)
		}
		t.path = path.Join(dir, "_", path.Base(t.path))
	}
	return t
}

func (m *matcher) fileEffects(p *shell.Program, a *arguments, e *effects, at func(shell.Word) target) {
	files := a.operands
	if skip, ok := readers[p.Name]; ok {
		e.reads = append(e.reads, readBy(a, skip, at)...)
	}
	switch name := p.Name; name {
	case "rm", "rmdir", "unlink", "srm", "trash":
		for _, f := range files {
			t := at(f)
			t.tree = name != "rmdir"
			e.write(t)
		}
	case "mv":
		for i, f := range files {
			t := at(f)
			t.tree = i < len(files)-1
			e.write(t)
		}
	case "cp", "install", "ln", "rsync", "scp":
		copied(name, a, e, at)
	case "tee", "touch", "mkdir", "shred", "truncate", "blkdiscard", "mkswap", "patch":
		size, _ := a.of("-s", "--size")
		for _, f := range files {
			t := at(f)
			t.empty = name == "truncate" && size.Text == "0"
			e.write(t)
		}
	case "chmod", "chown", "chgrp", "setfacl", "chattr":
		if len(files) > 1 {
			for _, f := range files[1:] {
				t := at(f)
				t.tree = a.has("-R", "--recursive")
				e.write(t)
			}
		} else if a.has("-x|-w|-r", "--reference") { // chmod -x FILE
			e.writeAll(files, at)
		}
	case "sed", "perl", "ruby", "yq", "gofmt", "prettier", "sponge":
		if inPlace(name, a) {
			for _, f := range readBy(a, inPlaceSkip(name), at) {
				e.write(f)
			}
		}
	case "dd":
		m.dd(files, e, at)
	case "find":
		if hasWord(p.Args, "-delete") {
			for _, f := range files {
				t := at(f)
				t.tree = true
				e.write(t)
			}
		}
	case "tar", "unzip":
		if dir, ok := a.of("-C", "--directory", "-d"); ok {
			e.write(at(dir))
		}
	case "openssl":
		for _, o := range [...]string{"-in", "-inkey", "-key"} {
			if f, ok := a.of(o); ok {
				e.reads = append(e.reads, at(f))
			}
		}
	case "curl":
		m.curl(a, e, at)
	case "wget":
		if f, ok := a.of("-O", "--output-document"); ok && f.Text != "-" {
			e.write(at(f))
		}
	default:
		if writesDisk(name, a) {
			e.writeAll(files, at)
		}
	}
}

// copied adds what a tool that copies writes: its last operand, unless an option names it or it is on another machine.
func copied(name string, a *arguments, e *effects, at func(shell.Word) target) {
	if to, ok := a.of("-t", "--target-directory"); ok {
		e.write(at(to))
		return
	}
	if len(a.operands) < 2 {
		return
	}
	last := a.operands[len(a.operands)-1]
	far := name == "scp" || name == "rsync"
	if far && remote(last.Text) {
		return
	}
	t := at(last)
	t.empty = !far && a.operands[0].Text == "/dev/null"
	e.write(t)
}

// writesDisk reports whether a tool for disks changes those that it is given.
func writesDisk(name string, a *arguments) bool {
	switch name {
	case "wipefs", "sgdisk":
		return a.has("-a|--all|-Z|--zap-all|-z|--zap|-o|--clear")
	case "fdisk", "parted", "cfdisk", "sfdisk", "gdisk":
		return !a.has("-l|--list")
	}
	return strings.HasPrefix(name, "mkfs")
}

// readBy are the files that a reader reads. skip is how many operands are none, or -1 if the last operand is written.
func readBy(a *arguments, skip int, at func(shell.Word) target) (list []target) {
	files := a.operands
	for _, o := range script {
		if _, ok := a.of(o); ok && skip > 0 {
			skip = 0
		}
	}
	if skip < 0 {
		files, skip = files[:max(len(files)-1, 0)], 0
	}
	for i, f := range files {
		if i >= skip {
			list = append(list, at(f))
		}
	}
	return list
}

func inPlace(name string, a *arguments) bool {
	switch name {
	case "sed", "perl", "ruby", "yq":
		return a.flag("-i*|--in-place*") == Yes || a.has("-i")
	case "gofmt":
		return a.has("-w")
	}
	return a.has("--write|-w")
}

func inPlaceSkip(name string) int {
	if name == "sed" || name == "yq" {
		return 1
	}
	return 0
}

func hasWord(words []shell.Word, word string) bool {
	for _, w := range words {
		if w.Text == word {
			return true
		}
	}
	return false
}

func (m *matcher) dd(words []shell.Word, e *effects, at func(shell.Word) target) {
	from, to, isTo := "", target{}, false
	for _, w := range words {
		name, file, _ := strings.Cut(w.Text, "=")
		switch name {
		case "if":
			from = file
			e.reads = append(e.reads, at(shell.Word{Text: file}))
		case "of":
			to, isTo = at(shell.Word{Text: file}), true
		}
	}
	if isTo {
		to.empty = from == "/dev/null"
		e.write(to)
	}
}

func (m *matcher) curl(a *arguments, e *effects, at func(shell.Word) target) {
	if f, ok := a.of("-o", "--output"); ok {
		e.write(at(f))
	}
	for _, o := range a.options {
		switch o.name {
		case "-T", "--upload-file":
			e.reads = append(e.reads, at(o.value))
		case "-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "-F", "--form":
			if _, file, ok := strings.Cut(o.value.Text, "@"); ok {
				e.reads = append(e.reads, at(shell.Word{Text: file}))
			}
		}
	}
}

// remote reports whether a word names a file on another machine: host:path.
func remote(s string) bool {
	host, _, ok := strings.Cut(s, ":")
	return ok && host != "" && !strings.Contains(host, "/")
}

// networked are the programs that use the network, with those of their sub-commands that do; "" for all.
var networked = map[string]string{
	"curl": "", "wget": "", "ssh": "", "sftp": "", "ftp": "", "nc": "", "ncat": "",
	"netcat": "", "telnet": "", "socat": "", "http": "", "https": "", "xh": "", "aria2c": "",
	"dig": "", "nslookup": "", "ping": "", "scp": "", "rsync": "",
	"git": "push fetch pull clone ls-remote",
	"npm": "publish install i ci add update view audit login", "pnpm": "publish install add update", "yarn": "publish add install",
	"bun": "publish add install",
	"pip": "install download", "pip3": "install download", "uv": "publish pip add sync", "poetry": "publish add install update", "cargo": "publish install fetch",
	"twine": "upload", "gem": "push install", "docker": "push pull login",
	"podman": "push pull", "gh": "", "glab": "", "aws": "", "gcloud": "", "az": "", "kubectl": "", "helm": "",
	"go": "get", "brew": "install update", "apt-get": "install update", "apt": "install update",
}

func (m *matcher) networkEffects(p *shell.Program, a *arguments, e *effects) {
	subs, ok := networked[p.Name]
	switch {
	case !ok, a.has("--help|--version"):
		return
	case subs != "":
		if len(a.operands) == 0 || !takes(subs, a.operands[0].Text) {
			return
		}
	}
	for _, w := range a.operands {
		if h := hostOf(w, p.Name); h.Text != "" {
			e.hosts = append(e.hosts, h)
		}
	}
	if (p.Name == "scp" || p.Name == "rsync") && len(e.hosts) == 0 {
		return
	}
	e.network = Yes
	if len(e.hosts) > 0 {
		e.network = No
		for _, h := range e.hosts {
			switch {
			case !h.Known():
				e.network = Unknown
			case !loopback(h.Text) && e.network == No:
				e.network = Yes
			}
		}
	}
}

// hostOf is the machine that an operand names; an empty word if it names none.
func hostOf(w shell.Word, program string) shell.Word {
	text := w.Text
	_, rest, isURL := strings.Cut(text, "://")
	switch {
	case isURL:
		text = rest
	case program == "ssh" || program == "nc" || program == "ncat" || program == "netcat" || program == "telnet" || program == "sftp" || program == "ping" ||
		program == "curl" || program == "wget":
		if strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") {
			return shell.Word{}
		}
	case remote(text) && (program == "scp" || program == "rsync" || program == "git"):
	default:
		return shell.Word{}
	}
	if i := strings.LastIndexByte(before(text, "/?#"), '@'); i >= 0 {
		text = text[i+1:]
	}
	if strings.HasPrefix(text, "[") {
		return shell.Word{Text: strings.Trim(before(text, "]"), "[]")}
	}
	host := before(text, ":/?#")
	if strings.Trim(host, "0123456789") == "" { // a port
		return shell.Word{}
	}
	return shell.Word{Text: host}
}

func before(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

func loopback(host string) bool {
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" || host == "0.0.0.0" || strings.HasSuffix(host, ".localhost")
}
