// Package export converts traces for other people's engines: JSON lines, and OpenTelemetry spans with the GenAI
// semantic conventions. It knows neither agents nor the archive, and links neither gRPC nor generated types. Its
// output holds no text of a session unless the caller asks for the heads.
//
// One tree of sessions is one OpenTelemetry trace. A session is a span "invoke_agent", a response of the model "chat",
// a tool call "execute_tool"; a sub-agent's session lies below the call that spawned it. All ids are hashes of what
// they stand for, so that exporting twice gives the same spans. Copies from other sessions are left out: they are
// exported there.
package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strconv"

	"aburn/trace"
)

// Lines writes traces as JSON lines, one trace per line.
type Lines struct{ w *bufio.Writer }

// NewLines returns a Lines that writes to w.
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

// Close flushes. It does not close the writer.
func (l *Lines) Close() error { return l.w.Flush() }

// Node names a session.
type Node struct{ Source, ID string }

// id returns the first n bytes of a hash over the parts. OpenTelemetry accepts any id but zero.
func id(n int, parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return h.Sum(nil)[:n]
}

func (n Node) traceID() []byte { return id(16, "aburn trace", n.Source, n.ID) }
func (n Node) spanID() []byte  { return id(8, "aburn session", n.Source, n.ID) }

func (n Node) callID(call string) []byte     { return id(8, "aburn call", n.Source, n.ID, call) }
func (n Node) responseID(resp string) []byte { return id(8, "aburn response", n.Source, n.ID, resp) }
