package guard

import (
	"strings"

	"aburn/guard/shell"
)

// values are the options of programs that take the next word. An entry of a program with its sub-command adds to the program's.
var values = map[string]string{
	"git":               "-C -c --git-dir --work-tree --namespace --exec-path --config-env",
	"git commit":        "-m -F -C -c -t --message --file --reuse-message --reedit-message --template --author --date --cleanup --fixup --squash --trailer",
	"git push":          "-o --push-option --repo --receive-pack --exec",
	"git clean":         "-e --exclude",
	"git rebase":        "-x -s -X --exec --onto --strategy --strategy-option",
	"git merge":         "-m -F -s -X --message --file --strategy --strategy-option",
	"git tag":           "-m -F -u --message --file",
	"git log":           "-n --grep --author --since --until --format -S -G -L",
	"git config":        "-f --file --blob --type --default",
	"git reset":         "",
	"kubectl":           "-n -f -l -o -c --namespace --context --kubeconfig --filename --selector --output --cluster --user -s --server",
	"helm":              "-n --namespace --kube-context --kubeconfig",
	"docker":            "-H --host --context -l --log-level --config",
	"terraform":         "",
	"npm":               "--prefix -w --workspace",
	"npm publish":       "--tag --access --otp",
	"pnpm":              "-C --dir --filter -F",
	"yarn":              "--cwd",
	"pip":               "--python --log --proxy",
	"pip install":       "-r -c -t -i --requirement --constraint --target --index-url --extra-index-url --find-links -f --prefix --root",
	"pip3 install":      "-r -c -t -i --requirement --constraint --target --index-url --extra-index-url --find-links -f --prefix --root",
	"psql":              "-c -f -d -h -U -p -v -o -P --command --file --dbname --host --username --port --set",
	"mysql":             "-e -h -u -P -D -S --execute --host --user --port --database",
	"mariadb":           "-e -h -u -P -D -S --execute --host --user --port --database",
	"mysqladmin":        "-h -u -P -S --host --user --port",
	"sqlite3":           "-cmd -init -separator",
	"dropdb":            "-h -U -p --host --username --port --maintenance-db",
	"mongosh":           "--eval --host --port -u -p --username --password -f --file",
	"mongo":             "--eval --host --port -u -p --username --password",
	"clickhouse-client": "--query -q --host -h --port --user -u --password --database -d",
	"redis-cli":         "-h -p -n -a -s -u -i -r --user --pass",
	"python":            "-W -X", "python3": "-W -X",
	"curl": "-o -d -H -X -u -T -F -A -b -c -e -K -m -w -x -E --output --data --data-binary --data-raw --header --request --user" +
		" --upload-file --form --max-time --proxy --retry --connect-timeout --cert --key",
	"wget":  "-O -o -a -P -U -e -t -T --output-document --directory-prefix --header --user-agent --post-data --post-file",
	"ssh":   "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
	"scp":   "-c -F -i -J -l -o -P -S",
	"rsync": "-e --rsh --exclude --include --exclude-from --files-from -f --filter",
	"grep":  "-e -f -m -A -B -C --regexp --file --max-count --include --exclude --exclude-dir -d -D",
	"egrep": "-e -f -m -A -B -C", "fgrep": "-e -f -m -A -B -C",
	"rg":  "-e -f -g -t -T -A -B -C -m --glob --type --regexp --file",
	"sed": "-e -f -l --expression --file", "awk": "-F -f -v", "gawk": "-F -f -v", "jq": "--arg --argjson --slurpfile --rawfile -f --indent",
	"head": "-n -c --lines --bytes", "tail": "-n -c --lines --bytes", "sort": "-k -t -o -S -T --key --output", "cut": "-d -f -c -b",
	"truncate": "-s -r -o --size --reference", "shred": "-n -s --iterations --size", "tee": "", "chmod": "--reference", "chown": "--reference --from",
	"mkfs": "-t --type", "tar": "-C -X -T --directory --exclude", "cp": "-t -S --target-directory --suffix", "mv": "-t -S --target-directory --suffix",
	"ln": "-t -S --target-directory", "install": "-m -o -g -t --mode --owner --group", "touch": "-d -r -t --date --reference",
	"openssl": "-in -out -inkey -passin -passout -keyout -CA -CAkey -days -subj -config -newkey -key -cert -connect", "base64": "-w --wrap", "xxd": "-l -s -c -g",
	"nc": "-p -s -w -X -x",
	"gh": "-R --repo", "make": "-C -f -j", "cargo": "--manifest-path --target-dir", "go": "-C", "twine": "-r --repository --repository-url -u -p",
	"mvn": "-f -P -pl -s", "gem": "", "terragrunt": "",
}

// option is one option of a program.
type option struct {
	name  string
	value shell.Word
	has   bool
}

// arguments are the words of a program, sorted.
type arguments struct {
	operands []shell.Word
	options  []option
	holes    bool // a word may be anything
}

// sorted sorts the words of a program. skip is how many operands are sub-commands whose options are known.
func sorted(name string, words []shell.Word) *arguments {
	a := &arguments{}
	known, sub := values[name], ""
	for i := 0; i < len(words); i++ {
		w := words[i]
		text := w.Text
		switch {
		case text == shell.Hole:
			a.holes = true
			a.operands = append(a.operands, w)
		case text == "--":
			a.operands = append(a.operands, words[i+1:]...)
			return a
		case len(text) < 2 || text[0] != '-' || w.Glob && text[0] == '*':
			a.operands = append(a.operands, w)
			if sub == "" {
				sub = strings.ToLower(text)
				known += " " + values[name+" "+sub]
			}
		default:
			i += a.option(w, words[i+1:], known)
		}
	}
	return a
}

// option adds the options of one word, and returns how many further words it takes.
func (a *arguments) option(w shell.Word, rest []shell.Word, known string) int {
	text := w.Text
	if name, value, ok := strings.Cut(text, "="); ok {
		a.options = append(a.options, option{name, shell.Word{Text: value, Net: w.Net}, true})
		return 0
	}
	if takes(known, text) {
		if len(rest) == 0 {
			a.options = append(a.options, option{name: text})
			return 0
		}
		a.options = append(a.options, option{text, rest[0], true})
		return 1
	}
	a.options = append(a.options, option{name: text})
	if text[1] == '-' || len(text) == 2 {
		return 0
	}
	for i := 1; i < len(text); i++ { // a cluster: -fdx
		one := "-" + text[i:i+1]
		if !takes(known, one) {
			a.options = append(a.options, option{name: one})
			continue
		}
		if i+1 < len(text) {
			a.options = append(a.options, option{one, shell.Word{Text: text[i+1:]}, true})
			return 0
		}
		if len(rest) > 0 {
			a.options = append(a.options, option{one, rest[0], true})
			return 1
		}
	}
	return 0
}

func takes(known, name string) bool { return strings.Contains(" "+known+" ", " "+name+" ") }

// flag reports whether an option of the form "-f|--force" or "-c=core.*" is there.
func (a *arguments) flag(spec string) Truth {
	for one := range strings.SplitSeq(spec, "|") {
		name, pattern, valued := strings.Cut(one, "=")
		for _, o := range a.options {
			if o.name != name && !(strings.HasSuffix(name, "*") && match(name, o.name)) {
				continue
			}
			if !valued || matchFold(pattern, o.value.Text) {
				return Yes
			}
			if o.has && !o.value.Known() {
				return Unknown
			}
		}
	}
	if a.holes {
		return Unknown
	}
	return No
}

// of returns the value of the first of the options.
func (a *arguments) of(names ...string) (shell.Word, bool) {
	for _, o := range a.options {
		for _, n := range names {
			if o.name == n && o.has {
				return o.value, true
			}
		}
	}
	return shell.Word{}, false
}

func (a *arguments) has(names ...string) bool {
	for _, n := range names {
		if a.flag(n) == Yes {
			return true
		}
	}
	return false
}

// command reports whether the program and its first operands are spec's, and returns the operands behind.
func (a *arguments) command(name, spec string) ([]shell.Word, Truth) {
	program, rest, _ := strings.Cut(spec, " ")
	if name == "" {
		return nil, Unknown
	}
	if !match(program, name) {
		return nil, No
	}
	operands := a.operands
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		if word == "" {
			continue
		}
		switch {
		case len(operands) == 0:
			return nil, No
		case !operands[0].Known():
			return nil, Unknown
		case !matchFold(word, operands[0].Text):
			return nil, No
		}
		operands = operands[1:]
	}
	return operands, Yes
}
