package mcp

import (
	"os/exec"
	"syscall"
)

// apart lets a program go on when the agent ends this server and its group.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
