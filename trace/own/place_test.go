package own

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"aburn/internal/journal"
)

// counted counts what is read of a file.
type counted struct {
	io.ReaderAt
	bytes int
}

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.bytes += n
	return n, err
}

// However many sessions lie side by side in a log, over however many files, each line is found again, and what is read for one session is
// little more than its lines.
func TestLineReader(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	random := rand.New(rand.NewPCG(1, 2))
	const sessions, entries = 40, 6000
	own := make([][]string, sessions)
	at := make([]places, sessions)
	for _, name := range []string{journal.Name + ".1", journal.Name} {
		text := []byte(nil)
		for range entries {
			i := random.IntN(sessions)
			length := random.IntN(1200)
			if random.IntN(500) == 0 {
				length += windowSize
			}
			line := fmt.Sprintf(`{"session":%d,"n":%d,"text":"%s"}`, i, len(own[i]), strings.Repeat("x", length))
			text = append(text, line+"\n# text\n"...)
			own[i] = append(own[i], line)
		}
		if err := os.WriteFile(dir+"/"+name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := journal.New(root, journal.Options{})
	var all files
	for line, err := range log.Forward(journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		if _, err := fmt.Sscanf(string(line.JSON), `{"session":%d,`, &i); err != nil {
			t.Fatal(err)
		}
		at[i].add(all.place(line), len(line.JSON))
	}
	for i, lines := range own {
		r := newLineReader(log, &all)
		defer func() { r.close() }()
		list := at[i].appendTo(nil)
		if len(list) != len(lines) {
			t.Fatalf("session %d: %d places of %d lines", i, len(list), len(lines))
		}
		size, gone := 0, 0
		var count *counted
		for k, want := range lines {
			line, in, err := r.read(list[k:])
			if err != nil || string(line) != want {
				t.Fatalf("session %d, line %d: %.40q, %v, want %.40q", i, k, line, err, want)
			}
			if count == nil || r.open != io.ReaderAt(count) { // what the first read of a file takes is not counted
				if count != nil {
					gone += count.bytes
				}
				count = &counted{ReaderAt: r.open}
				r.open = count
			}
			if in.begin.Segment == "" {
				t.Fatalf("session %d, line %d is in no file", i, k)
			}
			size += len(want)
		}
		if gone += count.bytes; gone > size+len(lines)*windowGap {
			t.Errorf("session %d: %d bytes were read for lines of %d", i, gone, size)
		}
	}
}
