package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// read parses /proc/<pid>/stat: "pid (name) state ppid … starttime …". The name may contain
// blanks and parentheses.
func read(pid int) (s stat, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	return parse(pid, b)
}

func parse(pid int, b []byte) (s stat, ok bool) {
	open, shut := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open {
		return stat{}, false
	}
	const afterName, starttime = 3, 22 // field numbers of proc(5)
	f := bytes.Fields(b[shut+1:])
	if len(f) <= starttime-afterName {
		return stat{}, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return stat{}, false
	}
	start, err := strconv.ParseInt(string(f[starttime-afterName]), 10, 64)
	dead := f[0][0] == 'Z' || f[0][0] == 'X'
	return stat{Process{pid, start}, string(b[open+1 : shut]), parent, dead}, err == nil
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
