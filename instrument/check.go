package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/internal/run"
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
	pair := &rules.Pair{Config: rules.Config{File: later, TracerName: c.TracerName, SDKInit: isSetUp(c, dir, orig) || isSetUp(c, dir, later)}}
	if contract, err := ReadContract(dir, c); err != nil {
		return nil, &JudgeError{c.SchemaPath, err, "aburn instrument registry check " + c.SchemaPath}
	} else if contract != nil {
		pair.Config.Contract = contract.Spans
	}
	kind := sourceType(orig)
	if kind == jsast.Auto { // the original may be a copy elsewhere
		kind = sourceType(later)
	}
	pair.Orig, err = jsast.ParseNamed(ctx, engine, orig, source, kind)
	if err != nil {
		return nil, refused(ctx, orig, err)
	}
	if err := parseLater(ctx, engine, pair, later, changed); err != nil {
		return nil, err
	}
	if jsast.IsTypeScript(orig) != jsast.IsTypeScript(later) {
		return nil, &JudgeError{later, errors.New("one of the files is TypeScript, and the other is not"), "compare files of one language"}
	}
	if kind == jsast.Auto && pair.OtherType && eitherKind(pair.Orig) {
		if module, err := jsast.ParseNamed(ctx, engine, orig, source, pair.New.Type); err == nil {
			pair.Orig, pair.Broken, pair.OtherType = module, nil, false
		}
	}
	if pair.Broken == nil {
		pair.Broken = nodeRefuses(ctx, engine, pair)
	}
	list := rules.Judge(pair, c.Rules)
	if name, ok := below(dir, later); ok && dir != "" && pair.New != nil && !slices.Equal(apiImports(pair.Orig), apiImports(pair.New)) {
		list = append(list, judgeManifests(dir, c, []Instrumented{{Path: name, Module: pair.New}})...)
	}
	return list, nil
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
	if t := jsast.TypeByName(path); t != jsast.Auto {
		return t
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return jsast.Auto
	}
	for {
		var manifest struct {
			Type string `json:"type"`
		}
		name := filepath.Join(dir, "package.json")
		if isPipe(name) {
			return jsast.Auto
		}
		if data, err := os.ReadFile(name); err == nil {
			_ = json.Unmarshal(data, &manifest)
			switch manifest.Type {
			case "module":
				return jsast.ESModule
			case "commonjs":
				if jsast.IsTypeScript(path) { // a compiler makes CommonJS of imports
					return jsast.Auto
				}
				return jsast.CommonJS
			}
			return jsast.Auto
		}
		up := filepath.Dir(dir)
		if up == dir {
			return jsast.Auto
		}
		dir = up
	}
}

func isSetUp(c Config, dir, path string) bool {
	if c.SDKInitFile == "" {
		return false
	}
	a, errA := filepath.Abs(filepath.Join(dir, c.SDKInitFile))
	b, errB := filepath.Abs(path)
	return errA == nil && errB == nil && a == b
}

// nodeRefuses asks the node on PATH whether it takes the later file, if the engine
// is node. It only counts where node takes the original: it knows no JSX. Of TypeScript
// the node that took off the types has said so already. node
// parses standard input and runs nothing of it.
func nodeRefuses(ctx context.Context, engine jsast.Engine, pair *rules.Pair) *jsast.SyntaxError {
	if pair.Orig.TypeScript || engine.Name() != "node" || nodeTakes(ctx, pair.New) || !nodeTakes(ctx, pair.Orig) || ctx.Err() != nil {
		return nil
	}
	return &jsast.SyntaxError{Pos: pair.New.Pos(0), Message: "node --check refuses it"}
}

func nodeTakes(ctx context.Context, m *jsast.Module) bool {
	said, err := run.Do(ctx, run.Program{
		Argv: []string{"node", "--check", "--input-type=" + string(m.Type), "-"}, Dir: os.TempDir(),
		Stdin: bytes.NewReader(bytes.TrimPrefix(m.Source, []byte("\uFEFF"))), Timeout: jsast.Timeout,
	})
	return err != nil || said.Code == 0 || !bytes.Contains(said.Stderr, []byte("SyntaxError"))
}
