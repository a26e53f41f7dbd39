//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// apart lets a program go on when the agent ends this server and its group.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
