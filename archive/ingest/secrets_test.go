package ingest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/trace"
)

// No secret that a prompt or a path names is in the archive's files: neither in the database nor in its WAL.
func TestNoSecrets(t *testing.T) {
	w := newWorld(t)
	secret := "ghp_" + "x7Rk2Lm9Qw4Tz8Vb3Np6" + "Yc5Hd1Jf0Sg2Ua7E"
	w.write("a.notes", `{"say":"use `+secret+`","at":"2026-11-01T10:00:00Z"}`, `{"say":`+secret)
	a, err := archive.Open(context.Background(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	o := ingest.Options{Archive: a, Readers: []trace.Reader{w.reader}, Places: trace.Places{Home: w.home, Getenv: os.Getenv}}
	r, err := ingest.Run(context.Background(), o)
	if err != nil || r.Sources[0].New != 1 || r.Sources[0].DamagedAll != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	size := 0
	for _, name := range []string{archive.Name, archive.Name + "-wal"} {
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("it is in %s", name)
		}
	}
	for _, text := range w.stored(w.dir) {
		if strings.Contains(text, secret) || !strings.Contains(text, "[redacted:") {
			t.Error(text)
		}
	}
	if size == 0 {
		t.Error("there is no archive")
	}
}
