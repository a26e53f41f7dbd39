package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	lab "aburn/internal/lab/world"
)

// A hook exits 0 however few files, how little memory or how few processes its user has left, also where Go's runtime
// gives up, past any recover.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	w.trust()
	payload := w.Write("payload", claudePayload("SessionStart", `"source":"resume"`)) // sets a timer, for which the runtime needs files
	gaveUp := 0
	for _, ladder := range []struct {
		limit    string // an option of ulimit
		from, to int
		step     int
	}{{"-n", 3, 16, 1}, {"-v", 4 << 10, 1 << 20, 48 << 10}} {
		for n := ladder.from; n <= ladder.to; n += ladder.step {
			cmd := w.limited(payload, "/bin/sh", "-c", `ulimit -c unlimited 2>/dev/null; ulimit $1 $2 && exec "$0" claude`, exe, ladder.limit, strconv.Itoa(n))
			gaveUp += w.exits0(cmd, "ulimit "+ladder.limit+" "+strconv.Itoa(n))
		}
	}
	if gaveUp == 0 {
		t.Error("the runtime never gave up: this test shows nothing")
	}
	if cores, err := filepath.Glob(filepath.Join(w.Home, "core*")); err != nil || len(cores) > 0 {
		t.Errorf("%v %v: a core would hold a payload", cores, err)
	}
}

// processes is RLIMIT_NPROC, which counts the threads of a user.
const processes = 6

// A hook exits 0 however few threads its user has left. Root has no such limit, so the hook is that of another user.
func TestFewThreads(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	const nobody = 54321 // who has no other process
	w := newWorld(t)
	w.trust()
	payload := w.Write("payload", claudePayload("SessionStart", `"source":"resume"`))
	err := filepath.WalkDir(w.Home, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(exe), filepath.Dir(w.Home), filepath.Dir(filepath.Dir(w.Home))} {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(processes, &was); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(processes, &was)
	recorded, gaveUp := 0, 0
	for n := 1; n <= 12; n++ {
		for range lab.Storm(5) {
			if err := syscall.Setrlimit(processes, &syscall.Rlimit{Cur: uint64(n), Max: was.Max}); err != nil {
				t.Fatal(err)
			}
			cmd := w.limited(payload, exe, "claude")
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			gaveUp += w.exits0(cmd, strconv.Itoa(n)+" threads")
		}
	}
	recorded = len(w.entries())
	if gaveUp == 0 || recorded == 0 {
		t.Errorf("the runtime gave up %d times, %d entries: this test shows nothing", gaveUp, recorded)
	}
}

func (w *world) limited(payload, name string, args ...string) *exec.Cmd {
	w.t.Helper()
	stdin, err := os.Open(payload)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { stdin.Close() })
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.Home, w.env, stdin
	return cmd
}

// exits0 returns 1 if Go's runtime gave up. A kernel kills what it has no memory to begin.
func (w *world) exits0(cmd *exec.Cmd, limit string) (gaveUp int) {
	w.t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		w.t.Logf("%s: %v", limit, err)
	} else if err != nil {
		w.t.Errorf("%s: %v\n%s", limit, err, out)
	}
	if strings.Contains(string(out), "fatal error:") || strings.Contains(string(out), "runtime:") {
		return 1
	}
	return 0
}
