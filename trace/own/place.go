package own

import (
	"encoding/binary"
	"io"
	"sort"

	"aburn/internal/journal"
)

// An entry is read twice: for the index, and for the trace of its session. Sessions lie side by side in a log, so each line's place is
// kept, and the second reading takes just the lines of some sessions.

// place is a line: where it begins, counted over all files of the log, and its length.
type place struct {
	at     int64
	length int
}

// places are lines in the log's order. One takes about four bytes: varints of the distance from the end of the line before, and of the
// length.
type places struct {
	list []byte
	end  int64
}

func (p *places) add(at int64, length int) {
	p.list = binary.AppendUvarint(p.list, uint64(at-p.end))
	p.list = binary.AppendUvarint(p.list, uint64(length))
	p.end = at + int64(length)
}

func (p *places) appendTo(list []place) []place {
	end := int64(0)
	for rest := p.list; len(rest) > 0; {
		gap, n := binary.Uvarint(rest)
		length, m := binary.Uvarint(rest[n:])
		rest = rest[n+m:]
		list = append(list, place{end + int64(gap), int(length)})
		end += int64(gap + length)
	}
	return list
}

// files are the files of a log, in its order. Each begins where the lines of the one before it end.
type files struct {
	list []file
	end  int64 // of the last line
}

type file struct {
	begin journal.Position
	at    int64
}

// place returns where a line behind all lines before begins.
func (f *files) place(line journal.Line) int64 {
	begin := line.Next()
	begin.Offset = 0
	if n := len(f.list); n == 0 || f.list[n-1].begin != begin {
		f.list = append(f.list, file{begin, f.end})
	}
	at := f.list[len(f.list)-1].at + line.Offset
	f.end = at + int64(len(line.JSON)) + 1
	return at
}

// of returns the number of the file that has a place.
func (f *files) of(at int64) int {
	return sort.Search(len(f.list), func(i int) bool { return f.list[i].at > at }) - 1
}

// The bounds of one read. A gap that is larger costs more to read than another read does.
const (
	windowSize = 64 << 10
	windowGap  = 4 << 10
)

// lineReader reads lines again.
type lineReader struct {
	log    *journal.Journal
	files  *files
	open   io.ReaderAt // of the file now
	close  func() error
	now    int
	window []byte
	from   int64 // place of the window
}

func newLineReader(log *journal.Journal, f *files) *lineReader {
	return &lineReader{log: log, files: f, now: -1, close: func() error { return nil }}
}

// read returns the first of the lines, which are in the log's order: valid until the next call.
func (r *lineReader) read(lines []place) (line []byte, in file, err error) {
	p := lines[0]
	if i := r.files.of(p.at); i != r.now {
		r.close()
		f, err := r.log.File(r.files.list[i].begin)
		if err != nil {
			return nil, in, err
		}
		r.open, r.close, r.now, r.window = f, f.Close, i, r.window[:0]
	}
	in = r.files.list[r.now]
	if p.at < r.from || p.at+int64(p.length) > r.from+int64(len(r.window)) {
		if err := r.fill(lines, in); err != nil {
			return nil, in, err
		}
	}
	at := p.at - r.from
	return r.window[at : at+int64(p.length)], in, nil
}

// fill reads the first line, and those behind it that lie near.
func (r *lineReader) fill(lines []place, in file) error {
	r.from = lines[0].at
	end := r.from
	for i, p := range lines {
		if i > 0 && (p.at > end+windowGap || p.at+int64(p.length) > r.from+windowSize || r.files.of(p.at) != r.now) {
			break
		}
		end = p.at + int64(p.length)
	}
	if n := int(end - r.from); cap(r.window) < n {
		r.window = make([]byte, n)
	} else {
		r.window = r.window[:n]
	}
	n, err := r.open.ReadAt(r.window, r.from-in.at)
	if n == len(r.window) {
		return nil
	}
	r.window = r.window[:0]
	return err
}
