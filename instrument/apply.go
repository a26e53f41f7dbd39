package instrument

import (
	"bytes"
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
	"aburn/instrument/telemetry"
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
	// Contract is the registry as it is by now; nil is that of the configuration, on disk.
	Contract *Contract
	// Created is how many attributes a run has added to it already.
	Created int
	// Trace gets spans of the work; nil for none. Attempt says that the work is one attempt of a run, which has a span for
	// the file.
	Trace   *telemetry.Tracer
	Attempt bool
	Linter  *Linter
}

// applying is one run in memory. The registry grows from file to file.
type applying struct {
	Applying
	engine   jsast.Engine
	root     *os.Root
	before   *Contract // as the work began
	contract *Contract
	tracer   string
	created  int
	result   *RunResult
}

// Work applies the plan in memory and writes nothing. Each file passes all blocking
// rules, or none of it is in the result. Errors are a *PathError, a *RegistryError, or
// the context's.
func (a Applying) Work(ctx context.Context, engine jsast.Engine) (*RunResult, error) {
	w, err := a.begin(engine)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	for _, p := range a.Plan.Files {
		if a.Only != nil && !slices.Contains(a.Only, p.Path) {
			continue
		}
		inside, span := ctx, (*telemetry.Span)(nil)
		if !a.Attempt {
			inside, span = a.Trace.Start(ctx, telemetry.File)
		}
		f, err := w.file(inside, p)
		if err != nil {
			span.End(err)
			return nil, err
		}
		f.Tell(span)
		w.result.Files = append(w.result.Files, f)
		w.wants(p.Libraries)
	}
	return w.end(), nil
}

// begin opens the project, and reads the registry where none is given.
func (a Applying) begin(engine jsast.Engine) (*applying, error) {
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return nil, &PathError{a.Dir, "is no folder that can be read", ""}
	}
	w := &applying{Applying: a, engine: engine, root: root, contract: a.Contract, created: a.Created, result: &RunResult{
		Files: []*FileResult{}, SchemaDiff: []registry.Change{}, RegistryFiles: []string{}, Libraries: []string{}, LibrariesInstalled: []string{},
		LibraryFailures: []string{}, Warnings: []string{}, Findings: []rules.Finding{}, Registry: map[string][]byte{}, Had: map[string][]byte{},
	}}
	if w.contract == nil {
		if w.contract, err = ReadContract(a.Dir, a.Config); err != nil {
			root.Close()
			return nil, err
		}
	}
	w.before = w.contract
	if w.before != nil && len(w.before.Unsure) > 0 {
		f := w.before.Unsure[0]
		w.result.Warnings = append(w.result.Warnings, fmt.Sprintf("the registry is not judged whole: %s:%d: %s", f.File, f.Line, f.Message))
	}
	w.tracer = TracerName(a.Dir, a.Config, w.contract)
	return w, nil
}

func (w *applying) wants(libraries []string) {
	for _, l := range libraries {
		if !slices.Contains(w.result.Libraries, l) {
			w.result.Libraries = append(w.result.Libraries, l)
		}
	}
}

// end sums the result up.
func (w *applying) end() *RunResult {
	if w.before != nil {
		w.result.SchemaDiff = append(w.result.SchemaDiff, registry.Diff(w.before.Resolved, w.contract.Resolved)...)
	}
	w.result.Contract = w.contract
	w.result.count()
	return w.result
}

// ownerOf says whose a file is that no plan may change, links followed; "" for the project's.
func ownerOf(dir, name string) string {
	root, err := filepath.EvalSymlinks(dir)
	real, errReal := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name)))
	rel, errRel := filepath.Rel(root, real)
	if errors.Join(err, errReal, errRel) != nil {
		return ""
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		switch strings.ToLower(part) { // some file systems know no case
		case ".git":
			return "git"
		case "node_modules":
			return "an installed package"
		case ".oss":
			return "aburn"
		}
	}
	return ""
}

func (w *applying) file(ctx context.Context, p Planned) (*FileResult, error) {
	f := w.newResult(p.Path, p.Notes)
	m, err := w.open(ctx, f)
	if m == nil {
		return f, err
	}
	p.Functions = f.resolve(m, p)
	p.NewSpans = w.withAttributes(p)
	extended := w.extended(f, p) // a mistake in what is new is told, used or not
	if extended == nil {
		return f, nil
	}
	return f, w.attempts(ctx, f, m, p, extended)
}

func (w *applying) newResult(path string, notes []string) *FileResult {
	f := NewFileResult(path, "", "")
	f.Notes = append(f.Notes, notes...)
	if w.contract != nil {
		f.SchemaHashBefore, f.SchemaHashAfter = w.contract.Resolved.Hash, w.contract.Resolved.Hash
	}
	return f
}

func (f *FileResult) fail(format string, args ...any) {
	f.Status, f.Reason = Failed, fmt.Sprintf(format, args...)
}

// open parses a file that may get spans; nil for one that may not: then it failed. The
// error is the context's.
func (w *applying) open(ctx context.Context, f *FileResult) (*jsast.Module, error) {
	if err := otherLanguage(f.Path); err != nil {
		f.fail("%v", err)
		return nil, nil
	}
	if c := path.Clean(filepath.ToSlash(w.Config.SDKInitFile)); c == f.Path {
		f.fail("it sets up telemetry: spans there would be made before anything records them")
		return nil, nil
	}
	if st, err := w.root.Lstat(filepath.FromSlash(f.Path)); err != nil || !st.Mode().IsRegular() {
		f.fail("there is no such file, or it is a link")
		return nil, nil
	}
	if owner := ownerOf(w.Dir, f.Path); owner != "" {
		f.fail("it belongs to %s, not to the project's code", owner)
		return nil, nil
	}
	m, err := parseIn(ctx, w.engine, w.root, w.Dir, f.Path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		f.fail("%v", err)
		return nil, nil
	}
	f.Before = m.Source
	return m, nil
}

// extended is the registry with what a plan adds; nil where it cannot be: then the file failed.
func (w *applying) extended(f *FileResult, p Planned) *extension {
	extended, err := w.extend(p)
	if err != nil {
		var refused *registry.ExtendError
		if errors.As(err, &refused) {
			f.Refused = refused.Name
		}
		f.fail("the registry cannot be extended: %v", err)
		return nil
	}
	return extended
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
			id, why = idOf(m, c, p.Source != "" && !same)
		case same:
		case makesSpanNamed(m, c.Span):
			why = edit.AlreadyMakesSpans
		default:
			why = "the file has changed since the plan was made, and the plan does not name the function"
		}
		if why != "" {
			f.drop(edit.Dropped{Function: c.ID, Reason: why})
			continue
		}
		c.ID = id
		list = append(list, c)
	}
	return list
}

// idOf is the id of the function that a choice names: the only one that is called so, or that with the id. Ids move
// when spans are put in: of several functions of one name none is taken where the span is there already, or where
// the file is another than the plan was made for.
func idOf(m *jsast.Module, c edit.Choice, changed bool) (found, why string) {
	n, same := 0, false
	for i := range m.Functions {
		if m.Functions[i].Label() == c.Name {
			found, n = m.Functions[i].ID, n+1
			same = same || found == c.ID
		}
	}
	switch {
	case n == 0:
		return "", "the file has no function " + c.Name
	case n == 1:
		return found, ""
	case makesSpanNamed(m, c.Span):
		return "", edit.AlreadyMakesSpans
	case changed:
		return "", fmt.Sprintf("%d functions are called %s, and the file has changed since the plan was made", n, c.Name)
	case same:
		return c.ID, ""
	}
	return "", fmt.Sprintf("%d functions are called %s, and none of them is %s", n, c.Name, c.ID)
}

func makesSpanNamed(m *jsast.Module, name string) bool {
	return name != "" && (bytes.Contains(m.Source, []byte("startActiveSpan('"+name+"'")) || bytes.Contains(m.Source, []byte(`startActiveSpan("`+name+`"`)))
}

// attempts applies the plan and judges the result. A choice that a blocking finding is
// about is dropped, first the attribute, then the span; the rest is tried again.
func (w *applying) attempts(ctx context.Context, f *FileResult, m *jsast.Module, p Planned, extended *extension) error {
	plan := p.Plan
	plan.Functions = slices.Clone(p.Functions)
	names := edit.Names{Tracer: w.tracer, Kinds: spanKinds(plan, extended.contract)}
	for range 2 + 2*len(plan.Functions) {
		f.Attempts++
		source, dropped, err := edit.Apply(ctx, w.engine, m, plan, names)
		if err != nil {
			return w.engineError(ctx, f, err)
		}
		if bytes.Equal(source, m.Source) {
			w.nothing(f, dropped)
			return nil
		}
		if used := w.extended(f, Planned{Path: p.Path, Plan: made(plan, dropped)}); used == nil {
			return nil
		} else if list, err := w.judge(ctx, m, source, f.Path, used); err != nil {
			return w.engineError(ctx, f, err)
		} else if f.Blocking = blocking(list); len(f.Blocking) == 0 {
			w.accept(ctx, f, m, plan, source, dropped, list, used)
			return nil
		}
		if !f.dropOne(m, &plan, source) {
			break
		}
	}
	f.Status, f.Reason = Failed, "a rule blocks it: "+f.Blocking[0].Rule+": "+f.Blocking[0].Message
	return nil
}

// spanKinds are the kinds that the registry gives spans, else the plan.
func spanKinds(p edit.Plan, contract *Contract) map[string]string {
	kinds := map[string]string{}
	for _, s := range p.NewSpans {
		kinds[strings.TrimPrefix(s.ID, "span.")] = s.Kind
	}
	if contract == nil {
		return kinds
	}
	for _, g := range contract.Resolved.Groups {
		if g.Type == "span" {
			kinds[strings.TrimPrefix(g.ID, "span.")] = g.SpanKind
		}
	}
	return kinds
}

func (w *applying) engineError(ctx context.Context, f *FileResult, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.Status, f.Reason = Failed, err.Error()
	return nil
}

// spansAreThere is the reason of a file that needs nothing.
const spansAreThere = "its spans are there already"

// nothing ends a file of whose plan no choice was made.
func (w *applying) nothing(f *FileResult, dropped []edit.Dropped) {
	f.note(dropped)
	already := func(text string) bool { return strings.HasSuffix(text, edit.AlreadyMakesSpans) }
	switch {
	case len(f.Dropped) == 0:
		f.Status, f.Reason = Unchanged, "the plan wants no span in it"
	case slices.ContainsFunc(f.Dropped, already):
		f.Status, f.Reason, f.Blocking = Unchanged, spansAreThere, []rules.Finding{}
	case len(f.Blocking) > 0:
		f.Status, f.Reason = Failed, "nothing of the plan passes the rules: "+f.Blocking[0].Rule+": "+f.Blocking[0].Message
	default:
		f.Status, f.Reason = NeedsHuman, "no choice of the plan can be made"
	}
}
