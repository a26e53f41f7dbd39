//go:build unix

package instrument

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/instrument/jsast"
)

// TestPipesAreNotWaitedFor: a repository can hold pipes where files are expected; opening one would hang.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := folder(t, map[string]string{"src/a.js": "export const a = () => 1;\n"})
	for _, name := range []string{"package.json", ConfigFile, "plan.json", "src/b.js", "setup.mjs", "index.js"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	c := Defaults()
	c.SDKInitFile = "setup.mjs"
	if _, err := Examine(t.Context(), dir, c, os.Environ(), false); err != nil {
		t.Error(err)
	}
	if _, err := ReadConfig(filepath.Join(dir, ConfigFile)); err == nil {
		t.Error("a pipe is a configuration")
	}
	if _, err := ReadPlan(filepath.Join(dir, "plan.json")); err == nil {
		t.Error("a pipe is a plan")
	}
	s, err := Select(t.Context(), dir, []string{"."}, c, os.Environ())
	if err != nil || len(s.Files) != 1 {
		t.Fatalf("%+v %v", s, err)
	}
	if found, err := Scan(t.Context(), jsast.NewGoja(), dir, s, nil); err != nil || len(found.Files) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("src/b.js")}}})
}
