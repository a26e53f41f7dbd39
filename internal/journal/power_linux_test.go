package journal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// Power is cut while writers are at work, on a file system of its own. What is
// synced before it is acknowledged (COMPLETE, …) is all there afterwards, also
// across rotations; of the rest what is there is whole, and the log goes on.
func TestPowerCut(t *testing.T) {
	world.Slow(t)
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
			disk := newDisk(t, c.kind)
			mounted := disk.mount(t)
			dir := filepath.Join(mounted, ".oss")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			o := journal.Options{By: journal.Command, Anchor: filepath.Join(t.TempDir(), "anchor")} // on a disk that stays
			if _, err := open(t, dir, o).BeginAnchor(day); err != nil {
				t.Fatal(err)
			}
			syscall.Sync() // the folder itself was made long ago
			var all []*worker
			for _, name := range names("w", 4) {
				all = append(all, start(t, job{what: "append", dir: dir, name: name, size: 800, event: string(c.event), wait: time.Minute, rotate: c.rotate,
					anchor: o.Anchor}))
			}
			for _, p := range all {
				p.says(t, 10) // together more than a segment of those that rotate
			}
			otherNamespace(t)
			// What is acknowledged during the cut does not count: unlike a real
			// one it is no single moment (an fsync that waits for a commit which
			// the shutdown aborts may return 0).
			var acked []string
			for _, p := range all {
				acked = append(acked, p.acked()...)
			}
			powerCut(t, mounted)
			for _, p := range all {
				p.kill()
			}
			dir = filepath.Join(disk.copied(t).mount(t), ".oss")
			// What was not synced may be gone: then there is less to look for.
			promised := acked
			if c.event == logfmt.Tool {
				promised = nil
			}
			there := judge(t, dir, promised)
			// What the anchor knows and the disk does not have is missing, and verify says so.
			if got, r := found(t, open(t, dir, o)); len(there) < len(acked) && !strings.Contains(got, journal.Missing) {
				t.Errorf("%d of %d acknowledged entries are there; found %s: %+v", len(there), len(acked), got, r.Damage)
			} else {
				t.Logf("with the anchor: %s", got)
			}
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

// disk is a file system of its own in a file.
type disk struct{ kind, image string }

func newDisk(t *testing.T, kind string) disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount")
	}
	mkfs, err := exec.LookPath("mkfs." + kind)
	if err != nil {
		t.Skipf("no mkfs.%s here", kind)
	}
	d := disk{kind, filepath.Join(t.TempDir(), "image")}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, 320<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(mkfs, d.image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.%s: %v: %s", kind, err, out)
	}
	return d
}

// mount mounts it until the test ends.
func (d disk) mount(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	options := "loop"
	if d.kind == "xfs" {
		options += ",nouuid" // the disk that it was copied from may still be mounted somewhere
	}
	if out, err := exec.Command("mount", "-o", options, d.image, dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// copied is the disk as it is now. The kernel keeps one state of a mounted disk
// for all that see it: as long as any process has it mounted in a namespace of
// its own (what runs beside this test may do so, with unshare --mount), mounting
// the disk itself again shows the file system that was shut down, where every
// call says "input/output error".
func (d disk) copied(t *testing.T) disk {
	t.Helper()
	to := disk{d.kind, filepath.Join(t.TempDir(), "image")}
	if out, err := exec.Command("cp", "--sparse=always", d.image, to.image).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
	return to
}

// otherNamespace keeps what is mounted now mounted in a namespace of its own
// until the test ends, as sandboxes do.
func otherNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// powerCut stops the file system as a power cut would: what is not on the disk
// by now, journal included, never gets there.
func powerCut(t *testing.T, dir string) {
	t.Helper()
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const shutdown = 0x8004587d // FS_IOC_SHUTDOWN, _IOR('X', 125, __u32)
	if err := unix.IoctlSetPointerInt(int(d.Fd()), shutdown, 2 /* NOLOGFLUSH */); err != nil {
		t.Skipf("this file system cannot be shut down: %v", err)
	}
}
