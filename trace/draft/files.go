package draft

import (
	"errors"
	"fmt"
	"io/fs"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// ReadFiles reads the files of one store, of which the first names it, with read. It returns their size together, and whether one
// is torn. Missing files are no error as long as one exists; without any, the error is fs.ErrNotExist. A file of an unknown
// layout is damage where any session was found, else the error.
func ReadFiles(paths []string, sink trace.Sink, read func(path string) (jsonl.End, error), found func() bool) (all jsonl.End, err error) {
	gone, unknown := 0, error(nil)
	for _, path := range paths {
		end, err := read(path)
		var layout *trace.UnknownLayout
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone++
			continue
		case errors.As(err, &layout):
			unknown = err
		case err != nil:
			return all, err
		}
		all.Offset += end.Offset
		all.Torn = all.Torn || end.Torn
	}
	switch {
	case len(paths) > 0 && gone == len(paths):
		return all, fmt.Errorf("%s is gone: %w", paths[0], fs.ErrNotExist)
	case unknown != nil && !found():
		return all, unknown
	case unknown != nil:
		sink.Damaged(trace.Damage{Ref: trace.Ref{Line: 1}, Reason: unknown.Error()})
	}
	return all, nil
}
