package jsonl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"aburn/internal/jsonl"
	"aburn/internal/lab/world"
)

// read is what Read gives of r, a line a line: "N@Offset+Size data".
func read(t testing.TB, r io.Reader, offset, lines int64) (string, jsonl.End) {
	t.Helper()
	var all []string
	end, err := jsonl.Read(t.Context(), r, offset, lines, func(l jsonl.Line) error {
		data := string(l.Data)
		if l.Data == nil {
			data = "(too long)"
		}
		all = append(all, fmt.Sprintf("%d@%d+%d %s", l.N, l.Offset, l.Size, data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n"), end
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"a\n":                "1@0+2 a",
		"a\nbc\n":            "1@0+2 a\n2@2+3 bc",
		"a\r\nb\n":           "1@0+3 a\n2@3+2 b",
		"\n\na\n":            "1@0+1 \n2@1+1 \n3@2+2 a",
		"a\x00b\n\x00\x00\n": "1@0+4 a\x00b\n2@4+3 \x00\x00",
		"\ufeff{}\n{}\n":     "1@0+6 {}\n2@6+3 {}", // a byte order mark is no part of the first line
		"a\n\ufeff{}\n":      "1@0+2 a\n2@2+6 \ufeff{}",
		"a\ntorn":            "1@0+2 a",
		"torn":               "",
		"a\r":                "",
	} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"with the end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, end := read(t, r, 0, 0)
			finished := int64(strings.LastIndexByte(text, '\n') + 1)
			if got != want || end.Offset != finished || end.Torn != (finished < int64(len(text))) || end.Line != int64(strings.Count(text, "\n")) {
				t.Errorf("%q %s: %q, %+v", text, name, got, end)
			}
		}
	}
}

// Lines of every length around the size of what is read at once come whole.
func TestLongLines(t *testing.T) {
	var text bytes.Buffer
	var sizes []int
	for _, n := range []int{0, 1, 1 << 16, 1<<18 - 1, 1 << 18, 1<<18 + 1, 3, 5 << 20, 2} {
		text.WriteString(strings.Repeat("x", n) + "\n")
		sizes = append(sizes, n)
	}
	i := 0
	_, err := jsonl.Read(t.Context(), &text, 0, 0, func(l jsonl.Line) error {
		if len(l.Data) != sizes[i] {
			t.Errorf("line %d has %d bytes, not %d", l.N, len(l.Data), sizes[i])
		}
		i++
		return nil
	})
	if err != nil || i != len(sizes) {
		t.Errorf("%d lines, %v", i, err)
	}
}

// huge is a text of a short line, a line of n bytes, and a short one, made as it is read.
func huge(n int64) io.Reader {
	return io.MultiReader(strings.NewReader("a\n"), io.LimitReader(endless{}, n), strings.NewReader("\nb\n"))
}

type endless struct{}

var manyX = bytes.Repeat([]byte{'x'}, 1<<16)

func (endless) Read(p []byte) (int, error) { return copy(p, manyX), nil }

// A line that is too long is passed over, with its place, in memory that does not grow with it.
func TestTooLong(t *testing.T) {
	world.Slow(t)
	const n = 3 * jsonl.MaxLine
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, end := read(t, huge(n), 0, 0)
	runtime.ReadMemStats(&after)
	if want := fmt.Sprintf("1@0+2 a\n2@2+%d (too long)\n3@%d+2 b", n+1, n+3); got != want || end.Torn || end.Offset != n+5 {
		t.Errorf("got %q, %+v", got, end)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 6*jsonl.MaxLine {
		t.Errorf("it took %d MB", used>>20)
	}
	_, end = read(t, io.MultiReader(strings.NewReader("a\n"), io.LimitReader(endless{}, n)), 0, 0)
	if !end.Torn || end.Offset != 2 || end.Line != 1 {
		t.Errorf("torn it ends at %+v", end)
	}
}

// What was written after a reading is read by the next, from where the first ended, and nothing twice.
func TestGrowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	const text = "\ufeff{\"a\":1}\r\n\n{\"b\":2}\nrest\n"
	whole, _ := read(t, strings.NewReader(text), 0, 0)
	for cut := range len(text) {
		write := func(s string) {
			if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		open := func(from int64) io.Reader {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			if _, err := f.Seek(from, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			return f
		}
		write(text[:cut])
		first, end := read(t, open(0), 0, 0)
		write(text)
		second, last := read(t, open(end.Offset), end.Offset, end.Line)
		if got := strings.Trim(first+"\n"+second, "\n"); got != whole || last.Offset != int64(len(text)) || last.Line != 4 {
			t.Errorf("cut at %d: %q and %q, %+v", cut, first, second, last)
		}
	}
}

// An error of the file, of who reads, and of the context end it, and say where.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	none := func(jsonl.Line) error { return nil }
	end, err := jsonl.Read(t.Context(), io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 0, 0, none)
	if !errors.Is(err, broken) || end.Offset != 2 {
		t.Errorf("%+v, %v", end, err)
	}
	end, err = jsonl.Read(t.Context(), strings.NewReader("a\nb\nc\n"), 0, 0, func(l jsonl.Line) error {
		if l.N == 2 {
			return broken
		}
		return nil
	})
	if err != broken || end.Offset != 2 || end.Line != 1 {
		t.Errorf("%+v, %v", end, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = jsonl.Read(ctx, strings.NewReader("a\n"), 0, 0, none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// However the text comes, it gives the lines that splitting it gives.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), uint16(1))
	f.Fuzz(func(t *testing.T, text []byte, step uint16) {
		var all [][]byte
		end, err := jsonl.Read(t.Context(), &steps{text, int(step)%100 + 1}, 0, 0, func(l jsonl.Line) error {
			all = append(all, bytes.Clone(l.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Split(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n"))
		if torn := len(want[len(want)-1]) > 0; end.Torn != torn && !bytes.Equal(text, []byte("\ufeff")) || len(all) != len(want)-1 {
			t.Fatalf("%q, %+v of %q", all, end, text)
		}
		for i := range all {
			if !bytes.Equal(all[i], bytes.TrimSuffix(want[i], []byte("\r"))) {
				t.Errorf("line %d is %q of %q", i+1, all[i], text)
			}
		}
	})
}

// steps gives a few bytes at a time.
type steps struct {
	text []byte
	n    int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(s.n, len(p))], s.text)
	s.text = s.text[n:]
	return n, nil
}

// What reading costs beside counting the lines.
func BenchmarkRead(b *testing.B) {
	text := []byte(strings.Repeat(strings.Repeat("x", 900)+"\n", 20_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := jsonl.Read(b.Context(), bytes.NewReader(text), 0, 0, func(jsonl.Line) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
