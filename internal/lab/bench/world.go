package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

//go:embed peers/empty.go.txt
var emptyGo []byte

//go:embed peers/hook.py
var hookPy []byte

//go:embed peers/hook.mjs
var hookMjs []byte

// world is the folder of one run: the executables, a home, one project.
type world struct {
	dir     string
	env     []string
	project string
}

// newWorld makes one. Its executables are built as `make install` does.
func newWorld() (*world, error) {
	dir, err := os.MkdirTemp("", "aburn-bench-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, project: filepath.Join(dir, "project")}
	w.env = []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home"), "CLAUDE_PROJECT_DIR=" + w.project}
	for _, f := range []struct {
		name string
		data []byte
	}{{"empty/main.go", emptyGo}, {"empty/go.mod", []byte("module empty\n\ngo 1.26\n")}, {"hook.py", hookPy}, {"hook.mjs", hookMjs}, {"empty.mjs", nil}} {
		if err := w.write(f.name, f.data); err != nil {
			return nil, err
		}
	}
	for _, d := range []string{w.project, filepath.Join(dir, "home"), filepath.Join(dir, "bin"), filepath.Join(dir, "linked")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := w.build(".", "./cmd/aburn", "./cmd/aburn-hook"); err != nil {
		return nil, err
	}
	if err := w.build(filepath.Join(dir, "empty"), "."); err != nil {
		return nil, err
	}
	return w, w.aburn("init")
}

// build compiles and copies, as `make install` does. The copy matters: pages that
// the linker wrote lie scattered in the page cache, and a process that is made
// of them starts a tenth slower.
func (w *world) build(in string, pkgs ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", w.path("linked") + "/"}, pkgs)...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	linked, err := filepath.Glob(w.path("linked/*"))
	if err != nil {
		return err
	}
	for _, from := range linked {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(w.bin(filepath.Base(from)), data, 0o755); err != nil {
			return err
		}
	}
	return os.RemoveAll(w.path("linked"))
}

// aburn runs the command in the project.
func (w *world) aburn(args ...string) error {
	cmd := exec.Command(w.bin("aburn"), args...)
	cmd.Dir, cmd.Env = w.project, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("aburn %v: %w\n%s", args, err, out)
	}
	return nil
}

func (w *world) bin(name string) string { return filepath.Join(w.dir, "bin", name) }

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name string, data []byte) error {
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func (w *world) close() { os.RemoveAll(w.dir) }

// process is a contender that runs in the project with the small environment.
func (w *world) process(name, path string, args ...string) *process {
	return &process{name: name, path: path, args: args, env: w.env, dir: w.project}
}
