// Package world makes a temporary home with one project for tests, and sets the size of their storms. It knows no
// file of aburn's and imports none of its packages, so that every test can use it. Only tests import it.
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

// New makes a world and removes it when the test ends.
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

// Path returns the path of a name in the home; an absolute name is itself.
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

// Env is an environment with only HOME set.
func (w *World) Env(name string) string {
	if name == "HOME" {
		return w.Home
	}
	return ""
}

// Enter sets this process's HOME until the test ends, and clears variables that name other folders.
func (w *World) Enter(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", w.Home)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "ABURN", "ABURN_HOME",
		"ABURN_PROJECT_DIR"} {
		t.Setenv(name, "")
	}
}

// Storm is how often a test repeats random work: n times, or n * ABURN_STORM (a whole number) times; with -short a
// fifth of n, and at least once.
func Storm(n int) int {
	if k, err := strconv.Atoi(os.Getenv("ABURN_STORM")); err == nil && k > 0 {
		return n * k
	}
	if testing.Short() {
		return max(1, n/5)
	}
	return n
}

// Slow skips a test with -short: it works or waits for longer than about half a second.
func Slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: left out by -short")
	}
}

// SlowUnraced is Slow for a test in which goroutines share something: the race detector runs it with -short too.
func SlowUnraced(t *testing.T) {
	t.Helper()
	if !raced {
		Slow(t)
	}
}

// Unshared skips a test under the race detector with -short: its goroutines share nothing, or what they share is run there by other
// tests of its package.
func Unshared(t *testing.T) {
	t.Helper()
	if raced && testing.Short() {
		t.Skip("nothing is shared, or others share it too: left out under the race detector by -short")
	}
}
