//go:build unix

package journal_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/logfmt"
)

// Power is cut while writers are at work, on a file system of its own. What is
// synced before it is acknowledged (COMPLETE, …) is all there afterwards, also
// across rotations; of the rest what is there is whole, and the log goes on.
func TestPowerCut(t *testing.T) {
	for _, c := range []struct {
		kind   string
		event  logfmt.Event
		rotate int64
	}{
		{"ext4", logfmt.Complete, 0},
		{"ext4", logfmt.Complete, 20_000},
		{"ext4", logfmt.Tool, 0},
		{"xfs", logfmt.Complete, 0},
	} {
		name := c.kind + " " + string(c.event)
		if c.rotate > 0 {
			name += " rotating"
		}
		t.Run(name, func(t *testing.T) {
			disk, mount := loopDisk(t, c.kind)
			dir := filepath.Join(disk, ".oss")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			syscall.Sync() // the folder itself was made long ago
			var all []*worker
			for _, name := range names("w", 4) {
				all = append(all, start(t, job{what: "append", dir: dir, name: name, size: 800, event: string(c.event), wait: 5 * time.Second, rotate: c.rotate}))
			}
			for _, p := range all {
				p.begun(t)
			}
			time.Sleep(200 * time.Millisecond)
			// What is acknowledged during the cut does not count: unlike a real
			// one it is no single moment (an fsync that waits for a commit which
			// the shutdown aborts may return 0).
			var acked []string
			for _, p := range all {
				acked = append(acked, p.acked()...)
			}
			powerCut(t, disk)
			for _, p := range all {
				p.kill()
			}
			if err := syscall.Unmount(disk, 0); err != nil {
				t.Fatal(err)
			}
			mount()
			// What was not synced may be gone: then there is less to look for.
			promised := acked
			if c.event == logfmt.Tool {
				promised = nil
			}
			there := judge(t, dir, promised)
			j := open(t, dir, journal.Options{By: journal.Command})
			if _, err := j.RotateIfDue(journal.Command); err != nil {
				t.Errorf("heal: %v", err)
			}
			mustAppend(t, j, entry("after.0"))
			judge(t, dir, append(promised, "after.0"))
			report := journaltest.Now(t, dir, journal.BadLine, journal.TornTail)
			t.Logf("%d acknowledged, %d there; %s; %s", len(acked), len(there), kinds(report.Damage), kinds(report.Notes))
			if len(acked) == 0 {
				t.Error("nothing was acknowledged")
			}
		})
	}
}
