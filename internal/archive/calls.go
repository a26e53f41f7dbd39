package archive

import (
	"context"
	"errors"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// errStop ends a query whose reader has enough.
var errStop = errors.New("enough")

// Calls is the tool calls that count and that f chooses, by session and index.
func (a *Archive) Calls(ctx context.Context, f CallFilter) iter.Seq2[CallRow, error] {
	return func(yield func(CallRow, error) bool) {
		live := millis(a.now().Add(-LiveFor))
		where, args := f.Filter.where()
		args = append([]any{live, live}, args...)
		conditions := []string{where}
		if f.Limit > 0 {
			conditions[0] += " ORDER BY s.ended DESC, s.key DESC LIMIT ?"
			args = append(args, f.Limit)
		}
		conditions[0] = "c.session IN (SELECT s.key FROM " + listed + " s WHERE " + conditions[0] + ")"
		if f.Failed {
			conditions = append(conditions, "c.failed")
		}
		if f.Key != 0 {
			conditions = append(conditions, "c.session = ?")
			args = append(args, f.Key)
		}
		err := a.each(`SELECT c.session, s.source, s.id, c.call, c.tool, c.type, c.number, c.seq, c.start, c.duration, c.status,
			c.failed, c.denied, c.exit, c.input, c.path, c.head, c.length, c.spawned, c.results
			FROM calls c JOIN sessions s ON s.key = c.session WHERE `+strings.Join(conditions, " AND ")+" ORDER BY c.session, c.number",
			func(s *sqlite.Stmt) error {
				if !yield(scanCall(s), nil) {
					return errStop
				}
				return nil
			}, args...)
		if err != nil && !errors.Is(err, errStop) {
			yield(CallRow{}, err)
		}
	}
}

func scanCall(s *sqlite.Stmt) CallRow {
	row := CallRow{
		Key: s.ColumnInt64(0), Source: s.ColumnText(1), Session: s.ColumnText(2), Call: s.ColumnText(3), Tool: s.ColumnText(4),
		Type: trace.ToolType(s.ColumnText(5)), Index: s.ColumnInt(6), Seq: s.ColumnInt(7), Start: instant(s.ColumnInt64(8)),
		DurationMS: s.ColumnInt64(9), Status: trace.Status(s.ColumnText(10)), Failed: s.ColumnBool(11), Denied: s.ColumnText(12),
		Input: s.ColumnText(14), Path: s.ColumnText(15), Head: s.ColumnText(16), Length: s.ColumnInt64(17), Spawned: s.ColumnText(18),
		Results: s.ColumnInt(19),
	}
	if !s.ColumnIsNull(13) {
		code := s.ColumnInt(13)
		row.ExitCode = &code
	}
	return row
}
