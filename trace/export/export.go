// Package export hands traces to other people's engines: as JSON lines, and as OpenTelemetry spans with the GenAI semantic
// conventions. What it sends holds no text of a session unless the caller asks for the heads.
//
// One tree of sessions is one OpenTelemetry trace: a session is a span "invoke_agent", a response of the model "chat", a
// tool call "execute_tool", and a sub-agent's session lies below the call that spawned it. All ids are hashes of what they
// stand for, so that exporting twice gives the same spans. Copies from other sessions are left out: they are exported there.
package export

import (
	"bufio"
	"encoding/json"
	"io"

	"aburn/trace"
)

// Lines writes traces as JSON lines, one trace a line.
type Lines struct{ w *bufio.Writer }

// NewLines writes to w.
func NewLines(w io.Writer) *Lines { return &Lines{bufio.NewWriterSize(w, 256<<10)} }

// Add writes t.
func (l *Lines) Add(t *trace.SessionTrace) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if _, err := l.w.Write(data); err != nil {
		return err
	}
	return l.w.WriteByte('\n')
}

// Close writes what is left. It does not close the writer.
func (l *Lines) Close() error { return l.w.Flush() }
