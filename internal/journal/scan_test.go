package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

type found struct {
	off  int64
	line string
}

// naive is what a forward reading must find, the slow and obvious way.
func naive(text string, longest int) (lines []found) {
	off := 0
	for {
		i := strings.IndexByte(text[off:], '\n')
		if i < 0 {
			return lines
		}
		if i <= longest {
			lines = append(lines, found{int64(off), text[off : off+i]})
		}
		off += i + 1
	}
}

// drawText makes lines of many lengths, some longer than a block, and perhaps
// a torn tail.
func drawText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		n := r.IntN(20)
		switch r.IntN(12) {
		case 0:
			n = 0
		case 1:
			n = 60 + r.IntN(80)
		}
		b.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), n))
		b.WriteByte('\n')
	}
	if r.IntN(2) == 0 {
		b.WriteString("torn")
	}
	return b.String()
}

func TestForeScan(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := drawText(r)
		block := 20 + r.IntN(150)
		s := newForeScan(strings.NewReader(text), 0, block)
		var got []found
		for {
			line, off, err := s.line()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, found{off, string(line)})
		}
		// A line may just fit, with or without its newline.
		if !slices.Equal(got, naive(text, block-1)) {
			t.Fatalf("seed %d, block %d: got %v\nof %q", seed, block, got, text)
		}
		if long := len(naive(text, len(text))) - len(got); int(s.damage) < long {
			t.Fatalf("seed %d: %d lines missing, %d counted", seed, long, s.damage)
		}
	}
}

// A foreScan that met the end goes on when more is written, also in the middle of a line.
func TestForeScanGrowing(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		text := drawText(r)
		var grown growing
		s := newForeScan(&grown, 0, 500)
		var got []found
		for {
			line, off, err := s.line()
			if err == nil {
				got = append(got, found{off, string(line)})
				continue
			}
			if len(grown) == len(text) {
				break
			}
			grown = growing(text[:min(len(text), len(grown)+1+r.IntN(60))])
		}
		if !slices.Equal(got, naive(text, 500)) {
			t.Fatalf("seed %d: got %v\nof %q", seed, got, text)
		}
	}
}

type growing string

func (g *growing) ReadAt(b []byte, off int64) (int, error) {
	return strings.NewReader(string(*g)).ReadAt(b, off)
}

func TestBackScan(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := drawText(r)
		floor := 0
		if len(text) > 0 && r.IntN(2) == 0 {
			floor = r.IntN(len(text))
		}
		s := newBackScan(strings.NewReader(text), int64(floor), int64(len(text)), 1+r.IntN(60))
		s.keep = r.IntN(2) == 0
		var got []found
		for {
			line, off, err := s.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(line) > 0 { // blank lines may go
				got = append(got, found{off, string(line)})
			}
		}
		want := slices.DeleteFunc(naive(text, len(text)), func(f found) bool {
			return f.line == "" || floor > 0 && f.off <= int64(floor)
		})
		slices.Reverse(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, floor %d: got %v\nwant %v\nof %q", seed, floor, got, want, text)
		}
		if torn := text != "" && !strings.HasSuffix(text, "\n"); floor == 0 && s.torn != torn {
			t.Fatalf("seed %d: torn %v of %q", seed, s.torn, text)
		}
	}
}

// A line of 50 MB costs neither direction its memory, and nothing around it.
func TestGiantLine(t *testing.T) {
	world.Slow(t)
	giant := "{\"a\":1}\n" + strings.Repeat("x", 50<<20) + "\n{\"b\":2}\n"
	for _, text := range []string{giant, giant + strings.Repeat("y", 3<<20)} {
		fore := newForeScan(strings.NewReader(text), 0, maxLine)
		back := newBackScan(strings.NewReader(text), 0, int64(len(text)), firstBlock)
		for i, want := range []string{`{"a":1}`, `{"b":2}`} {
			if line, _, err := fore.entry(); string(line) != want {
				t.Errorf("forward %d: %q, %v", i, line, err)
			}
		}
		for i, want := range []string{`{"b":2}`, `{"a":1}`} {
			if line, _, err := back.entry(); string(line) != want {
				t.Errorf("backward %d: %q, %v", i, line, err)
			}
		}
		if _, _, err := fore.entry(); !errors.Is(err, io.EOF) || fore.damage == 0 {
			t.Errorf("forward: %v, %d damaged", err, fore.damage)
		}
		if _, _, err := back.entry(); !errors.Is(err, io.EOF) || back.damage == 0 {
			t.Errorf("backward: %v, %d damaged", err, back.damage)
		}
		if n := cap(fore.room) + cap(back.buf) + cap(back.spare); n > 8<<20 {
			t.Errorf("%d bytes of buffers", n)
		}
	}
}

func BenchmarkForeScan(b *testing.B) {
	text := logText(64 << 20)
	b.Run("entries", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			s := newForeScan(bytes.NewReader(text), 0, maxLine)
			for {
				if _, _, err := s.entry(); err != nil {
					break
				}
			}
		}
	})
	b.Run("count newlines", func(b *testing.B) { // what wc -l does
		b.SetBytes(int64(len(text)))
		block := make([]byte, foreBlock)
		for b.Loop() {
			r := bytes.NewReader(text)
			for {
				n, err := r.Read(block)
				bytes.Count(block[:n], []byte{'\n'})
				if err != nil {
					break
				}
			}
		}
	})
}

// logText is about n bytes of entries with their human lines.
func logText(n int) []byte {
	var b bytes.Buffer
	for i := 1; b.Len() < n; i++ {
		fmt.Fprintf(&b,
			`{"ts":"2026-11-21T10:00:00.000Z","cmd":"build","phase":"RED","event":"TOOL","session":"5b0cdd6e-7f0d-4a43-9f5e-0c4b6f1f1a11","seq":%d,"id":"%016x",`+
				`"source":"claude","wt":"","data":{"tool":"Bash","tool_use_id":"toolu_01AbCdEfGhIjKlMnOpQrStUv","head":"go test ./internal/journal -run TestAppend `+
				`-count=1","exit_code":0,"duration_ms":1234,"bytes":5120,"hook_us":812,"lock_us":15},"crc":"0badcafe"}`+
				"\n# BUILD:RED:TOOL - Bash go test ./internal/journal -run TestAppend -count=1\n", i, i)
	}
	return b.Bytes()
}

// endless is one line that never ends, and how far it was read.
type endless struct{ read int64 }

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	e.read = max(e.read, off+int64(len(p)))
	if e.read > 1<<30 {
		return 0, errors.New("read on and on")
	}
	clear(p)
	return len(p), nil
}

// TestBlockInAGiantLine: the block of a segment is looked for at its beginning, however long the line there is.
func TestBlockInAGiantLine(t *testing.T) {
	line := &endless{}
	if b := blockOf(line); b.opened || b.closed || line.read > 2*blockZone {
		t.Errorf("read %d bytes: %+v", line.read, b)
	}
}
