// Command semconv writes instrument/registry/semconv.tsv: the attributes of OpenTelemetry's semantic conventions by
// version, from two published packages. Types, values and versions are those of go.opentelemetry.io/otel/semconv, briefs
// and what replaced a deprecated name those of @opentelemetry/semantic-conventions.
//
//	go run ./internal/lab/semconv OTEL_MODULE NPM_PACKAGE > instrument/registry/semconv.tsv
//	sha256sum < instrument/registry/semconv.tsv | cut -d' ' -f1 > instrument/registry/semconv.sha256
//
// The first folder is that of `go mod download -json go.opentelemetry.io/otel@v1.46.0`, the second that of `npm pack
// @opentelemetry/semantic-conventions@1.45.0`, unpacked.
package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first version whose Go package says types.
const oldest = "1.20.0"

type attribute struct {
	name, typ, stability, first, last string
	members                           []string
	brief, replaced                   string
	gone                              bool
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "semconv: two folders are needed; see the comment of this command")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "semconv:", err)
		os.Exit(1)
	}
}

func write(module, pack string) error {
	all := map[string]*attribute{}
	list, err := versions(filepath.Join(module, "semconv"))
	if err != nil {
		return err
	}
	for _, v := range list {
		if err := read(all, filepath.Join(module, "semconv", "v"+v), v); err != nil {
			return err
		}
	}
	for _, name := range []string{"stable_attributes.d.mts", "experimental_attributes.d.mts"} {
		text, err := os.ReadFile(filepath.Join(pack, "dist", name))
		if err != nil {
			return err
		}
		describe(all, string(text))
	}
	newest := list[len(list)-1]
	fmt.Printf("# Attributes of OpenTelemetry's semantic conventions, %s to %s. Written by internal/lab/semconv, whose comment has the command.\n", list[0],
		newest)
	fmt.Printf("# Copyright The OpenTelemetry Authors, Apache-2.0. Changed: reduced to one line an attribute.\n")
	fmt.Printf("# name\ttype\tvalues\tstability\tfirst version\tlast version, - for the newest\tdeprecated: - for no, ? for yes, or what replaced it\tbrief\n")
	for _, a := range slices.SortedFunc(mapValues(all), func(a, b *attribute) int { return cmp.Compare(a.name, b.name) }) {
		last, gone := a.last, "-"
		if last == newest {
			last = "-"
		}
		if a.gone || last != "-" {
			gone = cmp.Or(a.replaced, "?")
		}
		fmt.Println(strings.Join([]string{a.name, a.typ, cmp.Or(strings.Join(a.members, ","), "-"), a.stability, a.first, last, gone, cmp.Or(a.brief, "-")}, "\t"))
	}
	return nil
}

func mapValues(m map[string]*attribute) func(func(*attribute) bool) {
	return func(yield func(*attribute) bool) {
		for _, a := range m {
			if !yield(a) {
				return
			}
		}
	}
}

func versions(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if v, ok := strings.CutPrefix(e.Name(), "v"); ok && e.IsDir() && compare(v, oldest) >= 0 {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, compare)
	if len(list) == 0 && err == nil {
		err = fs.ErrNotExist
	}
	return list, err
}

func compare(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return cmp.Compare(m, n)
		}
	}
	return 0
}

var (
	keyLine      = regexp.MustCompile(`^\s*(\w+)Key\s*=\s*attribute\.Key\("([^"]+)"\)`)
	valueLine    = regexp.MustCompile(`^\s*\w+\s*=\s*(\w+)Key\.(String|Int|Bool)\("?([^")]*)"?\)`)
	templateLine = regexp.MustCompile(`^\s*return attribute\.(String|StringSlice)\("([^"]+)\."\+key, val`)
	typeLine     = regexp.MustCompile(`^\s*// Type: (\S+)`)
	stableLine   = regexp.MustCompile(`^\s*// (?:Stability: |stability: |Stability level: )(\w+)`)
)

// read reads the packages of one version.
func read(all map[string]*attribute, dir, version string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	keys := map[string]*attribute{}
	values := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		typ, stability := "", ""
		for line := range strings.Lines(string(text)) {
			if m := typeLine.FindStringSubmatch(line); m != nil {
				typ = m[1]
			}
			if m := stableLine.FindStringSubmatch(line); m != nil {
				stability = strings.ToLower(m[1])
			}
			switch m := keyLine.FindStringSubmatch(line); {
			case m != nil && typ != "":
				keys[m[1]] = put(all, m[2], typ, stability, version)
				typ, stability = "", ""
			}
			if m := valueLine.FindStringSubmatch(line); m != nil {
				values[m[1]] = append(values[m[1]], m[3])
			}
			if m := templateLine.FindStringSubmatch(line); m != nil {
				put(all, m[2], map[string]string{"String": "template[string]", "StringSlice": "template[string[]]"}[m[1]], stability, version)
			}
		}
	}
	for key, a := range keys {
		if a.typ == "Enum" || a.typ == "enum" {
			a.typ, a.members = "enum", values[key]
		}
	}
	return nil
}

func put(all map[string]*attribute, name, typ, stability, version string) *attribute {
	a := all[name]
	if a == nil {
		a = &attribute{name: name, first: version}
		all[name] = a
	}
	a.typ, a.last, a.stability = typ, version, "development"
	if stability == "stable" || stability == "release_candidate" || stability == "alpha" || stability == "beta" {
		a.stability = stability
	}
	return a
}

var (
	docBlock = regexp.MustCompile(`/\*\*((?:[^*]|\*[^/])*)\*/\s*declare const ATTR_\w+: (?:"([^"]+)"|\(key: string\) => (?:string|` +
		"`([^`$]+)\\.\\$\\{string\\}`" + `));`)
	backticks = regexp.MustCompile("^Replaced by `([a-z][a-z0-9_.]*)`")
)

// describe adds briefs and what replaced a name. A name that only stands here has no
// type, and is left out.
func describe(all map[string]*attribute, text string) {
	for _, m := range docBlock.FindAllStringSubmatch(text, -1) {
		a := all[cmp.Or(m[2], m[3])]
		if a == nil {
			continue
		}
		var brief []string
		for line := range strings.Lines(m[1]) {
			line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*"))
			if note, ok := strings.CutPrefix(line, "@deprecated "); ok {
				a.gone = true
				if to := backticks.FindStringSubmatch(note); to != nil {
					a.replaced = to[1]
				}
			}
			switch ended := len(brief) > 0 && brief[len(brief)-1] == ""; {
			case ended || line == "" && len(brief) == 0:
			case line == "" || strings.HasPrefix(line, "@"):
				brief = append(brief, "")
			default:
				brief = append(brief, line)
			}
		}
		a.brief = firstSentence(strings.Join(brief, " "))
	}
}

func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	if r := []rune(text); len(r) > 160 {
		text = strings.TrimSpace(string(r[:159])) + "…"
	}
	return text
}
