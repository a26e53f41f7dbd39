package queue_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
	"aburn/internal/queue"
)

// A traced worker does all its work on its first thread, the one that is traced.
func init() {
	if os.Getenv("QUEUE_TRACED") != "" {
		runtime.LockOSThread()
		ready = func() { syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGUSR1) }
	}
}

// killAt runs a job under ptrace and kills it with SIGKILL where it leaves its step-th system call since the work began.
// It returns what the job said, and whether it came so far.
func killAt(t *testing.T, j job, step int) (said string, killed bool) {
	t.Helper()
	runtime.LockOSThread() // whoever begins a trace goes on with it
	defer runtime.UnlockOSThread()
	out, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := j.command()
	cmd.Env = append(cmd.Env, "QUEUE_TRACED=1")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		t.Skip("tracing is not allowed here")
	} else if err != nil {
		t.Fatal(err)
	}
	killed = trace(t, cmd.Process.Pid, step)
	cmd.Process.Kill() // one that is not traced to its end
	cmd.Wait()
	data, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(data), killed
}

// trace follows a process from its exec to the step, where it kills it, or to its end.
func trace(t *testing.T, pid, step int) (killed bool) {
	t.Helper()
	const syscallStop = syscall.SIGTRAP | 0x80
	begun, n, deliver := false, 0, 0
	var status syscall.WaitStatus
	wait := func() bool {
		for {
			_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
			if err != syscall.EINTR {
				return err == nil && status.Stopped()
			}
		}
	}
	for first := true; wait(); first = false {
		deliver = 0
		switch sig := status.StopSignal(); {
		case first:
			if err := syscall.PtraceSetOptions(pid, 1|0x100000); err != nil { // TRACESYSGOOD, EXITKILL
				t.Fatal(err)
			}
		case sig == syscall.SIGUSR1 && !begun:
			begun = true
		case sig == syscallStop && begun:
			if n == 2*step { // it stops on the way in, too, having done nothing since the call before
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				wait()
				return true
			}
			n++
		case sig != syscallStop:
			deliver = int(sig)
		}
		next := syscall.PtraceCont // the start of the process is none of our steps
		if begun {
			next = syscall.PtraceSyscall
		}
		if err := next(pid, deliver); err != nil {
			t.Fatalf("trace: %v", err)
		}
	}
	if !begun || !status.Exited() {
		t.Fatalf("it did not come to its end: %#x", status)
	}
	return false
}

// eachStep kills a job at each of its steps, on a folder with the files that prepare has made once, and has check look at
// what is left.
func eachStep(t *testing.T, j job, prepare func(b *bench), check func(b *bench, said string)) {
	t.Helper()
	first := onBench(t, "")
	prepare(first)
	steps := 0
	for killed := true; killed; steps++ {
		if steps == 2000 {
			t.Fatal("it does not end")
		}
		b := onBench(t, first.text(queue.Name))
		b.TB = first.TB
		for name := range strings.FieldsSeq(first.names()) {
			if name != queue.Name {
				b.write(name, first.text(name))
			}
		}
		j.dir = b.dir
		var said string
		said, killed = killAt(t, j, steps)
		b.sound()
		check(b, said)
		if t.Failed() {
			t.Fatalf("killed at step %d, having said %q; %s: %s", steps, said, b.names(), b.text(queue.Name))
		}
	}
	t.Logf("killed after each of %d system calls", steps-1)
	if steps < 30 {
		t.Errorf("only %d steps: the job did no work", steps)
	}
}

// Killed at any step of a delivery, the advice is told at least once and at most twice when the session goes on, and
// never to another one.
func TestKilledDelivery(t *testing.T) {
	world.Slow(t)
	eachStep(t, job{what: "deliver", session: "s1", at: noon(), count: 1}, func(b *bench) {
		b.put(forSession("a", "s1"), noon())
		b.put(forSession("b", "s1"), noon())
		b.put(forSession("other", "s2"), noon())
	}, func(b *bench, said string) {
		told := said
		if got := b.deliver("s3", noon()); got != "" {
			b.Errorf("another session is %s", got)
		}
		for i := range 3 { // its next prompts
			told += b.deliver("s1", noon().Add(time.Duration(i*35)*time.Second))
		}
		for _, id := range []string{"a", "b"} {
			if n := strings.Count(told, " "+id); n < 1 || n > 2 {
				b.Errorf("%s was told %d times", id, n)
			}
		}
		if strings.Contains(told, "other") {
			b.Errorf("told %q", told)
		}
	})
}

// Killed at any step of a Put, what was there is there, and what was acknowledged, too.
func TestKilledPut(t *testing.T) {
	world.Slow(t)
	eachStep(t, job{what: "put", session: "s1", at: noon(), count: 2}, func(b *bench) {
		b.put(forSession("before", "s2"), noon())
	}, func(b *bench, said string) {
		all := " " + ids(b.tasks()) + " "
		for _, id := range []string{"before", acked(said, "s1.0"), acked(said, "s1.1")} {
			if !strings.Contains(all, " "+id+" ") && id != "" {
				b.Errorf("%s is lost; there are %s", id, all)
			}
		}
		for _, task := range b.tasks() {
			if !b.Ours(task) {
				b.Errorf("%s is not as it was signed", task.ID)
			}
		}
	})
}

// acked is id if the worker said that it put it, else "".
func acked(said, id string) string {
	if strings.Contains(said, "put "+id+"\n") {
		return id
	}
	return ""
}

// Killed at any step of a Put over a broken file, its bytes are still somewhere.
func TestKilledPutAside(t *testing.T) {
	world.Slow(t)
	const broken = `{"tasks":[{"id":`
	eachStep(t, job{what: "put", session: "s1", at: noon(), count: 1}, func(b *bench) {
		b.write(queue.Name, broken)
		b.TB = tolerant{b.TB}
	}, func(b *bench, said string) {
		if b.text(queue.Name) != broken && b.text("queue.json.broken-1") != broken {
			b.Error("the broken file is gone")
		}
		if acked(said, "s1.0") != "" && ids(b.tasks()) != "s1.0" {
			b.Errorf("it said %q", said)
		}
	})
}

// tolerant is a test that bears a broken queue.
type tolerant struct{ testing.TB }

func (t tolerant) Errorf(format string, args ...any) {
	if len(args) == 1 {
		if err, ok := args[0].(error); ok && errors.Is(err, queue.ErrBroken) {
			return
		}
	}
	t.TB.Errorf(format, args...)
}

// Killed at any step of what drops a task, it is in the queue or in the archive.
func TestKilledDrop(t *testing.T) {
	world.Slow(t)
	for _, what := range []string{"drop", "expire"} {
		t.Run(what, func(t *testing.T) {
			eachStep(t, job{what: what, at: noon().Add(2 * time.Hour), count: 1}, func(b *bench) {
				long := forSession("kept", "s1")
				long.ExpiresAt = noon().Add(10 * time.Hour)
				b.put(long, noon())
				b.put(forSession("a", "s1"), noon())
				b.write(queue.ArchiveName, strings.Repeat("x", 1<<20)) // due for a new one
			}, func(b *bench, said string) {
				archived := false
				for line := range bytes.Lines([]byte(b.text(queue.ArchiveName))) {
					archived = archived || gjson.GetBytes(line, "task.id").Str == "a"
				}
				left := ids(b.tasks())
				if left != "kept" && left != "kept a" || left == "kept" && !archived {
					b.Errorf("left %q, archived %v", left, archived)
				}
				if said != "" && left != "kept" {
					b.Errorf("it said %q", said)
				}
				if b.text(queue.ArchiveName) == "" && b.text("queue.archive.1.jsonl") == "" {
					b.Error("the archive is gone")
				}
			})
		})
	}
}

func TestKilledAllow(t *testing.T) {
	world.Slow(t)
	const theirs = `{"tasks":[{"id":"theirs","prompt":"p","status":"pending"}]}`
	eachStep(t, job{what: "allow", session: "s1", at: noon(), count: 1}, func(b *bench) {
		b.write(queue.Name, theirs)
	}, func(b *bench, said string) {
		if said != "" && !strings.Contains(said, "<nil>") || said == "" && b.text(queue.Name) != theirs && !b.Ours(b.task("theirs")) {
			b.Errorf("it said %q", said)
		}
		if said != "" && !b.Ours(b.task("theirs")) {
			b.Error("it was not allowed")
		}
	})
}

// A holder that is stopped keeps others away only as long as they want to wait; one that is killed, not at all.
func TestStoppedHolder(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	cmd := job{what: "hold", dir: b.dir, at: noon(), count: 1}.command()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGSTOP)
	for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
		if _, err := b.Lock(wait); !errors.Is(err, queue.ErrBusy) {
			t.Errorf("lock while it is held: %v", err)
		}
	}
	if ok, err := b.Waiting(claimant("s1"), noon()); !ok || err != nil {
		t.Errorf("a reader takes no lock: %v, %v", ok, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if got := b.claim("s1", noon()); got != "a" {
		t.Errorf("claimed %q", got)
	}
}

// In a folder that may not be written nothing is claimed, so that nothing is told again and again.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	before := b.text(queue.Name)
	for dir := b.dir; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	for _, name := range []string{queue.Name, queue.LockName} {
		os.Chmod(b.path(name), 0o644)
	}
	exe := copyOfMyself(t)
	for _, what := range []string{"deliver", "put", "drop"} {
		j := job{what: what, dir: b.dir, session: "s1", at: noon(), count: 1}
		cmd := j.command()
		cmd.Path, cmd.Args[0] = exe, exe
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if s := string(out); strings.Contains(s, "told") || strings.HasPrefix(s, "put") || what != "deliver" && !strings.HasPrefix(s, "error ") {
			t.Errorf("%s said %q", what, s)
		}
	}
	if b.text(queue.Name) != before || b.names() != "queue.json queue.json.lock" {
		t.Errorf("%s: %s", b.names(), b.text(queue.Name))
	}
}

// copyOfMyself is this test's executable where everybody may run it.
func copyOfMyself(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "queue")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe := filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(exe, data, 0o755)); err != nil {
		t.Fatal(err)
	}
	return exe
}
