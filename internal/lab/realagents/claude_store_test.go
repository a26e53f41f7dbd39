//go:build agents

package realagents

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
)

// claudeStore reads the transcripts of this home, as they are now, and links them.
func (w *world) claudeStore() *tracetest.Sink {
	w.Helper()
	s := tracetest.Read(w, claude.New(), filepath.Join(w.home, ".claude", "projects"))
	for path, err := range s.Errors {
		w.Errorf("%s: %v", path, err)
	}
	for _, d := range s.Damage {
		w.Errorf("damaged: %+v", d)
	}
	drift := tracetest.Drift(w, "../../../trace/claude/testdata/known.txt", tracetest.ClaudeShape, filepath.Join(w.home, ".claude", "projects"))
	if len(drift) > 0 {
		w.Errorf("nobody names %q of what this client writes", drift)
	}
	trace.Link(s.Ordered())
	return s
}

// claudeResults is "CALL STATUS DENIED EXIT" of each call that counts, in the order of the trace.
func claudeResults(t *trace.SessionTrace) string {
	var all []string
	for _, c := range t.Calls() {
		if !c.Counts() {
			continue
		}
		status, denied, exit := "open", "-", "-"
		if r := c.Last(); r != nil {
			status = string(r.Status)
			if r.Denied != "" {
				denied = r.Denied
			}
			if r.ExitCode != nil {
				exit = fmt.Sprint(*r.ExitCode)
			}
		}
		all = append(all, strings.Join([]string{c.Call.Call, status, denied, exit}, " "))
	}
	return strings.Join(all, "; ")
}

// stored is a trace of a store that must have it.
func stored(t testing.TB, s *tracetest.Sink, id string) *trace.SessionTrace {
	t.Helper()
	tr := s.Traces[id]
	if tr == nil {
		t.Fatalf("no trace %s; there are %v", id, slices.Sorted(maps.Keys(s.Traces)))
	}
	return tr
}

// equal compares what a trace says with what the script made happen.
func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%v\nnot\n%v", what, got, want)
	}
}

// TestClaudeStore: calls that end in all ways, a sub-agent with one of its own, a resume, a fork, and a fork of the fork.
func TestClaudeStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "native", model.Script{
		helper("inner", "TASK-INNER", model.Calls(bash("exit 4")), model.Text("inner done")),
		helper("outer", "TASK-OUTER", model.Calls(agent("TASK-INNER please", false)), model.Text("outer done")),
		{Name: "main", Turns: []model.Turn{
			model.Calls(bash("exit 3"), tool("Read", map[string]any{"file_path": "$PROJECT/a.txt"})),
			model.Calls(tool("Write", map[string]any{"file_path": "$PROJECT/b.txt", "content": "one\ntwo\n"})),
			model.Calls(agent("TASK-OUTER please", false)), model.Text("one done"),
			model.Calls(bash("touch forbidden.txt")), model.Text("two done"),
			model.Calls(bash("echo forked")), model.Text("three done"),
			model.Text("four done"),
		}},
	}, map[string]string{"a.txt": "a\n", ".claude/settings.json": `{"permissions": {"deny": ["Bash(touch forbidden*)"]}}`})
	w.claude("first", free(sessionA)...)
	w.claude("second", "--dangerously-skip-permissions", "--resume", sessionA)
	w.claude("third", "--dangerously-skip-permissions", "--resume", sessionA, "--fork-session", "--session-id", sessionB)
	w.claude("fourth", "--dangerously-skip-permissions", "--resume", sessionB, "--fork-session", "--session-id", sessionC)

	s := w.claudeStore()
	a, b, c := stored(t, s, sessionA), stored(t, s, sessionB), stored(t, s, sessionC)
	equal(t, "calls of the first", claudeResults(a),
		"toolu_main_0_0 errored - 3; toolu_main_0_1 completed - -; toolu_main_1_0 completed - -; toolu_main_2_0 completed - -; toolu_main_4_0 errored rule -")
	equal(t, "calls of the fork", claudeResults(b), "toolu_main_6_0 completed - -")
	equal(t, "calls of the fork's fork", claudeResults(c), "")
	for _, x := range []struct {
		t                                    *trace.SessionTrace
		prompts, responses, changes, resumed int
		kind                                 trace.Relation
		of                                   string
	}{
		{a, 2, 6, 1, 1, trace.Root, ""},
		{b, 1, 2, 0, 0, trace.Fork, sessionA},
		{c, 1, 1, 0, 0, trace.Fork, sessionB},
	} {
		n := x.t.Count()
		equal(t, x.t.ID+": prompts, responses, changes", [3]int{n.Prompts, n.Responses, n.Changes}, [3]int{x.prompts, x.responses, x.changes})
		equal(t, x.t.ID+": input", x.t.Usage.Input, int64(100*x.responses))
		equal(t, x.t.ID+": relation", x.t.Relationships[0].Kind, x.kind)
		equal(t, x.t.ID+": of", x.t.Relationships[0].Related, x.of)
		equal(t, x.t.ID+": outcome", x.t.Outcome, trace.Completed)
		resumed := 0
		for _, e := range x.t.Events {
			if m, ok := e.Body.(*trace.Session); ok && m.Marker == trace.Resumed && e.Copied == "" {
				resumed++
			}
		}
		equal(t, x.t.ID+": resumed", resumed, x.resumed)
	}
	var agents []string
	for id, tr := range s.Traces {
		if r := tr.Relationships[0]; r.Kind == trace.Subagent {
			agents = append(agents, r.ParentCall+" < "+claudeResults(tr))
			if parent := stored(t, s, r.Related); parent.Count().Subagents != 1 || id != sessionA+"/"+r.AgentID {
				t.Errorf("%s is a sub-agent of %s, which counts %+v", id, parent.ID, parent.Count())
			}
		}
	}
	slices.Sort(agents)
	equal(t, "sub-agents", strings.Join(agents, "\n"), "toolu_main_2_0 < toolu_outer_0_0 completed - -\ntoolu_outer_0_0 < toolu_inner_0_0 errored - 4")
}

// TestClaudeStoreKilled: the client is killed while its sub-agent works, and gone on with later.
func TestClaudeStoreKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "native", model.Script{
		helper("helper", "TASK", model.Calls(bash(untilEnd))),
		{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK please", false)), model.Text("all done")}},
	}, nil)
	p := w.startClaude(w.project, "do the thing", free(sessionA)...)
	w.killIn(p, "toolu_helper_0_0")
	os.Remove(w.started())
	s := w.claudeStore()
	main := stored(t, s, sessionA)
	equal(t, "the killed session", main.Outcome, trace.Killed)
	equal(t, "its call", claudeResults(main), "toolu_main_0_0 open - -")
	equal(t, "traces", len(s.Traces), 2)
	for id, tr := range s.Traces {
		if id != sessionA {
			equal(t, "the killed sub-agent", tr.Outcome, trace.Killed)
			equal(t, "its parent's call", tr.Relationships[0].ParentCall, "toolu_main_0_0")
			equal(t, "its call", claudeResults(tr), "toolu_helper_0_0 open - -")
		}
	}
	w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA)
	main = stored(t, w.claudeStore(), sessionA)
	equal(t, "resumed", claudeResults(main), "toolu_main_0_0 cancelled - -")
	equal(t, "prompts and interrupts", [2]int{main.Count().Prompts, main.Count().Interrupts}, [2]int{2, 1})
	equal(t, "the resumed session", main.Outcome, trace.Completed)
}

// TestClaudeStoreLive: a transcript is read while the client writes it, and gone on with when it is done.
func TestClaudeStoreLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "native", one(model.Calls(bash("echo one")), model.Calls(bash(untilEnd)), model.Text("all done"))(), nil)
	p := w.startClaude(w.project, "do the thing", free(sessionA)...)
	w.waitFor(w.started())
	s := tracetest.Read(t, claude.New(), filepath.Join(w.home, ".claude", "projects"))
	early := s.Traces[sessionA] // the client writes with a delay: there may be less of it, or nothing
	os.Remove(w.started())
	if r := p.wait(); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	whole := stored(t, w.claudeStore(), sessionA)
	equal(t, "calls", claudeResults(whole), "toolu_main_0_0 completed - -; toolu_main_1_0 completed - -")
	if early == nil {
		t.Skip("nothing was written yet")
	}
	path := early.Sources[0].Path
	if err := claude.New().Read(t.Context(), trace.Store{Path: path, Cursor: s.Cursors[path]}, s); err != nil {
		t.Fatal(err)
	}
	got, err := s.Traces[sessionA].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "read in two goes", string(got), string(want))
}
