package contents

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// errShort is the error for a file that ends before a record.
var errShort = errors.New("the file is shorter than when it was read")

// errLong is the error for a record that is not held.
var errLong = fmt.Errorf("the record is longer than %d MiB", jsonl.MaxLine>>20)

// Compressed is the ending of files that an agent has compressed since it wrote them, and of kept copies.
const Compressed = ".zst"

// find opens the file at path, or at moved, or compressed beside one of them.
func find(path, moved string) (f *os.File, compressed bool, err error) {
	for _, try := range []string{path, moved} {
		if try == "" {
			continue
		}
		for _, end := range []string{"", Compressed} {
			if f, err = jsonl.Open(try + end); err == nil || !errors.Is(err, fs.ErrNotExist) {
				return f, end != "", err
			}
		}
	}
	if err == nil {
		err = fs.ErrNotExist // nobody knows where it is
	}
	return nil, false, err
}

// Open opens the file at path, or at moved, or what is compressed beside one of them, for reading from its start.
func Open(path, moved string) (io.ReadCloser, error) {
	f, compressed, err := find(path, moved)
	if err != nil || !compressed {
		return f, err
	}
	s, err := newStream(f, true)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &unpacked{s.zstd, f}, nil
}

// unpacked is a compressed file.
type unpacked struct {
	*zstd.Decoder
	file *os.File
}

func (u *unpacked) Close() error {
	u.Decoder.Close()
	return u.file.Close()
}

// lines reads the records at refs, which are in order, in one pass.
func lines(ctx context.Context, path, moved string, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	f, compressed, err := find(path, moved)
	if err != nil {
		return err
	}
	defer f.Close()
	return Lines(ctx, f, compressed, refs, each)
}

// eachLine calls each for the lines from offset on, until it returns false. A line that is not held ends it.
func eachLine(ctx context.Context, path, moved string, offset int64, each func(n int, offset int64, line []byte) bool) error {
	f, compressed, err := find(path, moved)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := newStream(f, compressed)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.to(offset); err != nil {
		return err
	}
	for n := 0; ctx.Err() == nil; n++ {
		at := s.at
		if s.line() != nil || !each(n, at, s.held) {
			return nil
		}
	}
	return ctx.Err()
}

// Lines reads the lines at refs, which are in order, from a file in one pass.
func Lines(ctx context.Context, f *os.File, compressed bool, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	s, err := newStream(f, compressed)
	if err != nil {
		return err
	}
	defer s.close()
	for i, ref := range refs {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.to(ref.Offset)
		if err == nil {
			err = s.line()
		}
		switch {
		case err == nil:
			each(i, s.whole(f, compressed, ref.Offset), nil)
		case errors.Is(err, errLong):
			each(i, nil, err)
		default:
			return err
		}
	}
	return nil
}

// readAhead is how much is read at once.
const readAhead = 256 << 10

// stream reads a file forwards.
type stream struct {
	file *os.File // nil if it is compressed: then it cannot jump
	buf  *bufio.Reader
	at   int64 // of the next byte of buf
	held []byte
	zstd *zstd.Decoder
}

func newStream(f *os.File, compressed bool) (*stream, error) {
	if !compressed {
		return &stream{file: f, buf: bufio.NewReaderSize(f, readAhead)}, nil
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(jsonl.MaxLine))
	if err != nil {
		return nil, err
	}
	return &stream{zstd: z, buf: bufio.NewReaderSize(z, readAhead)}, nil
}

func (s *stream) close() {
	if s.zstd != nil {
		s.zstd.Close()
	}
}

// to goes forward to an offset.
func (s *stream) to(offset int64) error {
	if offset < s.at {
		return fmt.Errorf("records are asked for out of order")
	}
	if s.file != nil && offset-s.at > int64(s.buf.Buffered()) {
		if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
			return err
		}
		s.buf.Reset(s.file)
		s.at = offset
		return nil
	}
	for s.at < offset {
		n, err := s.buf.Discard(int(min(offset-s.at, readAhead)))
		s.at += int64(n)
		if err != nil {
			return short(err)
		}
	}
	return nil
}

// line reads the line that begins here into held.
func (s *stream) line() error {
	s.held = s.held[:0]
	for {
		part, err := s.buf.ReadSlice('\n')
		s.at += int64(len(part))
		s.held = append(s.held, part...)
		switch {
		case len(s.held) > jsonl.MaxLine:
			s.held = nil
			return errLong
		case err == nil, errors.Is(err, io.EOF) && len(s.held) > 0:
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return short(err)
		}
	}
}

// whole is the line, or the JSON value of several lines that begins with it.
func (s *stream) whole(f *os.File, compressed bool, offset int64) []byte {
	if compressed || len(s.held) > 2 || json.Valid(s.held) { // a first line such as "{"
		return s.held
	}
	var value json.RawMessage
	if json.NewDecoder(io.NewSectionReader(f, offset, jsonl.MaxLine)).Decode(&value) != nil {
		return s.held
	}
	return slices.Clone(value)
}

func short(err error) error {
	if errors.Is(err, io.EOF) {
		return errShort
	}
	return err
}
