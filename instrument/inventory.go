package instrument

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"aburn/instrument/jsast"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

// Inventory is what a scan found in a project.
type Inventory struct {
	Files      []*scan.File `json:"files"`
	Skipped    []Skipped    `json:"skipped"`
	TypeScript int          `json:"typescript"` // files that were left out for it: no node takes types off them
	LeftOut    []LeftOut    `json:"leftOut"`
	Functions  int          `json:"functions"`
	Candidates int          `json:"candidates"`
	Covered    int          `json:"covered"`
	Forbidden  int          `json:"forbidden"`
	// Node says why TypeScript was left out; "" where it was not, or for .tsx.
	Node string `json:"node,omitempty"`
	// Registry is the folder whose spans count; "" for none.
	Registry string `json:"registry"`
}

// Scan says of each function of the selected files whether a span belongs there. A
// file that cannot be parsed is skipped with its reason. The error is the context's,
// or that of an engine that cannot be started.
func Scan(ctx context.Context, engine jsast.Engine, dir string, s *Selection, contract *scan.Contract) (*Inventory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	out := &Inventory{Files: []*scan.File{}, Skipped: append([]Skipped{}, s.Skipped...), TypeScript: s.TypeScript,
		LeftOut: append([]LeftOut{}, s.LeftOut...)}
	found := make([]*scan.File, len(s.Files))
	failed := make([]error, len(s.Files))
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(s.Files)) { // the engine bounds how many parse at once
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(s.Files)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				found[i], failed[i] = scanIn(ctx, engine, root, dir, s.Files[i], contract)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	scan.Join(slices.DeleteFunc(slices.Clone(found), func(f *scan.File) bool { return f == nil }), entries(root))
	for i, name := range s.Files {
		err := failed[i]
		var types *jsast.TypesError
		if errors.As(err, &types) && types.Missing {
			out.TypeScript++
			out.Node = types.Reason
			continue
		}
		if err != nil {
			out.Skipped = append(out.Skipped, Skipped{name, err.Error()})
			continue
		}
		found[i].Forget()
		out.add(found[i])
	}
	return out, nil
}

func scanIn(ctx context.Context, engine jsast.Engine, root *os.Root, dir, name string, contract *scan.Contract) (*scan.File, error) {
	m, err := parseIn(ctx, engine, root, dir, name)
	if err != nil {
		return nil, err
	}
	f := scan.Inventory(m, scan.Options{Path: name, Contract: contract})
	f.Source = SourceHash(m.Source)
	f.ForgetTree()
	return f, nil
}

func parseIn(ctx context.Context, engine jsast.Engine, root *os.Root, dir, name string) (*jsast.Module, error) {
	source, err := readIn(root, name)
	if err != nil {
		return nil, err
	}
	return ParseAs(ctx, engine, dir, name, source)
}

// ParseAs parses a text as the project's file called name, which may have another text on disk.
func ParseAs(ctx context.Context, engine jsast.Engine, dir, name string, source []byte) (*jsast.Module, error) {
	return jsast.ParseNamed(ctx, engine, name, source, sourceType(filepath.Join(dir, filepath.FromSlash(name))))
}

func (i *Inventory) add(f *scan.File) {
	i.Files = append(i.Files, f)
	i.Functions += len(f.Functions)
	for _, fn := range f.Functions {
		switch fn.Verdict {
		case scan.Candidate:
			i.Candidates++
		case scan.Covered:
			i.Covered++
		case scan.Forbidden:
			i.Forbidden++
		}
	}
}

// RegistryError says why a registry cannot be used as a contract.
type RegistryError struct {
	Dir      string
	Findings []registry.Finding // its errors
	Err      error
}

func (e *RegistryError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Dir + " has an error: " + e.Findings[0].File + ": " + e.Findings[0].Message
}

func (e *RegistryError) Unwrap() error { return e.Err }

// Contract is a project's registry, ready to be judged by.
type Contract struct {
	Registry *registry.Registry
	Resolved *registry.Resolved
	Spans    *scan.Contract
	Unsure   []registry.Finding // what could not be judged without Weaver
}

// ReadContract reads the registry that c names, below dir. It is nil if c names none.
// A registry with an error is a *RegistryError.
func ReadContract(dir string, c Config) (*Contract, error) {
	if c.SchemaPath == "" {
		return nil, nil
	}
	if !filepath.IsLocal(c.SchemaPath) {
		return nil, &PathError{c.SchemaPath, "schemaPath lies outside of the project", "the registry is a folder of the project"}
	}
	folder := filepath.Join(dir, filepath.FromSlash(c.SchemaPath))
	r, err := registry.Load(folder, registry.Options{Root: dir})
	if err != nil {
		return nil, &RegistryError{Dir: folder, Err: err}
	}
	findings, err := r.Check()
	if err != nil {
		return nil, &RegistryError{Dir: folder, Err: err}
	}
	out := &Contract{Registry: r}
	var bad []registry.Finding
	for _, f := range findings {
		switch f.Severity {
		case registry.Error:
			bad = append(bad, f)
		case registry.NotJudged:
			out.Unsure = append(out.Unsure, f)
		}
	}
	if len(bad) > 0 {
		return nil, &RegistryError{Dir: folder, Findings: bad}
	}
	resolved, _, err := r.Resolve()
	if err != nil {
		return nil, &RegistryError{Dir: folder, Err: err}
	}
	out.Resolved, out.Spans = resolved, scan.NewContract(resolved)
	out.Spans.Partial = len(out.Unsure) > 0
	return out, nil
}
