package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// buildRelease builds the executables that the place holds, as a release outside of its repository.
func buildRelease(t *testing.T, dir, version string) {
	t.Helper()
	for _, name := range []string{"aburn", "aburn-hook"} {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w -X aburn/cmd/internal/kit.release="+version, "-o", filepath.Join(dir, name),
			"aburn/cmd/"+name)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// While the package manager takes an old release away and puts a newer one in, and that renews the place, each hook of a
// running agent records.
func TestNoHookIsMissedWhileThePackageMoves(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a running executable cannot be replaced there")
	}
	world.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	home, app := filepath.Join(dir, "home"), filepath.Join(dir, "home", "app")
	pkg := filepath.Join(home, "lib", "node_modules", "@aburn", "linux-x64", "bin")
	next := filepath.Join(dir, "next")
	for _, d := range []string{app, pkg, next, filepath.Join(home, ".claude")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	buildRelease(t, pkg, "v1.0.0")
	buildRelease(t, next, "v1.1.0")
	run := func(name, stdin string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = app, []string{"HOME=" + home, "PATH=" + pkg}, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	aburn := filepath.Join(pkg, "aburn")
	for _, args := range [][]string{{"init"}, {"install-hooks", "--agent", "claude", "--yes"}} {
		if out, err := run(aburn, "", args...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	old := filepath.Join(dir, "old") // stays when its package goes
	if err := os.CopyFS(old, os.DirFS(pkg)); err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(home, ".local", "share", "aburn", "bin")
	version := func() string { out, _ := run(filepath.Join(place, "aburn"), "", "version"); return out }
	if !strings.Contains(version(), "v1.0.0") {
		t.Fatalf("the copy says it is %q", version())
	}

	moved := make(chan error, 1)
	go func() { // as npm: the old package goes, the new one comes, and somebody calls it
		if err := os.RemoveAll(pkg); err != nil {
			moved <- err
			return
		}
		if err := os.Rename(next, pkg); err != nil {
			moved <- err
			return
		}
		out, err := run(aburn, "", "version")
		if err == nil && !strings.Contains(out, "v1.1.0") {
			err = fmt.Errorf("version says %s", out)
		}
		moved <- err
	}()
	n := world.Storm(30)
	for i := range n {
		payload := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"hook %d"}`, app, i)
		if out, err := run(filepath.Join(place, "aburn-hook"), payload, "claude", "--home", home); err != nil || out != "" {
			t.Fatalf("hook %d: %v %s", i, err, out)
		}
	}
	if err := <-moved; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(version(), "v1.1.0") {
		t.Errorf("the copy is not renewed: %q", version())
	}
	log, err := os.ReadFile(filepath.Join(app, ".oss", "workflow.log"))
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(log, []byte(`"PROMPT"`)); got != n {
		t.Errorf("%d of %d hooks recorded", got, n)
	}

	// An older one that is still about changes nothing back.
	if out, err := run(filepath.Join(old, "aburn"), "", "version"); err != nil || !strings.Contains(version(), "v1.1.0") {
		t.Errorf("%v: %s made the copy %s", err, out, version())
	}
}
