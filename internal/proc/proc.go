// Package proc identifies a running process, so that a reader can tell later whether it still
// runs. It never calls a process gone that it merely cannot see, and starts none.
//
// A process is its id and its start time, as the kernel counts, on one host. The host names the
// machine and, in a container or sandbox, its process namespace, so that a reader inside does not
// look there for an outside id.
package proc

import (
	"os"
	"sync"
)

type Process struct {
	PID   int
	Start int64 // Linux: clock ticks since boot; macOS: microseconds since 1970; 0 where unknown
}

// maxShells is the most shells between an agent and its hook.
const maxShells = 3

// Agent returns the agent of a hook that the process pid started: that process, or past any shells the one that
// started them. A shell is gone a moment later and would make its session look dead.
func Agent(pid int) (Process, bool) {
	for range maxShells + 1 {
		if pid <= 1 {
			break
		}
		s, ok := read(pid)
		if !ok {
			break
		}
		if !isShell(s.name) {
			return s.Process, true
		}
		pid = s.parent
	}
	return Process{}, false
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ash", "ksh", "fish":
		return true
	}
	return false
}

// Self returns this process.
func Self() (Process, bool) {
	s, ok := read(os.Getpid())
	return s.Process, ok
}

// stat is what the system says about a process.
type stat struct {
	Process
	name    string
	parent  int
	session int  // Linux only
	dead    bool // ended, but not yet reaped
}

// Life is what is known about a process.
type Life int8

const (
	Unknown Life = iota
	Runs
	Gone
)

// Of reports whether the process p of host is running.
func Of(p Process, host string) Life {
	if p.PID <= 0 || host == "" || host != Host() {
		return Unknown
	}
	return life(p)
}

// Look is what one moment shows of processes: each is read once, however often and by whomever it is asked about.
type Look struct {
	host  string
	mu    sync.Mutex
	known map[Process]Life
}

// NewLook begins a look. It goes out of date with what it read first.
func NewLook() *Look { return &Look{host: Host(), known: map[Process]Life{}} }

// Of is the function Of in this look.
func (l *Look) Of(p Process, host string) Life {
	if p.PID <= 0 || host == "" || host != l.host {
		return Unknown
	}
	l.mu.Lock()
	is, known := l.known[p]
	l.mu.Unlock()
	if !known { // two may both read it: what the later one saw stays
		is = life(p)
		l.mu.Lock()
		l.known[p] = is
		l.mu.Unlock()
	}
	return is
}

// judge compares p with what the system says about its number now; found is false if it says nothing. gone proves then that
// no process has the number.
func judge(p Process, now stat, found bool, gone func() bool) Life {
	switch {
	case !found && gone():
		return Gone
	case !found:
		return Unknown
	case p.Start != 0 && now.Start != 0 && p.Start != now.Start:
		return Gone // the number belongs to another process now
	case now.dead:
		return Gone
	case p.Start == 0 || now.Start == 0:
		return Unknown
	}
	return Runs
}

// Parent returns the name of a process and the id of the one that started it; ok is false where that cannot be seen.
func Parent(pid int) (name string, parent int, ok bool) {
	s, ok := read(pid)
	return s.name, s.parent, ok && s.name != ""
}
