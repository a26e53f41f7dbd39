package codex_test

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
	if drift := tracetest.Drift(t, "testdata/known.txt", tracetest.CodexShape, "testdata/rollouts"); len(drift) > 0 {
		t.Errorf("nobody names %q", drift)
	}
	dir := t.TempDir()
	const lines = `{"type":"event_msg","payload":{"type":"token_count","info":null,"mood":1}}` + "\n" +
		`{"type":"event_msg","payload":{"type":"tidings"}}` + "\n" +
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning","id":"x","depth":2}}}` + "\n"
	want := []string{"item.depth of event_msg/item_completed/Reasoning", "payload.mood of event_msg/token_count", "the kind event_msg/tidings"}
	if err := os.WriteFile(filepath.Join(dir, "new.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if drift := tracetest.Drift(t, "testdata/known.txt", tracetest.CodexShape, dir); !slices.Equal(drift, want) {
		t.Errorf("of what no client wrote so far nobody names %q", drift)
	}
}
