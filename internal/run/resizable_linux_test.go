package run

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"aburn/internal/lab/world"
)

// What a parent held back for this process is let through for one program, and held back afterwards as before.
func TestResizable(t *testing.T) {
	world.Deaf(t)
	deaf := func() bool {
		out, err := exec.Command("cat", "/proc/self/status").Output()
		if err != nil {
			t.Error(err)
		}
		return !regexp.MustCompile(`(?m)^SigBlk:\s0+$`).Match(out)
	}
	if !deaf() {
		t.Fatal("a program hears of its size without help")
	}
	if err := Resizable(func() error {
		if deaf() {
			t.Error("it does not hear of its size")
		}
		return os.ErrExist
	}); err != os.ErrExist {
		t.Error(err)
	}
	if !deaf() {
		t.Error("the thread was changed")
	}
}
