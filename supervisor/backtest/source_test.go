package backtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/workflow"
)

func options() Options {
	model := workflow.Default()
	return Options{Model: &model}
}

func TestReplaysAFile(t *testing.T) {
	log, _ := drawn.Log("@A t*3 # t*2")
	text := string(log)
	text = strings.Replace(text, "\n", "\n\x00\x00\n"+strings.Repeat("x", 400<<10)+"\n\n# a remark\n", 1) + `{"ts":"2026-11-21T10:00:00.000Z","cmd":"bui`
	file := filepath.Join(t.TempDir(), "some.log")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	var told int64
	res, err := src.Replay(options(), func(n int64) { told += n })
	if err != nil {
		t.Fatal(err)
	}
	if res.Entries != 5 || res.Damage != 3 || res.Log != filepath.ToSlash(file) || src.Bytes != int64(len(text)) {
		t.Errorf("%d entries, %d damaged lines, %s of %d bytes", res.Entries, res.Damage, res.Log, src.Bytes)
	}
	if told < 64<<10 || told > src.Bytes {
		t.Errorf("told of %d bytes", told)
	}
}

// A log that was rotated says the same as the one that was not, and a segment alone folds what it carries without taking it
// for news.
func TestReplaysAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".oss")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	log := journal.New(root, journal.Options{By: journal.Command, Now: drawnNow})
	journaltest.Check(t, dir)
	lines, _ := drawn.Lines("@A build> build:RED> t*3 build:RED. t t")
	for i, l := range lines {
		if i == 5 {
			if err := log.Rotate(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := log.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{l.Entry} }); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path     string
		carried  int
		sessions int
	}{{dir, 0, 1}, {filepath.Dir(dir), 0, 1}, {filepath.Join(dir, journal.Name), 2, 1}} {
		src, err := Open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		r, d := New(options()), &double{}
		r.fold = d
		p := progressMeter{}
		if src.oss != "" {
			_, err = src.folder(r, &p)
		} else {
			_, err = src.lines(r, &p)
		}
		res := r.Finish()
		if err != nil || d.carried != c.carried || res.Sessions != c.sessions || !slices.Contains(d.applied, 8) {
			t.Errorf("%s: %v, %d carried, %d sessions, applied %v", c.path, err, d.carried, res.Sessions, d.applied)
		}
	}
}

// drawnNow is the clock of drawn logs.
func drawnNow() time.Time { return drawn.Epoch.Add(time.Hour) }

func TestOpenMistakes(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "has no workflow.log",
		os.DevNull:                 "neither a file nor a folder",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
