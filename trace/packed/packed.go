// Package packed writes a trace in few bytes, and reads it again: the body that the archive keeps. The JSON form, which is
// the public one, takes five times as many bytes and three times as long, of which an archive of thousands of sessions has
// nothing.
//
// One walk over a trace (walk.go, walk_event.go) both writes and reads, so that what is read cannot be another field than
// what was written. After a byte with the version of the form, numbers are varints, as far as it makes them short the
// difference to the one before; a time is milliseconds after the one before; a text that was there a moment ago is the
// number of the place where it is remembered (text.go). There is no checksum: who keeps it adds one.
package packed

import (
	"fmt"
	"sync"

	"aburn/trace"
)

// version is the first byte. No JSON text begins with it. Raise it with every change of the walk, and keep reading the old.
const version = 1

var coders = sync.Pool{New: func() any { return new(coder) }}

// Append appends t in its packed form. What Validate would refuse may be an error.
func Append(dst []byte, t *trace.SessionTrace) ([]byte, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.reading, c.out = false, append(dst, version)
	c.trace(t)
	out, err := c.out, c.err
	*c = coder{} // it would keep the trace's texts
	return out, err
}

// Is says whether data is a packed trace rather than a JSON text.
func Is(data []byte) bool { return len(data) > 0 && data[0] == version }

// Parse reads what Append wrote. Anything else is an error, as is what Validate refuses. The trace's texts share one copy
// of data.
func Parse(data []byte) (*trace.SessionTrace, error) {
	if !Is(data) {
		return nil, fmt.Errorf("parse packed trace: it does not begin with version %d", version)
	}
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.reading, c.in, c.at = true, string(data), 1
	t := new(trace.SessionTrace)
	c.trace(t)
	if c.err == nil && c.at != len(c.in) {
		c.fail("%d bytes too many", len(c.in)-c.at)
	}
	err := c.err
	*c = coder{}
	if err != nil {
		return nil, fmt.Errorf("parse packed trace: %w", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return t, nil
}
