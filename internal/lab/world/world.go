// Package world is what a test works in: a throw-away home with one project, and how large its storms are; it knows no
// file of aburn's, and only tests import it.
package world

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// World is a home directory with one project in it.
type World struct {
	testing.TB
	Home    string // a real path: no part of it is a link
	Project string // a folder in Home
}

// New makes one, which is gone when the test ends.
func New(t testing.TB) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{TB: t, Home: filepath.Join(dir, "home")}
	w.Project = filepath.Join(w.Home, "project")
	w.mkdir(w.Project)
	return w
}

// Oss makes the project's .oss and returns its path.
func (w *World) Oss() string {
	w.Helper()
	dir := filepath.Join(w.Project, ".oss")
	w.mkdir(dir)
	return dir
}

func (w *World) mkdir(dir string) {
	w.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.Fatal(err)
	}
}

// Path is where a name lies in the home; an absolute one is itself.
func (w *World) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Home, filepath.FromSlash(name))
}

// Write makes a file at Path(name), its folders too, and returns its path.
func (w *World) Write(name, data string) string {
	w.Helper()
	path := w.Path(name)
	w.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// Env is the environment of who lives in the home and has set nothing else.
func (w *World) Env(name string) string {
	if name == "HOME" {
		return w.Home
	}
	return ""
}

// Enter gives this process the home, without variables that name folders elsewhere, until the test ends.
func (w *World) Enter(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", w.Home)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "ABURN", "ABURN_HOME", "ABURN_PROJECT_DIR"} {
		t.Setenv(name, "")
	}
}

// Storm is how often a test repeats what goes on at random: n times, or ABURN_STORM times as often, which is a whole
// number; with -short a fifth of n, and at least once.
func Storm(n int) int {
	if k, err := strconv.Atoi(os.Getenv("ABURN_STORM")); err == nil && k > 0 {
		return n * k
	}
	if testing.Short() {
		return max(1, n/5)
	}
	return n
}
