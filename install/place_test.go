package install

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A running program is replaced and removed where it lies, and goes on running. Windows lets nobody overwrite one.
func TestRunningProgram(t *testing.T) {
	const running = "RUNNING_PROGRAM"
	if os.Getenv(running) != "" {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), programFile("prog"))
	start := func() (*exec.Cmd, io.Closer) {
		cmd := exec.Command(path, "-test.run=^TestRunningProgram$")
		cmd.Env = append(os.Environ(), running+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, in
	}
	end := func(cmd *exec.Cmd, in io.Closer) {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the running program: %v", err)
		}
	}
	if err := os.WriteFile(path, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd, in := start()
	renewed := append(bytes.Clone(self), "renewed"...)
	if err := replaceProgram(path, renewed); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, renewed) {
		t.Errorf("it holds %d bytes, not %d: %v", len(now), len(renewed), err)
	}
	end(cmd, in)
	cmd, in = start()
	if err := removeProgram(path); err != nil || exists(path) {
		t.Errorf("removed: %v", err)
	}
	end(cmd, in)
}
