package record

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Report is what a recording amounts to.
type Report struct {
	Command    []string     `json:"command"`
	Mode       Mode         `json:"mode"`
	Exit       int          `json:"exitCode"`            // -1 after a signal
	Again      *int         `json:"exitCodeWithout"`     // of the second run, without the recorder; null where there was none
	Hidden     int          `json:"variablesHidden"`     // of the person's environment
	Spans      int          `json:"spans"`               // all
	Outside    int          `json:"spansOutsideOfTests"` // of these, those of which no test is known
	Names      []SpanName   `json:"names"`               // the spans, by name and place
	Processes  []Process    `json:"processes"`           // node processes and threads that loaded the recorder
	Registry   *RegistryUse `json:"registry"`            // null without one
	Findings   []Finding    `json:"findings"`
	Score      Score        `json:"score"`
	Incomplete bool         `json:"incomplete"` // a bound was reached
}

// SpanName is all spans of one name from one place.
type SpanName struct {
	Name       string    `json:"name"`
	Kind       string    `json:"kind"`
	Scope      string    `json:"scope"`
	File       string    `json:"file"` // "" where it is unknown
	Line       int       `json:"line"` // 0 where it is unknown
	Count      int       `json:"count"`
	Failed     int       `json:"failed"` // with the status ERROR
	Open       int       `json:"neverEnded"`
	Defined    string    `json:"defined"`    // the registry's id; "" for none
	Attributes []KeyUse  `json:"attributes"` // by key
	Tests      []TestUse `json:"tests"`      // by file and name
}

// KeyUse is how an attribute was set.
type KeyUse struct {
	Key   string   `json:"key"`
	Types []string `json:"types"`
	Count int      `json:"count"` // of spans
}

// TestUse is a test with the spans of one name that it made.
type TestUse struct {
	Test
	Count  int `json:"count"`
	Failed int `json:"failed"`
}

// RegistryUse is how much of a registry was seen.
type RegistryUse struct {
	Dir     string `json:"dir"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Judge   string `json:"judge"` // aburn, or Weaver with its version
	Defined int    `json:"spansDefined"`
	Seen    int    `json:"spansSeen"`
}

// NewReport sums a recording up. c may be nil.
func NewReport(r *Recording, c *Contract, findings []Finding) *Report {
	out := &Report{Command: r.Command, Mode: r.Mode, Exit: r.Exit, Again: r.Again, Hidden: r.Hidden, Spans: len(r.Spans),
		Findings: append([]Finding{}, findings...),
		Names:    names(r.Spans, c), Processes: append([]Process{}, r.Processes...), Score: Rate(r), Incomplete: r.Cut}
	for i := range r.Spans {
		if r.Spans[i].Test == (Test{}) {
			out.Outside++
		}
	}
	if c != nil {
		use := &RegistryUse{Name: c.Name, Version: c.Version, Judge: "aburn"}
		for _, g := range c.Spans() {
			use.Defined++
			if slices.ContainsFunc(out.Names, func(n SpanName) bool { return n.Defined == g.ID }) {
				use.Seen++
			}
		}
		out.Registry = use
	}
	return out
}

func names(spans []Span, c *Contract) []SpanName {
	type key struct {
		name, kind, scope, file string
		line                    int
	}
	at := map[key]int{}
	list := []SpanName{}
	for i := range spans {
		s := &spans[i]
		k := key{s.Name, s.Kind, s.Scope, s.File, s.Line}
		if _, ok := at[k]; !ok {
			at[k] = len(list)
			n := SpanName{Name: s.Name, Kind: s.Kind, Scope: s.Scope, File: s.File, Line: s.Line, Attributes: []KeyUse{}, Tests: []TestUse{}}
			if c != nil {
				if g := c.spanOf(s.Name); g != nil {
					n.Defined = g.ID
				}
			}
			list = append(list, n)
		}
		list[at[k]].add(s)
	}
	for i := range list {
		list[i].order()
	}
	slices.SortFunc(list, func(a, b SpanName) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Scope, b.Scope))
	})
	return list
}

func (n *SpanName) add(s *Span) {
	n.Count++
	n.Failed += one(s.Failed)
	n.Open += one(!s.Ended)
	for _, a := range s.Attributes {
		i := slices.IndexFunc(n.Attributes, func(u KeyUse) bool { return u.Key == a.Key })
		if i < 0 {
			i = len(n.Attributes)
			n.Attributes = append(n.Attributes, KeyUse{Key: a.Key})
		}
		u := &n.Attributes[i]
		u.Count++
		if !slices.Contains(u.Types, a.Kind) {
			u.Types = append(u.Types, a.Kind)
		}
	}
	if s.Test == (Test{}) {
		return
	}
	i := slices.IndexFunc(n.Tests, func(u TestUse) bool { return u.Test == s.Test })
	if i < 0 {
		i = len(n.Tests)
		n.Tests = append(n.Tests, TestUse{Test: s.Test})
	}
	n.Tests[i].Count++
	n.Tests[i].Failed += one(s.Failed)
}

func (n *SpanName) order() {
	slices.SortFunc(n.Attributes, func(a, b KeyUse) int { return cmp.Compare(a.Key, b.Key) })
	for i := range n.Attributes {
		slices.Sort(n.Attributes[i].Types)
	}
	slices.SortFunc(n.Tests, func(a, b TestUse) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name)) })
}

// Bounds of the search for a span's file.
const (
	maxSearched = 5000
	maxHits     = 2 // more than one place is none
)

// FindPlaces ties spans to the one file of the project that has their name as a
// string, where nothing else tells who made them: what comes by OTLP says no place.
func FindPlaces(r *Recording, dir string) {
	places := map[string][]place{}
	for i := range r.Spans {
		if s := &r.Spans[i]; s.File == "" && s.Name != "" {
			places[s.Name] = nil
		}
	}
	if len(places) == 0 || len(places) > 500 {
		return
	}
	left := maxSearched
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && path != dir && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !isSource(path):
			return nil
		}
		if left--; left < 0 {
			return filepath.SkipAll
		}
		lines := (&sourceLines{files: map[string][]string{}}).lines(path)
		for n, text := range lines {
			for name := range places {
				if len(places[name]) < maxHits && hasLiteral(text, name) {
					places[name] = append(places[name], place{relative([]string{dir}, path), n + 1})
				}
			}
		}
		return nil
	})
	for i := range r.Spans {
		if s := &r.Spans[i]; s.File == "" && len(places[s.Name]) == 1 && left >= 0 {
			s.File, s.Line = places[s.Name][0].File, places[s.Name][0].Line
		}
	}
}

// isSource says whether a file may make spans: JavaScript or TypeScript, and no test.
func isSource(path string) bool {
	base := filepath.Base(path)
	switch filepath.Ext(base) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return !strings.Contains(base, ".test.") && !strings.Contains(base, ".spec.") && !strings.HasSuffix(base, ".d.ts")
	}
	return false
}

// Verdict is the report in one sentence.
func (r *Report) Verdict() string {
	files := map[string]bool{}
	for _, n := range r.Names {
		for _, t := range n.Tests {
			files[t.File] = true
		}
	}
	count := map[Level]int{}
	for _, f := range r.Findings {
		count[f.Level]++
	}
	text := fmt.Sprintf("%s of %s", countOf(r.Spans, "span"), countOf(len(r.Names), "kind"))
	if r.Mode != OTLP { // which says nothing of tests
		text += " from " + countOf(len(files), "test file")
	}
	return text + fmt.Sprintf("; %s, %s", countOf(count[Violation], "violation"), countOf(count[Improvement], "improvement"))
}

// Red says that the command failed, and not only under the recorder.
func (r *Report) Red() bool { return r.Exit != 0 && (r.Again == nil || *r.Again != 0) }

// Ending says in words how the command ended.
func (r *Report) Ending() string {
	switch {
	case r.Exit == 0:
		return "succeeded (exit code 0)"
	case r.Again == nil:
		return "failed " + exitWords(r.Exit)
	case *r.Again == 0:
		return "failed " + exitWords(r.Exit) + " with " + r.Mode.Tool() + ", and succeeded (exit code 0) without it"
	}
	return "failed " + exitWords(r.Exit) + " with " + r.Mode.Tool() + ", and without it too " + exitWords(*r.Again)
}

func exitWords(code int) string {
	if code < 0 {
		return "(ended by a signal)"
	}
	return fmt.Sprintf("(exit code %d)", code)
}

// FileUse is a test file with its tests. Of spans outside of tests File is "".
type FileUse struct {
	File  string
	Tests []OneTest
}

// OneTest is a test with the spans that it made.
type OneTest struct {
	Name  string
	Spans []SpanUse
}

// SpanUse is the spans of one name in one test. Count and Failed are the test's, all
// else is of all spans of the name.
type SpanUse struct {
	SpanName
	Count, Failed int
	Keys          []string
}

// Place is where the span is made, in words.
func (s SpanUse) Place() string { return Place(s.File, s.Line) }

// Place is a file with a line, as far as they are known.
func Place(file string, line int) string {
	switch {
	case file == "":
		return "place unknown"
	case line == 0:
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// ByTest is the report turned round: by file, by test, then spans as they stand in
// the code.
func (r *Report) ByTest() (list []FileUse) {
	at := map[Test][]SpanUse{}
	for _, n := range r.Names {
		var keys []string
		for _, k := range n.Attributes {
			keys = append(keys, k.Key)
		}
		rest := SpanUse{n, n.Count, n.Failed, keys}
		for _, t := range n.Tests {
			at[t.Test] = append(at[t.Test], SpanUse{n, t.Count, t.Failed, keys})
			rest.Count, rest.Failed = rest.Count-t.Count, rest.Failed-t.Failed
		}
		if rest.Count > 0 {
			at[Test{}] = append(at[Test{}], rest)
		}
	}
	tests := slices.SortedFunc(maps.Keys(at), func(a, b Test) int {
		return cmp.Or(cmp.Compare(one(a.File == ""), one(b.File == "")), cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range tests {
		if len(list) == 0 || list[len(list)-1].File != t.File {
			list = append(list, FileUse{File: t.File})
		}
		f := &list[len(list)-1]
		f.Tests = append(f.Tests, OneTest{t.Name, at[t]})
	}
	return list
}
