package world

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Deaf holds back SIGWINCH in what the test starts from now on, as some parents of aburn do (perf). The end of the test, or undo,
// takes it back.
func Deaf(t testing.TB) (undo func()) {
	t.Helper()
	runtime.LockOSThread() // a program inherits what its starting thread holds back
	var size, was unix.Sigset_t
	size.Val[0] = 1 << (unix.SIGWINCH - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &size, &was); err != nil {
		t.Fatal(err)
	}
	done := false
	undo = func() {
		if !done {
			done = true
			unix.PthreadSigmask(unix.SIG_SETMASK, &was, nil)
			runtime.UnlockOSThread()
		}
	}
	t.Cleanup(undo)
	return undo
}
