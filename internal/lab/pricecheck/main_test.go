package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A client that names a model without a price fails the check, unless the table says that nobody states its price.
func TestRun(t *testing.T) {
	for text, want := range map[string]int{
		"\x7fELF\x00claude-opus-5-5\x00\"claude-sonnet-4-20250514\"claude-opus-4-0 gpt-6.2-sol\x00": 0,
		"claude-mythos-5-2,gpt-6-pro": 0,
		"claude-opus-9-1":             1,
		"'gpt-9.3-nova'":              1,
	} {
		path := filepath.Join(t.TempDir(), "client")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if got := run(&out, &errs, []string{path}); got != want {
			t.Errorf("%q: %d, %s%s", text, got, &out, &errs)
		}
	}
	var out, errs bytes.Buffer
	if got := run(&out, &errs, nil); got != 2 || run(&out, &errs, []string{"nowhere"}) != 2 {
		t.Error(got, errs.String())
	}
}
