package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	lab "aburn/internal/lab/world"
)

func TestMark(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/b/.oss/\nhome/link->@/home/a")
	w.setenv()
	if got := w.found("home/a"); got != "home/a" {
		t.Fatalf("marked by nobody: %s", got)
	}
	if err := Mark(w.path(w.link("home/link", "home/a"))); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/a"); got != "home/a marked" {
		t.Errorf("marked through a link: %s", got)
	}
	if got := w.found("home/b"); got != "home/b" {
		t.Errorf("the neighbour: %s", got)
	}
	p, err := Find(w.path("home/a"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	key, err := p.Key()
	if err != nil || len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Fatalf("Key() = %x, %v", key, err)
	}
	if err := Mark(w.path("home/a")); err != nil {
		t.Fatal(err)
	}
	if again, err := p.Key(); err != nil || !bytes.Equal(again, key) {
		t.Errorf("marking again changed the key")
	}
	private(t, w.path("state/aburn"))
	if err := Unmark(w.path("home/a")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Key(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Key() after Unmark: %v", err)
	}
	if got := w.found("home/a"); got != "home/a" {
		t.Errorf("after Unmark: %s", got)
	}
	if err := Unmark(w.path("home/a")); err != nil {
		t.Errorf("twice: %v", err)
	}
	if err := Unmark(w.path("home/gone")); err != nil {
		t.Errorf("of a folder that is gone: %v", err)
	}
}

// private checks that nobody else can read what is in dir, and that no temporary file was left.
func private(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if lab.HasModes() && st.Mode()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
		if !d.IsDir() {
			files++
		}
		if strings.HasPrefix(d.Name(), ".") {
			t.Errorf("%s was left", path)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files under %s, %v", files, dir, err)
	}
}

func TestBrokenMarks(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nelse/where=01234567890123456789012345678901")
	w.setenv()
	path := markPath(w.path("home/a"), w.env)
	for name, put := range map[string]func() error{
		"empty":           func() error { return os.WriteFile(path, nil, 0o600) },
		"short":           func() error { return os.WriteFile(path, make([]byte, 31), 0o600) },
		"readable by all": func() error { return os.WriteFile(path, make([]byte, 32), 0o644) },
		"a link":          func() error { return lab.Symlink(w.path("else/where"), path) },
	} {
		if name == "readable by all" && !lab.HasModes() {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		if err := put(); err != nil {
			if name == "a link" && runtime.GOOS == "windows" {
				continue
			}
			t.Fatal(err)
		}
		if got := w.found("home/a"); got != "home/a" {
			t.Errorf("%s: %s", name, got)
		}
		if err := Mark(w.path("home/a")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.found("home/a"); got != "home/a marked" {
			t.Errorf("%s, then marked: %s", name, got)
		}
		private(t, w.path("state"))
	}
}

func TestMarkAtOnce(t *testing.T) {
	w := newWorld(t, "home/a/.oss/")
	w.setenv()
	p, err := Find(w.path("home/a"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	keys := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			if err := Mark(p.Root); err != nil {
				t.Error(err)
			}
			keys[i], _ = p.Key()
		})
	}
	wg.Wait()
	for _, k := range keys {
		if !bytes.Equal(k, keys[0]) {
			t.Fatal("two keys were handed out")
		}
	}
}

// native is a path of Unix as this system has it.
func native(path string) string {
	if runtime.GOOS == "windows" && strings.HasPrefix(path, "/") {
		path = "C:" + path
	}
	return filepath.FromSlash(path)
}

func TestStateAndConfigDir(t *testing.T) {
	for _, c := range []struct{ xdg, home, state, config string }{
		{"", "/h", "/h/.local/state/aburn", "/h/.config/aburn"},
		{"/x", "/h", "/x/aburn", "/x/aburn"},
		{"x", "/h", "/h/.local/state/aburn", "/h/.config/aburn"}, // the XDG rules: a relative path is ignored
		{"", "", "", ""},
		{"", "h", "", ""},
	} {
		env := func(name string) string {
			if name == "HOME" {
				return native(c.home)
			}
			return native(c.xdg)
		}
		if s, cf := StateDir(env), ConfigDir(env); s != native(c.state) || cf != native(c.config) {
			t.Errorf("%+v: %s, %s", c, s, cf)
		}
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	if err := Mark(t.TempDir()); !errors.Is(err, errNoState) {
		t.Errorf("nowhere to put the mark: %v", err)
	}
}

// What was marked can be listed; what is not marked any more, or was put there by nobody's mark, cannot.
func TestMarked(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/b/.oss/\nhome/c/.oss/\nhome/link->@/home/b")
	w.setenv()
	for _, root := range []string{"home/c", w.link("home/link", "home/b"), "home/a", "home/a"} {
		if err := Mark(w.path(root)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Unmark(w.path("home/c")); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		var names []string
		for _, root := range Marked(w.env) {
			names = append(names, filepath.Base(root))
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	if got := list(); got != "a b" {
		t.Errorf("marked are %q", got)
	}
	private(t, w.path("state/aburn"))
	// A note that names another project than its mark's counts for nothing.
	p, err := Find(w.path("home/a"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(markPath(p.Root, w.env)+rootSuffix, []byte(w.path("home/c")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != "b" {
		t.Errorf("with a false note marked are %q", got)
	}
	// Marking again mends it, also where the mark is older than the notes.
	if err := Mark(w.path("home/a")); err != nil || list() != "a b" {
		t.Errorf("marked again are %q, %v", list(), err)
	}
}

// A mark in a state folder that lies in the project counts only with a seal, which belongs to that one file.
func TestMarkInTheProject(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/a/st/\nhome/git/.git/HEAD=x\nhome/git/sub/.oss/\nhome/link->@/home/a/st")
	for root, states := range map[string][]string{
		"home/a":       {"home/a/st", "home/link", "home/b/../a/st", "home/a/not/yet"},
		"home/git/sub": {"home/git/st"}, // another folder of the same checkout
	} {
		for _, state := range states {
			if w.noLinks && strings.Contains(state, "link") {
				continue
			}
			w.vars["XDG_STATE_HOME"] = w.root + "/" + state
			w.setenv()
			held := (*HeldState)(nil)
			if err := Mark(w.path(root)); !errors.As(err, &held) {
				t.Errorf("%s: marked with a state folder in %s: %v", root, state, err)
			}
		}
	}
	// HOME says nothing: a variable can set it to a folder of the repository.
	w.vars = map[string]string{"HOME": w.path("home"), "XDG_STATE_HOME": w.path("home/git/h/.local/state")}
	w.setenv()
	path, root, err := markOf(w.path("home/git/sub"))
	if err != nil {
		t.Fatal(err)
	}
	if err := newMark(path); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{"home/git/h", "home/git", "home"} {
		w.vars = map[string]string{"HOME": w.path(home), "XDG_STATE_HOME": w.path("home/git/h/.local/state")}
		if got := w.found("home/git/sub"); got != "home/git/sub" {
			t.Errorf("with HOME=%s: %s", home, got)
		}
	}
	if st, err := os.Lstat(path); err != nil || sealText(st) == "" {
		t.Skip("this system has no seal: a mark counts only outside of checkouts")
	}
	// In a home directory that is a checkout of dot files, every project has its state folder around it.
	w.vars = map[string]string{"HOME": w.path("home/git"), "XDG_STATE_HOME": ""}
	w.setenv()
	if err := Mark(root); err != nil {
		t.Errorf("below a home of dot files: %v", err)
	}
	if got := w.found("home/git/sub"); got != "home/git/sub marked" {
		t.Errorf("below a home of dot files: %s", got)
	}
	w.vars["XDG_STATE_HOME"] = w.path("home/a/st")
	w.setenv()
	if err := MarkHolding(w.path("home/a")); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/a"); got != "home/a marked" {
		t.Errorf("marked on purpose: %s", got)
	}
	path = markPath(w.path("home/a"), w.env)
	key, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/a"); got != "home/a" {
		t.Errorf("a copy with the seal of another file: %s", got)
	}
}
