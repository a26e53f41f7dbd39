package opencode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"

	"zombiezen.com/go/sqlite"
)

// ErrGone says that a record is no longer where it was read.
var ErrGone = errors.New("the record is no longer there")

// Raw is the record that ref, of a trace that was read from the store at path, leads to: JSON, as opencode wrote it; of the
// row of a session an object of the columns that are read.
func Raw(ctx context.Context, path string, ref trace.Ref) ([]byte, error) {
	if strings.HasSuffix(path, ".json") {
		f := storage(path)
		return f.load(ref)
	}
	d, err := openDatabase(ctx, path)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("%s: %s %s: %w", path, ref.Table, ref.Key, ErrGone)
	}
	defer d.Close()
	var query string
	switch ref.Table {
	case "event", "message", "part":
		query = "SELECT data FROM " + ref.Table + " WHERE id = ?"
	case "session":
		query = "SELECT json_object('id', id, 'parent_id', " + d.orNull("session", "parent_id") +
			", 'directory', directory, 'title', title, 'version', version, 'time_created', time_created, 'time_updated', time_updated) FROM session WHERE id = ?"
	default:
		return nil, fmt.Errorf("%s: table %q holds no records", filepath.Base(path), ref.Table)
	}
	var data []byte
	err = d.query(query, []any{ref.Key}, func(row *sqlite.Stmt) error {
		if row.ColumnLen(0) > jsonl.MaxLine {
			return errTooLarge
		}
		data = append([]byte{}, d.bytes(row, 0)...)
		return nil
	})
	if err == nil && data == nil {
		err = ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s %s: %w", path, ref.Table, ref.Key, err)
	}
	return data, nil
}
