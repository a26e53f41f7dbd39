package archive

import (
	"encoding/binary"
	"errors"

	"aburn/trace"
)

// The calls of a session are one row, as nobody asks for less: a row each took a tenth of an ingest. In it they stand one
// after the other, in the order of trace.SessionTrace.Calls, compressed as bodies are. Of each: index, seq, start in
// milliseconds, duration, length and results as varints, the texts with their length before them, and a byte of flags.

// The flags of a call; the exit code follows them if there is one.
const (
	callFailed = 1 << iota
	callExited
)

// appendCall appends a call without its session.
func appendCall(b []byte, r CallRow) []byte {
	for _, n := range [...]int64{int64(r.Index), int64(r.Seq), millis(r.Start), r.DurationMS, r.Length, int64(r.Results)} {
		b = binary.AppendVarint(b, n)
	}
	for _, s := range [...]string{r.Call, r.Tool, string(r.Type), string(r.Status), r.Denied, r.Input, r.Path, r.Head, r.Spawned} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	var flags byte
	if r.Failed {
		flags |= callFailed
	}
	if r.ExitCode == nil {
		return append(b, flags)
	}
	return binary.AppendVarint(append(b, flags|callExited), int64(*r.ExitCode))
}

// errCalls is the error for a row of calls that is not what was written.
var errCalls = errors.New("the calls of a session are not what was written")

// callReader takes the calls of a session out of their row. Its texts are parts of one.
type callReader struct{ fields }

// readCalls makes a callReader of a row.
func readCalls(row []byte) (callReader, error) {
	text, err := expand(row)
	return callReader{fields{rest: string(text)}}, err
}

// each calls yield with every call, or every failed one, with what of says of its session, until it returns false.
func (r *callReader) each(of CallRow, failed bool, yield func(CallRow) bool) error {
	for r.rest != "" {
		row := r.next()
		if r.bad {
			return errCalls
		}
		row.Key, row.Source, row.Session = of.Key, of.Source, of.Session
		if (row.Failed || !failed) && !yield(row) {
			return errStop
		}
	}
	return nil
}

func (r *callReader) next() (row CallRow) {
	row.Index, row.Seq, row.Start = int(r.number()), int(r.number()), instant(r.number())
	row.DurationMS, row.Length, row.Results = r.number(), r.number(), int(r.number())
	row.Call, row.Tool, row.Type = r.text(), r.text(), trace.ToolType(r.text())
	row.Status, row.Denied, row.Input = trace.Status(r.text()), r.text(), r.text()
	row.Path, row.Head, row.Spawned = r.text(), r.text(), r.text()
	if flags := r.bytes(1); flags != "" {
		row.Failed = flags[0]&callFailed != 0
		if flags[0]&callExited != 0 {
			code := int(r.number())
			row.ExitCode = &code
		}
	}
	return row
}
