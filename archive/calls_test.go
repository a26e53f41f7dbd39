package archive

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"aburn/trace"
)

// allSet fails where a field of v is zero, but for these: a test that goes on with v would not see whether it is kept.
func allSet(t *testing.T, v any, but ...string) {
	t.Helper()
	for f, value := range reflect.ValueOf(v).Fields() {
		if value.IsZero() != slices.Contains(but, f.Name) {
			t.Fatalf("%s is %v", f.Name, value)
		}
	}
}

// What is packed of a call comes back, each member of it; a row that is cut off, or was changed, is told and not shown.
func TestCallRows(t *testing.T) {
	code := -1
	want := []CallRow{
		{
			Call: "toolu_1", Tool: "Bash", Type: trace.ShellTool, Index: 1, Seq: 7, Start: at(3), DurationMS: 1 << 40, Gap: true, Status: trace.StatusErrored,
			Failed: true, Denied: "rule",
			ExitCode: &code, Input: "0123456789abcdef", Path: "a/b", Head: "make \u65e5", Length: 1 << 50, Spawned: "s/1", Results: 300,
		},
		{Call: "toolu_2", Tool: "Read", Type: trace.ReadTool, Index: 2, Seq: 9},
	}
	allSet(t, want[0], "Key", "Source", "Session") // which are the session's
	var w callCoder
	first := 0
	for i := range want {
		w.call(&want[i])
		first = cmp.Or(first, len(w.Written()))
	}
	rows := w.Written()
	read := func(row []byte, failed bool) (got []CallRow, err error) {
		r, err := readCalls(row)
		if err == nil {
			err = r.each(CallRow{}, failed, func(row CallRow) bool { got = append(got, row); return true })
		}
		return got, err
	}
	row := compress(rows)
	if got, err := read(row, false); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, not %+v", got, err, want)
	}
	if got, err := read(row, true); err != nil || !reflect.DeepEqual(got, want[:1]) {
		t.Errorf("failed: %+v, %v", got, err)
	}
	for n := range len(rows) {
		if got, err := read(compress(rows[:n]), false); err == nil && n != 0 && n != first {
			t.Errorf("of %d bytes: %+v", n, got)
		}
	}
	for i := range row {
		row[i] ^= 0x40
		if _, err := read(row, false); err == nil {
			t.Errorf("byte %d is another one, and nobody notices", i)
		}
		row[i] ^= 0x40
	}
}
