package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/tracetest"
)

// Each kind of record that the recorded clients wrote, and each member, is read or passed over on purpose: testdata/known.txt
// names it. The test of the real client (make test-agents) asks the same of what the newest one writes.
func TestDrift(t *testing.T) {
	if drift := tracetest.Drift(t, "testdata/known.txt", tracetest.ClaudeShape, "testdata/runs"); len(drift) > 0 {
		t.Errorf("nobody names %q", drift)
	}
	dir := t.TempDir()
	const lines = `{"type":"user","mood":"good","message":{"role":"user"}}` + "\n" + `{"type":"hologram"}` + "\n" +
		`{"type":"attachment","attachment":{"type":"date","date":"x","era":1}}` + "\n" + `{"type":"system","subtype":"tidings"}` + "\n"
	want := []string{"attachment.era of attachment/date", "mood of user", "the kind hologram", "the kind system/tidings"}
	if err := os.WriteFile(filepath.Join(dir, "new.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if drift := tracetest.Drift(t, "testdata/known.txt", tracetest.ClaudeShape, dir); !slices.Equal(drift, want) {
		t.Errorf("of what no client wrote so far nobody names %q", drift)
	}
}
