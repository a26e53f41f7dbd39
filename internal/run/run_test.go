//go:build unix

package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func sh(script string) Program {
	return Program{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Timeout: time.Minute}
}

func TestDoKeepsCodeAndOutput(t *testing.T) {
	r, err := Do(t.Context(), sh("echo out; echo err >&2; exit 3"))
	if err != nil || string(r.Stdout) != "out\n" || string(r.Stderr) != "err\n" || r.Code != 3 || r.Cut {
		t.Errorf("%+v, %v", r, err)
	}
	p := sh("head -c 100000 /dev/zero; echo more >&2")
	p.Output = 10
	if r, err = Do(t.Context(), p); err != nil || len(r.Stdout) != 10 || !r.Cut || r.Code != 0 {
		t.Errorf("%d bytes, %+v, %v", len(r.Stdout), r, err)
	}
	if _, err = Do(t.Context(), Program{Argv: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a missing program started")
	}
}

func TestLiveGetsEverything(t *testing.T) {
	var live bytes.Buffer
	p := sh("head -c 5000 /dev/zero; echo err >&2")
	p.Output, p.Live = 10, &live
	if r, err := Do(t.Context(), p); err != nil || live.Len() != 5004 || !strings.Contains(live.String(), "err\n") || len(r.Stdout) != 10 {
		t.Errorf("%d bytes came, %d were kept, %v", live.Len(), len(r.Stdout), err)
	}
}

func TestEnvironmentIsTheCallersOnly(t *testing.T) {
	t.Setenv("ABURN_TEST_LEAK", "1")
	r, err := Do(t.Context(), Program{Argv: []string{"/usr/bin/env"}})
	if err != nil || len(r.Stdout) != 0 {
		t.Errorf("%q, %v", r.Stdout, err)
	}
	got := Clean([]string{"PATH=/bin", "LC_ALL=C", "GIT_DIR=x", "ACME_A=1", "ACME_B=2", "OTHER=3", "odd"}, "ACME_*", "OTHER")
	if strings.Join(got, " ") != "PATH=/bin LC_ALL=C ACME_A=1 ACME_B=2 OTHER=3" {
		t.Error(got)
	}
}

// gone waits until no process has the number in the file.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); strings.Contains(string(stat), ") Z ") {
			return // nobody has reaped it
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d of the group still runs", pid)
		}
	}
}

func TestTimeoutEndsTheGroup(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	p := sh("trap '' TERM; (trap '' TERM; sleep 600) & echo $! > " + pid + ".new; mv " + pid + ".new " + pid + "; wait")
	p.Timeout, p.Grace = time.Second, 10*time.Millisecond
	for {
		r, err := Do(t.Context(), p)
		if _, began := os.Stat(pid); began != nil && p.Timeout < time.Hour {
			p.Timeout *= 2 // the machine was too slow to begin it in time
			continue
		}
		if !errors.Is(err, ErrTimeout) || r.Code != -1 {
			t.Errorf("%+v, %v", r, err)
		}
		gone(t, pid)
		return
	}
}

func TestLeftChildrenEndWithTheProgram(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	r, err := Do(t.Context(), sh("sleep 600 >/dev/null 2>&1 & echo $! > "+pid))
	if err != nil || r.Code != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	gone(t, pid)
}

func TestContextEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began := filepath.Join(t.TempDir(), "began")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := Do(ctx, sh("touch "+began+"; exec sleep 600")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Do(ctx, sh("touch never")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
