package journal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"

	"golang.org/x/sys/unix"
)

// fileSizeLimit makes a worker's files end at n bytes.
func fileSizeLimit(t *testing.T, n int) func(*exec.Cmd) {
	t.Helper()
	sh, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("no prlimit here")
	}
	return func(cmd *exec.Cmd) {
		cmd.Args = []string{sh, "--fsize=" + strconv.Itoa(n), cmd.Path}
		cmd.Path = sh
	}
}

// smallDisk mounts a file system of the given size for one log.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	journaltest.Check(t, dir, journal.BadLine, journal.TornTail)
	return dir
}

func resize(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
		t.Fatal(err)
	}
}

// loopDisk makes a file system of its own in a file and mounts it.
func loopDisk(t *testing.T, kind string) (dir string, mount func()) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount")
	}
	mkfs, err := exec.LookPath("mkfs." + kind)
	if err != nil {
		t.Skipf("no mkfs.%s here", kind)
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 320<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(mkfs, image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.%s: %v: %s", kind, err, out)
	}
	dir = t.TempDir()
	mount = func() {
		t.Helper()
		if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
			t.Skipf("mount: %v: %s", err, out)
		}
	}
	mount()
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir, mount
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
