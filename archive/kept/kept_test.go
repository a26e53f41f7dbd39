package kept

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/contents"
	"aburn/trace/opencode"
)

// database is the recorded database of opencode.
func database(t *testing.T) string {
	packed, err := os.Open("../../trace/opencode/testdata/opencode.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err = errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// proved is how many of a trace's texts a copy holds, and of how many, when the sources are gone.
func proved(t *testing.T, dir string, tr *trace.SessionTrace) (n, of int) {
	t.Helper()
	e := Of(dir, tr.Source, tr.ID)
	if e == nil {
		t.Fatalf("%s is not kept", tr.ID)
	}
	var wants []contents.Want
	for i := range tr.Events {
		if w, ok := contents.Of(tr, &tr.Events[i]); ok {
			wants = append(wants, w)
		}
	}
	from := contents.From{Sources: tr.Sources, Kept: func(ctx context.Context, file int, refs []trace.Ref, each func(int, []byte, error)) error {
		return e.Records(ctx, dir, tr.Sources[file].Path, refs, each)
	}}
	got, err := contents.Read(t.Context(), from, wants)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if c.State == contents.Proved {
			n++
		}
	}
	return n, len(wants)
}

// A copy of a file, and of a database's rows, holds every text after the source is gone; it is listed, replaced and removed.
func TestKept(t *testing.T) {
	world.Slow(t)
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	runs := t.TempDir()
	if err := os.CopyFS(runs, os.DirFS("../../trace/claude/testdata/runs")); err != nil {
		t.Fatal(err)
	}
	db := database(t)
	dir := t.TempDir()
	var all []*trace.SessionTrace
	for _, s := range []struct {
		reader trace.Reader
		path   string
		rows   contents.Rows
	}{{claude.New(), runs, nil}, {opencode.New(), db, opencode.Records}} {
		for i, tr := range tracetest.Read(t, s.reader, s.path).Ordered() {
			e, err := Keep(t.Context(), dir, tr, "", s.rows, now.Add(time.Duration(i)*time.Minute))
			if err != nil {
				t.Fatalf("%s: %v", tr.ID, err)
			}
			if copied, stored := e.Size(); copied <= 0 || stored <= 0 || len(e.Files) == 0 {
				t.Errorf("%s: %+v", tr.ID, e)
			}
			if _, err := Keep(t.Context(), dir, tr, "", s.rows, now.Add(time.Duration(i)*time.Minute)); err != nil {
				t.Errorf("again: %v", err)
			}
			all = append(all, tr)
		}
	}
	os.RemoveAll(runs)
	os.Remove(db)
	texts := 0
	for _, tr := range all {
		n, of := proved(t, dir, tr)
		if n != of {
			t.Errorf("%s/%s: %d of %d texts", tr.Source, tr.ID, n, of)
		}
		texts += of
	}
	if texts < 300 {
		t.Errorf("only %d texts", texts)
	}
	list, err := List(dir)
	if err != nil || len(list) != len(all) {
		t.Errorf("%d of %d are listed, %v", len(list), len(all), err)
	}
	if _, err := Keep(t.Context(), dir, all[0], "", nil, now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a session whose file is gone: %v", err)
	}
	if n, of := proved(t, dir, all[0]); n != of {
		t.Errorf("what failed took %d of %d texts away", of-n, of)
	}
	filepath.WalkDir(filepath.Join(dir, Folder), func(path string, d fs.DirEntry, err error) error {
		if info, bad := d.Info(); err != nil || bad != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
		return nil
	})
	for _, tr := range all {
		if err := Remove(dir, tr.Source, tr.ID); err != nil {
			t.Error(err)
		}
	}
	if err := Remove(dir, all[0].Source, all[0].ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, Folder)); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// What lies in the folder and is no copy is passed over, and nothing leads out of it.
func TestForeignFolders(t *testing.T) {
	dir := t.TempDir()
	if list, err := List(dir); list != nil || err != nil {
		t.Errorf("without a folder: %v, %v", list, err)
	}
	for name, text := range map[string]string{
		"empty": "", folderOf("claude", "other"): `{"v":1,"source":"claude","id":"one"}`, folderOf("claude", "new"): `{"v":99,"source":"claude","id":"new"}`,
		"new-0123":                 "",
		folderOf("claude", "evil"): `{"v":1,"source":"claude","id":"evil","files":[{"path":"/p","name":"../../outside"}]}`,
	} {
		if err := os.MkdirAll(filepath.Join(dir, Folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, Folder, name, list), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := List(dir)
	if err != nil || len(got) != 1 || got[0].ID != "evil" {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "outside"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := got[0].Records(t.Context(), dir, "/p", []trace.Ref{{}}, func(int, []byte, error) { t.Error("it reads outside") }); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
