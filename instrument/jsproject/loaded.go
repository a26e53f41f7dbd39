package jsproject

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// Loading says whether a command line loads the set-up of telemetry.
type Loading struct {
	Command string `json:"command"` // the line that starts the program; "" where none is known
	How     Load   `json:"how"`
	By      string `json:"by,omitempty"` // the flag or the file that does it
}

// Load is how a set-up is loaded.
type Load string

const (
	Preloaded  Load = "before the program" // --import, --require
	First      Load = "first"              // the program's first import
	Late       Load = "late"               // after other imports: what those load is not patched
	NotLoaded  Load = "not"
	LoadUnsure Load = "unknown" // the line starts something that aburn does not follow
)

var (
	preload = regexp.MustCompile(`(?:^|\s)(?:--import|--require|-r)[= ]\s*["']?([^\s"']+)`)
	nodeRun = regexp.MustCompile(`\b(?:node|tsx|ts-node|nodemon|bun)\b`)
)

// maxFollowed bounds how many files are read to find the set-up.
const maxFollowed = 500

// LoadedBy follows the command that starts a package in dir, scripts.start or its main file, to the set-up, by flags and
// by static imports. It runs nothing. setUp is below dir, with /.
func LoadedBy(ctx context.Context, engine jsast.Engine, dir, setUp string) Loading {
	m, err := ReadManifest(dir)
	if err != nil {
		return Loading{How: LoadUnsure}
	}
	out := Loading{Command: m.Scripts["start"], How: NotLoaded}
	if out.Command == "" {
		main := m.Main
		if main == "" {
			main = "index.js"
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(main))); err != nil {
			return Loading{How: LoadUnsure}
		}
		out.Command = "node " + main
	}
	for _, found := range preload.FindAllStringSubmatch(out.Command, -1) {
		if resolve(dir, ".", found[1]) == setUp || strings.TrimPrefix(found[1], "./") == setUp {
			out.How, out.By = Preloaded, strings.TrimSpace(found[0])
			return out
		}
	}
	entry := entryOf(dir, out.Command)
	if entry == "" || !nodeRun.MatchString(out.Command) {
		out.How = LoadUnsure
		return out
	}
	if entry == setUp {
		out.How, out.By = First, entry
		return out
	}
	out.How, out.By = follow(ctx, engine, dir, entry, setUp)
	return out
}

// entryOf is the first file that a command line names, beside those that its flags load.
func entryOf(dir, command string) string {
	for _, word := range strings.Fields(preload.ReplaceAllString(command, "")) {
		if file := resolve(dir, ".", strings.Trim(word, `"'`)); file != "" && !strings.HasPrefix(word, "-") && isCode(file) {
			return file
		}
	}
	return ""
}

func isCode(file string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}, path.Ext(file))
}

// resolve is the file that a relative module name means, below dir, with /; "" for none.
func resolve(dir, from, name string) string {
	base := path.Join(from, name)
	if !filepath.IsLocal(filepath.FromSlash(base)) || base == "." {
		return ""
	}
	tries := []string{base, base + ".js", base + ".mjs", base + ".cjs", base + ".ts", base + "/index.js", base + "/index.mjs", base + "/index.ts"}
	if ext := path.Ext(base); ext == ".js" { // TypeScript names the file that the compiler writes
		tries = append(tries, strings.TrimSuffix(base, ext)+".ts")
	}
	for _, t := range tries {
		if st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(t))); err == nil && st.Mode().IsRegular() {
			return t
		}
	}
	return ""
}

// follow walks static imports from the entry, in the order in which node loads them: all that an import loads comes
// before the next one. Only what a program loads first can patch the rest.
func follow(ctx context.Context, engine jsast.Engine, dir, entry, setUp string) (Load, string) {
	seen := map[string]bool{}
	early := true // nothing but files of the project's own was loaded yet
	by := ""
	var visit func(file string) bool
	visit = func(file string) bool {
		if seen[file] || len(seen) >= maxFollowed || ctx.Err() != nil {
			return false
		}
		seen[file] = true
		source, err := readFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return false
		}
		m, err := jsast.ParseNamed(ctx, engine, file, source, jsast.TypeByName(file))
		if err != nil {
			return false
		}
		for _, i := range m.Imports {
			if !strings.HasPrefix(i.Module, ".") {
				early = early && (strings.HasPrefix(i.Module, "node:") || i.Module == "dotenv/config" || i.Module == "dotenv")
				continue
			}
			next := resolve(dir, path.Dir(file), i.Module)
			if next == setUp {
				by = file
				return true
			}
			if next != "" && isCode(next) && visit(next) {
				return true
			}
		}
		return false
	}
	switch {
	case !visit(entry):
		return NotLoaded, ""
	case early:
		return First, by
	}
	return Late, by
}
