package archive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// older makes an archive of the schema before this one's: two sessions, one that cannot be read, and, where a process was
// killed, one more that stands in the log alone.
func older(t *testing.T, log bool) (dir string) {
	t.Helper()
	ctx, made := context.Background(), t.TempDir()
	dir = t.TempDir()
	a, err := Open(ctx, made)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.store(t, story(t, "claude", "a", 1, "ask call done spawn:b"), subagent(story(t, "claude", "b", 2, "ask"), "a", "agent"), story(t, "claude", "x", 3, "ask"))
	if err := a.script(fmt.Sprintf("UPDATE traces SET body = x'00' WHERE key = 3; PRAGMA user_version = %d", schema-1)); err != nil {
		t.Fatal(err)
	}
	if err := a.run("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if log {
		a.store(t, story(t, "codex", "c", 4, "ask"))
	}
	for name, data := range files(t, made) {
		if name != Name+"-shm" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data[len("-rw-------"):]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// holds checks that the archive in dir is this executable's and has these sessions, and one that cannot be read.
func holds(t *testing.T, dir, want string) {
	t.Helper()
	ctx := context.Background()
	a, err := View(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	list, err := a.Sessions(ctx, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.ID)
		if tr, err := a.Trace(ctx, s.Key); err != nil || tr.ID != s.ID {
			t.Errorf("%s: %v", s.ID, err)
		}
		if !s.Gone {
			t.Errorf("%s is of a store that nobody has read", s.ID)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("it has %q, want %q", got, want)
	}
	if faults, err := a.Check(ctx); err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "1 traces that could not be read") {
		t.Errorf("%q, %v", faults, err)
	}
	for _, name := range []string{buildingDir, builtDir, Name + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() > 0 {
			t.Errorf("%s is left", name)
		}
	}
}

// An older archive is renewed with all that it has, its log included. Its files stay as they were, under another name.
func TestRenew(t *testing.T) {
	world.Unshared(t)
	for _, log := range []bool{false, true} {
		ctx, dir, want, sessions := context.Background(), older(t, log), "b a", 2
		if log {
			want, sessions = "c b a", 3
		}
		before, steps := files(t, dir), 0
		r, err := Renew(ctx, dir, func(done, total int) {
			if steps++; done != steps || total != sessions+1 {
				t.Errorf("%d of %d", done, total)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		kept := fmt.Sprintf("archive-schema-%d.db", schema-1)
		if w := (Renewed{schema - 1, sessions, 1, filepath.Join(dir, kept)}); *r != w || steps != sessions+1 {
			t.Errorf("%+v, want %+v, %d steps", *r, w, steps)
		}
		holds(t, dir, want)
		after := files(t, dir)
		for name, data := range before {
			if after[kept+strings.TrimPrefix(name, Name)] != data {
				t.Errorf("%s is not kept as it was", name)
			}
		}
		if r, err := Renew(ctx, dir, nil); r != nil || err != nil {
			t.Errorf("renewed twice: %+v, %v", r, err)
		}
	}
}

// Wherever a process is killed, the next one goes on, and nothing is lost.
func TestRenewKilled(t *testing.T) {
	world.Unshared(t)
	ctx := context.Background()
	for name, spoil := range map[string]func(dir string) error{
		"while it builds": func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, buildingDir, Name), 0o700)
		},
		"when it is built": func(dir string) error { return build(ctx, dir, nil) },
		"when the log has gone": func(dir string) error {
			if err := build(ctx, dir, nil); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, Name+"-wal"), filepath.Join(dir, "archive-schema-9.db-wal"))
		},
		"when the older file has its name": func(dir string) error {
			if err := build(ctx, dir, nil); err != nil {
				return err
			}
			_, err := setAside(filepath.Join(dir, Name), schema-1)
			return err
		},
		"when only the older file has gone": func(dir string) error {
			if err := build(ctx, dir, nil); err != nil {
				return err
			}
			if _, err := setAside(filepath.Join(dir, Name), schema-1); err != nil {
				return err
			}
			return os.Remove(filepath.Join(dir, Name))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := older(t, true)
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Renew(ctx, dir, nil); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "c b a")
		})
	}
}

// Whoever stops it, or cannot write, leaves the older archive as it is.
func TestRenewStopped(t *testing.T) {
	dir := older(t, true)
	before := files(t, dir)
	ctx, stop := context.WithCancel(context.Background())
	if _, err := Renew(ctx, dir, func(int, int) { stop() }); err == nil {
		t.Error("it was not stopped")
	}
	after := files(t, dir)
	delete(after, Name+"-shm")
	for name, data := range before {
		if after[name] != data || len(after) != len(before) {
			t.Errorf("%s is not as it was; there are %d files", name, len(after))
		}
	}
}

// Nothing else is renewed: neither what a newer aburn wrote, nor another program's database, nor nothing.
func TestRenewNothing(t *testing.T) {
	ctx := context.Background()
	empty := t.TempDir()
	newer := t.TempDir()
	a, err := Open(ctx, newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.script(fmt.Sprintf("PRAGMA user_version = %d", schema+1)); err != nil {
		t.Fatal(err)
	}
	a.Close()
	for _, dir := range []string{empty, newer, "", filepath.Join(empty, "none")} {
		if r, err := Renew(ctx, dir, nil); r != nil || err != nil {
			t.Errorf("%s: %+v, %v", dir, r, err)
		}
	}
	if _, err := Open(ctx, newer); err == nil {
		t.Error("a newer archive was opened")
	}
}
