package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scripted is an agent that needs no model and no installation.
//
//go:embed testdata/claude.sh
var scripted []byte

// patience is how long the demo waits for a worker.
const patience = time.Minute

// workers shows three scripted workers on a small project: one finishes, one waits for a permission, two collide.
func workers(keep bool) (err error) {
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("it needs git")
	}
	say := newNarrator()
	say.title("aburn: workers, each in a worktree of its own")
	stage, err := newStage(true)
	if err != nil {
		return err
	}
	if keep {
		defer fmt.Println("\nkept in", stage.project)
	} else {
		defer stage.clear()
	}
	start := time.Now()
	if err := stage.build("aburn", "aburn-hook", "aburn-hold"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.quiet(stage.command("aburn", "daemon", "stop", "--yes"))) }()
	if err := stage.repository(); err != nil {
		return err
	}
	say.done("built aburn, aburn-hook and aburn-hold, and a project with a wrong total", time.Since(start))
	if err := stage.shows(say, scene{"One process supervises your workers while you do something else:", "daemon start"}); err != nil {
		return err
	}
	say.heading("Three tasks. The agent is scripted and calls no model; with yours leave out --trust and --runtime:", "aburn spawn TASK")
	for _, args := range [][]string{
		{"--gate", "grep -q quantity cart.txt", "fix the total"}, {"round the total"}, {"clean up"},
	} {
		if err := stage.show(append([]string{"spawn", "--runtime", "headless", "--trust"}, args...)...); err != nil {
			return err
		}
	}
	for name, state := range map[string]string{"fix-the-total": `"state":"done"`, "round-the-total": `"kind":"conflict"`, "clean-up": `"state":"needs_input"`} {
		if err := stage.until(name, state); err != nil {
			return err
		}
	}
	if err := stage.shows(say,
		scene{"What each of them does. The first one said done too early: its gate failed, it was told, and mended that:", "ps"},
		scene{"Why one needs you:", "ps clean-up"},
		scene{"You answer, and it continues:", "answer clean-up allow"},
		scene{"Two changed the same line. aburn merged their trees, touching neither:", "overlap"},
		scene{"You take one of them:", "merge fix-the-total"},
		scene{"Then the other one would conflict. Nothing is touched:", "merge --check round-the-total"},
	); err != nil {
		return err
	}
	if err := stage.until("clean-up", `"state":"done"`); err != nil {
		return err
	}
	if err := stage.shows(say,
		scene{"What was made is never lost:", "snapshots fix-the-total"},
		scene{"Trees go where nothing is lost with them:", "kill fix-the-total"},
		scene{"", "cleanup fix-the-total"},
	); err != nil {
		return err
	}
	say.tips("Now with your own agent:", "make install", "cd your-project && aburn init", `aburn spawn "fix the flaky test"`, "aburn ps", "aburn attach fix",
		"aburn merge fix")
	return nil
}

// repository makes a project with a fault, and puts the scripted agent on PATH.
func (s *stage) repository() error {
	if err := os.WriteFile(filepath.Join(s.bin, "claude"), scripted, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"cart.txt": "price = 7\nquantity = 3\ntotal = 0\n", "old/readme.txt": "nobody needs this\n",
		".gitignore": ".oss\n"} {
		path := filepath.Join(s.project, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "You"}, {"config", "user.email", "you@example.com"}, {"add", "."},
		{"commit", "-q", "-m", "a cart"}} {
		git := s.command("aburn")
		path, err := exec.LookPath("git")
		if err != nil {
			return err
		}
		git.Path, git.Args = path, append([]string{"git"}, args...)
		if err := s.quiet(git); err != nil {
			return err
		}
	}
	return nil
}

// until waits until what aburn says of a worker has a text.
func (s *stage) until(name, text string) error {
	var out []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		out, _ = s.command("aburn", "ps", "--json", name).Output()
		if strings.Contains(strings.ReplaceAll(string(out), `": `, `":`), text) {
			return nil
		}
	}
	return fmt.Errorf("%s does not come to %s: %s", name, text, out)
}
