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
)

// maxMemory is how much a holder may keep, in KiB: fifty of them run for days.
const maxMemory = 4 << 10

func TestHolderIsSmall(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "aburn-hold")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
	if err := hold.Hand(ctx, dir, 1, hold.Launch{Dir: dir, Argv: []string{"/bin/sleep", "600"}, Env: env}); err != nil {
		t.Fatal(err)
	}
	b, err := hold.Await(ctx, dir, 1)
	if err != nil {
		t.Fatal(err)
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
