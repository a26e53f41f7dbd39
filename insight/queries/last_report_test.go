package queries

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is new counts from the sitting before this one. Reports in one sitting don't move it, however long the sitting is.
func TestLastReport(t *testing.T) {
	dir := t.TempDir()
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(now time.Time, want time.Time, wantFirst bool) {
		t.Helper()
		if since, first := lastReport(dir, now); !since.Equal(want) || first != wantFirst {
			t.Errorf("at %v: since %v, first %v", now, since, first)
		}
		NoteReport(dir, now)
	}
	at(noon, noon.Add(-firstSpan), true)
	at(noon.Add(50*time.Minute), noon.Add(50*time.Minute-firstSpan), true)
	at(noon.Add(100*time.Minute), noon.Add(100*time.Minute-firstSpan), true)
	tomorrow := noon.Add(24 * time.Hour)
	at(tomorrow, noon.Add(100*time.Minute), false)
	at(tomorrow.Add(time.Minute), noon.Add(100*time.Minute), false)
	if err := os.WriteFile(filepath.Join(dir, lastReportName), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	at(tomorrow, tomorrow.Add(-firstSpan), true)
}
