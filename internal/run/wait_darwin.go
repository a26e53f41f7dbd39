package run

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// waitUnreaped leaves the ended process a zombie, which keeps its number, and so that of its group, from strangers.
func waitUnreaped(cmd *exec.Cmd) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	unix.CloseOnExec(queue)
	exit := unix.Kevent_t{Ident: uint64(cmd.Process.Pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}
	for {
		n, err := unix.Kevent(queue, []unix.Kevent_t{exit}, make([]unix.Kevent_t, 1), nil)
		if n > 0 || err != nil && !errors.Is(err, unix.EINTR) { // ESRCH: it has ended already
			return
		}
	}
}
