package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Somebody who did not wait makes a running ingest look once more. That is not what it was asked for, and not told.
func TestIngestAgainIsNotTold(t *testing.T) {
	x := newExported(t)
	wish := filepath.Join(x.home, ".local", "share", "aburn", "ingest.again")
	done := make(chan struct{})
	go func() { // from before the run until some milliseconds into it: every look finds one until then
		defer close(done)
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if err := os.WriteFile(wish, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}()
	out, errs, code := x.run("ingest", "--json", "--rebuild")
	<-done
	if code != exitOK || !json.Valid([]byte(out)) {
		t.Errorf("exit %d, printed %s%s", code, out, errs)
	}
}
