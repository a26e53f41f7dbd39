package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
)

// A fault makes one system call of a process or its children fail: the nth that any of them begins. A lasting one makes
// each from then on fail that takes memory, a file or a process, as on a machine that has run out of them.
type fault struct {
	n       int // -1: none
	err     syscall.Errno
	lasting bool
}

func (f fault) String() string {
	if f.lasting {
		return fmt.Sprintf("from call %d on: %v", f.n, f.err)
	}
	return fmt.Sprintf("call %d: %v", f.n, f.err)
}

// takes are the calls that take memory, a file or a process.
var takes = map[uint64]bool{
	syscall.SYS_MMAP: true, syscall.SYS_MPROTECT: true, syscall.SYS_MADVISE: true, syscall.SYS_CLONE: true, 435 /* clone3 */ : true, syscall.SYS_OPENAT: true,
	syscall.SYS_PIPE2: true, syscall.SYS_EPOLL_CREATE1: true, 290 /* eventfd2 */ : true,
}

// TestEachCallFails lets system calls of hooks fail, from the exec on, before and after the start of Go's runtime. A hook
// exits 0 every time: the runtime would exit 2, which blocks the agent.
func TestEachCallFails(t *testing.T) {
	w := newWorld(t)
	w.trust()
	calls := []struct {
		payload string
		args    []string
	}{
		{w.Write("prompt", claudePayload("UserPromptSubmit", `"prompt":"go on"`)), []string{"claude"}},
		{w.Write("call", claudePayload("PreToolUse", `"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"`)), []string{"claude"}},
		{w.Write("status", `{"session_id":"s1","model":{"id":"m","display_name":"M"}}`), []string{"claude", "statusline", "--wrap", "echo mine"}},
	}
	var all [][2]any // which hook, and its fault
	for i, c := range calls {
		n := (&traced{t: t, w: w, fault: fault{n: -1}}).run(c.payload, c.args)
		t.Logf("%q: %d system calls", c.args, n)
		for n--; n >= 0; n-- {
			for _, err := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EACCES, syscall.EPERM} {
				all = append(all, [2]any{i, fault{n, err, false}}, [2]any{i, fault{n, err, true}})
			}
		}
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	runs := min(len(all), lab.Storm(100))
	for _, f := range all[:runs] {
		c := calls[f[0].(int)]
		if tr := (&traced{t: t, w: w, fault: f[1].(fault)}); tr.run(c.payload, c.args) == 0 || tr.status != 0 {
			t.Errorf("%q, %v (system call %d): wait status %#x\n%s", c.args, tr.fault, tr.failed, tr.status, tr.said)
		}
	}
	t.Logf("%d hooks with a fault, of %d possible", runs, len(all))
}

// traced is a run of a hook under ptrace.
type traced struct {
	t      *testing.T
	w      *world
	fault  fault
	status syscall.WaitStatus // of the hook
	said   []byte

	begun  int    // system calls
	failed uint64 // the number of the first that failed
}

// run returns how many system calls the hook began with all that it started.
func (tr *traced) run(payload string, args []string) int {
	tr.t.Helper()
	runtime.LockOSThread() // whoever begins a trace goes on with it
	defer runtime.UnlockOSThread()
	stdin, err := os.Open(payload)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer stdin.Close()
	out, err := os.CreateTemp(tr.t.TempDir(), "said")
	if err != nil {
		tr.t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = tr.w.Project, tr.w.env, stdin, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		tr.t.Skip("tracing is not allowed here")
	} else if err != nil {
		tr.t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // its children end with it
	tr.follow(cmd.Process.Pid)
	late.Stop()
	_ = cmd.Process.Release() // follow has waited for it
	if tr.said, err = os.ReadFile(out.Name()); err != nil {
		tr.t.Fatal(err)
	}
	tr.said = tr.said[:min(len(tr.said), 1500)]
	return tr.begun
}

// The options and requests of ptrace(2) that package syscall does not name.
const (
	traceAll   = 1 | 2 | 4 | 8 | 0x100000 // system calls, fork, vfork, clone; killed with the tracer
	ownThreads = 0x20000000               // __WNOTHREAD: no child of another test
)

// follow traces a process from its exec to the end of all that it started, and fails calls.
func (tr *traced) follow(pid int) {
	failing := map[int]bool{} // by thread, between the begin and the end of a failing call
	within := map[int]bool{}  // by thread, between the begin and the end of any call
	for first := true; ; {
		var status syscall.WaitStatus
		id, err := syscall.Wait4(-1, &status, syscall.WALL|ownThreads, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return
		case !status.Stopped():
			if id == pid {
				tr.status = status
			}
			continue
		}
		deliver := 0
		switch sig := status.StopSignal(); {
		case first && id == pid:
			first = false
			if err := syscall.PtraceSetOptions(pid, traceAll); err != nil {
				tr.t.Fatal(err)
			}
		case sig == syscall.SIGTRAP|0x80:
			within[id] = !within[id]
			tr.call(id, within[id], failing)
		case sig != syscall.SIGTRAP && sig != syscall.SIGSTOP: // a new thread begins with SIGSTOP
			deliver = int(sig)
		}
		_ = syscall.PtraceSyscall(id, deliver) // it may have been killed
	}
}

// call is the begin or the end of a system call.
func (tr *traced) call(id int, begins bool, failing map[int]bool) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(id, &regs) != nil {
		return // it was killed
	}
	switch {
	case begins:
		f, n := tr.fault, tr.begun
		tr.begun++
		if n != f.n && (!f.lasting || n < f.n || !takes[regs.Orig_rax]) || f.n < 0 {
			return
		}
		if n == f.n {
			tr.failed = regs.Orig_rax
		}
		failing[id] = true
		if regs.Orig_rax != syscall.SYS_CLOSE { // which frees the file also where it fails
			regs.Orig_rax = ^uint64(0) // no such call: nothing is done
		}
	case failing[id]:
		delete(failing, id)
		regs.Rax = uint64(-int64(tr.fault.err))
	default:
		return
	}
	_ = syscall.PtraceSetRegs(id, &regs)
}
