package report

import (
	"aburn/instrument/registry"
)

// Run is what a pull request tells.
type Run struct {
	Files   []File
	Stopped string // why the run ended early; "" if it did not
	// Changes of the registry, by aburn's own comparison; Weaver is what Weaver's says, "" where it was not asked.
	Changes []registry.Change
	Weaver  string

	Libraries []Library // that were installed
	Failures  []string  // packages that were not, with reasons
	SetUp     *SetUp    // nil: nothing was added
	Exports   string    // where telemetry goes; "" where nobody looked

	Tests   *Tests  // nil: they were not run
	Record  *Record // nil: nothing was recorded
	Ceiling *Amount // nil: no model was asked
	Actual  *Amount

	Sensitivity string // strict, moderate, off
	Warnings    []string
	Versions    []string // of what judged: aburn, Weaver, node
}

// File is what became of one file.
type File struct {
	Path, Status, Reason              string // Status: success, failed, skipped, needs-human
	Spans                             []Span
	AttributesUsed, AttributesCreated int
	Attempts, Tokens                  int
	Notes, Dropped, Advisory          []string
}

// Span is one that was added. Tier is 0 where the plan does not say.
type Span struct {
	Function, Name, Reason string
	Tier                   int
}

// Library is a package that makes spans by itself.
type Library struct {
	Package string
	Covers  []string
}

// SetUp is what the file that sets up telemetry got.
type SetUp struct {
	File          string
	Added         []string
	Fallback, Why string // a file to be loaded by hand, and the reason; "" for none
}

// Tests is how the project's tests ended.
type Tests struct {
	Command     string
	RedBefore   int // before the run; -1 if unknown
	RedAfter    int
	RedByTheRun []string // names of tests that were green
}

// Record is what the tests emitted.
type Record struct {
	Spans, Names int
	Findings     []string
	Score        float64 // of the Instrumentation Score
	Judged, Of   int     // its rules; 0: no score
}

// Amount is what a run may cost, or did.
type Amount struct {
	Calls, Tokens int
	USD           *float64 // nil where no price is known
	Basis         string   // counted, estimated, subscription
}
