package proc

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestStatOf(t *testing.T) {
	info := &unix.KinfoProc{}
	info.Proc.P_pid, info.Eproc.Ppid, info.Proc.P_stat = 7, 1, zombie
	info.Proc.P_starttime = unix.Timeval{Sec: 3, Usec: 5}
	copy(info.Proc.P_comm[:], "zsh")
	if got, want := statOf(info), (stat{Process: Process{7, 3_000_005}, name: "zsh", parent: 1, dead: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
