//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
	"aburn/internal/lockfile"
	"aburn/internal/proc"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// running is a hook that has not ended.
type running struct {
	*exec.Cmd
	w      *world
	stdout *os.File // to read from
}

// start starts a hook. A full stdout makes it stop at its print until somebody reads.
func (w *world) start(agent, payload string, full bool) *running {
	w.t.Helper()
	r, s, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { r.Close() })
	defer s.Close()
	if full {
		fill(w.t, s)
	}
	stdin, err := os.Open(w.Write("../stdin-"+strconv.FormatUint(rand.Uint64(), 36), strings.ReplaceAll(payload, "/home/user", w.Home)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer stdin.Close()
	cmd := exec.Command(exe, agent)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = w.Project, w.env, stdin, s
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cmd.Process.Kill() })
	return &running{cmd, w, r}
}

// stuffing fills a pipe.
var stuffing = bytes.Repeat([]byte{'.'}, 4096)

func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	raw, err := pipe.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		syscall.SetNonblock(int(fd), true)
		for {
			if _, err := syscall.Write(int(fd), stuffing); err != nil {
				break
			}
		}
		syscall.SetNonblock(int(fd), false)
	})
}

// kill ends the hook itself, of which the started process may be only the guard, and waits for its end.
func (r *running) kill() {
	r.w.t.Helper()
	if id := child(r.Process.Pid); id != 0 {
		_ = syscall.Kill(id, syscall.SIGKILL)
	} else {
		r.Process.Kill()
	}
	r.Wait()
}

// child returns a process that the process pid started, or 0.
func child(pid int) int {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		id, _ := strconv.Atoi(filepath.Base(path))
		if _, parent, ok := proc.Parent(id); ok && parent == pid {
			return id
		}
	}
	return 0
}

// read is what the hook printed until it ended.
func (r *running) read() string {
	r.w.t.Helper()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.stdout); err != nil {
		r.w.t.Fatal(err)
	}
	r.Wait()
	return strings.TrimLeft(b.String(), ".")
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("never: %s", what)
		}
	}
}

// claimed waits until the only task is claimed for the nth time.
func (w *world) claimed(n int) {
	w.t.Helper()
	w.eventually("claimed", func() bool {
		b, err := os.ReadFile(w.queueFile())
		return err == nil && bytes.Contains(b, []byte(`"executing"`)) && bytes.Contains(b, []byte(`"attempts":`+strconv.Itoa(n)))
	})
}

var until = regexp.MustCompile(`"until":"[^"]*"`)

// leasesEnd lets all leases be over.
func (w *world) leasesEnd() {
	w.t.Helper()
	b, err := os.ReadFile(w.queueFile())
	if err != nil {
		w.t.Fatal(err)
	}
	b = until.ReplaceAll(b, []byte(`"until":"2020-01-01T00:00:00Z"`))
	if err := os.WriteFile(w.queueFile(), b, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// A hook that was killed after the claim and before the print has told nothing: the
// task is told when its lease is over, and not before.
func TestKilledBeforePrint(t *testing.T) {
	w := newWorld(t)
	w.trust()
	id := w.put(advice("s1"))
	hook := w.start("claude", promptOf("claude", "s1"), true)
	w.claimed(1)
	hook.kill() // dead before there is room for what it wants to print
	if out := hook.read(); out != "" {
		t.Fatalf("printed %q", out)
	}
	if got := w.prompt("s1"); got != "" {
		t.Errorf("told while another hook may print it: %q", got)
	}
	w.leasesEnd()
	if got := w.prompt("s2"); got != "" {
		t.Errorf("another session was told %q", got)
	}
	if got := w.prompt("s1"); !strings.Contains(got, "mind the gap") {
		t.Errorf("told %q", got)
	}
	if task := w.task(id); task.Status != queue.Completed || task.Attempts != 2 {
		t.Errorf("the task is %+v", task)
	}
}

// One that was killed after the print and before the queue knew has told it: the log
// says so, and the task is told no more.
func TestKilledBeforeReceipt(t *testing.T) {
	w := newWorld(t)
	w.trust()
	id := w.put(advice("s1"))
	hook := w.start("claude", promptOf("claude", "s1"), true)
	w.claimed(1)
	lock := w.lockQueue()
	printed := make(chan string)
	go func() {
		var b bytes.Buffer
		b.ReadFrom(hook.stdout)
		printed <- strings.TrimLeft(b.String(), ".")
	}()
	w.eventually("logged", func() bool {
		b, err := os.ReadFile(filepath.Join(w.Project, ".oss", "workflow.log"))
		return err == nil && bytes.Contains(b, []byte(`"event":"DELIVERED"`))
	})
	hook.kill()
	lock.Release()
	if text := adviceText(t, <-printed, "UserPromptSubmit"); !strings.Contains(text, "mind the gap") {
		t.Errorf("told %q", text)
	}
	if task := w.task(id); task.Status != queue.Executing {
		t.Errorf("the task is %+v", task)
	}
	w.leasesEnd()
	if got := w.prompt("s1"); got != "" {
		t.Errorf("told again: %q", got)
	}
	if task := w.task(id); task.Status != queue.Completed {
		t.Errorf("the task is %+v", task)
	}
}

// Who was killed before anything said that it printed is taken to have not: its task
// is told once more, and never a third time.
func TestKilledTwice(t *testing.T) {
	w := newWorld(t)
	w.trust()
	id := w.put(advice("s1"))
	for round := range 3 {
		hook := w.start("claude", promptOf("claude", "s1"), true)
		if round < 2 {
			w.claimed(round + 1)
			hook.kill()
		}
		if out := hook.read(); out != "" {
			t.Fatalf("round %d: told %q", round, out)
		}
		w.leasesEnd()
	}
	if task := w.task(id); task.Status == queue.Completed || task.Attempts != 2 {
		t.Errorf("the task is %+v", task)
	}
}

func (w *world) lockQueue() *lockfile.Lock {
	w.t.Helper()
	root, err := os.OpenRoot(filepath.Join(w.Project, ".oss"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, queue.LockName, 2*time.Minute)
	if err != nil {
		w.t.Fatal(err)
	}
	return lock
}

// Nothing dies, but the queue is busy when the receipt is due: the log has it, and the
// task is told once.
func TestBusyAtReceipt(t *testing.T) {
	w := newWorld(t)
	w.trust()
	w.complains = true
	id := w.put(advice("s1"))
	hook := w.start("claude", promptOf("claude", "s1"), true)
	w.claimed(1)
	lock := w.lockQueue()
	if text := adviceText(t, hook.read(), "UserPromptSubmit"); !strings.Contains(text, "mind the gap") {
		t.Errorf("told %q", text)
	}
	if e := w.last(); e.Event != logfmt.Delivered || get(e, "task_id").Str != id {
		t.Errorf("the log ends with %s %s", e.Event, e.Data)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	w.leasesEnd()
	if got := w.prompt("s1"); got != "" {
		t.Errorf("told again: %q", got)
	}
	if task := w.task(id); task.Status != queue.Completed {
		t.Errorf("the task is %+v", task)
	}
}

// Hooks of the same prompt (registered twice) and of many sessions at once: each task
// is told once, and only to its own session.
func TestDeliveryAtOnce(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	w.trust()
	const sessions = 6
	for i := range sessions {
		task := advice("s" + strconv.Itoa(i))
		task.Prompt = "mind gap " + strconv.Itoa(i) + "."
		w.put(task)
	}
	told := make([]string, sessions)
	for range 4 { // a claim that finds the queue busy waits for the next prompt
		var hooks []*running
		for i := range 2 * sessions {
			hooks = append(hooks, w.start("claude", promptOf("claude", "s"+strconv.Itoa(i%sessions)), false))
		}
		for i, h := range hooks {
			told[i%sessions] += h.read()
		}
	}
	for i, text := range told {
		if strings.Count(text, "mind gap") != 1 || !strings.Contains(text, "mind gap "+strconv.Itoa(i)+".") {
			t.Errorf("session %d was told %q", i, text)
		}
	}
}

// Hooks are killed wherever they are. Each task is told at least once and at most
// twice, and never to another session.
func TestKillStorm(t *testing.T) {
	w := newWorld(t)
	w.trust()
	rounds := lab.Storm(20)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	begin := time.Now()
	w.prompt("s9")
	whole := time.Since(begin)
	mine := func(i int) string { return "mind gap " + strconv.Itoa(i) + "." }
	twice := 0
	for i := range rounds {
		task := advice("s1")
		task.Prompt = mine(i)
		w.put(task)
		hook := w.start("claude", promptOf("claude", "s1"), false)
		other := w.start("claude", promptOf("claude", "s2"), false)
		time.Sleep(time.Duration(random.Int64N(int64(whole))))
		hook.Process.Kill()
		printed := hook.read()
		if out := other.read(); out != "" {
			t.Fatalf("round %d: another session was told %q", i, out)
		}
		for range 3 {
			if _, err := os.Stat(w.queueFile()); err == nil {
				w.leasesEnd()
			}
			printed += w.prompt("s1")
		}
		n := strings.Count(printed, mine(i))
		if n < 1 || n > 2 {
			t.Fatalf("round %d: told %d times: %q", i, n, printed)
		}
		if twice += n - 1; strings.Count(printed, "mind gap") != n {
			t.Fatalf("round %d: told something else: %q", i, printed)
		}
	}
	t.Logf("%d of %d were told twice", twice, rounds)
}
