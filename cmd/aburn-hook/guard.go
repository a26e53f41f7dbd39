package main

import "runtime/debug"

// On Linux, on amd64 and arm64, a hook is two processes. The one that the agent started, the guard, waits for the other and
// exits 0 whatever became of it. Go code runs in the other alone, because Go's runtime exits 2, past any recover, when it
// can't start: too few threads, too little memory. Exit code 2 blocks the agent.
//
// guard_linux_*.s begins it. Go's runtime calls _cgo_init, if it is set, before all else, so that C code can set up its
// thread. The other process shares the guard's memory, as after vfork: a copy takes a fifth of a hook's time. So the
// guard touches no memory and calls nothing but the system.
//
//   - The hook dies with the guard, by PR_SET_PDEATHSIG: agents end a late hook by the process that they know.
//   - If no process can be had, the guard exits 0: nothing is recorded.
//   - The binary of `go test` keeps its exit code. Its first argument begins with a dash.
//   - The race detector links C code that needs _cgo_init itself, so its builds have no guard.

// caller is the process that started the guard. It is 0 where a hook has none.
var caller int32

// endBySignal makes fatal errors end an unguarded hook by a signal, which blocks no agent.
func endBySignal() {
	if caller == 0 {
		debug.SetTraceback("crash")
	}
}
