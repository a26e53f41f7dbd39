package main

import (
	"os/exec"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// canSandbox says whether this machine lets us mount in a namespace of our own.
func canSandbox() bool {
	cmd := exec.Command("mount", "-t", "tmpfs", "none", "/mnt")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{Size: 1}}, GidMappings: []syscall.SysProcIDMap{{Size: 1}}}
	if syscall.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	return cmd.Run() == nil
}

// cmdSandboxed runs a command as Codex's sandbox does: the folder's .oss is
// mounted read-only. sandboxed FOLDER COMMAND…
func cmdSandboxed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: sandboxed folder command args...")
	}
	script := `mount --bind .oss .oss && mount -o remount,ro,bind .oss && exec "$@"`
	unshare := []string{"--mount", "sh", "-c", `cd "$0" && ` + script, ts.MkAbs(args[0])}
	err := ts.Exec("unshare", append(unshare, args[1:]...)...)
	if (err != nil) != neg {
		ts.Fatalf("sandboxed: %v (exit wanted: %v)", err, neg)
	}
}
