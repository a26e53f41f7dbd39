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
