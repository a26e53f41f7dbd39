package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestMain makes this binary a process that runs a program until it is killed.
func TestMain(m *testing.M) {
	if script := os.Getenv("ABURN_TEST_RUN"); script != "" {
		Do(context.Background(), sh(script))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProgramEndsWithAKilledStarter(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	starter := exec.Command(os.Args[0])
	starter.Env = append(os.Environ(), "ABURN_TEST_RUN=echo $$ > "+pid+".new; mv "+pid+".new "+pid+"; exec sleep 600")
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(pid); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program did not begin")
		}
	}
	starter.Process.Kill()
	starter.Wait()
	gone(t, pid)
}
