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

	"aburn/internal/wire"
	"aburn/trace"
)

// version is the first byte. Raise it, and the number of the archive's schema, with every change of the walk.
const version = 1

var coders = sync.Pool{New: func() any { return new(coder) }}

// Append appends t in its packed form. What Validate would refuse may be an error.
func Append(dst []byte, t *trace.SessionTrace) ([]byte, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.Coder = wire.Writer(append(dst, version))
	c.trace(t)
	out, err := c.Written(), c.Err()
	*c = coder{} // it would keep the trace's texts
	return out, err
}

// Parse reads what Append wrote. Anything else is an error, as is what Validate refuses. The trace's texts share one copy
// of data.
func Parse(data []byte) (*trace.SessionTrace, error) {
	t, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("parse packed trace: %w", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return t, nil
}

// read is Parse for what Validate would refuse.
func read(data []byte) (*trace.SessionTrace, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.Coder = wire.Reader(string(data))
	if v := c.Take(); v != version {
		c.Fail("version %d, not %d", v, version)
	}
	// Lists that have to be there are empty rather than nil: their JSON is [].
	t := &trace.SessionTrace{
		Sources: []trace.File{}, Events: []trace.Event{}, Results: []trace.ToolResultEvent{}, Responses: []trace.Response{},
		Relationships: []trace.SessionRelationship{},
	}
	c.trace(t)
	err := c.End()
	*c = coder{}
	return t, err
}
