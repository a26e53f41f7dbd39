package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"
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
		if f.Key != 0 {
			conditions = append(conditions, "c.session = ?")
			args = append(args, f.Key)
		}
		err := a.each("SELECT c.session, s.source, s.id, c.rows FROM calls c JOIN sessions s ON s.key = c.session WHERE "+
			strings.Join(conditions, " AND ")+" ORDER BY c.session", func(s *sqlite.Stmt) error {
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
