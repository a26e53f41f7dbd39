package journal

import "errors"

func (j *Journal) tailBefore(f *segmentFile, left int64) *backScan { return nil }

// RotateIfDue rotates the log when it has grown beyond Options.Rotate, and
// finishes what a killed rotator left undone. It says whether it did either.
func (j *Journal) RotateIfDue(by By) (bool, error) { return false, errors.ErrUnsupported }

// Rotate rotates the log whatever its size.
func (j *Journal) Rotate() error { return errors.ErrUnsupported }
