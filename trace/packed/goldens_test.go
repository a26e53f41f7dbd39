package packed_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/packed"
)

// goldens are the traces of the real stores that the readers' tests compare with, by file and id.
func goldens(t testing.TB) map[string]*trace.SessionTrace {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "trace", "*", "testdata", "golden", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*trace.SessionTrace{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var traces []json.RawMessage
		if err := json.Unmarshal(text, &traces); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, one := range traces {
			tr, err := tracetest.Parse(one)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all[path+" "+tr.ID] = tr
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d golden traces", len(all))
	}
	return all
}

// The trace of each real store is the same after it was packed, and takes a third of the bytes at most.
func TestGoldens(t *testing.T) {
	before, after := 0, 0
	for path, want := range goldens(t) {
		data, err := packed.Append(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := packed.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it is another trace", path)
		}
		json, err := want.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		before, after = before+len(json), after+len(data)
	}
	t.Logf("%d bytes of JSON take %d", before, after)
	if before < 100_000 || 3*after > before {
		t.Error("that is more than a third")
	}
}

// What was not written by Append is refused, wherever it was cut or changed: nothing panics, and nothing asks for memory
// that the text could not fill.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for path, tr := range goldens(t) {
		data, err := packed.Append(nil, tr)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if _, err := packed.Parse(data[:r.IntN(len(data))]); err == nil {
				t.Fatalf("%s: cut off, it is read", path)
			}
			odd := bytes.Clone(data)
			odd[1+r.IntN(len(odd)-1)] ^= 1 << r.IntN(8)
			if tr, err := packed.Parse(odd); err == nil && tr.Validate() != nil {
				t.Fatalf("%s: what is read is not valid", path)
			}
		}
		if _, err := packed.Parse(append(bytes.Clone(data), 0)); err == nil {
			t.Fatalf("%s: a byte too many is read", path)
		}
	}
	for _, data := range []string{"", "{}", "\x02", "\x01", "\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if _, err := packed.Parse([]byte(data)); err == nil {
			t.Errorf("%q is read", data)
		}
	}
}

func BenchmarkAppend(b *testing.B) { benchmark(b, packed.Append) }

func BenchmarkParse(b *testing.B) {
	var all [][]byte
	for _, t := range goldens(b) {
		data, err := packed.Append(nil, t)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, data)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range all {
			if _, err := packed.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	benchmark(b, func(dst []byte, t *trace.SessionTrace) ([]byte, error) { return t.AppendJSON(dst) })
}

func benchmark(b *testing.B, write func([]byte, *trace.SessionTrace) ([]byte, error)) {
	all := goldens(b)
	var buf []byte
	for b.Loop() {
		for _, t := range all {
			var err error
			if buf, err = write(buf[:0], t); err != nil {
				b.Fatal(err)
			}
		}
	}
}
