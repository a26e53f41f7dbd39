//go:build !race && (amd64 || arm64)

package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// An agent ends a late hook by the process that it knows. The other one dies with it, even while it can do nothing itself.
func TestHookDiesWithGuard(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		w := newWorld(t)
		cmd := exec.Command(exe, "claude")
		cmd.Dir, cmd.Env = w.Project, w.env
		stdin, err := cmd.StdinPipe() // stays open
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var hook int
		// Go's runtime has begun threads: the hook has asked for the signal before that. A hook that is stopped earlier ends as soon as it goes on.
		w.eventually("a hook", func() bool {
			hook = child(cmd.Process.Pid)
			threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", hook))
			return hook != 0 && len(threads) > 1
		})
		if err := syscall.Kill(hook, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(stdout); err != nil { // ends when both have
			t.Fatal(err)
		}
		cmd.Wait()
		stdin.Close()
	}
}

// What the log says of the agent's process is the agent, and not the guard.
func TestGuardIsNotTheAgent(t *testing.T) {
	w := newWorld(t)
	w.send("claude", claudePayload("SessionStart", `"source":"startup"`))
	if e := w.last(); get(e, "proc.pid").Int() != int64(os.Getpid()) {
		t.Errorf("data is %s, this process %d", e.Data, os.Getpid())
	}
}

// The binary of `go test` has the guard too, and must not lose its exit code.
func TestOfTestsIsKept(t *testing.T) {
	if caller != 0 {
		t.Error("this process has a guard")
	}
	cmd := exec.Command(os.Args[0], "-test.nosuchflag")
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%v, want exit code 2", err)
	}
}

// Each build for Linux has the guard, with or without the linker's symbols: `go build` alone makes it.
func TestBuildsHaveGuard(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		path := filepath.Join(t.TempDir(), arch)
		build := exec.Command("go", "build", "-o", path, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		value := func(name string) (elf.Symbol, uint64) {
			i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == name })
			if i < 0 {
				t.Fatalf("%s: no %s", arch, name)
			}
			return symbols[i], symbols[i].Value
		}
		_, guard := value("main.guard")
		hook, at := value("_cgo_init")
		section := f.Sections[hook.Section]
		pointer := make([]byte, 8)
		if _, err := section.ReadAt(pointer, int64(at-section.Addr)); err != nil {
			t.Fatal(err)
		}
		if f.ByteOrder.Uint64(pointer) != guard {
			t.Errorf("%s: _cgo_init is %x, the guard %x", arch, pointer, guard)
		}
		if arch == "arm64" {
			emulated(t, path)
		}
	}
}

// emulated runs the other architecture's hook where QEMU is installed.
func emulated(t *testing.T, hook string) {
	t.Helper()
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Log("not run: there is no qemu-aarch64")
		return
	}
	w := newWorld(t)
	cmd := exec.Command(qemu, hook, "claude")
	cmd.Dir, cmd.Env = w.Project, w.env
	cmd.Stdin = strings.NewReader(claudePayload("SessionStart", `"source":"startup"`))
	if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("emulated: %v: %s", err, out)
	}
	if e := w.last(); get(e, "proc.pid").Int() != int64(os.Getpid()) {
		t.Errorf("emulated: data is %s", e.Data)
	}
}
