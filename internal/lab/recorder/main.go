//go:build agents

// Command recorder makes the recordings that scenarios in supervisor/testdata are edited from. They are the logs that
// aburn's hooks write while the real Claude Code and the real Codex work through scripted sessions, with no network
// but loopback.
//
//	go run -tags agents ./internal/lab/recorder [NAME…]
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"aburn/internal/lab/testkit/agents"
)

// What prepare made stands in the environment, because the sessions run in a second process, inside the namespace.
const (
	workVar   = "ABURN_RECORD_WORK"
	claudeVar = "ABURN_RECORD_CLAUDE"
	codexVar  = "ABURN_RECORD_CODEX"
)

// kept is where the recordings lie, from the root of the module.
const kept = "supervisor/testdata/recordings"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	if os.Getenv(workVar) == "" {
		work, err := prepare(context.Background())
		defer os.RemoveAll(work) // "" is nothing
		if err != nil {
			return err
		}
	}
	if code, done, err := agents.Isolate(); done || err != nil {
		if code != 0 {
			err = fmt.Errorf("the recording ended with %d", code)
		}
		return err
	}
	for _, t := range recordings() {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}
		fmt.Println(t.name)
		if err := t.record(); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// prepare installs the agents, if they are not there, and builds aburn.
func prepare(ctx context.Context) (work string, err error) {
	cache, err := agents.CacheDir()
	if err != nil {
		return "", err
	}
	claude, codex, err := agents.Install(ctx, cache)
	if err != nil {
		return "", err
	}
	runs := filepath.Join(cache, "runs") // not under /tmp, which Codex's sandbox lets commands write
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return "", err
	}
	if work, err = os.MkdirTemp(runs, "record-"); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(work, "bin")+"/", "./cmd/aburn", "./cmd/aburn-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return work, fmt.Errorf("go build: %w\n%s", err, out)
	}
	os.Setenv(workVar, work)
	os.Setenv(claudeVar, claude.Path)
	os.Setenv(codexVar, codex.Path)
	return work, nil
}
