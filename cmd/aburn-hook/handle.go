//go:build !windows

package main

import "syscall"

// handle writes to a descriptor past os.File, which ends the process by SIGPIPE
// when the agent has closed its end of stdout or stderr.
type handle int

func (h handle) Write(p []byte) (int, error) { return syscall.Write(int(h), p) }

// noCore keeps a dying hook from leaving its memory, which holds a payload, in a file.
func noCore() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
