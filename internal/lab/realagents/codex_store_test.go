//go:build agents

package realagents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
	"aburn/trace/packed"
)

// follower reads a store again and again, each time only what is new, as an archive does.
type follower struct {
	*world
	traces  map[string][]byte       // by id, as they are stored
	cursors map[string]trace.Cursor // by path
	store   string                  // that is being read
	reads   int                     // that brought something
}

func (w *world) follower() *follower {
	return &follower{world: w, traces: map[string][]byte{}, cursors: map[string]trace.Cursor{}}
}

// look reads what is new.
func (f *follower) look() {
	f.Helper()
	places := trace.Places{Home: f.home, Getenv: func(string) string { return "" }}
	err := codex.New().Find(context.Background(), places, func(s trace.Store) error {
		f.store, s.Cursor = s.Path, f.cursors[s.Path]
		return codex.New().Read(context.Background(), s, f)
	})
	if err != nil {
		f.Errorf("read on: %v", err)
	}
}

func (f *follower) Previous(id string) (*trace.SessionTrace, error) {
	return packed.Parse(f.traces[id])
}
func (f *follower) Damaged(d trace.Damage)      { f.Errorf("damage: %+v", d) }
func (f *follower) Progress(int64)              {}
func (f *follower) Done(c trace.Cursor, _ bool) { f.cursors[f.store] = c }

func (f *follower) Trace(t *trace.SessionTrace) (err error) {
	f.reads++
	f.traces[t.ID], err = packed.Append(nil, t)
	return err
}

// complete looks a last time, and checks that it has what reading all at once gives.
func (f *follower) complete() *tracetest.Sink {
	f.Helper()
	f.look()
	whole := tracetest.Read(f, codex.New(), filepath.Join(f.home, ".codex", "sessions"))
	drift := tracetest.Drift(f, "../../../trace/codex/testdata/known.txt", tracetest.CodexShape, filepath.Join(f.home, ".codex", "sessions"))
	if len(drift) > 0 {
		f.Errorf("nobody names %q of what this client writes", drift)
	}
	for id, want := range whole.Traces {
		data, err := packed.Append(nil, want)
		if err != nil {
			f.Fatal(err)
		}
		if !bytes.Equal(f.traces[id], data) {
			got, _ := packed.Parse(f.traces[id])
			gotJSON, _ := json.Marshal(got)
			wantJSON, _ := json.Marshal(want)
			f.Errorf("%s, read in %d goes:\n%s\nin one:\n%s", id, f.reads, gotJSON, wantJSON)
		}
	}
	return whole
}

// storedCalls is the calls of traces as the tests of the hooks tell them.
func storedCalls(traces []*trace.SessionTrace) (all []string) {
	for _, t := range traces {
		for _, c := range t.Calls() {
			if !c.Counts() || c.Call.Tool == "wait_agent" || c.Call.Tool == "spawn_agent" {
				continue
			}
			end, exit := "", ""
			if last := c.Last(); last != nil {
				if end = "TOOL"; last.Failed() {
					end = "TOOL_FAILED"
				}
				if last.ExitCode != nil {
					exit = fmt.Sprint(*last.ExitCode)
				}
			}
			all = append(all, strings.Join([]string{c.Call.Call, end, exit}, " "))
		}
	}
	slices.Sort(all)
	return all
}

// TestCodexStoreWhileWritten: a session with sub-agents is read while Codex writes it, before each answer of the model and
// in between. What came of it is what reading it afterwards gives, what the script made happen, and what an independent
// reading of the rollouts says of each call.
func TestCodexStoreWhileWritten(t *testing.T) {
	t.Parallel()
	looks := make(chan struct{})
	before := func(turn model.Turn) model.Turn {
		turn.Before = func(ctx context.Context) {
			select {
			case looks <- struct{}{}:
			case <-ctx.Done():
			}
		}
		return turn
	}
	w := newWorld(t, "stored", model.Script{
		codexHelper("alpha", model.Calls(js(`text((await tools.exec_command({cmd:"echo alpha; exit 2"})).output)`)), model.Text("alpha done")),
		codexHelper("beta", model.Calls(js(`text((await tools.exec_command({cmd:"echo beta"})).output)`)), model.Text("beta done")),
		{Name: "main", Turns: []model.Turn{
			before(model.Calls(js(`text((await tools.exec_command({cmd:"echo main; exit 3"})).output)`))),
			before(model.Calls(js(`text(await tools.apply_patch("*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** End Patch\n"))`))),
			before(model.Calls(spawn("alpha", "look around", "none"), spawn("beta", "look around", "all"))),
			before(model.Calls(waitAgents)), before(model.Calls(waitAgents)), before(model.Text("all done")),
		}},
	}, nil)
	w.codex = "gpt-6-sol"
	w.codexConfig("danger-full-access")
	p := w.startCodex(w.project, "do the thing")
	done := make(chan result, 1)
	go func() { done <- p.wait() }()
	f := w.follower()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-looks:
			f.look()
		case <-time.After(3 * time.Millisecond):
			f.look()
		}
	}
	s := f.complete()
	if f.reads < 10 {
		t.Errorf("only %d reads brought something new: it was not read while it was written", f.reads)
	}
	var main, children *trace.Counts
	main, children = new(trace.Counts), new(trace.Counts)
	for _, session := range s.Ordered() {
		if session.Outcome != trace.Completed {
			t.Errorf("%s ended %s", session.ID, session.Outcome)
		}
		if session.Relationships[0].Kind == trace.Subagent {
			children.Add(session.Count())
		} else {
			main.Add(session.Count())
		}
	}
	if main.Prompts != 1 || main.Calls != 6 || main.Failed != 1 || main.NoResult != 0 || main.Subagents != 2 || main.Changes != 1 || main.Responses != 6 {
		t.Errorf("the session: %+v", main)
	}
	if children.Prompts != 0 || children.Calls != 2 || children.Failed != 1 || children.Responses != 4 {
		t.Errorf("its sub-agents: %+v", children)
	}
	var told []string
	for _, c := range w.codexCalls() {
		if c.ID != "" && !strings.HasPrefix(c.ID, "call_main_2") && !strings.HasPrefix(c.ID, "call_main_3") && !strings.HasPrefix(c.ID, "call_main_4") {
			told = append(told, strings.Join([]string{c.ID, c.End, c.Exit}, " "))
		}
	}
	slices.Sort(told)
	if stored := storedCalls(s.Ordered()); !slices.Equal(stored, told) {
		t.Errorf("calls of the traces:\n%s\nof the rollouts:\n%s", strings.Join(stored, "\n"), strings.Join(told, "\n"))
	}
}

// TestCodexStoreOfTheKilled: Codex is killed in a command; the session is resumed in the same rollout, and goes on as one.
func TestCodexStoreOfTheKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "killed", one(model.Calls(command(untilEnd)), model.Text("after all"))(), nil)
	f := w.follower()
	p := w.startCodex(w.project, "do the thing")
	w.killIn(p, "call_main_0_0")
	killed := f.complete().Ordered()
	if len(killed) != 1 {
		t.Fatalf("%d sessions", len(killed))
	}
	c := killed[0].Count()
	if killed[0].Outcome != trace.Killed || c.Calls != 1 || c.NoResult != 1 || c.Responses != 1 || killed[0].Usage.Total() == 0 {
		t.Errorf("killed: %s, %+v, %+v", killed[0].Outcome, c, killed[0].Usage)
	}
	w.run(w.project, w.codexPath(), "exec", "--dangerously-bypass-hook-trust", "resume", "--last", "go on")
	resumed := f.complete().Ordered()
	if len(resumed) != 1 || resumed[0].ID != killed[0].ID {
		t.Fatalf("%d sessions", len(resumed))
	}
	marks := 0
	for _, e := range resumed[0].Events {
		if m, ok := e.Body.(*trace.Session); ok && m.Marker == trace.Resumed {
			marks++
		}
	}
	c = resumed[0].Count()
	if resumed[0].Outcome != trace.Completed || c.Prompts != 2 || c.NoResult != 1 || c.Responses != 2 || marks != 1 {
		t.Errorf("resumed %d times: %s, %+v", marks, resumed[0].Outcome, c)
	}
}
