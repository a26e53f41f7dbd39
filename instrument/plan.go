package instrument

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"aburn/instrument/edit"
)

// Plan says which spans to put into the files of a project. A person, a coding agent
// or a model writes it.
type Plan struct {
	Files []Planned `json:"files"`
}

// Planned is the plan for one file. Its members stand beside those of edit.Plan.
type Planned struct {
	Path string `json:"path"` // below the project's folder, with /
	// Source is the SHA-256 of the file that the plan was made for, in hex, as a scan says
	// it. "" is any file: then functions are found by their names.
	Source string `json:"source,omitempty"`
	edit.Plan
}

// PlanError is a mistake in a plan.
type PlanError struct {
	File string
	Line int
	Msg  string
	// Word is what was written and Words what it could be; "" where it is no choice.
	Word  string
	Words []string
}

func (e *PlanError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// maxPlan bounds a plan, in bytes.
const maxPlan = 4 << 20

// ReadPlan reads a plan. A mistake in it is a *PlanError.
func ReadPlan(file string) (*Plan, error) {
	if isPipe(file) {
		return nil, &PlanError{File: file, Line: 1, Msg: errNoFile.Error()}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPlan {
		return nil, &PlanError{File: file, Line: 1, Msg: fmt.Sprintf("the plan is longer than %d MB", maxPlan>>20)}
	}
	return ParsePlan(file, data)
}

// ParsePlan reads a plan's text. file is for messages.
func ParsePlan(file string, data []byte) (*Plan, error) {
	if bad := edit.CheckForm(data, reflect.TypeFor[Plan]()); bad != nil {
		return nil, &PlanError{file, lineOf(data, bad.Key), bad.Says("the plan"), bad.Word, bad.Words}
	}
	var p Plan
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil && d.More() {
		err = errors.New("something stands behind the plan")
	}
	if err != nil {
		return nil, planError(file, data, d.InputOffset(), err)
	}
	if len(p.Files) == 0 {
		return nil, &PlanError{File: file, Line: 1, Msg: "the plan names no file"}
	}
	seen := map[string]bool{}
	for _, f := range p.Files {
		line := lineOf(data, f.Path)
		clean := path.Clean(f.Path)
		switch {
		case f.Path == "" || clean != f.Path || !filepath.IsLocal(filepath.FromSlash(f.Path)) || f.Path == ".":
			return nil, &PlanError{File: file, Line: line, Msg: fmt.Sprintf("the path is %q, and has to be one below the project's folder, such as src/order.js",
				f.Path)}
		case seen[f.Path]:
			return nil, &PlanError{File: file, Line: line, Msg: fmt.Sprintf("%s stands twice", f.Path)}
		}
		seen[f.Path] = true
		for _, c := range f.Functions {
			if c.Action != "span" && c.Action != "skip" {
				return nil, &PlanError{file, line, fmt.Sprintf("%s, function %q: the action is %q", f.Path, c.ID, c.Action), c.Action, []string{"span", "skip"}}
			}
			if c.Action == "span" && c.Name == "" && f.Source == "" {
				return nil,
					&PlanError{File: file, Line: line, Msg: fmt.Sprintf("%s, function %q: neither its name nor the file's source is given; ids move when a file changes",
						f.Path, c.ID)}
			}
		}
	}
	return &p, p.checkNew(file, data)
}

// checkNew finds mistakes in what a plan adds to the registry.
func (p *Plan) checkNew(file string, data []byte) error {
	for _, f := range p.Files {
		for i, s := range f.NewSpans {
			if s.Kind != "" && !slices.Contains(edit.SpanKinds, s.Kind) {
				return &PlanError{file, lineOf(data, s.ID), fmt.Sprintf("%s, newSpans[%d].kind is %q", f.Path, i, s.Kind), s.Kind, edit.SpanKinds}
			}
		}
	}
	return nil
}

func lineOf(data []byte, word string) int {
	return 1 + bytes.Count(data[:max(bytes.Index(data, []byte(`"`+word+`"`)), 0)], []byte("\n"))
}

func planError(file string, data []byte, offset int64, err error) error {
	e := &PlanError{File: file, Msg: strings.TrimPrefix(err.Error(), "json: ")}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		offset, e.Msg = syntax.Offset, "is no JSON: "+syntax.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, e.Msg = int64(len(data)), "the plan ends too early"
	}
	e.Line = 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
	return e
}
