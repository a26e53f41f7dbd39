package run

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// waitUnreaped leaves the ended process a zombie, which keeps its number, and so that of its group, from strangers.
func waitUnreaped(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
