package hooks

import (
	"io"
	"os"
	"testing"
	"time"
)

// A payload that is late is waited for, up to its last moment, also where this process did not run for long. A whole one is not, also
// where the pipe stays open.
func TestLatePayload(t *testing.T) {
	passed, never := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		before, after string // the deadline
	}{
		"nothing yet":                  {"", `{"a":1}`},
		"a half":                       {`{"a":`, "1}\n"},
		"whole, and not more":          {`{"a":1}` + "\n", ""},
		"a piece that ends in a brace": {`{"a":{"b":1}`, `,"c":2}`},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, c.before)
		if c.after != "" {
			go func() {
				time.Sleep(20 * time.Millisecond)
				io.WriteString(w, c.after)
				w.Close()
			}()
		}
		in := readInput(r, wait{passed, never, never})
		if string(in.data) != c.before+c.after || c.after == "" && in.err != errSlow { // a whole one counts though its end was not seen
			t.Errorf("%s: %q, %v", name, in.data, in.err)
		}
		r.Close()
		w.Close()
	}
}
