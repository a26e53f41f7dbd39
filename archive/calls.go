package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"

	"aburn/internal/wire"
)

// The calls of a session are one row, because nobody asks for less: a row each took a tenth of an ingest. They stand one
// after the other, in the order of trace.SessionTrace.Calls, compressed as a whole. A change of the walk changes the schema.

// callCoder codes a session's calls without the members that they share. A change of it changes the schema.
type callCoder struct{ wire.Coder }

func (w *callCoder) call(r *CallRow) {
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

// errCalls is the error for a damaged row of calls.
var errCalls = errors.New("the calls of a session are not what was written")

// readCalls decodes a row of calls. The texts share one copy of it.
func readCalls(row []byte) (callCoder, error) {
	text, err := expand(row)
	return callCoder{wire.Reader(string(text))}, err
}

// each yields every call, or every failed one, completed with the session's members in of, until yield returns false.
func (w *callCoder) each(of CallRow, failed bool, yield func(CallRow) bool) error {
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

// errStop ends a query whose caller has enough.
var errStop = errors.New("enough")

// Calls returns the tool calls that count and that f chooses, by session and index.
func (a *Archive) Calls(ctx context.Context, f CallFilter) iter.Seq2[CallRow, error] {
	return func(yield func(CallRow, error) bool) {
		live := millis(a.now().Add(-LiveFor))
		where, args := f.Filter.where()
		args = append([]any{live, live}, args...)
		conditions := []string{where}
		if f.Limit > 0 {
			conditions[0] += newestFirst + " LIMIT ?"
			args = append(args, f.Limit)
		}
		// By the plus SQLite goes through the sessions in their order: it need not sort all calls.
		conditions[0] = "+s.key IN (SELECT s.key FROM " + listed + " s WHERE " + conditions[0] + ")"
		if f.Key != 0 {
			conditions = append(conditions, "s.key = ?")
			args = append(args, f.Key)
		}
		err := a.each("SELECT c.session, s.source, s.id, c.rows FROM sessions s CROSS JOIN calls c ON c.session = s.key WHERE "+
			strings.Join(conditions, " AND ")+" ORDER BY s.source, s.id", func(s *sqlite.Stmt) error {
			calls, err := readCalls(columnBytes(s, 3))
			if err != nil {
				return fmt.Errorf("%s: the calls of session %d: %w", a.path, s.ColumnInt64(0), err)
			}
			of := CallRow{Key: s.ColumnInt64(0), Source: s.ColumnText(1), Session: s.ColumnText(2)}
			return calls.each(of, f.Failed, func(row CallRow) bool { return yield(row, nil) })
		}, args...)
		if err != nil && !errors.Is(err, errStop) {
			yield(CallRow{}, err)
		}
	}
}
