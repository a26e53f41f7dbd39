package headless

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/claude"
	"aburn/worker/codex"
	"aburn/worker/slot"
)

// TestMain makes this binary a holder, a scripted agent, and a process that delivers one message.
func TestMain(m *testing.M) {
	switch os.Getenv("BE") {
	case "holder":
		os.Exit(hold.Main(os.Args[1:]))
	case "claude", "codex":
		beAnAgent(os.Getenv("BE"))
		os.Exit(0)
	case "sender":
		ch := Channel{protocols[os.Getenv("AGENT")]}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if r, err := ch.Deliver(ctx, slot.Handle{Dir: os.Args[1], Gen: 1}, slot.Message{ID: os.Args[2], Text: "x"}); err != nil || r == slot.Unreceived {
			fmt.Println(r, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var protocols = map[string]slot.Protocol{"claude": claude.Agent().Protocol(), "codex": codex.Agent().Protocol()}

// patience is for a machine that hangs, nothing else.
const patience = 2 * time.Minute

// stage is a worker's folder with an agent in it.
type stage struct {
	testing.TB
	Channel
	kind, dir string
	holder    *exec.Cmd
}

func newStage(t testing.TB, kind string) *stage {
	s := &stage{TB: t, Channel: Channel{protocols[kind]}, kind: kind, dir: t.TempDir()}
	t.Cleanup(func() {
		if s.holder != nil {
			hold.End(context.Background(), s.dir, 2)
			hold.End(context.Background(), s.dir, 1)
			s.holder.Wait()
		}
	})
	return s
}

func (s *stage) handle(gen int) slot.Handle { return slot.Handle{Dir: s.dir, Gen: gen} }

// start runs a generation of the agent, which crashes at a step.
func (s *stage) start(gen int, crash string) {
	s.Helper()
	resume := ""
	if gen > 1 {
		s.holder.Wait()
		resume = "t"
	}
	_, opening := s.Protocol.Launch(slot.Order{Tree: s.dir}, resume)
	for _, l := range opening {
		s.must(hold.Say(s.dir, gen, l.Tag, l.Text))
	}
	s.must(hold.Offer(s.dir, gen))
	s.holder = exec.Command(os.Args[0], s.dir, fmt.Sprint(gen))
	s.holder.Env = append(os.Environ(), "BE=holder")
	s.must(s.holder.Start())
	env := []string{"BE=" + s.kind, "RECORD=" + recordOf(s.dir), "CRASH=" + crash}
	s.must(hold.Hand(s.Context(), s.dir, gen, hold.Launch{Dir: s.dir, Argv: []string{os.Args[0]}, Env: env, Lines: true}))
	_, err := hold.Await(s.Context(), s.dir, gen)
	s.must(err)
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// deliver waits until the agent has a message, or is gone.
func (s *stage) deliver(gen int, id, text string) (slot.Receipt, error) {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	return s.Deliver(ctx, s.handle(gen), slot.Message{ID: id, Text: text})
}

// finished looks until nothing waits any more.
func (s *stage) finished(gen int) {
	s.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		_, err := s.Look(s.handle(gen))
		s.must(err)
		if left, err := inbox(s.handle(gen)); err == nil && len(left) == 0 {
			return
		}
	}
	s.Fatal("messages still wait")
}

// name is what the agent's record calls a message.
func (s *stage) name(id string) string {
	if s.kind == "claude" {
		t := &slot.Talk{}
		s.Protocol.Tell(t, "msg-"+id)
		for uuid := range t.Names {
			return uuid
		}
	}
	return id
}

// Holder and agent are killed at every step of the protocol. In the next generation each message stands in the conversation
// once. One whose turn was cut off is followed by the word to go on, and only such a one is.
func TestEachMessageIsDoneOnce(t *testing.T) {
	world.Slow(t)
	for kind := range protocols {
		for _, crash := range steps {
			t.Run(kind+"/"+crash, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind)
				s.must(Put(s.handle(1), slot.Message{ID: "task", Text: "first"}))
				s.start(1, crash)
				if r, err := s.deliver(1, "task", "first"); r == slot.Unreceived || err != nil {
					t.Fatal(r, err)
				}
				r, err := s.deliver(1, "m-1", "crash here")
				if err != nil && !errors.Is(err, hold.ErrGone) {
					t.Fatal(r, err)
				}
				s.holder.Wait()
				if r, err := s.deliver(1, "m-2", "too late"); !errors.Is(err, hold.ErrGone) {
					t.Fatal(r, err)
				}
				s.start(2, "")
				for range 2 {
					if r, err := s.deliver(2, "m-2", "later"); r == slot.Unreceived || err != nil {
						t.Fatal(r, err)
					}
				}
				s.finished(2)
				count := func(word, id string) int { return recorded(recordOf(s.dir), word, s.name(id)) }
				data, _ := os.ReadFile(recordOf(s.dir))
				for _, id := range []string{"task", "m-1", "m-2"} {
					if n := count("begun", id); n != 1 {
						t.Errorf("%s was begun %d times:\n%s", id, n, data)
					}
				}
				cut := count("done", "m-1") == 0
				if again := count("done", "again-2"); cut && again != 1 || again > 1 || !cut && again > 0 && (crash == "read" || crash == "queued" || kind == "codex") {
					t.Errorf("cut off: %v, told to go on: %d\n%s", cut, again, data)
				}
				if count("done", "m-2") != 1 || count("done", "task") != 1 {
					t.Errorf("others were not done:\n%s", data)
				}
				heard := map[string]int{}
				talk, err := s.Hear(s.handle(2))
				s.must(err)
				for _, e := range talk.Events {
					if e.Kind == worker.Received {
						heard[e.Message]++
					}
				}
				if heard["m-2"] != 1 || heard["m-1"] > 1 {
					t.Errorf("received: %v", heard)
				}
			})
		}
	}
}

// Processes that deliver are killed at any moment, and several deliver at once. Nothing is lost, doubled or mixed.
func TestKilledSenders(t *testing.T) {
	for kind := range protocols {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, kind)
			s.start(1, "")
			sender := func(id string) *exec.Cmd {
				cmd := exec.Command(os.Args[0], s.dir, id)
				cmd.Env = append(os.Environ(), "BE=sender", "AGENT="+kind)
				return cmd
			}
			rounds := world.Storm(12)
			for i := range rounds {
				cmd := sender(fmt.Sprint("k-", i))
				s.must(cmd.Start())
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // anywhere: no moment is asserted
				cmd.Process.Kill()
				cmd.Wait()
			}
			var all sync.WaitGroup
			for i := range rounds {
				all.Go(func() {
					if out, err := sender(fmt.Sprint("k-", i)).CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			}
			all.Wait()
			s.finished(1)
			for i := range rounds {
				if n := recorded(recordOf(s.dir), "done", s.name(fmt.Sprint("k-", i))); n != 1 {
					t.Errorf("k-%d was done %d times", i, n)
				}
			}
		})
	}
}

// Who looks after the cache is gone, or torn, sees the same.
func TestCacheMayGo(t *testing.T) {
	s := newStage(t, "claude")
	s.start(1, "")
	for _, id := range []string{"a", "b"} {
		_, err := s.deliver(1, id, "x")
		s.must(err)
	}
	s.finished(1)
	before, err := s.Hear(s.handle(1))
	s.must(err)
	path := hold.Path(s.dir, "talk", 1)
	for _, content := range []string{"", "{", "null", `{"next":0}`} {
		s.must(os.WriteFile(path, []byte(content), 0o600))
		after, err := s.Hear(s.handle(1))
		if err != nil || fmt.Sprintf("%+v", after) != fmt.Sprintf("%+v", before) {
			t.Errorf("%q: %+v, %v, want %+v", content, after, err, before)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Error(st, err)
	}
}

func TestMistakesOfMessages(t *testing.T) {
	s := newStage(t, "claude")
	for _, id := range []string{"", "a b", "../x", ".new"} {
		if Put(s.handle(1), slot.Message{ID: id}) == nil {
			t.Errorf("%q is an id", id)
		}
	}
	for i := range maxWaiting {
		s.must(Put(s.handle(1), slot.Message{ID: fmt.Sprint("m-", i), Text: "x"}))
	}
	if err := Put(s.handle(1), slot.Message{ID: "more"}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	s.must(Put(s.handle(1), slot.Message{ID: "m-3"})) // the same again
	if err := os.RemoveAll(filepath.Join(s.dir, inboxName)); err != nil {
		t.Fatal(err)
	}
}
