package hold

import "syscall"

// adoptOrphans makes this process the parent of every descendant whose own parent ends.
func adoptOrphans() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	syscall.Syscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
}
