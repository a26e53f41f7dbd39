package gemini

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/trace"
)

type nothingSink struct{}

func (nothingSink) Previous(string) (*trace.SessionTrace, error) { return nil, nil }
func (nothingSink) Trace(*trace.SessionTrace) error              { return nil }
func (nothingSink) Damaged(trace.Damage)                         {}
func (nothingSink) Progress(int64)                               {}
func (nothingSink) Done(trace.Cursor, bool)                      {}

// large is a session of many turns, as files in a folder, and its bytes.
func large(b *testing.B) (string, []byte) {
	b.Helper()
	data, err := os.ReadFile(chatsDir + "/session-2026-11-21T07-57-c9672373.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	header, rest, _ := bytes.Cut(data, []byte("\n"))
	all := append(header, '\n')
	for i := range 2000 { // ids of turns differ in their first letters
		id := string([]byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676%26)})
		all = append(all, strings.NewReplacer(`"id":"`, `"id":"`+id, `Trying.`, strings.Repeat("word ", 500)).Replace(string(rest))...)
	}
	path := filepath.Join(b.TempDir(), "chats", "session-2026-11-21T07-57-c9672373.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, all, 0o644); err != nil {
		b.Fatal(err)
	}
	return path, all
}

func BenchmarkRead(b *testing.B) {
	path, data := large(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := New().Read(b.Context(), trace.Store{Reader: name, Path: path}, nothingSink{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncodingJSON is what decoding the same lines alone costs with encoding/json.
func BenchmarkEncodingJSON(b *testing.B) {
	_, data := large(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for line := range bytes.Lines(data) {
			var v any
			if err := json.Unmarshal(line, &v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
