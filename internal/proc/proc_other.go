//go:build !linux && !darwin

package proc

import "os"

// read knows only the pid, because nothing here tells more cheaply. Finding out whether the process is a shell,
// and when it began, would cost a program of its own.
func read(pid int) (s stat, ok bool) { return stat{Process: Process{PID: pid}}, true }

// Host is this machine's name, or "" if unknown.
func Host() string {
	name, _ := os.Hostname()
	return name
}
