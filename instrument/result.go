package instrument

import (
	"aburn/instrument/edit"
	"aburn/instrument/jsproject"
	"aburn/instrument/registry"
	"aburn/instrument/rules"
	"aburn/instrument/telemetry"
)

// Status is how a file ended.
type Status string

const (
	Success    Status = "success"
	Failed     Status = "failed" // nothing of it was written
	Unchanged  Status = "skipped"
	NeedsHuman Status = "needs-human" // no part of the plan can be made by machine
)

// FileResult is what became of one file.
type FileResult struct {
	Path              string          `json:"path"`
	Status            Status          `json:"status"`
	Reason            string          `json:"reason,omitempty"` // of any status but success
	SpansAdded        int             `json:"spansAdded"`
	AttributesUsed    int             `json:"attributesUsed"`
	AttributesCreated int             `json:"attributesCreated"` // in the registry
	SchemaExtensions  []string        `json:"schemaExtensions"`
	SchemaHashBefore  string          `json:"schemaHashBefore,omitempty"`
	SchemaHashAfter   string          `json:"schemaHashAfter,omitempty"`
	Attempts          int             `json:"validationAttempts"`
	Dropped           []string        `json:"dropped"` // choices that were not made, with reasons
	Notes             []string        `json:"notes"`
	Blocking          []rules.Finding `json:"blocking"` // why it failed
	Advisory          []rules.Finding `json:"advisory"`
	Before, After     []byte          `json:"-"`
	Drops             []edit.Dropped  `json:"-"` // as Dropped
	Refused           string          `json:"-"` // the new name for which the registry could not be extended
}

// RunResult is what became of a run.
type RunResult struct {
	Files         []*FileResult     `json:"files"`
	Processed     int               `json:"processed"`
	Succeeded     int               `json:"succeeded"`
	Failed        int               `json:"failed"`
	Skipped       int               `json:"skipped"`
	NeedsHuman    int               `json:"needsHuman"`
	SchemaDiff    []registry.Change `json:"schemaDiff"`
	RegistryFiles []string          `json:"registryFiles"` // that were, or would be, written
	Libraries     []string          `json:"libraries"`     // that the plan asks for
	// LibrariesInstalled and LibraryFailures are name@range; the latter with the reason.
	LibrariesInstalled []string             `json:"librariesInstalled"`
	LibraryFailures    []string             `json:"libraryFailures"`
	SDKInit            *jsproject.SetUpEdit `json:"sdkInit,omitempty"`
	Warnings           []string             `json:"warnings"`
	Findings           []rules.Finding      `json:"findings"` // of rules that are judged once for all files
	Written            bool                 `json:"written"`
	Registry           map[string][]byte    `json:"-"` // text of RegistryFiles, by their name in the folder
	Had                map[string][]byte    `json:"-"` // what these had before; empty where they were not there
	Contract           *Contract            `json:"-"` // the registry as it is afterwards; nil without one
}

// NewFileResult is a result without a plan.
func NewFileResult(path string, s Status, reason string) *FileResult {
	return &FileResult{Path: path, Status: s, Reason: reason, SchemaExtensions: []string{}, Dropped: []string{}, Notes: []string{}, Blocking: []rules.Finding{},
		Advisory: []rules.Finding{}}
}

// Tell ends the span of a file with what became of it: names, counts and ids of rules.
func (f *FileResult) Tell(s *telemetry.Span) {
	s.Text("code.file.path", f.Path)
	s.Text("aburn.instrument.status", string(f.Status))
	s.Number("aburn.instrument.spans", f.SpansAdded)
	s.Number("aburn.instrument.attributes", f.AttributesUsed)
	s.Number("aburn.instrument.attempts", f.Attempts)
	if len(f.Blocking) > 0 {
		s.Text("aburn.instrument.rule", f.Blocking[0].Rule)
	}
	s.End(nil)
}

func (r *RunResult) count() {
	for _, f := range r.Files {
		r.Processed++
		switch f.Status {
		case Success:
			r.Succeeded++
		case Failed:
			r.Failed++
		case Unchanged:
			r.Skipped++
		case NeedsHuman:
			r.NeedsHuman++
		}
	}
}
