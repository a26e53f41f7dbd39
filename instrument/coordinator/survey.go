package coordinator

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/prompt"
	"aburn/instrument/provider"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

// Survey is what a run would work on. Making it calls no model and writes nothing.
type Survey struct {
	Inventory *instrument.Inventory
	Registry  *instrument.Contract // nil without one
	Files     []*scan.File         // with something to do: callees before callers
	Idle      []instrument.Skipped // files without a candidate, and those that cannot be parsed
	contract  *prompt.Contract
	tracer    string
}

// TooManyError says that paths name more files than a run may take.
type TooManyError struct{ Files, Limit int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d files match, and maxFilesPerRun is %d", e.Files, e.Limit)
}

// Look makes a survey of the files that s selects. Errors are a *TooManyError, an
// *instrument.RegistryError, or the context's.
func Look(ctx context.Context, engine jsast.Engine, dir string, s *instrument.Selection, c instrument.Config) (*Survey, error) {
	if c.MaxFilesPerRun > 0 && len(s.Files) > c.MaxFilesPerRun {
		return nil, &TooManyError{len(s.Files), c.MaxFilesPerRun}
	}
	out := &Survey{}
	var err error
	if out.Registry, err = instrument.ReadContract(dir, c); err != nil {
		return nil, err
	}
	var spans *scan.Contract
	if out.Registry != nil {
		spans = out.Registry.Spans
	}
	if out.Inventory, err = instrument.Scan(ctx, engine, dir, s, spans); err != nil {
		return nil, err
	}
	out.Idle = append(out.Idle, out.Inventory.Skipped...)
	imports := map[string][]string{}
	for _, f := range out.Inventory.Files {
		if f.Candidates() == 0 {
			out.Idle = append(out.Idle, instrument.Skipped{Path: f.Path, Reason: idle(f)})
			continue
		}
		out.Files = append(out.Files, f)
		if source, err := instrument.ReadSource(dir, f.Path); err == nil {
			imports[f.Path] = relative(f.Path, source)
		}
	}
	out.Files = calleesFirst(out.Files, imports)
	out.makePrompt(dir, c)
	return out, nil
}

// idle says why a file needs no model.
func idle(f *scan.File) string {
	for _, fn := range f.Functions {
		if len(fn.Spans) > 0 {
			return "its spans are there already, and no other function wants one"
		}
	}
	return "none of its functions wants a span"
}

func (s *Survey) makePrompt(dir string, c instrument.Config) {
	var imported []string
	for _, f := range s.Files {
		for _, l := range f.Libraries {
			imported = append(imported, l.Covers...)
		}
		for _, fn := range f.Functions {
			for _, call := range fn.Calls {
				imported = append(imported, call.Package)
			}
		}
	}
	slices.Sort(imported)
	imported = slices.Compact(imported)
	s.tracer = instrument.TracerName(dir, c, s.Registry)
	var resolved *registry.Resolved
	if s.Registry != nil {
		resolved = s.Registry.Resolved
	}
	namespace := instrument.Namespace(s.Registry, s.tracer)
	s.contract = prompt.NewContract(resolved, namespace, imported)
	if c.Mode == Rewrite {
		s.contract = prompt.NewRewriting(resolved, namespace, s.tracer, imported)
	}
}

var imported = regexp.MustCompile(`(?:from|require\s*\(|import\s*\(|import)\s*['"](\.{1,2}/[^'"\n]{1,300})['"]`)

// relative are the files of the project that a file may import. Only the order of
// files depends on it.
func relative(file string, source []byte) (list []string) {
	for _, m := range imported.FindAllSubmatch(source, -1) {
		list = append(list, path.Join(path.Dir(file), string(m[1])))
	}
	return list
}

// calleesFirst orders files so that one comes after those that it imports, else by path.
func calleesFirst(files []*scan.File, imports map[string][]string) []*scan.File {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b *scan.File) int { return strings.Compare(a.Path, b.Path) })
	named := map[string]*scan.File{}
	for _, f := range files {
		stem := strings.TrimSuffix(f.Path, path.Ext(f.Path))
		for _, name := range []string{f.Path, stem} {
			named[name] = f
		}
		if path.Base(stem) == "index" {
			named[path.Dir(stem)] = f
		}
	}
	var ordered []*scan.File
	seen := map[*scan.File]bool{}
	var visit func(f *scan.File)
	visit = func(f *scan.File) {
		if seen[f] {
			return
		}
		seen[f] = true // before its imports: a circle ends here
		for _, name := range imports[f.Path] {
			if callee := named[name]; callee != nil {
				visit(callee)
			}
		}
		ordered = append(ordered, f)
	}
	for _, f := range files {
		visit(f)
	}
	return ordered
}

// Ceiling is the most that a run's questions can take.
type Ceiling struct {
	Files     int      `json:"files"`
	Bytes     int      `json:"bytes"` // of their text
	Calls     int      `json:"calls"`
	MaxTokens int      `json:"maxTokens"`
	MaxUSD    *float64 `json:"maxUSD"` // null where no price is known
	Basis     string   `json:"basis"`  // estimated: bytes ÷ 3.5
	Each      []Cost   `json:"each"`
}

// Cost is the most for one file.
type Cost struct {
	Path       string `json:"path"`
	Candidates int    `json:"candidates"`
	Input      int    `json:"inputTokens"`  // of one question
	Output     int    `json:"outputTokens"` // of one answer, at most
	Calls      int    `json:"calls"`
	MaxTokens  int    `json:"maxTokens"`
	Note       string `json:"note,omitempty"`
}

// Ceiling estimates what the model can take at most: for each file, question and
// longest answer, as often as it may be asked, within maxTokensPerFile. price gives
// dollars of tokens where that is known; nil never does.
func (s *Survey) Ceiling(dir string, c instrument.Config, price Price) Ceiling {
	out := Ceiling{Basis: "estimated", Each: []Cost{}}
	var input, output int
	for _, f := range s.Files {
		source, err := instrument.ReadSource(dir, f.Path)
		if err != nil {
			continue
		}
		cost := s.cost(f, source, c)
		out.Files, out.Bytes, out.Calls, out.MaxTokens = out.Files+1, out.Bytes+len(source), out.Calls+cost.Calls, out.MaxTokens+cost.MaxTokens
		output += cost.Calls * cost.Output
		input += max(cost.MaxTokens-cost.Calls*cost.Output, 0)
		out.Each = append(out.Each, cost)
	}
	if c.MaxTokensPerRun > 0 && out.MaxTokens > c.MaxTokensPerRun {
		out.MaxTokens = c.MaxTokensPerRun
	}
	if price != nil {
		out.MaxUSD = price(provider.Usage{Input: input, Output: output})
	}
	return out
}

// factsTokens is what the findings of an attempt add to the next question at most.
const factsTokens = 20 * 400 * 2 / 7

func (s *Survey) cost(f *scan.File, source []byte, c instrument.Config) Cost {
	request := s.contract.Request(prompt.Question{File: f, Source: source, Fence: "file-0000000000000000"})
	cost := Cost{Path: f.Path, Candidates: f.Candidates(), Input: prompt.Tokens(request), Output: request.MaxOutput, Calls: 1 + c.MaxFixAttempts}
	cost.MaxTokens = cost.Calls*(cost.Input+cost.Output) + c.MaxFixAttempts*factsTokens
	if c.Mode == Rewrite {
		cost.MaxTokens += fixes(c) * cost.Output // the answer that is to be mended is asked with
		if why := prompt.Unsendable(source); why != "" {
			cost.MaxTokens, cost.Calls, cost.Note = 0, 0, "it is not asked about: "+why
			return cost
		}
	}
	if limit := c.MaxTokensPerFile; limit > 0 && cost.MaxTokens > limit {
		cost.MaxTokens = limit
		if cost.Calls = limit / (cost.Input + cost.Output); cost.Calls == 0 {
			cost.MaxTokens, cost.Note = 0, fmt.Sprintf("one question is more than maxTokensPerFile (%d): it is not asked", limit)
		}
	}
	if limit := c.LargeFileThresholdLines; limit > 0 && f.Lines > limit && cost.Note == "" {
		cost.Note = fmt.Sprintf("%d lines: a large file", f.Lines)
	}
	return cost
}

// Price is what tokens cost, in dollars; nil where that is not known.
type Price func(provider.Usage) *float64

func (o *Options) most() Price {
	if o.Most != nil {
		return o.Most
	}
	return o.Price
}
