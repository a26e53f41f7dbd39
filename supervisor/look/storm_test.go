package look

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// worker names the project in a process that looks until it is killed.
const worker = "ABURN_TEST_LOOKS_AT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(worker); dir != "" {
		lookForEver(dir)
	}
	os.Exit(m.Run())
}

func lookForEver(dir string) {
	p, err := project.At(dir, os.Getenv)
	if err != nil {
		panic(err)
	}
	key, err := p.Key()
	if err != nil {
		panic(err)
	}
	root, err := p.OpenOss()
	if err != nil {
		panic(err)
	}
	set := settings.LoadIn(root, p, os.Getenv)
	by := journal.By(len(os.Args[1]) % 2) // half of them as hooks
	j := journal.New(root, journal.Options{Sync: journal.SyncNone})
	for {
		_, err := New(Options{Root: root, Project: p, Journal: j, Settings: &set, Key: key, By: by}).Once(context.Background(), time.Now(), time.Time{})
		if err != nil && err != ErrBusy {
			panic(err)
		}
	}
}

// Many look at once, and are killed wherever they are. In the end the queue holds one
// task for each failure, the log one entry for each of them, and, once all is mended,
// one more.
func TestKilledLooks(t *testing.T) {
	rounds := lab.Storm(8)
	w := newWorld(t, "repeat", "bad line", "torn tail")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var running []*exec.Cmd
	start := func(i int) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-look"+strings.Repeat("x", i%2))
		cmd.Env, cmd.Stderr = append(os.Environ(), worker+"="+w.proj.Root), os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	for i := range 3 {
		running = append(running, start(i))
	}
	defer func() {
		for _, cmd := range running {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}()
	session := func(i int) string { return "@S" + strconv.Itoa(i) }
	for i := range rounds {
		w.drawNow(session(i) + ` SESSION_START'startup' PROMPT/build'go' build> build!'no compiler' STOP`)
		for range 3 {
			time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
			k := random.IntN(len(running))
			running[k].Process.Kill()
			running[k].Wait()
			running[k] = start(random.IntN(2))
		}
	}
	w.now = time.Now()
	w.once()
	tasks := map[string]string{}
	for _, task := range w.tasks() {
		if tasks[task.Signature] != "" {
			t.Errorf("two tasks for %s", task.Signature)
		}
		tasks[task.Signature] = task.ID
	}
	if len(tasks) != rounds {
		t.Errorf("%d tasks for %d failures", len(tasks), rounds)
	}
	w.onceEach("INTERVENTION", tasks)
	for i := range rounds {
		w.drawNow(session(i) + ` PROMPT'again' build> build. STOP`)
	}
	w.now = time.Now()
	w.once()
	if left := w.tasks(); len(left) != 0 {
		t.Errorf("%d tasks are left: %+v", len(left), left[0])
	}
	w.onceEach("RESOLVED", tasks)
}

// drawNow draws what happens now.
func (w *world) drawNow(drawing string) {
	w.t.Helper()
	from := len(w.all)
	w.all = append(w.all, w.drawn(drawing)...)
	for _, e := range w.all[from:] {
		e.Time = time.Now()
	}
	w.append(w.all[from:]...)
}

// onceEach holds that the log has one entry of ev, repeats not counted, for each task.
func (w *world) onceEach(ev string, tasks map[string]string) {
	w.t.Helper()
	n := map[string]int{}
	for line, err := range journal.Unique(w.journal.Forward(journal.Position{})) {
		if err != nil {
			w.t.Fatal(err)
		}
		for _, id := range tasks {
			if strings.Contains(string(line.JSON), `"event":"`+ev+`"`) && strings.Contains(string(line.JSON), `"task_id":"`+id+`"`) {
				n[id]++
			}
		}
	}
	for _, id := range tasks {
		if n[id] != 1 {
			w.t.Errorf("%d entries %s of task %s", n[id], ev, id)
		}
	}
}
