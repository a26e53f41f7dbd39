package sessions

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/trace"
)

// Of a line, only that line is its record: the same number, the same offset, the same ids.
func TestRawRecords(t *testing.T) {
	long := `{"uuid":"u3","text":"` + string(bytes.Repeat([]byte("x"), 3<<20)) + `"}`
	lines := []string{`{"uuid":"u1"}`, `{"uuid":"u2"}`, long, `{"uuid":"u4","of":"toolu_1"}`}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	var file []byte
	var refs []trace.Ref
	for i, l := range lines {
		refs = append(refs, trace.Ref{Line: int64(i + 1), Offset: int64(len(file))})
		file = append(file, l+"\n"...)
	}
	file = bytes.TrimRight(file, "\n") // the last line may have no end
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	get := func(at string, e trace.Event) ([]byte, error) {
		e.Body = &trace.Interrupt{}
		return rawRecord(context.Background(), &archive.Session{Path: path}, &trace.SessionTrace{Sources: []trace.File{{Path: at}}}, &e)
	}
	for i := range lines {
		got, err := get(path, trace.Event{Ref: refs[i], Record: "u" + string(rune('1'+i))})
		if err != nil || string(bytes.TrimRight(got, "\n")) != lines[i] {
			t.Errorf("line %d: %v, %d bytes", i+1, err, len(got))
		}
	}
	if got, err := get(path+".moved", trace.Event{Ref: refs[1], Record: "u2"}); err != nil || string(got) != lines[1]+"\n" {
		t.Errorf("of a file that was moved: %q, %v", got, err)
	}
	for _, id := range []string{"[redacted:id]:0123456789abcdef", strings.Repeat("x", trace.MaxToken), "caf\u00e9", `a"b`, "a/b"} {
		if got, err := get(path, trace.Event{Ref: refs[1], Record: id}); err != nil || string(got) != lines[1]+"\n" {
			t.Errorf("of an id that is not as it was, %q: %q, %v", id, got, err)
		}
	}
	for name, e := range map[string]trace.Event{
		"another record":     {Ref: refs[1], Record: "u9"},
		"within a line":      {Ref: trace.Ref{Line: 2, Offset: refs[1].Offset + 3}},
		"another number":     {Ref: trace.Ref{Line: 3, Offset: refs[1].Offset}},
		"behind the end":     {Ref: trace.Ref{Line: 9, Offset: 1 << 30}},
		"the end of the one": {Ref: trace.Ref{Line: 1, Offset: refs[1].Offset - 1}},
	} {
		if got, err := get(path, e); !errors.Is(err, errChanged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := get(path, trace.Event{Ref: refs[0]}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that is gone: %v", err)
	}
}
