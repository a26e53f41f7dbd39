package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// However few files the hook may open, it never exits with a code, which could be
// the 2 that blocks the agent: also where Go's runtime gives up, past any recover.
func TestFewFiles(t *testing.T) {
	w := newWorld(t)
	w.trust()
	payload := w.Write("payload", claudePayload("SessionStart", `"source":"resume"`)) // sets a timer, for which the runtime needs files
	died := 0
	for n := 3; n < 16; n++ {
		stdin, err := os.Open(payload)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", "-c", `ulimit -c unlimited 2>/dev/null; ulimit -n "$1" && exec "$0" claude`, exe, strconv.Itoa(n))
		cmd.Dir, cmd.Env, cmd.Stdin = w.Home, w.env, stdin
		out, err := cmd.CombinedOutput()
		stdin.Close()
		var exit *exec.ExitError
		if errors.As(err, &exit) && !exit.Exited() {
			died++ // of a signal
		} else if err != nil {
			t.Errorf("%d files: %v\n%s", n, err, out)
		}
	}
	if died == 0 {
		t.Error("the runtime never gave up: this test shows nothing")
	}
	if cores, err := filepath.Glob(filepath.Join(w.Home, "core*")); err != nil || len(cores) > 0 {
		t.Errorf("%v %v: a core would hold a payload", cores, err)
	}
}
