package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>: ended, but not yet reaped.
const zombie = 5

// read asks the kernel (sysctl kern.proc.pid), which starts no program. A sandbox can refuse: then only the number is known.
func read(pid int) (s stat, ok bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case errors.Is(err, unix.EIO): // no bytes: no such process
		return stat{}, false
	case err != nil:
		return stat{Process: Process{PID: pid}}, true
	}
	return statOf(info), true
}

func statOf(info *unix.KinfoProc) stat {
	started := info.Proc.P_starttime
	return stat{
		Process: Process{int(info.Proc.P_pid), int64(started.Sec)*1e6 + int64(started.Usec)},
		name:    unix.ByteSliceToString(info.Proc.P_comm[:]),
		parent:  int(info.Eproc.Ppid),
		dead:    info.Proc.P_stat == zombie,
	}
}

func life(p Process) Life {
	s, ok := read(p.PID)
	return judge(p, s, ok, func() bool { return errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH) })
}

// Host is this machine's name, or "" if unknown.
func Host() string {
	name, _ := os.Hostname()
	return name
}
