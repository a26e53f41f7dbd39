//go:build unix && !linux

package journal_test

import (
	"os/exec"
	"testing"
)

func fileSizeLimit(t *testing.T, n int) func(*exec.Cmd) {
	t.Skip("prlimit is Linux's")
	return nil
}

func smallDisk(t *testing.T, size string) string {
	t.Skip("mounting a small disk is done on Linux only")
	return ""
}

func resize(*testing.T, string, string) {}

func loopDisk(t *testing.T, kind string) (dir string, mount func()) {
	t.Skip("mounting a file system of its own is done on Linux only")
	return "", nil
}

func powerCut(*testing.T, string) {}
