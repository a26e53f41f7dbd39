package run

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Resizable calls start so that the program that it starts hears when its terminal gets another size. A program inherits which signals
// are held back, and some parents hold this one back for all that they start, as perf does.
func Resizable(start func() error) error {
	runtime.LockOSThread() // a thread has its own set of them, and a program gets its thread's
	defer runtime.UnlockOSThread()
	var size, before unix.Sigset_t
	size.Val[0] = 1 << (unix.SIGWINCH - 1)
	if err := unix.PthreadSigmask(unix.SIG_UNBLOCK, &size, &before); err != nil {
		return err
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return start()
}
