package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"aburn/internal/sqlite"
	"aburn/internal/wire"
	"aburn/trace"
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
	if w.Flags(&r.Failed, &exited, &r.Gap); !exited {
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

// durations returns the measured durations of a row of calls, by the ids of the calls.
func durations(row []byte) (map[string]int64, error) {
	if len(row) == 0 {
		return nil, nil
	}
	calls, err := readCalls(row)
	if err != nil {
		return nil, err
	}
	measured := map[string]int64{}
	err = calls.each(CallRow{}, false, func(c CallRow) bool {
		if !c.Gap && c.DurationMS > 0 && c.Status != trace.StatusRunning { // not how long it took to start in the background
			measured[c.Call] = c.DurationMS
		}
		return true
	})
	return measured, err
}

// errStop ends a query whose caller has enough.
var errStop = errors.New("enough")

// Calls returns the tool calls that count and that f chooses, by session and index, with the durations that hooks
// recorded of them.
func (a *Archive) Calls(ctx context.Context, f CallFilter) iter.Seq2[CallRow, error] {
	return a.calls(f, hookedCalls)
}

// storedCalls is Calls as the traces of the sessions' sources have them.
func (a *Archive) storedCalls(f CallFilter) iter.Seq2[CallRow, error] { return a.calls(f, "x''") }

// hookedCalls selects the calls that hooks recorded of session s.
const hookedCalls = `coalesce((SELECT h.rows FROM sessions o JOIN calls h ON h.session = o.key
	WHERE o.id = s.id AND o.source = 'own' AND s.source <> 'own'), x'')`

func (a *Archive) calls(f CallFilter, hooked string) iter.Seq2[CallRow, error] {
	return func(yield func(CallRow, error) bool) {
		live := millis(a.now().Add(-LiveFor))
		where, args := a.where(f.Filter)
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
		err := a.each("SELECT c.session, s.source, s.id, c.rows, "+hooked+" FROM sessions s CROSS JOIN calls c ON c.session = s.key WHERE "+
			strings.Join(conditions, " AND ")+" ORDER BY s.source, s.id", func(s *sqlite.Row) error {
			calls, err := readCalls(columnBytes(s, 3))
			if err != nil {
				return fmt.Errorf("%s: the calls of session %d: %w", a.path, s.Int64(0), err)
			}
			measured, err := durations(columnBytes(s, 4))
			if err != nil {
				return fmt.Errorf("%s: what hooks recorded of session %d: %w", a.path, s.Int64(0), err)
			}
			of := CallRow{Key: s.Int64(0), Source: s.Text(1), Session: s.Text(2)}
			return calls.each(of, f.Failed, func(row CallRow) bool {
				if ms := measured[row.Call]; ms > 0 {
					row.DurationMS, row.Gap = ms, false
				}
				return yield(row, nil)
			})
		}, args...)
		if err != nil && !errors.Is(err, errStop) {
			yield(CallRow{}, err)
		}
	}
}
