package proc

import (
	"os"
	"slices"
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

// environOf is the environment that the process was started with: strings that end in NUL. It is empty where it cannot be read. It
// lies in room, which grows if it has to. It goes around package os, as read does.
func environOf(pid int, room *[]byte) []byte {
	fd, err := retried(func() (int, error) {
		return syscall.Open("/proc/"+strconv.Itoa(pid)+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	if *room == nil {
		*room = make([]byte, environRoom)
	}
	for at := 0; ; {
		n, err := retried(func() (int, error) { return syscall.Read(fd, (*room)[at:]) })
		if at += max(n, 0); err != nil || at < len(*room) { // the system gives all that there is room for
			return (*room)[:at]
		}
		*room = append(*room, make([]byte, len(*room))...)
	}
}

// environRoom holds the environment of nearly every process.
const environRoom = 32 << 10

func argsOf(pid int) []string {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// mine reports whether all of a process's user ids are this process's effective one. The owner of its folder in /proc says less:
// a process that may not be looked into belongs to root there.
func mine(pid int) bool {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, ok := strings.Cut(string(status), "\nUid:")
	if err != nil || !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	ids := strings.Fields(line)
	own := strconv.Itoa(os.Geteuid())
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return id != own })
}

func sessionOf(s stat) int { return s.session }

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
