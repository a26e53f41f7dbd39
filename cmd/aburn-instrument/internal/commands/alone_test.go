package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/project"
)

// TestOneRunAtATime: a second run would switch the branch under the first one. One that writes nothing may go on beside it,
// and one in another checkout.
func TestOneRunAtATime(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", filepath.Join(os.Getenv("HOME"), "state"))
	t.Setenv("LOCALAPPDATA", os.Getenv("HOME"))
	dir := t.TempDir()
	for _, folder := range []string{project.OssDir, ".git", "pkg", "other/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := project.Mark(dir); err != nil {
		t.Fatal(err)
	}
	p, err := project.Find(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(number, in string, dry bool) (*job, error) {
		j := &job{dir: filepath.Join(dir, in), project: p, dry: dry}
		t.Cleanup(j.close)
		return j, j.begin("20261123-100000-00000" + number)
	}
	first, err := begin("1", "", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin("2", "pkg", false); err == nil || !strings.HasPrefix(err.Error(), "another run goes on here") {
		t.Error(err)
	}
	if _, err := begin("3", "", true); err != nil {
		t.Error(err)
	}
	if _, err := begin("4", "other", false); err != nil {
		t.Error(err)
	}
	list, err := runsOf(first.oss)
	if err != nil || len(list) != 3 { // those that go on
		t.Errorf("%+v %v", list, err)
	}
	first.close()
	if _, err := begin("5", "pkg", false); err != nil {
		t.Error(err)
	}
}
