// Package journaltest checks a test's log as `aburn verify` does. Only tests import it.
package journaltest

import (
	"context"
	"os"
	"slices"
	"testing"

	"aburn/internal/journal"
)

// Check verifies the log in the folder oss when the test ends. The test fails on any damage whose
// kind is not in allowed. A folder without a log is fine.
func Check(t testing.TB, oss string, allowed ...string) {
	t.Helper()
	t.Cleanup(func() { Now(t, oss, allowed...) })
}

// Now is Check without waiting; it returns the report.
func Now(t testing.TB, oss string, allowed ...string) journal.Report {
	t.Helper()
	root, err := os.OpenRoot(oss)
	if os.IsNotExist(err) {
		return journal.Report{}
	}
	if err != nil {
		t.Errorf("check log: %v", err)
		return journal.Report{}
	}
	defer root.Close()
	report, err := journal.New(root, journal.Options{By: journal.Command}).Verify(context.Background())
	if err != nil {
		t.Errorf("check log: %v", err)
	}
	for _, f := range report.Damage {
		if !slices.Contains(allowed, f.Kind) {
			t.Errorf("check log: %s:%d at offset %d: %s: %s", f.Segment, f.Line, f.Offset, f.Kind, f.Text)
		}
	}
	return report
}
