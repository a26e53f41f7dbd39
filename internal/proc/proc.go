// Package proc names a running process so that a reader can tell later whether it
// still runs, and never says that a process is gone which it only cannot see.
//
// A process is its id and the moment when it started, as the kernel counts, on one
// host; host names the machine and, in a container or sandbox, its own numbering of
// processes, so that a reader inside of one does not look there for an id from outside.
package proc

import "os"

// Process is one running program.
type Process struct {
	PID   int
	Start int64 // Linux: clock ticks since boot; 0 where it cannot be asked
}

// maxShells is how many shells may stand between an agent and its hook.
const maxShells = 3

// Agent is the process that runs this hook: the parent, or what started the shells
// that an agent puts in between. A shell is gone a moment later and would make its
// session look dead.
func Agent() (Process, bool) {
	pid := os.Getppid()
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

// Self is this process.
func Self() (Process, bool) {
	s, ok := read(os.Getpid())
	return s.Process, ok
}

// stat is what a system says about a process.
type stat struct {
	Process
	name   string
	parent int
	dead   bool // it has ended, and nobody has asked for its exit code
}

// Life is what can be said about a process.
type Life int8

// The answers.
const (
	Unknown Life = iota
	Runs
	Gone
)

// Of says whether the process p of host runs.
func Of(p Process, host string) Life {
	if p.PID <= 0 || host == "" || host != Host() {
		return Unknown
	}
	return life(p)
}
