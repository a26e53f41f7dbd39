package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/instrument/scan"
)

// JudgeError says why two files cannot be judged. It says nothing of the later one.
type JudgeError struct {
	File string
	Err  error
	Hint string // what a person can do; "" for nothing
}

func (e *JudgeError) Error() string { return e.File + ": " + e.Err.Error() }
func (e *JudgeError) Unwrap() error { return e.Err }

// Check judges the file at later beside the one at orig, as the kind of module that
// the original is: by its name, the nearest package.json, that of the later file, its
// syntax. It calls no model and
// writes nothing. c gives the levels of rules, the registry, and what the project has
// one of. dir is where c stands, "" for no configuration. The error is a *JudgeError, or the
// context's.
func Check(ctx context.Context, engine jsast.Engine, orig, later string, c Config, dir string) ([]rules.Finding, error) {
	source, err := read(orig)
	if err != nil {
		return nil, err
	}
	changed, err := read(later)
	if err != nil {
		return nil, err
	}
	j, err := newJudging(engine, c, dir)
	if err != nil {
		return nil, err
	}
	kind := sourceType(orig)
	if kind == jsast.Auto { // the original may be a copy elsewhere
		kind = sourceType(later)
	}
	list, module, err := j.judge(ctx, version{orig, source}, version{later, changed}, kind, isSetUp(c, dir, orig) || isSetUp(c, dir, later))
	if err != nil {
		return nil, err
	}
	if name, ok := below(dir, later); ok && dir != "" && module != nil {
		list = append(list, judgeManifests(dir, c, []Instrumented{{Path: name, Module: module}})...)
	}
	return list, nil
}

// version is one text of a file.
type version struct {
	name string // for messages, and for the kind of file
	text []byte
}

// judging is what all pairs of a project share. Several goroutines may use one.
type judging struct {
	engine jsast.Engine
	config Config
	spans  *scan.Contract // nil without a registry
}

func newJudging(engine jsast.Engine, c Config, dir string) (*judging, error) {
	j := &judging{engine: engine, config: c}
	contract, err := ReadContract(dir, c)
	switch {
	case err != nil:
		return nil, &JudgeError{c.SchemaPath, err, "aburn instrument registry check " + c.SchemaPath}
	case contract != nil:
		j.spans = contract.Spans
	}
	return j, nil
}

// judge judges one pair. The module is the later file's where that takes other names of
// the API than the original; else it is nil.
func (j *judging) judge(ctx context.Context, orig, later version, kind jsast.SourceType, setUp bool) ([]rules.Finding, *jsast.Module, error) {
	pair := &rules.Pair{Config: rules.Config{File: later.name, TracerName: j.config.TracerName, SDKInit: setUp, Contract: j.spans}}
	var err error
	pair.Orig, err = jsast.ParseNamed(ctx, j.engine, orig.name, orig.text, kind)
	if err != nil {
		return nil, nil, refused(ctx, orig.name, err)
	}
	if err := parseLater(ctx, j.engine, pair, later.name, later.text); err != nil {
		return nil, nil, err
	}
	if jsast.IsTypeScript(orig.name) != jsast.IsTypeScript(later.name) {
		return nil, nil, &JudgeError{later.name, errors.New("one of the files is TypeScript, and the other is not"), "compare files of one language"}
	}
	if kind == jsast.Auto && pair.OtherType && eitherKind(pair.Orig) {
		if module, err := jsast.ParseNamed(ctx, j.engine, orig.name, orig.text, pair.New.Type); err == nil {
			pair.Orig, pair.Broken, pair.OtherType = module, nil, false
		}
	}
	if pair.Broken == nil {
		pair.Broken = nodeRefuses(ctx, j.engine, pair)
	}
	list := rules.Judge(pair, j.config.Rules)
	if pair.New == nil || slices.Equal(apiImports(pair.Orig), apiImports(pair.New)) {
		return list, nil, nil
	}
	return list, pair.New, nil
}

// apiImports are the names that a file takes of the API.
func apiImports(m *jsast.Module) (names []string) {
	for _, i := range m.Imports {
		if i.Module == edit.API {
			names = append(names, i.Imported)
		}
	}
	return names
}

// parseLater parses the later file as what the original is. One that only parses as
// the other kind of module is judged as that, beside the error.
func parseLater(ctx context.Context, engine jsast.Engine, pair *rules.Pair, path string, source []byte) error {
	later, err := jsast.ParseNamed(ctx, engine, path, source, pair.Orig.Type)
	if err == nil {
		pair.New = later
		return nil
	}
	if !errors.As(err, &pair.Broken) {
		return refused(ctx, path, err)
	}
	other := jsast.ESModule
	if pair.Orig.Type == jsast.ESModule {
		other = jsast.CommonJS
	}
	if later, err := jsast.ParseNamed(ctx, engine, path, source, other); err == nil {
		pair.New, pair.OtherType = later, true
	}
	return nil
}

// eitherKind says whether nothing in a file tells which kind of module it is. Then
// the later file may be of either: nobody knows that it must not.
func eitherKind(m *jsast.Module) bool {
	if len(m.Imports)+len(m.Exports) > 0 {
		return false
	}
	for i := range m.Scopes.All {
		for _, r := range m.Scopes.All[i].References {
			if m.Scopes.Resolve(r) == nil && slices.Contains([]string{"require", "module", "exports", "__dirname", "__filename"}, r.Name) {
				return false
			}
		}
	}
	return true
}

func refused(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &JudgeError{File: path, Err: err}
	var limit *jsast.LimitError
	var syntax *jsast.SyntaxError
	var types *jsast.TypesError
	switch {
	case errors.As(err, &types) && types.Missing:
		e.Hint = "install node 22.13 or later: it takes the types off as it runs such files"
	case errors.As(err, &types):
		e.Hint = "enum, namespace, parameter properties and the like are code, not types: leave the file out, or write them as JavaScript"
	case errors.As(err, &limit):
		e.Hint = "split the file, or leave it out: generated and minified files are not instrumented"
	case errors.As(err, &syntax):
		e.Hint = "only JavaScript and JSX that node or a bundler takes can be judged"
	}
	return e
}

// read reads a file that is within the parser's limit. A longer one is cut: the
// parser then says why it is refused.
func read(path string) ([]byte, error) {
	if err := otherLanguage(path); err != nil {
		return nil, &JudgeError{path, err, Kinds}
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &JudgeError{path, errors.New("there is no such file"), ""}
	case err != nil:
		return nil, &JudgeError{path, err, ""}
	case !st.Mode().IsRegular():
		return nil, &JudgeError{path, errors.New("is no file"), ""}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &JudgeError{path, err, ""}
	}
	defer f.Close()
	source, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err != nil {
		return nil, &JudgeError{path, err, ""}
	}
	return source, nil
}

// Kinds are the files that can be instrumented, for hints.
const Kinds = "only .js, .mjs, .cjs, .jsx, .ts, .mts and .cts"

func otherLanguage(path string) error {
	switch ext := filepath.Ext(path); ext {
	case ".tsx":
		return errors.New("TypeScript with JSX cannot be judged: node takes no types off it")
	case ".vue", ".svelte", ".astro":
		return fmt.Errorf("%s files cannot be judged", ext)
	}
	return nil
}

// sourceType is what node makes of a file: by its extension, else by the nearest
// package.json, else by its syntax.
func sourceType(path string) jsast.SourceType {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return jsast.TypeByName(path)
	}
	return typeBy(path, func(yield func(text []byte, isManifest bool) bool) {
		for {
			name := filepath.Join(dir, "package.json")
			pipe := isPipe(name)
			var data []byte
			err := errNoFile
			if !pipe {
				data, err = os.ReadFile(name)
			}
			up := filepath.Dir(dir)
			if !yield(data, pipe || err == nil) || up == dir {
				return
			}
			dir = up
		}
	})
}

// typeBy is sourceType with the texts of each package.json from the file's folder upwards;
// false where a folder has none.
func typeBy(name string, manifests iter.Seq2[[]byte, bool]) jsast.SourceType {
	if t := jsast.TypeByName(name); t != jsast.Auto {
		return t
	}
	for text, is := range manifests {
		if !is {
			continue
		}
		var manifest struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(text, &manifest)
		switch {
		case manifest.Type == "module":
			return jsast.ESModule
		case manifest.Type == "commonjs" && !jsast.IsTypeScript(name): // a compiler makes CommonJS of imports
			return jsast.CommonJS
		}
		return jsast.Auto
	}
	return jsast.Auto
}

func isSetUp(c Config, dir, path string) bool {
	if c.SDKInitFile == "" {
		return false
	}
	a, errA := filepath.Abs(filepath.Join(dir, c.SDKInitFile))
	b, errB := filepath.Abs(path)
	return errA == nil && errB == nil && a == b
}

// nodeRefuses asks the engine, if it is node, whether node itself takes the later file. It
// only counts where node takes the original: it knows no JSX. Of TypeScript the node that
// took off the types has said so already.
func nodeRefuses(ctx context.Context, engine jsast.Engine, pair *rules.Pair) *jsast.SyntaxError {
	node, ok := engine.(*jsast.NodeProcess)
	if !ok || pair.Orig.TypeScript || node.Takes(ctx, pair.New) || !node.Takes(ctx, pair.Orig) || ctx.Err() != nil {
		return nil
	}
	return &jsast.SyntaxError{Pos: pair.New.Pos(0), Message: "node refuses it"}
}
