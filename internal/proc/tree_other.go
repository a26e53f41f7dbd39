//go:build !linux && !darwin

package proc

import "time"

// Lookup is the process that has this id now; without its start where this system does not tell it cheaply.
func Lookup(pid int) (Process, bool) {
	s, ok := read(pid)
	return s.Process, ok && life(s.Process) != Gone
}

// All lists no processes here.
func All() []int { return nil }

// Descendants cannot be told here.
func Descendants(int) (all []Process, children []int, ok bool) { return nil, nil, false }

func environOf(int, *[]byte) []byte { return nil }

func argsOf(int) []string { return nil }

func mine(int) bool { return false }

func sessionOf(stat) int { return 0 }

// Cwd cannot be read here.
func Cwd(int) string { return "" }

// Terminal is only known on Linux.
func Terminal(int) string { return "" }

// Clock is unknown here.
func Clock() (boot string, up time.Duration) { return "", 0 }
