// Package packed writes a trace in few bytes, as the body that the archive keeps, and reads it again. It is pure and
// knows nobody who keeps traces. The public JSON form takes five times as many bytes and three times as long, for no
// benefit to an archive of thousands of sessions.
//
// One walk over a trace (walk.go, walk_event.go) both writes and reads, so that a reader cannot expect another field
// than the writer wrote. After a byte with the form's version, numbers are varints, where that makes them short as the
// difference to the one before; a time is the milliseconds after the one before; a text that occurred recently is the
// number of its place in memory (text.go). There is no checksum: who keeps the bytes adds one.
package packed

import (
	"fmt"
	"sync"

	"aburn/internal/wire"
	"aburn/trace"
)

// version is the first byte. Raise it, and the number of the archive's schema, with every change of the walk. Earlier ones
// are read too, because an archive may hold the only copy of a session. 2 added the limits of plans.
const version = 2

var coders = sync.Pool{New: func() any { return new(coder) }}

// Append appends t in its packed form. It may fail for a trace that Validate refuses.
func Append(dst []byte, t *trace.SessionTrace) ([]byte, error) { return write(dst, t, version) }

func write(dst []byte, t *trace.SessionTrace, version byte) ([]byte, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.Coder, c.version = wire.Writer(append(dst, version)), uint64(version)
	c.trace(t)
	out, err := c.Written(), c.Err()
	*c = coder{} // it would keep the trace's texts
	return out, err
}

// Parse reads what Append wrote, and fails for anything else and for what Validate refuses. The trace's texts share
// one copy of data.
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

// read is Parse without Validate.
func read(data []byte) (*trace.SessionTrace, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.Coder = wire.Reader(string(data))
	if c.version = c.Take(); c.version < 1 || c.version > version {
		c.Fail("version %d, not 1 to %d", c.version, version)
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
