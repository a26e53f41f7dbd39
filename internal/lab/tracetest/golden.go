package tracetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/trace"
	"aburn/trace/packed"
)

// Golden compares traces with the file at path, or writes the file if update is set. The file has them by id, with
// paths relative to testdata.
func Golden(t testing.TB, traces []*trace.SessionTrace, path string, update bool) {
	t.Helper()
	sorted := slices.Clone(traces)
	slices.SortFunc(sorted, func(a, b *trace.SessionTrace) int { return strings.Compare(a.ID, b.ID) })
	got, err := json.MarshalIndent(sorted, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	got = append(bytes.ReplaceAll(got, []byte(dir), []byte("testdata")), '\n')
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(got, want); d != "" {
		t.Errorf("%s (-update writes it): %s", path, d)
	}
}

// roundTrip returns t as the archive stores it, and as read back; an error says why t may not be stored.
func roundTrip(t *trace.SessionTrace) ([]byte, *trace.SessionTrace, error) {
	data, err := packed.Append(nil, t)
	if err != nil {
		return nil, nil, fmt.Errorf("trace %s/%s: %w", t.Source, t.ID, err)
	}
	again, err := packed.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	before, err := json.Marshal(t)
	if err != nil {
		return nil, nil, fmt.Errorf("trace %s/%s: %w", t.Source, t.ID, err)
	}
	if after, err := json.Marshal(again); err != nil || !bytes.Equal(before, after) {
		return nil, nil, fmt.Errorf("trace %s/%s is not the same after being stored (%v): %s", t.Source, t.ID, err,
			diff(after, before))
	}
	return data, again, nil
}

// form returns the published form of t.
func form(t *trace.SessionTrace) []byte {
	data, err := json.Marshal(t)
	if err != nil {
		return []byte(err.Error())
	}
	return data
}

// diff returns the first line in which got and want differ, with its surroundings; "" if they are equal.
func diff(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	g, w := lines(got), lines(want)
	i := 0
	for i < len(g) && i < len(w) && bytes.Equal(g[i], w[i]) {
		i++
	}
	return fmt.Sprintf("line %d:\ngot\n%s\nwant\n%s", i+1, around(g, i), around(w, i))
}

func lines(data []byte) [][]byte {
	var out bytes.Buffer
	if json.Indent(&out, data, "", " ") == nil {
		data = out.Bytes()
	}
	return bytes.Split(data, []byte{'\n'})
}

func around(all [][]byte, i int) []byte {
	return bytes.Join(all[min(max(i-6, 0), len(all)):min(i+4, len(all))], []byte{'\n'})
}
