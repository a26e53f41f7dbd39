package instrument

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/registry"
	"aburn/instrument/rules"
	"aburn/internal/atomicfile"
	"aburn/internal/git"
)

// Bounds of an extension of the registry: beyond them somebody should look.
const (
	maxNewPerFile = 5
	maxNewPerRun  = 30
)

// Applying is a plan and what it is applied to.
type Applying struct {
	Dir       string // the project's folder
	Config    Config
	Plan      *Plan
	Only      []string // paths of the plan's files that count; nil for all
	Formatter *Formatter
}

// applying is one run in memory. The registry grows from file to file.
type applying struct {
	Applying
	engine   jsast.Engine
	root     *os.Root
	contract *Contract
	tracer   string
	created  int
	result   *RunResult
}

// Work applies the plan in memory and writes nothing. Each file passes all blocking
// rules, or none of it is in the result. Errors are a *PathError, a *RegistryError, or
// the context's.
func (a Applying) Work(ctx context.Context, engine jsast.Engine) (*RunResult, error) {
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return nil, &PathError{a.Dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	w := &applying{Applying: a, engine: engine, root: root, result: &RunResult{
		Files: []*FileResult{}, SchemaDiff: []registry.Change{}, RegistryFiles: []string{}, Libraries: []string{}, Warnings: []string{}, Registry: map[string][]byte{},
	}}
	if w.contract, err = ReadContract(a.Dir, a.Config); err != nil {
		return nil, err
	}
	before := w.contract
	if before != nil && len(before.Unsure) > 0 {
		f := before.Unsure[0]
		w.result.Warnings = append(w.result.Warnings, fmt.Sprintf("the registry is not judged whole: %s:%d: %s", f.File, f.Line, f.Message))
	}
	w.tracer = w.tracerName()
	for _, p := range a.Plan.Files {
		if a.Only != nil && !slices.Contains(a.Only, p.Path) {
			continue
		}
		f, err := w.file(ctx, p)
		if err != nil {
			return nil, err
		}
		w.result.Files = append(w.result.Files, f)
		for _, l := range p.Libraries {
			if !slices.Contains(w.result.Libraries, l) {
				w.result.Libraries = append(w.result.Libraries, l)
			}
		}
	}
	if before != nil {
		w.result.SchemaDiff = append(w.result.SchemaDiff, registry.Diff(before.Resolved, w.contract.Resolved)...)
	}
	w.result.count()
	return w.result, nil
}

// tracerName is the configuration's, else the package's, else the first part of the
// registry's names.
func (w *applying) tracerName() string {
	if w.Config.TracerName != "" {
		return w.Config.TracerName
	}
	if m, err := readManifest(w.root, "."); err == nil && m.Name != "" {
		return m.Name
	}
	if w.contract != nil && w.contract.Spans.Namespace != "" {
		return w.contract.Spans.Namespace
	}
	return "app"
}

func (w *applying) file(ctx context.Context, p Planned) (*FileResult, error) {
	f := &FileResult{Path: p.Path, SchemaExtensions: []string{}, Dropped: []string{}, Notes: append([]string{}, p.Notes...), Blocking: []rules.Finding{}, Advisory: []rules.Finding{}}
	if w.contract != nil {
		f.SchemaHashBefore, f.SchemaHashAfter = w.contract.Resolved.Hash, w.contract.Resolved.Hash
	}
	fail := func(format string, args ...any) (*FileResult, error) {
		f.Status, f.Reason = Failed, fmt.Sprintf(format, args...)
		return f, nil
	}
	if err := otherLanguage(p.Path); err != nil {
		return fail("%v", err)
	}
	if c := path.Clean(filepath.ToSlash(w.Config.SDKInitFile)); c == p.Path {
		return fail("it sets up telemetry: spans there would be made before anything records them")
	}
	if st, err := w.root.Lstat(filepath.FromSlash(p.Path)); err != nil || !st.Mode().IsRegular() {
		return fail("there is no such file, or it is a link")
	}
	m, err := parseIn(ctx, w.engine, w.root, w.Dir, p.Path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return fail("%v", err)
	}
	f.Before = m.Source
	p.Functions = f.resolve(m, p)
	extended, err := w.extend(p)
	if err != nil {
		return fail("the registry cannot be extended: %v", err)
	}
	return f, w.attempts(ctx, f, m, p, extended)
}

// SourceHash is what a plan's source is compared with.
func SourceHash(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}

// resolve gives the choices with the ids that their functions have now: in a file that
// changed since the plan was made, spans were put in for example, only names count.
func (f *FileResult) resolve(m *jsast.Module, p Planned) (list []edit.Choice) {
	same := strings.EqualFold(p.Source, SourceHash(m.Source))
	for _, c := range p.Functions {
		if c.Action != "span" {
			continue
		}
		id, why := c.ID, ""
		switch {
		case c.Name != "":
			id, why = idOf(m, c.ID, c.Name)
		case same:
		case makesSpanNamed(m, c.Span):
			why = edit.AlreadyMakesSpans
		default:
			why = "the file has changed since the plan was made, and the plan does not name the function"
		}
		if why != "" {
			f.Dropped = append(f.Dropped, edit.Dropped{Function: c.ID, Reason: why}.String())
			continue
		}
		c.ID = id
		list = append(list, c)
	}
	return list
}

// idOf is the id of the function that is called name: the one with the id if it is
// called so, else the only one.
func idOf(m *jsast.Module, id, name string) (found, why string) {
	n := 0
	for i := range m.Functions {
		if m.Functions[i].Label() != name {
			continue
		}
		if m.Functions[i].ID == id {
			return id, ""
		}
		found, n = m.Functions[i].ID, n+1
	}
	switch n {
	case 0:
		return "", "the file has no function " + name
	case 1:
		return found, ""
	}
	return "", fmt.Sprintf("%d functions are called %s, and none of them is %s", n, name, id)
}

func makesSpanNamed(m *jsast.Module, name string) bool {
	return name != "" && (bytes.Contains(m.Source, []byte("startActiveSpan('"+name+"'")) || bytes.Contains(m.Source, []byte(`startActiveSpan("`+name+`"`)))
}

// attempts applies the plan and judges the result. A choice that a blocking finding is
// about is dropped, first the attribute, then the span; the rest is tried again.
func (w *applying) attempts(ctx context.Context, f *FileResult, m *jsast.Module, p Planned, extended *extension) error {
	plan := p.Plan
	plan.Functions = slices.Clone(p.Functions)
	for range 2 + 2*len(plan.Functions) {
		f.Attempts++
		source, dropped, err := edit.Apply(ctx, w.engine, m, plan, edit.Names{Tracer: w.tracer})
		if err != nil {
			return w.engineError(ctx, f, err)
		}
		if bytes.Equal(source, m.Source) {
			w.nothing(f, dropped)
			return nil
		}
		list, err := w.judge(ctx, m, source, f.Path, extended)
		if err != nil {
			return w.engineError(ctx, f, err)
		}
		if !rules.Blocks(list) {
			w.accept(ctx, f, m, plan, source, dropped, list, extended)
			return nil
		}
		f.Blocking = blocking(list)
		if !f.dropOne(m, &plan, source) {
			break
		}
	}
	f.Status, f.Reason = Failed, "a rule blocks it: "+f.Blocking[0].Rule+": "+f.Blocking[0].Message
	return nil
}

func (w *applying) engineError(ctx context.Context, f *FileResult, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.Status, f.Reason = Failed, err.Error()
	return nil
}

// nothing ends a file of whose plan no choice was made.
func (w *applying) nothing(f *FileResult, dropped []edit.Dropped) {
	f.note(dropped)
	already := func(text string) bool { return strings.HasSuffix(text, edit.AlreadyMakesSpans) }
	switch {
	case len(f.Dropped) == 0:
		f.Status, f.Reason = Unchanged, "the plan wants no span in it"
	case slices.ContainsFunc(f.Dropped, already):
		f.Status, f.Reason, f.Blocking = Unchanged, "its spans are there already", []rules.Finding{}
	case len(f.Blocking) > 0:
		f.Status, f.Reason = Failed, "nothing of the plan passes the rules: "+f.Blocking[0].Rule+": "+f.Blocking[0].Message
	default:
		f.Status, f.Reason = NeedsHuman, "no choice of the plan can be made"
	}
}

func (f *FileResult) note(dropped []edit.Dropped) {
	for _, d := range dropped {
		f.Dropped = append(f.Dropped, d.String())
	}
}

func blocking(list []rules.Finding) []rules.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f rules.Finding) bool { return f.Severity != rules.Blocking })
}

// dropOne takes out of a plan what the first blocking finding is about.
func (f *FileResult) dropOne(m *jsast.Module, plan *edit.Plan, source []byte) bool {
	finding := f.Blocking[0]
	lines := bytes.Split(source, []byte("\n"))
	text := ""
	if finding.Line >= 1 && finding.Line <= len(lines) {
		text = string(lines[finding.Line-1])
	}
	for i, c := range plan.Functions {
		if c.Action != "span" || !isNamed(m, c.ID, finding.Function) {
			continue
		}
		for j, a := range c.Attributes {
			if strings.Contains(text, "'"+a.Key+"'") || strings.Contains(finding.Message, a.Key) {
				plan.Functions[i].Attributes = slices.Delete(slices.Clone(c.Attributes), j, j+1)
				f.Dropped = append(f.Dropped, edit.Dropped{Function: c.ID, Attribute: a.Key, Reason: finding.Rule + ": " + finding.Message}.String())
				return true
			}
		}
		plan.Functions = slices.Delete(slices.Clone(plan.Functions), i, i+1)
		f.Dropped = append(f.Dropped, edit.Dropped{Function: c.ID, Reason: finding.Rule + ": " + finding.Message}.String())
		return true
	}
	return false
}

func isNamed(m *jsast.Module, id, name string) bool {
	i := slices.IndexFunc(m.Functions, func(f jsast.Function) bool { return f.ID == id })
	return i >= 0 && m.Functions[i].Label() == name
}

func (w *applying) judge(ctx context.Context, m *jsast.Module, source []byte, name string, extended *extension) ([]rules.Finding, error) {
	pair := &rules.Pair{Orig: m, Config: rules.Config{File: name, TracerName: w.Config.TracerName}}
	if extended.contract != nil {
		pair.Config.Contract = extended.contract.Spans
	}
	if err := parseLater(ctx, w.engine, pair, name, source); err != nil {
		return nil, err
	}
	if pair.Broken == nil {
		pair.Broken = nodeRefuses(ctx, w.engine, pair)
	}
	return rules.Judge(pair, w.Config.Rules), nil
}

// accept takes a file into the result. The project's formatter may print it anew; its
// text counts only if it passes the same rules.
func (w *applying) accept(ctx context.Context, f *FileResult, m *jsast.Module, plan edit.Plan, source []byte, dropped []edit.Dropped, list []rules.Finding, extended *extension) {
	f.note(dropped)
	if text, why := w.Formatter.format(ctx, f.Path, m.Source, source); why != "" {
		f.Notes = append(f.Notes, why)
	} else if text != nil {
		if again, err := w.judge(ctx, m, text, f.Path, extended); err == nil && !rules.Blocks(again) {
			source, list = text, again
		} else {
			f.Notes = append(f.Notes, "the formatter's text does not pass the rules; the file is as aburn wrote it")
		}
	}
	f.Status, f.After, f.Blocking, f.Advisory = Success, source, []rules.Finding{}, append(f.Advisory, list...)
	for _, c := range plan.Functions {
		if c.Action != "span" || slices.ContainsFunc(dropped, func(d edit.Dropped) bool { return d.Function == c.ID && d.Attribute == "" }) {
			continue
		}
		f.SpansAdded++
		for _, a := range c.Attributes {
			if !slices.ContainsFunc(dropped, func(d edit.Dropped) bool { return d.Function == c.ID && d.Attribute == a.Key }) {
				f.AttributesUsed++
			}
		}
	}
	if len(extended.names) == 0 {
		return
	}
	f.SchemaExtensions, f.AttributesCreated = extended.names, extended.attributes
	f.SchemaHashAfter = extended.contract.Resolved.Hash
	w.contract = extended.contract
	w.created += extended.attributes
	for name, text := range extended.files {
		w.result.Registry[name] = text
		if file := path.Join(filepath.ToSlash(w.Config.SchemaPath), name); !slices.Contains(w.result.RegistryFiles, file) {
			w.result.RegistryFiles = append(w.result.RegistryFiles, file)
		}
	}
}

// DirtyError says which files have changes that git does not have, or that there is no
// repository.
type DirtyError struct {
	Files []string // nil: no repository
}

func (e *DirtyError) Error() string {
	if len(e.Files) == 0 {
		return "the folder is in no git repository"
	}
	return strings.Join(e.Files, ", ") + ": not committed as it is"
}

// Clean returns a *DirtyError unless git has every file that r would change as it is
// now. environ is for git.
func (r *RunResult) Clean(ctx context.Context, dir string, environ []string) error {
	args := []string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--"}
	n := len(args)
	for _, f := range r.Files {
		if f.Status == Success {
			args = append(args, f.Path)
		}
	}
	args = append(args, r.RegistryFiles...)
	if len(args) == n {
		return nil
	}
	list, err := git.In(dir, environ).List(ctx, args...)
	var failed *git.Error
	switch {
	case errors.As(err, &failed), errors.Is(err, git.ErrNone):
		return &DirtyError{}
	case err != nil:
		return err
	}
	var dirty []string
	for _, line := range list {
		name := line[min(3, len(line)):]
		if !strings.HasPrefix(line, "??") || !slices.ContainsFunc(r.RegistryFiles, func(f string) bool { return strings.HasSuffix(name, f) }) {
			dirty = append(dirty, name)
		}
	}
	if len(dirty) > 0 {
		return &DirtyError{dirty}
	}
	return nil
}

// Write puts the result on disk: the registry's files first, then each file of code in
// one step. A file that changed since it was read is left alone and failed. A crash
// leaves each file as it was or as it should be.
func (r *RunResult) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	for _, name := range r.RegistryFiles {
		if err := replace(root, name, nil, r.Registry[path.Base(name)]); err != nil {
			return err
		}
		r.Written = true
	}
	for _, f := range r.Files {
		if f.Status != Success {
			continue
		}
		if err := replace(root, f.Path, f.Before, f.After); err != nil {
			f.Status, f.Reason = Failed, err.Error()
			r.Succeeded, r.Failed = r.Succeeded-1, r.Failed+1
			continue
		}
		r.Written = true
	}
	return nil
}

var errChanged = errors.New("the file changed while aburn worked; it was left alone")

// replace writes a file in one step, if it still is what it was. before is nil for any.
func replace(root *os.Root, name string, before, after []byte) error {
	in := root
	if dir := path.Dir(name); dir != "." {
		sub, err := root.OpenRoot(filepath.FromSlash(dir))
		if err != nil {
			return err
		}
		defer sub.Close()
		in = sub
	}
	return atomicfile.WriteRoot(in, path.Base(name), after, 0o644, atomicfile.Options{Sync: true, Check: func() error {
		if before == nil {
			return nil
		}
		now, err := in.ReadFile(path.Base(name))
		return cmp.Or(err, unlessEqual(now, before))
	}})
}

func unlessEqual(now, before []byte) error {
	if bytes.Equal(now, before) {
		return nil
	}
	return errChanged
}
