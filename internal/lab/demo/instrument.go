package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// shop is a small service without spans; planner answers for it as a model did once.
//
//go:embed testdata/shop
var shop embed.FS

//go:embed testdata/planner.sh
var planner []byte

// instrumented shows aburn instrument on a small shop service, with a recorded plan: it needs node and npm's network, and
// no key.
func instrumented(keep bool) error {
	tools := []string{"git", "node", "npm"}
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			return errors.New("it needs " + name)
		}
	}
	say := newNarrator()
	say.title("aburn instrument: telemetry against a contract, and nothing else changes")
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
	if err := stage.buildInstrument(tools); err != nil {
		return err
	}
	say.done("built aburn and aburn-instrument", time.Since(start))
	start = time.Now()
	if err := stage.openShop(); err != nil {
		return err
	}
	say.done("a small shop in a git repository; npm install", time.Since(start))
	if err := stage.shows(say,
		scene{"Which functions deserve a span? The registry wants shop.order.place:", "instrument scan src"},
		scene{"The most that a model could cost. None is asked before that is accepted:", "instrument cost src"},
		scene{"A run. The answers are recorded; with your own agent, the rest is the same:", "instrument src --yes --no-pr"},
	); err != nil {
		return err
	}
	say.heading("What it changed:", "git diff main -- src telemetry")
	if err := stage.tool("git", "-c", "color.ui=false", "--no-pager", "diff", "main", "--", "src", "telemetry"); err != nil {
		return err
	}
	if err := stage.before("src/order.js"); err != nil {
		return err
	}
	return errors.Join(stage.shows(say,
		scene{"The proof: taken out of the syntax tree again, the spans leave the original. That fails if anything else changed:",
			"instrument check before.js src/order.js --config aburn-instrument.yaml"},
		scene{"And the spans are really there: the tests emit them, judged by the registry:", "instrument record -q -- npm test"},
	), say.instrumentNext())
}

func (n narrator) instrumentNext() error {
	n.tips("Now on your own project:", "make install", "cd your-project && aburn init && aburn instrument init", "aburn instrument scan src",
		"aburn instrument src")
	return nil
}

// buildInstrument builds what the demo starts, and puts the tools and the recorded planner on its PATH.
func (s *stage) buildInstrument(tools []string) error {
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", s.bin+"/", "./cmd/aburn", "./cmd/aburn-instrument")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, name := range tools {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil {
			err = os.Symlink(path, filepath.Join(s.bin, name))
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(os.WriteFile(filepath.Join(s.bin, "claude"), planner, 0o755), s.quiet(s.command("aburn", "init")))
}

// openShop makes the project, with what it needs of npm.
func (s *stage) openShop() error {
	files, err := fs.Sub(shop, "testdata/shop")
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.project, files); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(s.project, "gitignore"), filepath.Join(s.project, ".gitignore")); err != nil {
		return err
	}
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = s.project // with the person's own settings: a proxy or a registry may stand there
	if err := s.quiet(npm); err != nil {
		return fmt.Errorf("it needs npm's network: %w", err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "You"}, {"config", "user.email", "you@example.com"}, {"add", "."},
		{"commit", "-q", "-m", "a shop"}} {
		if err := s.quiet(s.command("git", args...)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) tool(name string, args ...string) error {
	cmd := s.command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// before puts a file as main has it beside the project's.
func (s *stage) before(file string) error {
	text, err := s.command("git", "show", "main:"+file).Output()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.project, "before.js"), text, 0o644)
}
