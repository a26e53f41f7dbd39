package archive

import (
	"errors"

	"aburn/internal/wire"
)

// The calls of a session are one row, as nobody asks for less: a row each took a tenth of an ingest. In it they stand one
// after the other, in the order of trace.SessionTrace.Calls, compressed as a whole. A change of the walk changes the schema.

// callWalk writes calls without their session, or reads them.
type callWalk struct{ wire.Coder }

func (w *callWalk) call(r *CallRow) {
	w.Int(&r.Index)
	w.Int(&r.Seq)
	start := millis(r.Start)
	if w.Int64(&start); w.Reading() {
		r.Start = instant(start)
	}
	w.Int64(&r.DurationMS)
	w.Int64(&r.Length)
	w.Int(&r.Results)
	w.Text(&r.Call)
	w.Text(&r.Tool)
	w.Text((*string)(&r.Type))
	w.Text((*string)(&r.Status))
	w.Text(&r.Denied)
	w.Text(&r.Input)
	w.Text(&r.Path)
	w.Text(&r.Head)
	w.Text(&r.Spawned)
	exited := r.ExitCode != nil
	if w.Flags(&r.Failed, &exited); !exited {
		return
	}
	if w.Reading() {
		r.ExitCode = new(int)
	}
	w.Int(r.ExitCode)
}

// errCalls is the error for a row of calls that is not what was written.
var errCalls = errors.New("the calls of a session are not what was written")

// readCalls makes a callWalk of a row. Its texts are parts of one.
func readCalls(row []byte) (callWalk, error) {
	text, err := expand(row)
	return callWalk{wire.Reader(string(text))}, err
}

// each calls yield with every call, or every failed one, with what of says of its session, until it returns false.
func (w *callWalk) each(of CallRow, failed bool, yield func(CallRow) bool) error {
	for w.Left() > 0 {
		row := CallRow{Key: of.Key, Source: of.Source, Session: of.Session}
		if w.call(&row); w.Err() != nil {
			return errCalls
		}
		if (row.Failed || !failed) && !yield(row) {
			return errStop
		}
	}
	return nil
}
