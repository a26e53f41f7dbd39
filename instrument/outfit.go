package instrument

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument/jsast"
	"aburn/instrument/jsproject"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

// Outfit is what a project lacks beside spans: packages, and libraries in the file that sets up telemetry.
type Outfit struct {
	Dir      string
	Install  []*jsproject.Installation
	Problems []string // wishes that cannot be met, with reasons

	config    Config
	engine    jsast.Engine
	libraries []scan.Library
	setUp     *jsproject.SetUp // nil for none
}

// Outfit works out what the project in dir lacks for what a run put into it, or found there. It changes nothing. The
// error is the context's.
func (r *RunResult) Outfit(ctx context.Context, engine jsast.Engine, dir string, c Config) (*Outfit, error) {
	o := &Outfit{Dir: dir, config: c, engine: engine}
	needs := jsproject.Needs{Libraries: r.Libraries, Strategy: c.DependencyStrategy}
	for _, f := range r.Files {
		if f.Status == Success || f.Status == Unchanged && f.has() {
			needs.Files = append(needs.Files, f.Path)
		}
	}
	if c.SDKInitFile != "" && len(r.Libraries) > 0 {
		file := path.Clean(filepath.ToSlash(c.SDKInitFile))
		s, err := readSetUp(ctx, engine, dir, file)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			o.Problems = append(o.Problems, file+": "+err.Error())
		default:
			o.setUp, needs.SetUp = s, file
			needs.Libraries = o.withoutPresent(needs.Libraries)
		}
	}
	var problems []string
	o.Install, o.libraries, problems = jsproject.Lacks(dir, needs)
	o.Problems = append(o.Problems, problems...)
	return o, nil
}

// has says whether spans of the plan stand in a file that was not changed.
func (f *FileResult) has() bool { return f.Reason == spansAreThere }

func readSetUp(ctx context.Context, engine jsast.Engine, dir, file string) (*jsproject.SetUp, error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return nil, errors.New("lies outside of the project")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m, err := parseIn(ctx, engine, root, dir, file)
	if err != nil {
		return nil, err
	}
	return &jsproject.SetUp{File: file, Module: m}, nil
}

// withoutPresent leaves out what the set-up starts already: in the bundle, it need not be installed alone.
func (o *Outfit) withoutPresent(names []string) (list []string) {
	for _, name := range names {
		_, libraries, _ := jsproject.Lacks(o.Dir, jsproject.Needs{Libraries: []string{name}, SetUp: o.setUp.File})
		if lacking, present := o.setUp.Lacks(libraries); len(present) > 0 && len(lacking) == 0 {
			continue
		}
		list = append(list, name)
	}
	return list
}

// Edit gives what is added to the set-up for the libraries that are installed, by their packages; nil for nothing. all
// takes those too that are not.
func (o *Outfit) Edit(ctx context.Context, all bool) (*jsproject.SetUpEdit, error) {
	if o.setUp == nil || len(o.libraries) == 0 {
		return nil, nil
	}
	var there []scan.Library
	for _, l := range o.libraries {
		if all || o.installed(l.Package) {
			there = append(there, l)
		}
	}
	had, err := os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(o.setUp.FallbackFile())))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	edit, err := o.setUp.Add(ctx, o.engine, there, had)
	if err != nil || len(edit.Added) == 0 && len(edit.Present) == 0 {
		return nil, err
	}
	return edit, nil
}

func (o *Outfit) installed(pkg string) bool {
	lacks, _, _ := jsproject.Lacks(o.Dir, jsproject.Needs{Libraries: []string{pkg}, SetUp: o.setUp.File})
	return !slices.ContainsFunc(lacks, func(in *jsproject.Installation) bool {
		return slices.ContainsFunc(in.Packages, func(p jsproject.Package) bool { return p.Name == pkg })
	})
}

// Supply installs what is permitted and adds it to the set-up, each in one step. What fails is in the result, and
// leaves the files as they were. The error is the context's.
func (o *Outfit) Supply(ctx context.Context, r *RunResult, environ []string, permitted func(*jsproject.Installation) bool) error {
	for _, in := range o.Install {
		if !permitted(in) {
			for _, p := range in.Packages {
				r.LibraryFailures = append(r.LibraryFailures, p.String()+": not permitted")
			}
			continue
		}
		done, err := in.Install(ctx, environ)
		if err != nil {
			return err
		}
		r.LibrariesInstalled, r.LibraryFailures = append(r.LibrariesInstalled, done.Packages...), append(r.LibraryFailures, done.Failed...)
	}
	edit, err := o.Edit(ctx, false)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && edit != nil {
		err = writeSetUp(o.Dir, edit)
	}
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("libraries were not added to the set-up: %v", err))
		return nil
	}
	r.SDKInit = edit
	if edit == nil {
		return nil
	}
	if err := o.cover(r, append(slices.Clone(edit.Added), edit.Present...)); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the registry does not say what libraries emit: %v", err))
	}
	return nil
}

// cover adds to the registry what the spans of libraries can have. Without a registry there is nothing to do.
func (o *Outfit) cover(r *RunResult, packages []string) error {
	contract, err := ReadContract(o.Dir, o.config)
	if err != nil || contract == nil {
		return err
	}
	var list []registry.Emitter
	for _, l := range scan.Libraries() {
		if slices.Contains(packages, l.Package) && len(l.Emits) > 0 {
			list = append(list, registry.Emitter{Library: l.Package, Attributes: l.Emits})
		}
	}
	text, left, err := contract.Registry.Cover(list)
	if len(left) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the registry does not have %s, which libraries set, nor a dependency on the semantic conventions that does",
			strings.Join(left[:min(len(left), 5)], ", ")))
	}
	if err != nil || text == nil {
		return err
	}
	later, err := contract.Registry.With(map[string][]byte{registry.LibrariesFile: text})
	if err != nil {
		return err
	}
	resolved, _, err := later.Resolve()
	if err != nil {
		return err
	}
	name := path.Join(filepath.ToSlash(o.config.SchemaPath), registry.LibrariesFile)
	r.RegistryFiles, r.SchemaDiff = append(r.RegistryFiles, name), append(r.SchemaDiff, registry.Diff(contract.Resolved, resolved)...)
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, name, append([]byte{}, contract.Registry.Text(registry.LibrariesFile)...), text)
}

// writeSetUp replaces the set-up, or aburn's own file beside it, if it still is what it was.
func writeSetUp(dir string, e *jsproject.SetUpEdit) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if string(e.After) != string(e.Before) {
		return replace(root, e.File, e.Before, e.After)
	}
	if e.Fallback != "" && string(e.FallbackAfter) != string(e.FallbackBefore) {
		return replace(root, e.Fallback, e.FallbackBefore, e.FallbackAfter)
	}
	return nil
}

// OutfitFiles are the files that supplying would change or make, below the project, for git.
func (o *Outfit) OutfitFiles() (files []string) {
	for _, in := range o.Install {
		files = append(files, path.Join(in.Dir, "package.json"))
	}
	if o.setUp != nil && len(o.libraries) > 0 {
		files = append(files, o.setUp.File)
		if o.config.SchemaPath != "" {
			files = append(files, path.Join(filepath.ToSlash(o.config.SchemaPath), registry.LibrariesFile))
		}
	}
	return files
}
