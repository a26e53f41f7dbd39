package openclaw

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"aburn/trace"
)

// Raw is the original record that an event of a database came from. Transcripts have lines, which need no reader.
func Raw(ctx context.Context, path string, ref trace.Ref) (data []byte, err error) {
	i := strings.LastIndexByte(ref.Key, '/')
	seq, bad := strconv.ParseInt(ref.Key[i+1:], 10, 64)
	if ref.Table != table || i < 0 || bad != nil {
		return nil, fmt.Errorf("%s: %q %q is no event's place in it", path, ref.Table, ref.Key)
	}
	lite, d, err := openDatabase(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lite.Close()) }()
	r := &reading{db: d}
	defer r.close()
	found := false
	err = r.each(table, "WHERE session_id = ? AND seq = ?", []any{ref.Key[:i], seq}, func(x row) error {
		found = true
		data, err = r.unpack(x)
		return err
	}, eventColumns...)
	if err == nil && !found {
		err = fmt.Errorf("%s: there is no event %s in it now", path, ref.Key)
	}
	return data, err
}
