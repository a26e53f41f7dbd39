//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd, outlive bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if !outlive {
		endWithParent(cmd.SysProcAttr)
	}
}

func endGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
