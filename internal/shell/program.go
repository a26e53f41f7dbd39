package shell

import (
	"path"
	"strings"
)

// wrapper is a program that runs the command after it.
type wrapper struct {
	words  string // its name and subcommands; * is an argument of its own, such as the time of timeout
	values string // its options that take the next word
	script bool   // a file, a script's name or a text may follow as well: Program stops before it
}

// wrappers lists longer forms of a program before shorter ones.
var wrappers = [...]wrapper{
	{words: "time", values: "-f -o --format --output"},
	{words: "timeout *", values: "-k -s --kill-after --signal"},
	{words: "nice", values: "-n --adjustment"},
	{words: "ionice", values: "-c -n --class --classdata"},
	{words: "nohup"},
	{words: "env", values: "-u -C --unset --chdir"},
	{words: "command"},
	{words: "exec", values: "-a"},
	{words: "builtin"},
	{words: "sudo", values: "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir"},
	{words: "doas", values: "-u -C"},
	{words: "stdbuf", values: "-i -o -e --input --output --error"},
	{words: "xargs", values: "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs"},
	{words: "setsid"},
	{words: "unshare"},
	{words: "strace", values: "-e -o -p -s -u"},
	{words: "xvfb-run", values: "-e -f -n -p -s -w"},
	{words: "caffeinate", values: "-t -w"},
	{words: "dotenv", values: "-e -f --file"},
	{words: "cross-env"},
	{words: "direnv exec *"},
	{words: "rtk"},

	{words: "npx", values: "-p -w --package --workspace"},
	{words: "bunx", values: "-p --package"},
	{words: "pnpx", values: "--package"},
	{words: "pnpm exec"},
	{words: "pnpm dlx", values: "--package"},
	{words: "yarn exec"},
	{words: "yarn", script: true},
	{words: "npm exec", values: "-w --package --workspace"},

	{words: "uv run", values: "-p --directory --env-file --extra --group --project --python --with --with-requirements"},
	{words: "uvx", values: "-p --from --python --with"},
	{words: "poetry run"},
	{words: "pipenv run"},
	{words: "pdm run", script: true},
	{words: "hatch run", script: true},
	{words: "rye run", script: true},
	{words: "pixi run", script: true},
	{words: "conda run", values: "-n -p --cwd --name --prefix"},
	{words: "mamba run", values: "-n -p --cwd --name --prefix"},
	{words: "coverage run -m"},
	{words: "python -m"},
	{words: "python3 -m"},
	{words: "py -m"},
	{words: "bundle exec"},

	{words: "docker compose exec *", values: composed},
	{words: "docker compose run *", values: composed},
	{words: "docker-compose exec *", values: composed},
	{words: "docker-compose run *", values: composed},
	{words: "docker exec *", values: composed},
	{words: "podman exec *", values: composed},
	{words: "nix develop -c"},
	{words: "nix develop --command"},
	{words: "nix-shell --run", script: true},
	{words: "devbox run", script: true},
	{words: "mise exec"},
	{words: "mise x"},
	{words: "asdf exec"},

	{words: "sh", script: true},
	{words: "bash", script: true},
	{words: "zsh", script: true},
}

// composed are the options of docker and podman between exec or run and the container's name, and
// of compose before them.
const composed = "-e -f -l -p -u -v -w --entrypoint --env --env-file --file --index --name --profile --project-name --publish --user --volume --workdir"

// Program returns the words of a simple command from its real program on: without leading
// assignments and reserved words, and without wrappers such as `sudo -u me env A=b timeout 60
// npx` and their options. It is empty without a real program.
func Program(words []string) []string {
	for len(words) > 0 {
		if IsAssignment(words[0]) || IsReserved(words[0]) {
			words = words[1:]
			continue
		}
		w, n := wrapperOf(words)
		if w == nil || w.script {
			break
		}
		for n < len(words) && (IsOption(words[n]) || IsAssignment(words[n])) {
			n += w.option(words[n])
		}
		words = words[min(n, len(words)):]
	}
	return words
}

// Wrapper is the number of leading words that belong to a wrapper, or 0. Options may follow them.
// Unlike Program it includes wrappers that run the project's scripts by name or file: bash, yarn,
// `hatch run`.
func Wrapper(words []string) int {
	_, n := wrapperOf(words)
	return n
}

func wrapperOf(words []string) (w *wrapper, n int) {
	base := path.Base(words[0])
	for i := range wrappers {
		if w := &wrappers[i]; strings.HasPrefix(w.words, base) {
			if n := w.begins(words, base); n > 0 {
				return w, n
			}
		}
	}
	return nil, 0
}

// begins is the number of words that match the wrapper's, or 0. Options, each with one word, may
// stand between.
func (w *wrapper) begins(words []string, base string) int {
	want, rest, _ := strings.Cut(w.words, " ")
	if base != want {
		return 0
	}
	i := 1
	for rest != "" {
		want, rest, _ = strings.Cut(rest, " ")
		for i < len(words) && words[i] != want && IsOption(words[i]) {
			skip := w.option(words[i])
			if i++; skip > 1 || want != "*" && i < len(words) && words[i] != want && !IsOption(words[i]) {
				i++
			}
		}
		if i >= len(words) || want != "*" && words[i] != want {
			return 0
		}
		i++
	}
	return i
}

// option is the number of words of the wrapper's option, including itself.
func (w *wrapper) option(word string) int {
	for value, rest := "", w.values; rest != ""; {
		if value, rest, _ = strings.Cut(rest, " "); value == word {
			return 2
		}
	}
	return 1
}

// IsOption reports whether a word looks like an option.
func IsOption(word string) bool { return len(word) > 1 && (word[0] == '-' || word[0] == '+') }
