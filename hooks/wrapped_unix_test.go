//go:build unix

package hooks

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A status line of somebody's own that does not end is ended, with all that it started, also where it closed its output.
func TestWrappedIsEnded(t *testing.T) {
	for what, line := range map[string]string{
		"it hangs":                 `echo mine; sleep 600 & echo $! > "$CHILD"; wait`,
		"it closed its output":     `echo mine; sleep 600 1>&- & echo $! > "$CHILD"; exec 1>&-; wait`,
		"its child ignores hangup": `echo mine; sh -c 'trap "" HUP TERM; echo $$ > "$CHILD"; while :; do sleep 600; done'`,
	} {
		t.Run(what, func(t *testing.T) {
			defer func(was time.Duration) { wrapTime = was }(wrapTime)
			wrapTime = 300 * time.Millisecond
			child := filepath.Join(t.TempDir(), "child")
			t.Setenv("CHILD", child)
			w := startWrapped(line, []byte("{}"))
			if w == nil {
				t.Fatal("not started")
			}
			text := w.output()
			if string(text) != "mine\n" && string(text) != "" { // a machine may not have run it in time
				t.Errorf("it said %q", text)
			}
			data, err := os.ReadFile(child)
			if err != nil {
				t.Skip("it was ended before it began: ", err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			for syscall.Kill(pid, 0) == nil { // until whoever takes orphans has waited for it
				if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// What ends by itself is not hurt: its last words count, and those of one that fails do not.
func TestWrappedEnds(t *testing.T) {
	defer func(was time.Duration) { wrapTime = was }(wrapTime)
	wrapTime = 2 * time.Minute
	for line, want := range map[string]string{"cat": "{}", "echo mine; exec 1>&-": "mine\n", "echo mine; exit 3": "", "exec 1>&-; sleep 0.1": ""} {
		if got := string(startWrapped(line, []byte("{}")).output()); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Nobody waits for what a command leaves running with its output, and it lives on. What the command printed last counts.
func TestWrappedLeavesChild(t *testing.T) {
	defer func(was time.Duration) { wrapTime = was }(wrapTime)
	wrapTime = 2 * time.Minute
	child := filepath.Join(t.TempDir(), "child")
	t.Setenv("CHILD", child)
	long := strings.Repeat("x", 4000)
	for range 20 {
		text := startWrapped(`sleep 600 & echo $! > "$CHILD"; printf `+long, []byte("{}")).output()
		if string(text) != long {
			t.Errorf("it said %d bytes, want %d", len(text), len(long))
		}
		data, err := os.ReadFile(child)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Errorf("its child was ended: %v", err)
		}
	}
}
