package journal_test

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
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
	journaltest.Check(t, dir, journal.BadLine, journal.TornTail, journal.Lost)
	return dir
}

func resize(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
		t.Fatal(err)
	}
}
