package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// statRoom holds /proc/<pid>/stat up to all that is read of it: about fifty numbers behind a name of at most 64 bytes.
const statRoom = 2 << 10

// read parses /proc/<pid>/stat: "pid (name) state ppid … starttime …". The name may contain
// blanks and parentheses. It goes around package os, whose files set up the runtime's poller: a look at workers reads hundreds.
func read(pid int) (s stat, ok bool) {
	fd, err := retried(func() (int, error) {
		return syscall.Open("/proc/"+strconv.Itoa(pid)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return stat{}, false
	}
	defer syscall.Close(fd)
	var buf [statRoom]byte
	n, err := retried(func() (int, error) { return syscall.Read(fd, buf[:]) }) // the system gives all at once
	if err != nil {
		return stat{}, false
	}
	return parse(pid, buf[:n])
}

// retried calls a system call again that a signal interrupted.
func retried(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != syscall.EINTR {
			return n, err
		}
	}
}

func parse(pid int, b []byte) (s stat, ok bool) {
	open, shut := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open {
		return stat{}, false
	}
	const state, ppid, session, starttime = 3, 4, 6, 22 // field numbers of proc(5)
	s = stat{Process: Process{PID: pid}, name: string(b[open+1 : shut])}
	rest := bytes.TrimLeft(b[shut+1:], " ")
	for field := state; field <= starttime; field++ {
		value, after, more := bytes.Cut(rest, []byte(" "))
		var err error
		switch {
		case !more || len(value) == 0: // another field follows each of these
			return stat{}, false
		case field == state:
			s.dead = value[0] == 'Z' || value[0] == 'X'
		case field == ppid:
			s.parent, err = strconv.Atoi(string(value))
		case field == session:
			s.session, err = strconv.Atoi(string(value))
		case field == starttime:
			s.Start, err = strconv.ParseInt(string(value), 10, 64)
		}
		if err != nil {
			return stat{}, false
		}
		rest = after
	}
	return s, true
}

func life(p Process) Life {
	s, ok := read(p.PID)
	return judge(p, s, ok, func() bool {
		// Only if /proc shows processes at all, and shows ourselves correctly.
		if self, ok := read(os.Getpid()); !ok || self.parent != os.Getppid() {
			return false
		}
		_, err := os.Lstat("/proc/" + strconv.Itoa(p.PID))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// firstNamespace is the process namespace that a machine boots with (PROC_PID_INIT_INO).
const firstNamespace = "pid:[4026531836]"

// Host is this machine's name, or "" if unknown. In another process namespace it includes that
// namespace's number.
func Host() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	switch {
	case err != nil:
		return ""
	case space == firstNamespace:
		return name
	}
	return name + "/" + strings.Trim(space, "pid:[]")
}
