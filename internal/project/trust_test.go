package project

import (
	"errors"
	"os"
	"strings"
	"testing"

	lab "aburn/internal/lab/world"
)

func TestTrustsOnlyOwnDirectories(t *testing.T) {
	lab.Modes(t)
	for _, c := range []struct {
		mode     os.FileMode
		uid, gid int
		want     string
	}{
		{0o755, -1, -1, "home/a"},
		{0o700, -1, -1, "home/a"},
		{0o777, -1, -1, "refused: is writable by others"},
		{0o1777, -1, -1, "refused: is writable by others"},
		{0o775, -1, 12345, "refused: is writable by others"},
		{0o775, -1, os.Geteuid(), "home/a"}, // the user's private group
		{0o755, 12345, -1, "refused: belongs to another user"},
		{0o000, -1, -1, "home/a"},
	} {
		w := newWorld(t, "home/a/.oss/")
		oss := w.path("home/a/.oss")
		if c.uid >= 0 || c.gid >= 0 {
			if os.Geteuid() != 0 {
				continue // only root can give files away
			}
			if err := os.Chown(oss, c.uid, c.gid); err != nil {
				t.Fatal(err)
			}
		}
		mode := c.mode & os.ModePerm
		if c.mode&0o1000 != 0 {
			mode |= os.ModeSticky
		}
		if err := os.Chmod(oss, mode); err != nil {
			t.Fatal(err)
		}
		if got := w.found("home/a"); got != c.want {
			t.Errorf("mode %o uid %d gid %d: %s, want %s", c.mode, c.uid, c.gid, got, c.want)
		}
	}
}

func TestOpenOssChecksWhatItOpened(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/a/.oss/in=x\nother/secret=y\nlink->@/other")
	p, err := Find(w.path("home/a"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	root, err := p.OpenOss()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.Stat("in"); err != nil {
		t.Error(err)
	}
	root.Close() // Windows removes no open folder
	oss := w.path("home/a/.oss")
	for name, change := range map[string]func() error{
		"a link":         func() error { return os.Symlink(w.path("other"), oss) },
		"a file":         func() error { return os.WriteFile(oss, nil, 0o644) },
		"world-writable": func() error { return errors.Join(os.Mkdir(oss, 0o777), os.Chmod(oss, 0o777)) },
		"nothing":        func() error { return nil },
	} {
		if name == "a link" && w.noLinks || name == "world-writable" && !lab.HasModes() {
			continue
		}
		if err := os.RemoveAll(oss); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if root, err := p.OpenOss(); err == nil {
			root.Close()
			t.Errorf("%s was opened", name)
		}
	}
}

func TestRefusedSaysPathAndReason(t *testing.T) {
	lab.Links(t)
	w := newWorld(t, "home/a/.oss->@/home")
	_, err := Find(w.path("home/a"), w.env)
	want := w.path("home/a/.oss") + " is a symbolic link: not used"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
