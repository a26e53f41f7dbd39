package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The licences of the modules that the executables link ask for their text in whatever contains them, so each package
// brings it. The list is what Go links on any system: packages of all targets hold the same text.

// othersFile is that text in archives, npm packages and the image.
const othersFile = "THIRD_PARTY_LICENSES.txt"

// embedded are the licences of the JavaScript that executables hold.
var embedded = []string{"instrument/jsast/bundle/LICENSES", "web/xterm/published/*/LICENSE"}

// licenceNames are files that a licence consists of. A NOTICE belongs to the Apache licence.
var licenceNames = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents)([.-].*)?$`)

const licenceRule = "\n------------------------------------------------------------------------\n"

// copyright is what Debian calls so: aburn's licence and those of others.
func (r Release) copyright(others file) (file, error) {
	own, err := os.ReadFile(filepath.Join(r.Root, "LICENSE"))
	return file{"copyright", 0o644, []byte(string(own) + licenceRule + "\n" + string(others.data))}, err
}

// others is othersFile. It makes it once.
func (r Release) others(ctx context.Context) (file, error) {
	if r.licences != nil && r.licences.name != "" {
		return *r.licences, nil
	}
	of, err := r.linked(ctx)
	if err != nil {
		return file{}, err
	}
	for _, pattern := range embedded {
		paths, err := filepath.Glob(filepath.Join(r.Root, filepath.FromSlash(pattern)))
		if err == nil && len(paths) == 0 {
			err = fmt.Errorf("%s is not in the source", pattern)
		}
		if err != nil {
			return file{}, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return file{}, err
			}
			name, _ := filepath.Rel(r.Root, filepath.Dir(path))
			of["the JavaScript of "+filepath.ToSlash(name)] = string(text)
		}
	}
	byText := map[string][]string{}
	for name, text := range of {
		text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
		byText[text] = append(byText[text], name)
	}
	for _, names := range byText {
		slices.Sort(names)
	}
	texts := slices.SortedFunc(maps.Keys(byText), func(a, b string) int { return cmp.Compare(byText[a][0], byText[b][0]) })
	var b strings.Builder
	b.WriteString("The executables of aburn contain the software below. Its licences follow.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "%s\n%s\n\n%s\n", licenceRule, strings.Join(byText[text], "\n"), text)
	}
	made := file{othersFile, 0o644, []byte(b.String())}
	if r.licences != nil {
		*r.licences = made
	}
	return made, nil
}

// linked are the licences of all modules that an executable links on some system, by module and version, and Go's own,
// which is the text that its authors give golang.org/x/mod too.
func (r Release) linked(ctx context.Context) (map[string]string, error) {
	folders := map[string]map[string]bool{} // of packages, by module
	top := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		args := []string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"}
		for _, name := range r.Executables {
			args = append(args, "./cmd/"+name)
		}
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Stderr = r.Root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOARCH=amd64", "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			field := strings.Split(strings.TrimSpace(line), "\t")
			if len(field) != 3 {
				continue // a package without a module, thus of Go
			}
			if top[field[0]] = field[1]; folders[field[0]] == nil {
				folders[field[0]] = map[string]bool{}
			}
			folders[field[0]][field[2]] = true
		}
	}
	of := map[string]string{}
	for module, dir := range top {
		text, err := licenceOf(dir, folders[module])
		if err == nil && text == "" {
			err = fmt.Errorf("%s has no licence in %s", module, dir)
		}
		if err != nil {
			return nil, err
		}
		if of[module] = text; strings.HasPrefix(module, "golang.org/x/mod ") {
			of["Go and its standard library"] = text
		}
	}
	return of, nil
}

// licenceOf are the texts in the folders of a module's packages, and in those above them.
func licenceOf(top string, packages map[string]bool) (string, error) {
	dirs := map[string]bool{}
	for dir := range packages {
		for ; len(dir) >= len(top); dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	var texts []string
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceNames.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return "", err
			}
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	return strings.Join(texts, "\n\n"), nil
}
