package instrument

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/instrument/scan"
)

// Instrumented is a file as it is after a run.
type Instrumented struct {
	Path   string // below the project's folder, with /
	Module *jsast.Module
	// Untouched: the run did not change it. Its spans count; what it imports is the author's own.
	Untouched bool
}

// JudgeOnce judges what is judged once for all files of a run: whether package.json
// holds the API where it belongs, and whether each span that the registry wants of a
// function is made. dir is the project's folder, contract nil without a registry. It
// starts nothing and calls no model.
func JudgeOnce(dir string, c Config, contract *Contract, files []Instrumented) []rules.Finding {
	list := judgeManifests(dir, c, files)
	if contract == nil {
		return list
	}
	var scanned []*scan.File
	for _, f := range files {
		scanned = append(scanned, scan.Inventory(f.Module, scan.Options{Path: f.Path, Contract: contract.Spans}))
	}
	return append(list, rules.SpansMade(scanned, c.Rules)...)
}

// judgeManifests judges the nearest package.json of each file that imports the API. A
// file without one is not judged.
func judgeManifests(dir string, c Config, files []Instrumented) (list []rules.Finding) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	judged := map[string]bool{}
	for _, f := range files {
		if f.Untouched || !slices.ContainsFunc(f.Module.Imports, func(i jsast.Import) bool { return i.Module == edit.API }) {
			continue
		}
		in := path.Dir(f.Path)
		for !isFileIn(root, path.Join(in, "package.json")) && in != "." {
			in = path.Dir(in)
		}
		name := path.Join(in, "package.json")
		text, err := readIn(root, name)
		m, invalid := readManifest(root, in)
		if judged[name] || err != nil || invalid != nil {
			continue
		}
		judged[name] = true
		list = append(list, rules.APIPlaced(name, text, cmp.Or(c.DependencyStrategy, m.strategy()), c.Rules)...)
	}
	return list
}

func isFileIn(root *os.Root, name string) bool {
	st, err := root.Stat(filepath.FromSlash(name))
	return err == nil && st.Mode().IsRegular()
}

// strategy is where the API belongs: with the others, or with those who install the
// package.
func (m *manifest) strategy() string {
	if !m.Private && (m.Main != "" || len(m.Bin) > 0 || len(m.Exports) > 0) {
		return rules.PeerDependencies
	}
	return rules.Dependencies
}

// below gives the path of a file of the project; false for one outside of it.
func below(dir, file string) (string, bool) {
	top, err := filepath.Abs(dir)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err == nil {
		file, err = filepath.Rel(top, file)
	}
	name := filepath.ToSlash(file)
	return name, err == nil && filepath.IsLocal(file) && !strings.HasPrefix(name, "node_modules/")
}

// JudgeOnce judges the files that the work changed, as they are afterwards.
func (a *Applying) JudgeOnce(ctx context.Context, engine jsast.Engine, r *RunResult) []rules.Finding {
	contract, err := ReadContract(a.Dir, a.Config)
	if err != nil {
		return nil // Work told it
	}
	var files []Instrumented
	for _, f := range r.Files {
		if f.Status != Success {
			continue
		}
		if m, err := ParseAs(ctx, engine, a.Dir, f.Path, f.After); err == nil {
			files = append(files, Instrumented{Path: f.Path, Module: m})
		}
	}
	return JudgeOnce(a.Dir, a.Config, contract, files)
}
