package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lab/world"
)

// maxMemory is how much a holder may keep, in KiB: fifty of them run for days.
const maxMemory = 4 << 10

func TestHolderIsSmall(t *testing.T) {
	world.Slow(t)
	bin := filepath.Join(t.TempDir(), "aburn-hold")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Run("terminal", func(t *testing.T) { small(t, bin, hold.Launch{Argv: []string{"/bin/sleep", "600"}}) })
	t.Run("lines", func(t *testing.T) {
		small(t, bin, hold.Launch{Argv: []string{"/bin/sh", "-c", "head -c 20000000 /dev/zero | tr '\\0' x; echo; yes | head -c 20000000; touch printed; sleep 600"},
			Lines: true})
	})
	t.Run("its own terminal", func(t *testing.T) {
		small(t, bin, hold.Launch{Argv: []string{"/bin/sh", "-c", "yes '\033[31mred \033[5A' | head -c 5000000; touch printed; sleep 600"},
			Size: hold.Size{Cols: 200, Rows: 50}})
	})
}

// small measures a holder whose agent has printed all that it will.
func small(t *testing.T, bin string, l hold.Launch) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	if err := hold.Offer(dir, 1); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, dir, "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	env := make([]string, 200)
	for i := range env {
		env[i] = "VARIABLE_" + strconv.Itoa(i) + "=some value of an ordinary length"
	}
	l.Dir, l.Env = dir, append(env, "PATH="+os.Getenv("PATH"))
	if err := hold.Hand(ctx, dir, 1, l); err != nil {
		t.Fatal(err)
	}
	b, err := hold.Await(ctx, dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	for (l.Lines || l.Size.Cols > 0) && ctx.Err() == nil {
		if _, err := os.Stat(filepath.Join(dir, "printed")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(b.Holder.PID) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if kib, err := strconv.Atoi(string(m[1])); err != nil || kib > maxMemory {
		t.Errorf("a holder keeps %s KiB, at most %d are small", m[1], maxMemory)
	} else {
		t.Logf("a holder keeps %d KiB", kib)
	}
	if err := hold.End(ctx, dir, 1); err != nil {
		t.Fatal(err)
	}
}
