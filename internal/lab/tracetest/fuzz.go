package tracetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"aburn/trace"
)

// What reading may allocate in bytes: fuzzMemory, and fuzzPerByte more for each byte of input.
const (
	fuzzMemory    = 64 << 20
	fuzzPerByte   = 4 << 10
	fuzzPatience  = time.Minute // after which a read hangs
	fuzzLargeSeed = 1 << 20
)

// Fuzz gives r bytes, beginning with the files seeds, as a file in an empty folder dir, at the path that place
// returns. r must not panic, hang, or allocate without bounds. Every trace that it makes must be valid, whether it
// returns it or fails with it. Reading in two steps, cut behind any line, must give the same.
func Fuzz(f *testing.F, r trace.Reader, place func(dir string) string, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		data, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) > fuzzLargeSeed {
			f.Fatalf("%s is too large for a seed", seed)
		}
		f.Add(data, uint16(bytes.Count(data, []byte{'\n'})/2))
	}
	f.Fuzz(func(t *testing.T, data []byte, line uint16) {
		hangs := time.AfterFunc(fuzzPatience, func() {
			panic(fmt.Sprintf("%s hangs on %d bytes", r.Name(),
				len(data)))
		})
		defer hangs.Stop()
		dir := t.TempDir()
		path := place(dir)
		write := func(data []byte) {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(data)
		before := allocated()
		whole := Read(t, r, dir)
		if used, most := allocated()-before, uint64(fuzzMemory+fuzzPerByte*len(data)); used > most {
			t.Errorf("%d bytes were allocated for %d", used, len(data))
		}
		for _, err := range whole.Errors {
			var invalid *trace.Invalid
			if errors.As(err, &invalid) {
				t.Error(err)
			}
		}
		write(data[:behind(data, int(line))])
		two := Read(t, r, dir)
		write(data)
		two.run(t, r, []string{dir}, nil)
		same(t, two, whole)
	})
}

// behind returns how many bytes the first n lines of data have.
func behind(data []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
