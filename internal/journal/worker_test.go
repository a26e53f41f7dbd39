package journal_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// The tests of crashes use real processes: this test's own executable, which
// does one kind of work until it is told to stop or killed. An entry counts as
// acknowledged when the worker has told its id on a pipe, which it does after
// Append returned nil.

func TestMain(m *testing.M) {
	if what := os.Getenv("JOURNAL_WORK"); what != "" {
		work(what)
		return
	}
	os.Exit(m.Run())
}

// job is what a worker does.
type job struct {
	what   string // append, rotate, hold
	dir    string
	name   string // the ids are name.0, name.1, …
	count  int    // how many; 0 = until killed
	size   int    // bytes of an entry, before it is cut
	wait   time.Duration
	rotate int64  // RotateIfDue at this size before each append
	event  string // "" = TOOL
	pause  time.Duration
	anchor string
}

func (w job) env() []string {
	return append(os.Environ(), "JOURNAL_WORK="+w.what, "JOURNAL_DIR="+w.dir, "JOURNAL_NAME="+w.name,
		fmt.Sprint("JOURNAL_COUNT=", w.count), fmt.Sprint("JOURNAL_SIZE=", w.size), fmt.Sprint("JOURNAL_WAIT=", int64(w.wait)),
		fmt.Sprint("JOURNAL_ROTATE=", w.rotate), "JOURNAL_EVENT="+w.event, "JOURNAL_ANCHOR="+w.anchor, fmt.Sprint("JOURNAL_PAUSE=", int64(w.pause)))
}

func envInt(key string) int64 {
	n, err := strconv.ParseInt(os.Getenv(key), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func work(what string) {
	root, err := os.OpenRoot(os.Getenv("JOURNAL_DIR"))
	if err != nil {
		panic(err)
	}
	j := journal.New(root, journal.Options{Wait: time.Duration(envInt("JOURNAL_WAIT")), Rotate: envInt("JOURNAL_ROTATE"), Anchor: os.Getenv("JOURNAL_ANCHOR")})
	switch what {
	case "append":
		workAppend(j)
	case "rotate":
		for {
			if err := j.Rotate(); err == nil {
				os.Stdout.WriteString("rotated\n")
			}
		}
	case "hold":
		lock, err := lockfile.Acquire(root, journal.LockName, time.Minute)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString("held\n")
		io.Copy(io.Discard, os.Stdin)
		lock.Release()
	}
}

func workAppend(j *journal.Journal) {
	count, size := envInt("JOURNAL_COUNT"), int(envInt("JOURNAL_SIZE"))
	for i := 0; count == 0 || i < int(count); i++ {
		time.Sleep(time.Duration(envInt("JOURNAL_PAUSE")))
		if envInt("JOURNAL_ROTATE") > 0 {
			j.RotateIfDue(journal.Hook)
		}
		e := big(fmt.Sprint(os.Getenv("JOURNAL_NAME"), ".", i), size)
		e.Time = time.Now()
		if ev := os.Getenv("JOURNAL_EVENT"); ev != "" {
			e.Event = logfmt.Event(ev)
		}
		if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
			os.Stdout.WriteString("! " + err.Error() + "\n")
			time.Sleep(time.Millisecond)
			continue
		}
		os.Stdout.WriteString(e.ID + "\n")
	}
}

// worker is a running one. Its words are complete when it has been waited for.
type worker struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	words []string // acknowledged ids, errors with "! " before them
	read  chan struct{}
	first chan struct{}
	in    io.Closer
}

func start(t testing.TB, w job, more ...func(*exec.Cmd)) *worker {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = w.env()
	cmd.Stderr = os.Stderr
	for _, f := range more {
		f(cmd)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &worker{cmd: cmd, read: make(chan struct{}), first: make(chan struct{}), in: in}
	go func() {
		defer close(p.read)
		s := bufio.NewScanner(out)
		for s.Scan() {
			p.mu.Lock()
			p.words = append(p.words, s.Text())
			p.mu.Unlock()
			if len(p.words) == 1 {
				close(p.first)
			}
		}
	}()
	t.Cleanup(p.kill)
	return p
}

// begun waits until the worker has said its first word.
func (p *worker) begun(t testing.TB) {
	t.Helper()
	select {
	case <-p.first:
	case <-time.After(2 * time.Minute):
		t.Fatal("worker says nothing")
	}
}

// says waits until n of its entries are acknowledged.
func (p *worker) says(t testing.TB, n int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); len(p.acked()) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d entries acknowledged", len(p.acked()), n)
		}
	}
}

func (p *worker) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Signal(syscall.SIGKILL)
		p.wait()
	}
}

func (p *worker) wait() {
	<-p.read
	p.cmd.Wait()
}

// acked are the ids acknowledged so far.
func (p *worker) acked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.words), func(w string) bool { return strings.HasPrefix(w, "!") })
}

// judge reads the log as its users do and fails unless every acknowledged entry
// is there, each entry once, and each worker's entries in its own order.
func judge(t testing.TB, dir string, acked []string) map[string]int {
	t.Helper()
	at := map[string]int{}
	last := map[string]int{}
	j := open(t, dir, journal.Options{})
	for l, err := range journal.Unique(j.Forward(journal.Position{})) {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		e, err := logfmt.Parse(l.JSON)
		if err != nil || e.Event == logfmt.Checkpoint {
			continue
		}
		if _, ok := at[e.ID]; ok {
			t.Errorf("%s stands in the log twice", e.ID)
		}
		at[e.ID] = len(at)
		if i := strings.LastIndexByte(e.ID, '.'); i > 0 {
			n, _ := strconv.Atoi(e.ID[i+1:])
			if before, ok := last[e.ID[:i]]; ok && n < before {
				t.Errorf("%s stands behind number %d", e.ID, before)
			}
			last[e.ID[:i]] = n
		}
	}
	lost := 0
	for _, id := range acked {
		if _, ok := at[id]; !ok {
			if lost++; lost < 10 {
				t.Errorf("%s was acknowledged and is lost", id)
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged entries are lost", lost, len(acked))
	}
	return at
}

// kinds counts findings.
func kinds(list []journal.Finding) string {
	n := map[string]int{}
	for _, f := range list {
		n[f.Kind]++
	}
	var all []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		all = append(all, fmt.Sprint(n[k], " ", k))
	}
	return strings.Join(all, ", ")
}
