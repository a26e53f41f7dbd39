//go:build !windows

package main

import "syscall"

// handle writes to a descriptor past os.File, which ends the process by SIGPIPE
// when the agent has closed its end of stdout or stderr.
type handle int

func (h handle) Write(p []byte) (int, error) { return syscall.Write(int(h), p) }

// disableCoreDumps keeps a dying hook's memory, which holds a payload, out of files.
func disableCoreDumps() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
