package undo

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"aburn/internal/git"
	lab "aburn/internal/lab/world"
	"aburn/internal/snapshot"
)

// helperVar makes the test's executable a process that writes the pending undo of a worktree, and backVar one that takes it back.
const helperVar, backVar = "ABURN_TEST_UNDO", "ABURN_TEST_UNDO_BACK"

func TestMain(m *testing.M) {
	dir := os.Getenv(helperVar)
	if dir == "" {
		os.Exit(m.Run())
	}
	s := &Store{Tree: &snapshot.Tree{Git: git.In(dir, os.Environ()), Path: dir}}
	plan, err := s.Load(context.Background(), PendingRef)
	if err != nil || plan == nil {
		panic(fmt.Sprint(plan, err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	fmt.Println("begins")
	if os.Getenv(backVar) != "" {
		err = plan.TakeBack(root)
	} else {
		err = plan.Apply(root)
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// A process that writes an undo, or takes it back, is killed at any moment, again and again. Afterwards the undo can be finished, and can be taken back:
// then each file has the bytes of the one state or of the other, and nothing else lies around.
func TestKilledUndo(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range lab.Storm(2) {
		w := newWorld(t, rand.Uint64())
		w.begin()
		before := w.tree()
		q := w.question("")
		a, err := w.store.Ask(t.Context(), q)
		w.must(err)
		plan := &Plan{Session: "a", To: w.states[0].Ref, Before: w.states[len(w.states)-1].Ref, Steps: a.Steps}
		root, err := os.OpenRoot(w.dir)
		w.must(err)
		defer root.Close()
		plan.Moves, err = w.store.Moves(t.Context(), root, plan.Steps)
		w.must(err)
		if len(plan.Moves) == 0 {
			continue
		}
		w.must(w.store.Keep(t.Context(), plan, w.states[len(w.states)-1].Commit))
		if w.store.Keep(t.Context(), &Plan{}, w.states[0].Commit) == nil {
			t.Error("a second undo begins")
		}
		plan, err = w.store.Load(t.Context(), PendingRef)
		w.must(err)
		killed := 0
		for range lab.Storm(12) {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), helperVar+"="+w.dir)
			if w.rnd.IntN(2) == 0 {
				cmd.Env = append(cmd.Env, backVar+"=1")
			}
			out, err := cmd.StdoutPipe()
			w.must(err)
			w.must(cmd.Start())
			bufio.NewReader(out).ReadString('\n')
			time.Sleep(time.Duration(w.rnd.IntN(12_000)) * time.Microsecond)
			cmd.Process.Kill()
			if cmd.Wait() != nil {
				killed++
			}
		}
		w.must(plan.TakeBack(root))
		if got := w.tree(); !maps.EqualFunc(before, got, Content.equal) {
			t.Errorf("seed %d: taken back, it is not the state before", w.seed)
		}
		w.must(plan.Apply(root))
		after := w.tree()
		for _, m := range plan.Moves {
			if !after[m.Path].equal(m.To) {
				t.Errorf("seed %d: %s is not as the undo wants it", w.seed, m.Path)
			}
			delete(after, m.Path)
			delete(before, m.Path)
		}
		if !maps.EqualFunc(before, after, Content.equal) {
			t.Errorf("seed %d: other files changed, or something lies around", w.seed)
		}
		t.Logf("%d moves, %d processes killed", len(plan.Moves), killed)
	}
}
