package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lookup is the process that has this id now.
func Lookup(pid int) (Process, bool) {
	s, ok := read(pid)
	return s.Process, ok && life(s.Process) != Gone
}

// All lists the ids of all processes of this user (sysctl kern.proc.uid).
func All() (pids []int) {
	list, _ := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	for i := range list {
		pids = append(pids, int(list[i].Proc.P_pid))
	}
	return pids
}

// Descendants cannot be told here: an orphan is nobody's descendant any more.
func Descendants(int) (all []Process, children []int, ok bool) { return nil, nil, false }

// environOf is the environment that the process was started with: strings that end in NUL. The system shows none of its own
// programs, such as /bin/sh.
func environOf(pid int, _ *[]byte) []byte {
	data, _ := unix.SysctlRaw("kern.procargs2", pid)
	_, env := argsIn(data)
	return env
}

func argsOf(pid int) []string {
	data, _ := unix.SysctlRaw("kern.procargs2", pid)
	argv, _ := argsIn(data)
	return argv
}

// mine reports whether a process's user ids are this process's effective one.
func mine(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	own := uint32(os.Geteuid())
	return err == nil && info.Eproc.Ucred.Uid == own && info.Eproc.Pcred.P_ruid == own
}

func sessionOf(s stat) int {
	id, err := unix.Getsid(s.PID)
	if err != nil {
		return 0
	}
	return id
}

// Cwd cannot be read here.
func Cwd(int) string { return "" }

// Terminal is only known on Linux.
func Terminal(int) string { return "" }

// Clock is unknown here.
func Clock() (boot string, up time.Duration) { return "", 0 }
