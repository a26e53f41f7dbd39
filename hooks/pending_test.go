package hooks

import (
	"os"
	"testing"
	"time"
)

// Whoever removes the file decides, and only one can.
func TestPending(t *testing.T) {
	oss, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer oss.Close()
	if !waitPending(oss, "s", time.Time{}) {
		t.Error("waits for nothing")
	}
	begin := func(id string) {
		t.Helper()
		if err := beginPending(oss, "s", id); err != nil {
			t.Fatal(err)
		}
	}
	begin("p1")
	if waitPending(oss, "s", time.Time{}) || SnapshotDone(oss, "s", "p1") {
		t.Error("it came too late, and counts")
	}
	begin("p2")
	if SnapshotDone(oss, "s", "p1") || !isPending(oss, "s") {
		t.Error("the helper of another prompt ends the waiting")
	}
	if isPending(oss, "other") || !SnapshotDone(oss, "s", "p2") || !waitPending(oss, "s", time.Time{}) {
		t.Error("in time, and doesn't count")
	}
}
