//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

// Shell returns the program and arguments that run a line as the user would type it.
func Shell(line string) []string { return []string{"/bin/sh", "-c", line} }

// inGroup gives cmd a process group of its own, which is killed as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
