package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// aburn ingest --watch sleeps while no agent writes: it waits for the system's notices, and asks nothing again and again.
func TestWatchSleeps(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("aburn", "ingest", "--watch")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	const often = 15 // a second; twenty times a second it once looked at its memory
	for until := time.Now().Add(2 * time.Minute); ; {
		before := wakeups(t, cmd.Process.Pid)
		time.Sleep(time.Second)
		if n := wakeups(t, cmd.Process.Pid) - before; before > 0 && n < often {
			return
		} else if time.Now().After(until) {
			t.Fatalf("it wakes up %d times a second", n)
		}
	}
}

// wakeups is how often the threads of a process gave up their core by themselves.
func wakeups(t *testing.T, pid int) (n int) {
	all, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		data, _ := os.ReadFile(path) // a thread may end
		_, rest, _ := strings.Cut(string(data), "voluntary_ctxt_switches:")
		k, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
		n += k
	}
	return n
}
