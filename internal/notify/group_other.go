//go:build !unix

package notify

import "os/exec"

// Shell is the program and arguments that run a line as the user would type it.
func Shell(line string) []string { return []string{"cmd", "/C", line} }

// inGroup does nothing here: what a command started outlives it.
func inGroup(*exec.Cmd) {}
