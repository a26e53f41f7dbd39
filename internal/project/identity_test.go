package project

import (
	"os"
	"testing"
)

// TestAnotherOss: trust is of one .oss, not of its path.
func TestAnotherOss(t *testing.T) {
	for name, replace := range map[string]func(oss string) error{
		"removed and made again": func(oss string) error {
			return anyError(os.RemoveAll(oss), os.Mkdir(oss, 0o700))
		},
		"the file with the random name is gone": func(oss string) error {
			names, err := os.ReadDir(oss)
			if err != nil {
				return err
			}
			for _, n := range names {
				if err := os.Remove(in(oss, n.Name())); err != nil {
					return err
				}
			}
			return nil
		},
		"a copy": func(oss string) error {
			return anyError(os.Rename(oss, oss+".first"), os.CopyFS(oss, os.DirFS(oss+".first")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "home/a/.oss/")
			w.setenv()
			root := w.path("home/a")
			if err := Mark(root); err != nil {
				t.Fatal(err)
			}
			first, err := At(root, w.env)
			if err != nil || !first.Marked || first.Replaced {
				t.Fatalf("%+v, %v", first, err)
			}
			key, err := first.Key()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(first.Anchor(), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := replace(w.path("home/a/.oss")); err != nil {
				t.Fatal(err)
			}
			p, err := At(root, w.env)
			if err != nil || p.Marked || !p.Replaced || p.Anchor() != "" {
				t.Fatalf("%+v, %v", p, err)
			}
			if _, err := p.Key(); err == nil {
				t.Error("it has a key")
			}
			if got := Marked(w.env); len(got) > 0 {
				t.Errorf("marked: %v", got)
			}
			if err := Mark(root); err != nil {
				t.Fatal(err)
			}
			again, err := At(root, w.env)
			if err != nil || !again.Marked || again.Replaced {
				t.Fatalf("%+v, %v", again, err)
			}
			if now, err := again.Key(); err != nil || string(now) == string(key) {
				t.Errorf("the key of the first .oss signs for the second: %v", err)
			}
			if _, err := os.Stat(again.Anchor()); err == nil {
				t.Error("the anchor is of the first one's log")
			}
		})
	}
}

// TestGoneProject: a project that was removed is listed, because its sessions are the user's. What comes to its place is not trusted.
func TestGoneProject(t *testing.T) {
	w := newWorld(t, "home/a/.oss/")
	w.setenv()
	root := w.path("home/a")
	if err := Mark(root); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if got := Marked(w.env); len(got) != 1 || got[0] != root {
		t.Errorf("gone: %v", got)
	}
	if err := os.MkdirAll(in(root, OssDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Marked(w.env); len(got) > 0 {
		t.Errorf("replaced: %v", got)
	}
	if p, err := At(root, w.env); err != nil || p.Marked || !p.Replaced {
		t.Errorf("%+v, %v", p, err)
	}
	if err := Mark(w.path("home/never")); err != nil { // its sessions are known, its folder is gone
		t.Fatal(err)
	}
	if got := Marked(w.env); len(got) != 1 {
		t.Errorf("a project without a folder: %v", got)
	}
}

func anyError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
