package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// On a full disk an archive stays empty, and a report does not say that there was nothing to report. The disk is full a
// little later each time: before the archive is there, and between its schema and its first session.
func TestReportOnAFullDisk(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	if exec.Command("unshare", "-m", "true").Run() != nil {
		t.Skip("no right to mount a file system")
	}
	dir := t.TempDir()
	home, place := filepath.Join(dir, "home"), filepath.Join(dir, "place")
	if err := os.CopyFS(home, os.DirFS("../../internal/lab/demo/testdata/home")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for size := 8; ; size += 24 {
		report := aburnIn(dir, "-c", `mount -t tmpfs -o size="$0k" none "$ABURN_HOME" && exec aburn report --json`, strconv.Itoa(size))
		cmd := exec.Command("unshare", append([]string{"-m", "sh"}, report.Args[1:]...)...)
		cmd.Dir, cmd.Env = dir, append(report.Env, "ABURN_HOME="+place)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, _ := cmd.Output()
		switch code := cmd.ProcessState.ExitCode(); {
		case code == 0 && errs.Len() == 0:
			if failed < 3 {
				t.Errorf("%d reports failed for lack of room", failed)
			}
			return
		case code == 0 && strings.Contains(errs.String(), "new sessions are left out") && !strings.Contains(string(out), `"units":{"all":0`):
			// some sessions had room: the report is of these, and says so
		case code != 1 || len(out) > 0 || !strings.Contains(errs.String(), "hint: the disk may be full: make room") || size > 4000:
			t.Fatalf("%d KiB: exit %d: %s%s", size, code, errs.String(), out)
		}
		failed++
	}
}
