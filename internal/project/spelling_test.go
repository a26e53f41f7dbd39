package project

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// drawnDisk is a file system of folders and their names. Its files are the same if their paths are, by alike.
type drawnDisk struct {
	folders map[string][]string // a folder that nobody may list has none
	alike   func(a, b string) bool
}

func (d drawnDisk) names(dir string) ([]string, error) {
	for name, names := range d.folders {
		if d.alike(filepath.ToSlash(dir), name) {
			return names, nil
		}
	}
	return nil, errors.New("not permitted")
}

func (d drawnDisk) same(a, b string) bool { return d.alike(filepath.ToSlash(a), filepath.ToSlash(b)) }

func TestSpelled(t *testing.T) {
	folders := map[string][]string{
		"/":               {"Users", "tmp"},
		"/Users":          {"Shared", "Jane"},
		"/Users/Jane":     {"Proj", "proj2", "Caf\u00e9"},
		"/Users/Jane/two": {"Same", "same"},
	}
	apple := drawnDisk{folders, func(a, b string) bool {
		return strings.EqualFold(strings.ReplaceAll(a, "e\u0301", "\u00e9"), strings.ReplaceAll(b, "e\u0301", "\u00e9"))
	}}
	strict := drawnDisk{folders, func(a, b string) bool { return a == b }}
	for _, c := range []struct {
		disk       drawnDisk
		path, want string
	}{
		{apple, "/users/JANE/proj", "/Users/Jane/Proj"},
		{apple, "/Users/Jane/Proj", "/Users/Jane/Proj"},
		{apple, "/Users/Jane/PROJ2", "/Users/Jane/proj2"},
		{apple, "/Users/Jane/cafe\u0301", "/Users/Jane/Caf\u00e9"},
		{apple, "/Users/Jane/Cafe", "/Users/Jane/Cafe"},         // another name
		{apple, "/users/jane/Proj/Sub", "/Users/Jane/Proj/Sub"}, // nobody may list Proj
		{apple, "/Users/Jane/two/same", "/Users/Jane/two/same"}, // what is there as it is written stays
		{apple, "/", "/"},
		{strict, "/Users/Jane/proj", "/Users/Jane/proj"}, // two folders
	} {
		if got := filepath.ToSlash(spelled(filepath.FromSlash(path.Clean(c.path)), c.disk)); got != c.want {
			t.Errorf("spelled(%s) = %s, want %s", c.path, got, c.want)
		}
	}
}

// On a file system that takes Proj and proj for one folder, they are one project with one mark. The test runs where the
// folder for temporary files is on one: on macOS and Windows, and on Linux with TMPDIR on such a mount.
func TestOneProjectOfManySpellings(t *testing.T) {
	w := newWorld(t, "home/Proj/.oss/\nhome/Proj/Sub/f=1")
	if _, err := os.Stat(w.path("HOME/pROJ")); err != nil {
		t.Skip("this file system tells upper from lower case")
	}
	if runtime.GOOS == "linux" {
		anySpelling = true
		defer func() { anySpelling = false }()
	}
	w.setenv()
	if err := Mark(w.path("home/Proj")); err != nil {
		t.Fatal(err)
	}
	first, err := Find(w.path("home/Proj"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	var roots []string
	for _, home := range []string{"home", "Home"} {
		w.vars["HOME"] = w.path(home)
		for _, start := range []string{"home/Proj/Sub", "home/proj", "HOME/PROJ/sub", "home/Proj/sub/gone"} {
			p, err := Find(w.path(start), w.env)
			if err != nil || p.Root != first.Root || !p.Marked {
				t.Errorf("HOME %s: Find(%s) = %+v, %v; want %s, marked", home, start, p, err, first.Root)
				continue
			}
			roots = append(roots, p.Root)
			if got := p.Rel(w.path("HOME/PROJ/sub/f")); !strings.EqualFold(got, "Sub/f") {
				t.Errorf("HOME %s: Rel = %s", home, got)
			}
		}
	}
	if len(slices.Compact(roots)) != 1 {
		t.Errorf("roots %s", roots)
	}
	if err := Unmark(w.path("home/PROJ")); err != nil {
		t.Fatal(err)
	}
	if p, err := Find(w.path("home/Proj"), w.env); err != nil || p.Marked {
		t.Errorf("unmarked by another spelling: %+v, %v", p, err)
	}
}
