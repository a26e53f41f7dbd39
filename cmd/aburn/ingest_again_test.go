package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/fault"
	"aburn/internal/lab/world"
)

// Somebody who did not wait makes a running ingest look once more. That is not what it was asked for, and not told.
func TestIngestAgainIsNotTold(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	x := newExported(t)
	wish := filepath.Join(x.home, ".local", "share", "aburn", "ingest.again")
	db := filepath.Join(x.home, ".local", "share", "aburn", "archive.db")
	before, err := os.Stat(db)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // from before the run until it has begun to write: every look finds one until then
		defer close(done)
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if now, err := os.Stat(db); err != nil || !os.SameFile(before, now) || now.ModTime() != before.ModTime() {
				return
			}
			if err := os.WriteFile(wish, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}()
	out, errs, code := x.run("ingest", "--json", "--rebuild")
	<-done
	if code != fault.ExitOK || !json.Valid([]byte(out)) {
		t.Errorf("exit %d, printed %s%s", code, out, errs)
	}
}

// A home that is taken away while a detached ingest waits is not made anew.
func TestIngestMakesNoHome(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	x := newExported(t)
	lock := filepath.Join(x.home, ".local", "share", "aburn", "ingest.lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(lock); err == nil {
				break // it waits with the lock, or is about to
			}
		}
		time.Sleep(50 * time.Millisecond)
		gone <- os.RemoveAll(x.home)
	}()
	_, errs, code := x.run("ingest", "--if-idle", "--quiet", "--settle", "10s")
	if err := <-gone; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(x.home); err == nil || code != fault.ExitUsage || !strings.Contains(errs, "the archive's folder is gone") {
		t.Errorf("exit %d, home: %v\n%s", code, err, errs)
	}
}
