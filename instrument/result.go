package instrument

import (
	"aburn/instrument/registry"
	"aburn/instrument/rules"
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
	Libraries     []string          `json:"libraries"`     // that the plan asks for; nothing is installed
	Warnings      []string          `json:"warnings"`
	Written       bool              `json:"written"`
	Registry      map[string][]byte `json:"-"` // text of RegistryFiles
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
