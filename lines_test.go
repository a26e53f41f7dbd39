package aburn_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// lineWidth is how many characters a line of Go or of a template may have, a tab counted as one. It holds for tests too,
// but not for test data and generated files.
const lineWidth = 160

// longLines says how many longer lines each room has yet. A number may only fall: lower it with what you mend. A room that
// isn't named has none.
var longLines = map[string]int{
	"cmd": 31, "instrument": 76, "internal": 9, "supervisor": 53, "trace": 10, "web": 36, "worker": 5,
}

func TestLineWidth(t *testing.T) {
	found, examples := map[string]int{}, map[string]string{}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".html"):
			return nil
		}
		source := text(t, path)
		if strings.Contains(source[:min(len(source), 300)], "Code generated") {
			return nil
		}
		files++
		room := "."
		if first, _, ok := strings.Cut(path, "/"); ok {
			room = first
		}
		for i, line := range strings.Split(source, "\n") {
			if n := utf8.RuneCountInString(line); n > lineWidth {
				found[room]++
				examples[room] = fmt.Sprintf("%s:%d has %d", path, i+1, n)
			}
		}
		return nil
	})
	if err != nil || files < 1000 {
		t.Fatalf("%d files: %v", files, err)
	}
	for room, n := range found {
		if n > longLines[room] {
			t.Errorf("%s has %d lines of more than %d characters, %d are allowed; one is %s", room, n, lineWidth, longLines[room], examples[room])
		}
	}
	for room, n := range longLines {
		if found[room] < n {
			t.Logf("%s has %d long lines: lower its number from %d", room, found[room], n)
		}
	}
}

// largestFile is how many bytes a file in the repository may have. A larger one was built, and its clone costs everybody.
const largestFile = 1 << 20

func TestNothingBuiltIsTracked(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no clone: ", err)
	}
	files := strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
	if len(files) < 1000 {
		t.Fatalf("git lists %d files", len(files))
	}
	for _, path := range files {
		if info, err := os.Lstat(path); err == nil && info.Size() > largestFile {
			t.Errorf("%s has %d bytes, at most %d are allowed", path, info.Size(), largestFile)
		}
	}
}
