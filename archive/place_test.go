package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/sqlite"
)

// Somebody else's database is neither read as an archive nor written to.
func TestForeign(t *testing.T) {
	ctx := context.Background()
	for name, script := range map[string]string{
		"without a number":        "CREATE TABLE notes (a)",
		"with tables of our name": "CREATE TABLE traces (a); CREATE TABLE sessions (a)",
		"with a number like ours": fmt.Sprintf("CREATE TABLE notes (a); PRAGMA user_version = %d", schema),
		"with an older number":    "CREATE TABLE notes (a); PRAGMA user_version = 1",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, Name)
		conn, err := sqlite.Open(path, sqlite.Create)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(conn.Exec(script), conn.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(context.Context, string) (*Archive, error){Open, View} {
			_, err := open(ctx, dir)
			if foreign := new(Foreign); !errors.As(err, &foreign) || !strings.Contains(err.Error(), path+": a SQLite database, but not") ||
				!strings.Contains(foreign.Hint(), "ABURN_HOME") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
}

// What is in the archive's way is named, with what can be done about it.
func TestInTheWay(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.MkdirAll(filepath.Join(dir, "folder", Name), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{file, filepath.Join(dir, "folder")} {
		for _, open := range []func(context.Context, string) (*Archive, error){Open, View} {
			_, err := open(ctx, place)
			if no := new(NoPlace); !errors.As(err, &no) || !strings.Contains(err.Error(), place) || !strings.Contains(no.Hint(), "move away what is there") {
				t.Errorf("%s: %v", place, err)
			}
		}
	}
	for cause, want := range map[error]string{syscall.ENOSPC: "make room", syscall.EROFS: "has to be writable", fs.ErrPermission: "has to be writable"} {
		no := &NoPlace{&fs.PathError{Op: "mkdir", Path: "/x", Err: cause}}
		if got := no.Hint(); !strings.Contains(got, want) {
			t.Errorf("%v: %s", cause, got)
		}
	}
}

func TestLookupOfOneSource(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "5b0c2f91-aaaa-1111", 1, "ask"), story(t, "codex", "5b0c2f91-bbbb-2222", 2, "ask"))
	for name, want := range map[string]string{
		"5b0c2f91": "codex/5b0c2f91-bbbb-2222 claude/5b0c2f91-aaaa-1111", "claude/5b0c2f91": "claude/5b0c2f91-aaaa-1111", "codex/2222": "codex/5b0c2f91-bbbb-2222",
		"codex/1111": "", "claude/5b0": "", "gemini/5b0c2f91": "",
	} {
		if list, err := a.Lookup(context.Background(), name); err != nil || ids(list) != want {
			t.Errorf("%q: %s, %v; want %s", name, ids(list), err, want)
		}
	}
}
