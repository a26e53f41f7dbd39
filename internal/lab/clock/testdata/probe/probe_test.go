// Package probe says what a test sees whose clock is shifted by eight days. Only the test of internal/lab/clock runs it.
package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/jsonl"
)

func TestProbe(t *testing.T) {
	const days = 8 * 24 * time.Hour
	out, err := exec.Command("sh", "-c", "command -p date +%s").Output() // not a Go program, and not the date that this run has on its PATH
	if err != nil {
		t.Fatal(err)
	}
	machine, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	// The machine may be slow between the two, and the shift counts whole seconds.
	if ahead := time.Since(time.Unix(machine, 0).Add(days)); ahead < -2*time.Second || ahead > time.Hour {
		t.Errorf("the clock is %v off", ahead)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	began := time.Now()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	modified := func() (all []time.Time) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		folder, err := jsonl.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		byEntry, err := folder.Stat(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, stat := range []func() (os.FileInfo, error){func() (os.FileInfo, error) { return os.Lstat(name) }, f.Stat, func() (os.FileInfo, error) { return root.Stat("a") }} {
			info, err := stat()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, info.ModTime())
		}
		return append(all, byEntry.ModTime)
	}
	for i, at := range modified() {
		if at.Before(began.Add(-2*time.Second)) || at.After(time.Now().Add(2*time.Second)) {
			t.Errorf("way %d: the file was written at %v, by a process that began at %v", i, at, began)
		}
	}
	if err := os.Chtimes(name, time.Time{}, began.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	for i, at := range modified() {
		if !at.Equal(began.Add(-time.Hour).Round(0)) {
			t.Errorf("way %d: %v was set, and is %v", i, began.Add(-time.Hour), at)
		}
	}
}
