package journal

import (
	"context"
	"errors"

	"aburn/logfmt"
)

// Report is what Verify found.
type Report struct {
	Entries  int
	Segments []Segment
	First    logfmt.Seq // lowest and highest seq seen; 0 = none
	Last     logfmt.Seq
	Damage   []Finding // something is missing, doubled or unreadable
	Notes    []Finding // worth knowing, nothing lost
}

// Finding is one thing that Verify found.
type Finding struct {
	Segment string
	Offset  int64
	Line    int // counted from 1 within the segment
	Kind    string
	Text    string
}

// Verify reads the whole log and checks everything that SPEC.md promises of it.
// The error is about reading; damage is in the report.
func (j *Journal) Verify(ctx context.Context) (Report, error) {
	return Report{}, errors.ErrUnsupported
}
