package home

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// file is one of the home's files while it is written. Its errors are the maker's.
type file struct {
	m     *maker
	agent string // whose bytes these are; empty if nobody's
	path  string // relative to the home
	f     *os.File
	b     []byte
	size  int64
	start int // of the record in b
}

// flushAt is how many bytes are gathered before they are written.
const flushAt = 256 << 10

func (m *maker) create(agent, path string) *file {
	f := &file{m: m, agent: agent, path: path}
	if m.err != nil {
		return f
	}
	whole := filepath.Join(m.home, path)
	m.dirs[filepath.Dir(whole)] = true
	if m.err = os.MkdirAll(filepath.Dir(whole), 0o700); m.err == nil {
		f.f, m.err = os.OpenFile(whole, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	return f
}

// s appends texts as they are.
func (f *file) s(texts ...string) *file {
	for _, t := range texts {
		f.b = append(f.b, t...)
	}
	return f
}

// q appends a text as a JSON string.
func (f *file) q(text string) *file {
	f.b = append(appendEscaped(append(f.b, '"'), text), '"')
	return f
}

// e appends what is escaped already.
func (f *file) e(escaped []byte) *file {
	f.b = append(f.b, escaped...)
	return f
}

func (f *file) n(n int64) *file {
	f.b = strconv.AppendInt(f.b, n, 10)
	return f
}

// at appends a time as the agents write it, as a JSON string.
func (f *file) at(ms int64) *file {
	f.b = append(f.b, '"')
	f.b = time.UnixMilli(ms).UTC().AppendFormat(f.b, "2006-01-02T15:04:05.000Z")
	f.b = append(f.b, '"')
	return f
}

// appended counts what was appended, newline and all, as a record of a kind.
func (f *file) appended(kind string) {
	f.b = f.b[:len(f.b)-1]
	f.end(kind)
}

// end ends a record of a kind, and returns it without its newline, valid until the next one.
func (f *file) end(kind string) []byte {
	f.b = append(f.b, '\n')
	record := f.b[f.start : len(f.b)-1]
	f.m.truth.record(f.agent, kind, int64(len(record)+1))
	f.size += int64(len(record) + 1)
	if len(f.b) >= flushAt {
		rest := f.b
		f.flush()
		f.b = rest[:0]
	}
	f.start = len(f.b)
	return record
}

// torn leaves a record behind that was not written to its end.
func (f *file) torn() {
	f.s(`{"type":"assistant","timestamp":"2026-`)
	f.m.truth.record(f.agent, "torn", int64(len(f.b)-f.start))
	f.start = len(f.b)
}

func (f *file) flush() {
	if f.m.err == nil && f.f != nil {
		_, f.m.err = f.f.Write(f.b)
	}
}

// close ends the file, whose last change was at ms.
func (f *file) close(ms int64) {
	f.flush()
	if f.f == nil {
		return
	}
	if err := f.f.Close(); f.m.err == nil {
		f.m.err = err
	}
	if f.m.err == nil {
		t := time.UnixMilli(ms)
		f.m.err = os.Chtimes(f.f.Name(), t, t)
	}
	if f.agent != "" {
		f.m.truth.Files++
	}
}
