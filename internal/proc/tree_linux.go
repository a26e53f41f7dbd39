package proc

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Lookup is the process that has this id now.
func Lookup(pid int) (Process, bool) {
	s, ok := read(pid)
	return s.Process, ok && !s.dead
}

// All lists the ids of all processes that this one can see.
func All() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Descendants are the processes below pid, and which of them are its own children. Ended ones that nobody has reaped are
// left out. ok is false where the system cannot tell.
func Descendants(pid int) (all []Process, children []int, ok bool) {
	below := map[int][]stat{}
	for _, p := range All() {
		if s, ok := read(p); ok {
			below[s.parent] = append(below[s.parent], s)
		}
	}
	open := []int{pid}
	for len(open) > 0 {
		parent := open[0]
		open = open[1:]
		for _, s := range below[parent] {
			open = append(open, s.PID)
			if s.dead {
				continue
			}
			all = append(all, s.Process)
			if parent == pid {
				children = append(children, s.PID)
			}
		}
	}
	return all, children, true
}

// Environ is the value of a variable that the process was started with, "" if it cannot be read.
func Environ(pid int, name string) string {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for kv := range strings.SplitSeq(string(env), "\x00") {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// Cwd is the folder in which the process works, "" if it cannot be read.
func Cwd(pid int) string {
	dir, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return dir
}

// Terminal is the terminal that the process reads, as pts/3, "" if it reads none or that cannot be seen.
func Terminal(pid int) string {
	path, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/0")
	at, ok := strings.CutPrefix(path, "/dev/")
	if !ok || !strings.HasPrefix(at, "pts/") && !strings.HasPrefix(at, "tty") {
		return ""
	}
	return at
}

// Clock says since which boot this machine has been running and for how long, without the time that it slept; "" and 0
// if unknown.
func Clock() (boot string, up time.Duration) {
	const monotonic = 1
	var ts syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return "", 0
	}
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0
	}
	return strings.TrimSpace(string(id)), time.Duration(ts.Nano())
}
