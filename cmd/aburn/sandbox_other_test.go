//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func canSandbox() bool { return false }

func cmdSandboxed(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("sandboxed needs Linux")
}
