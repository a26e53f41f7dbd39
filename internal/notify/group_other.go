//go:build !unix

package notify

import "os/exec"

// Shell returns the program and arguments that run a line as the user would type it.
func Shell(line string) []string { return []string{"cmd", "/C", line} }

// inGroup does nothing here: a command's children outlive it.
func inGroup(*exec.Cmd) {}
