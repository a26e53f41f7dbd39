package sessions

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/jsonl"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/readers"
)

// rawMax is the size of the longest record that is printed, in bytes.
const rawMax = 256 << 20

// rawRow is the record of a row, as the reader of its source finds it.
func rawRow(ctx context.Context, source, path string, ref trace.Ref) (record []byte, err error) {
	rows := readers.RowsOf(source)
	if rows == nil {
		return nil, fmt.Errorf("aburn cannot read single records from a store of %s", source)
	}
	all := rows(ctx, path, []trace.Ref{ref}, func(_ int, row []byte, bad error) { record, err = row, bad })
	return record, errors.Join(all, err)
}

// errChanged is the error for a source that no longer has the record where it was read.
var errChanged = errors.New("the source has changed since it was read: the record is no longer there")

// showRaw prints the record that an event was read from.
func showRaw(ctx context.Context, a *kit.App, cmd *cli.Command, s *archive.Session, t *trace.SessionTrace, seq int) error {
	if seq < 1 || seq > len(t.Events) {
		return fault.Usage(fmt.Sprintf("--raw: this session has events 1 to %d", len(t.Events)))
	}
	e := &t.Events[seq-1]
	where := plain.Line(place(t, e.Ref))
	record, err := rawRecord(ctx, s, t, e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Failed(where+": the source is gone", "the trace stays in the archive: aburn show --json")
	case errors.Is(err, errChanged):
		return fault.Failed(where+": "+err.Error(), "aburn ingest")
	case err != nil:
		return fault.Failed(where + ": " + err.Error())
	}
	if out := a.Screen(cmd); out.Terminal() {
		record = []byte(plain.Text(string(record)))
	}
	_, err = a.Stdout.Write(append(bytes.TrimRight(record, "\r\n"), '\n'))
	return err
}

// rawRecord is the record that an event was read from: a row of a table, or a line of a file.
func rawRecord(ctx context.Context, s *archive.Session, t *trace.SessionTrace, e *trace.Event) ([]byte, error) {
	path := t.Sources[e.Ref.File].Path
	if e.Ref.Table != "" {
		return rawRow(ctx, s.Source, path, e.Ref)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && e.Ref.File == 0 && s.Path != "" {
		path = s.Path // the file was moved
	}
	line, err := rawLine(path, e.Ref)
	if err != nil {
		return nil, err
	}
	if !holdsID(line, t, e) {
		return nil, errChanged
	}
	return line, nil
}

// rawLine is the line at ref. It must begin at that offset and have that number.
func rawLine(path string, ref trace.Ref) ([]byte, error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	lines, last, err := skip(r, ref.Offset)
	if err != nil || lines+1 != ref.Line || ref.Offset > 0 && last != '\n' {
		return nil, errChanged
	}
	line, err := bufio.NewReader(io.LimitReader(r, rawMax)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if json.Valid(line) {
		return line, nil
	}
	return rawValue(path, ref.Offset)
}

// rawValue is the JSON value of several lines that begins at offset.
func rawValue(path string, offset int64) ([]byte, error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var value json.RawMessage
	if err := json.NewDecoder(io.NewSectionReader(f, offset, rawMax)).Decode(&value); err != nil {
		return nil, errChanged
	}
	return value, nil
}

// skip reads n bytes and returns how many lines end in them, and the last byte.
func skip(r *bufio.Reader, n int64) (lines int64, last byte, err error) {
	buf := make([]byte, 64<<10)
	for n > 0 {
		m, err := io.ReadFull(r, buf[:min(int64(len(buf)), n)])
		if err != nil {
			return lines, last, err
		}
		lines += int64(bytes.Count(buf[:m], []byte{'\n'}))
		last = buf[m-1]
		n -= int64(m)
	}
	return lines, last, nil
}

// holdsID says whether a record holds one of the event's ids. It accepts any record for an event without an id, and for ids that
// the record may write otherwise than the archive: scrubbed, shortened, or with characters that JSON may escape.
func holdsID(record []byte, t *trace.SessionTrace, e *trace.Event) bool {
	ids := []string{e.Record}
	switch b := e.Body.(type) {
	case *trace.ToolCall:
		ids = append(ids, b.Call)
	case *trace.ToolResult:
		ids = append(ids, b.Call, t.Results[b.Result].Message)
	}
	some := false
	for _, id := range ids {
		if !verbatim(id) {
			continue
		}
		if some = true; bytes.Contains(record, []byte(id)) {
			return true
		}
	}
	return !some
}

// verbatim says whether the record writes an id as the archive does.
func verbatim(id string) bool {
	return id != "" && len(id) < trace.MaxToken && !strings.HasPrefix(id, "[redacted:") &&
		!strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\\/<>&'`, r) })
}
