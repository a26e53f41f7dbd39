package journal

import (
	"errors"

	"aburn/logfmt"
)

// Segment is one file of the log.
type Segment struct {
	Name  string
	First logfmt.Seq // by its name; 0 for the newest, which has no number yet
	Size  int64
}

// Segments lists the log's files, oldest first; the last one is Name itself if it exists.
func (j *Journal) Segments() ([]Segment, error) { return nil, errors.ErrUnsupported }

// RotateIfDue rotates the log when it has grown beyond Options.Rotate, and
// finishes what a killed rotator left undone. It says whether it did either.
func (j *Journal) RotateIfDue(by By) (bool, error) { return false, errors.ErrUnsupported }

// Rotate rotates the log whatever its size.
func (j *Journal) Rotate() error { return errors.ErrUnsupported }
