package queue_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/queue"
)

// crew are processes at work, each with what it said so far.
type crew struct {
	testing.TB
	jobs []job
	cmds []*exec.Cmd
	outs []*said
}

// said is what a process said so far.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// works waits until some process has said the word.
func (c *crew) works(word string) {
	c.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, out := range c.outs {
			if strings.Contains("\n"+out.String(), "\n"+word+" ") {
				return
			}
		}
	}
	c.Fatalf("no process said %q", word)
}

func (c *crew) begin(j job) {
	c.Helper()
	out := &said{}
	cmd := j.command()
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.jobs, c.cmds, c.outs = append(c.jobs, j), append(c.cmds, cmd), append(c.outs, out)
}

// end waits for process i, killing it first or not.
func (c *crew) end(i int, kill bool) {
	if kill {
		c.cmds[i].Process.Kill()
	}
	c.cmds[i].Wait()
}

// Many processes put, deliver and drop at once: what was acknowledged is in the queue or in the archive, each task is
// told once, and only to its session.
func TestManyProcesses(t *testing.T) {
	world.Slow(t)
	b := onBench(t, others(t)["pretty.json"])
	c := &crew{TB: t}
	const sessions = 4
	for i := range sessions {
		c.begin(job{what: "deliver", dir: b.dir, session: fmt.Sprint("s", i), at: noon()})
	}
	for i := range sessions {
		c.begin(job{what: "put", dir: b.dir, session: fmt.Sprint("s", i), at: noon(), count: world.Storm(25)})
	}
	for i := range sessions {
		c.end(sessions+i, false)
	}
	for i := range sessions { // and what came last
		c.end(i, true)
		fmt.Fprint(c.outs[i], "\n"+b.deliver(c.jobs[i].session, noon()))
	}
	b.judge(c, 1)
	if got := b.tasks()[:2]; got[0].ID != "task-001" || got[1].ID != "task-002" {
		t.Errorf("theirs are not where they were: %s", ids(b.tasks()))
	}
}

// The same with processes killed at random moments, beside a reader that always sees a whole queue.
func TestManyKilledProcesses(t *testing.T) {
	b := onBench(t, others(t)["pretty.json"])
	c := &crew{TB: t}
	r := rand.New(rand.NewPCG(7, 9))
	begin := func(n int) {
		what := []string{"put", "deliver"}[n%2]
		session := fmt.Sprint("s", n/2%3)
		c.begin(job{what: what, dir: b.dir, session: session, name: fmt.Sprintf("%s.%d", session, n), at: noon().Add(time.Duration(n) * 10 * time.Second)})
	}
	const working = 6
	for n := range working {
		begin(n)
	}
	for n := range world.Storm(30) {
		if _, err := b.Read(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(15_000)) * time.Microsecond)
		c.end(n, true)
		begin(n + working)
	}
	c.works("put")
	c.works("told")
	for n := len(c.cmds) - working; n < len(c.cmds); n++ {
		c.end(n, true)
	}
	b.sound()
	b.judge(c, queue.MaxAttempts)
}

// judge compares what processes said with what is left of it.
func (b *bench) judge(c *crew, most int) {
	b.Helper()
	left := b.text(queue.Name) + b.text(queue.ArchiveName) + b.text("queue.archive.1.jsonl")
	put, told := 0, map[string]int{}
	for i, out := range c.outs {
		for line := range strings.Lines(out.String()) {
			line, whole := strings.CutSuffix(line, "\n")
			id, isPut := strings.CutPrefix(line, "put ")
			ids, isTold := strings.CutPrefix(line, "told ")
			switch {
			case !whole, line == "": // killed while it said so
			case isPut:
				put++
				if !strings.Contains(left, `"id":"`+id+`"`) {
					b.Errorf("%s is lost", id)
				}
			case isTold:
				for _, id := range strings.Fields(ids) {
					told[id]++
					if !strings.HasPrefix(id, c.jobs[i].session+".") {
						b.Errorf("%s was told to %s", id, c.jobs[i].session)
					}
				}
			case world.IsWine() && strings.Contains(line, "Access denied"): // it replaces no open file: nothing was put, and it said so
			case !strings.HasPrefix(line, "not put "): // full
				b.Errorf("a process said %q", line)
			}
		}
	}
	for id, n := range told {
		if n > most {
			b.Errorf("%s was told %d times", id, n)
		}
	}
	b.Logf("%d put, %d told, %d left", put, len(told), len(b.tasks()))
	if world.IsWine() && put == 0 {
		b.Skip("Wine replaced no file under this many readers")
	}
	if put == 0 || len(told) == 0 {
		b.Error("nothing was put or told")
	}
}
