package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/lab/drawn"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// fold folds a drawing with the default workflow and says when it ends.
func fold(t *testing.T, drawing string) (*State, time.Time) {
	t.Helper()
	model := workflow.Default()
	s := New(&model, limits.Default())
	d, err := drawn.Draw(nil, drawing)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Lines {
		if l.Entry != nil {
			s.Apply(l.Entry, false)
		}
	}
	return s, d.End
}

// session is the one of this id.
func session(t *testing.T, s *State, id string) *Session {
	t.Helper()
	for _, v := range s.Sessions {
		if string(v.ID) == id {
			return v
		}
	}
	t.Fatalf("no session %q", id)
	return nil
}

// story is one fact about session A of a drawing, and what it should be.
type story struct{ drawing, want string }

func tell(t *testing.T, tell func(s *State, a *Session, end time.Time) string, stories []story) {
	t.Helper()
	for _, st := range stories {
		s, end := fold(t, "@A "+st.drawing)
		if got := tell(s, session(t, s, "A"), end); got != st.want {
			t.Errorf("%s\n is %s\nnot %s", st.drawing, got, st.want)
		}
	}
}

func TestMode(t *testing.T) {
	mode := func(s *State, a *Session, end time.Time) string {
		m, since := a.Mode(end, Observed{})
		return fmt.Sprint(m, " ", since.Ord)
	}
	tell(t, mode, []story{
		{"SESSION_START", "idle 1"},
		{"SESSION_START PROMPT", "working 2"},
		{"PROMPT SESSION_START", "working 1"}, // the hooks of a start overlap
		{"PROMPT STOP", "idle 2"},
		{"PROMPT TURN_FAILED'x'", "idle 2"},
		{"codex PROMPT INTERRUPT", "idle 2"},
		{"PROMPT STOP SESSION_END'other'", "ended 3"},
		{"PROMPT STOP SESSION_END'other' PROMPT", "working 4"},
		{"PROMPT STOP SESSION_END'other' +1m Bash'ls'<", "working 4"},
		{"PROMPT STOP SESSION_END'other' Bash'ls'<", "ended 3"}, // its hook was slow
		{"PROMPT (x& SESSION_END'other' +1m x~Bash'ls'<", "ended 3"},
		{"PROMPT SESSION_END'other' NOTIFY'idle_prompt'", "ended 2"}, // sticky: that one was late
		{"PROMPT Bash'sleep'<a SESSION_END'other' ^a", "ended 3"},
		{"PROMPT Bash'ls' +1m SESSION_START'compact'", "working 1"},
		{"PROMPT Bash'rm x'< PERMISSION NOTIFY'idle_prompt'", "waiting for permission 3"},
		{"PROMPT Bash'ls' SESSION_START'resume'", "idle 4"}, // killed, and resumed
		{"PROMPT +1m SESSION_START'resume'", "idle 2"},
		{"PROMPT STOP Bash'ls'<", "working 3"}, // goes on after a Stop: a ! line, or a hook that continued it
		{"PROMPT STOP (tester& tester~Bash'ls'", "working 3"},
		{"PROMPT STOP (tester& tester~Bash'ls' tester)", "idle 2"},
		{"PROMPT Bash'rm x'< PERMISSION", "waiting for permission 3"},
		{"PROMPT Bash'rm x'<a PERMISSION ^a", "working 1"},
		{"PROMPT Bash'rm x'<a PERMISSION ^a!no", "working 1"},
		{"PROMPT AskUserQuestion'which'<a", "waiting for the user 2"},
		{"PROMPT AskUserQuestion'which'<a PERMISSION", "waiting for the user 2"},
		{"PROMPT AskUserQuestion'which'<a PERMISSION ^a", "working 1"},
		{"PROMPT Bash'ls' NOTIFY'idle_prompt'", "idle 4"}, // Esc, of which no hook tells
		{"PROMPT Bash'rm x'< PERMISSION PROMPT", "working 4"},
		{"build> +1h", "working 1"}, // only prompts are heard: nobody tells of a turn's end
	})
}

func TestModeOfWhatIsGone(t *testing.T) {
	s, end := fold(t, "@A proc=12 PROMPT Bash'ls'<")
	a := session(t, s, "A")
	w := s.Wants()
	if len(w.Procs) != 1 || w.Procs[0] != a.Proc || a.Proc.PID != 12 {
		t.Fatalf("%+v of %+v is wanted", w.Procs, a.Proc)
	}
	for fact, want := range map[Fact]Mode{No: Gone, Yes: Working, Unknown: Working} {
		if m, _ := a.Mode(end, Observed{Alive: map[Proc]Fact{a.Proc: fact}}); m != want {
			t.Errorf("alive %d: %s", fact, m)
		}
	}
	if m, _ := (&Session{}).Mode(end, Observed{Alive: map[Proc]Fact{{}: No}}); m == Gone {
		t.Error("a process that nobody knows is gone")
	}
}

func TestOpenCalls(t *testing.T) {
	calls := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, c := range a.Calls {
			what := c.Tool
			if c.Agent != "" {
				what = c.Agent + "~" + what
			}
			if c.Background {
				what += "&"
			}
			if c.Cut.Is() {
				what += " cut"
			}
			list = append(list, what)
		}
		return strings.Join(list, ", ")
	}
	tell(t, calls, []story{
		{"PROMPT Bash'ls'<", "Bash"},
		{"PROMPT Bash'ls'", ""},
		{"PROMPT Bash'ls'!1", ""},
		{"PROMPT Bash'ls'!no", ""},
		{"PROMPT Bash'ls'?", ""},
		{"PROMPT Bash'ls'<a Bash'ls'<b ^a", "Bash"},
		{"PROMPT Bash'ls'<a twice ^a twice", ""},
		{"PROMPT Bash'serve'&", "Bash&"},
		{"PROMPT Bash'serve'& STOP", "Bash&"},
		{"PROMPT Bash'serve'& STOP PROMPT Bash'ls'", "Bash&"},
		{"PROMPT Bash'serve'&a STOP PROMPT&a", ""},
		{"PROMPT Bash'serve'&a STOP PROMPT&a'failed'", ""},
		{"PROMPT Bash'serve'&a Bash'other'&b STOP PROMPT&a", "Bash&"},
		{"PROMPT Bash'serve'& KillShell''", ""},
		{"PROMPT Bash'one'& Bash'two'& KillShell''", "Bash&, Bash&"}, // nobody knows which
		{"PROMPT Bash'serve'& BashOutput''", "Bash&"},
		{"PROMPT Bash'serve'& SESSION_END'clear'", ""},
		{"PROMPT Bash'serve'& SESSION_START'resume'", ""},
		{"PROMPT Bash'ls'< STOP", ""}, // Claude Code ends no turn with a call of its own
		{"PROMPT Bash'ls'< PROMPT", "Bash cut"},
		{"PROMPT Bash'ls'< PROMPT Bash'pwd'<", "Bash"},
		{"PROMPT Bash'serve'& PROMPT Bash'pwd'<", "Bash&, Bash"},
		{"PROMPT Bash'ls'<a PROMPT ^a&", "Bash&"}, // it was not interrupted
		{"PROMPT (x& SESSION_END'other' +1m x~Bash'ls'<", ""},
		{"codex PROMPT Bash'ls'< PROMPT'steer'", "Bash"},
		{"codex PROMPT Bash'sleep'<a STOP", "Bash&"},
		{"codex PROMPT Bash'sleep'<a STOP PROMPT ^a", ""},
		{"PROMPT Agent'look'<a (tester tester~Bash'ls'<", "Agent, tester-1~Bash"},
		{"PROMPT Agent'look'<a (tester tester~Bash'ls' tester) ^a", ""},
		{"PROMPT (tester& tester~Bash'ls'< STOP", "tester-1~Bash"},
		{"PROMPT (tester& tester~Bash'ls'< tester)", ""},
	})
}

// An agent that nobody knows is none of those that are known: of what its calls do
// at a prompt, a stop or an interrupt, nothing is claimed.
func TestUnknownAgent(t *testing.T) {
	for _, st := range []struct{ drawing, known, unknown string }{
		{"PROMPT Bash'ls'< PROMPT", "calls=1 cut=1 agents=0", "calls=1 cut=0 agents=0"},
		{"codex PROMPT Bash'ls'< STOP", "calls=1 cut=0 agents=0", "calls=0 cut=0 agents=0"},
		{"codex PROMPT (tester tester~Bash'ls'", "calls=0 cut=0 agents=1", "calls=0 cut=0 agents=0"},
	} {
		d, err := drawn.Draw(nil, "@A "+st.drawing)
		if err != nil {
			t.Fatal(err)
		}
		model := workflow.Default()
		for _, source := range []string{"", "acme"} {
			s := New(&model, limits.Default())
			for _, l := range d.Lines {
				e := *l.Entry
				if source != "" && agentcli.Of(e.Source).Hooked() {
					e.Source = source
				}
				s.Apply(&e, false)
			}
			cut, background := 0, 0
			for _, c := range s.Sessions[0].Calls {
				if c.Cut.Is() {
					cut++
				}
			}
			for _, a := range s.Sessions[0].Agents {
				if a.Background {
					background++
				}
			}
			got := fmt.Sprintf("calls=%d cut=%d agents=%d", len(s.Sessions[0].Calls), cut, background)
			if want := map[string]string{"": st.known, "acme": st.unknown}[source]; got != want {
				t.Errorf("%s of %q: %s, want %s", st.drawing, source, got, want)
			}
		}
	}
}

func TestTurns(t *testing.T) {
	turn := func(s *State, a *Session, _ time.Time) string {
		n := a.Turn
		return fmt.Sprintf("%d open=%v machine=%v calls=%d start=%d end=%d %s", a.Turns, n.Open, n.Machine, n.Calls, n.Start.Ord, n.Ended.Ord, n.By)
	}
	tell(t, turn, []story{
		{"PROMPT Bash'ls' STOP", "1 open=false machine=false calls=1 start=1 end=4 STOP"},
		{"PROMPT Bash'ls' PROMPT", "2 open=true machine=false calls=0 start=4 end=0 "},
		{"PROMPT STOP PROMPT&'<task-notification>'", "2 open=true machine=true calls=0 start=3 end=2 STOP"},
		{"PROMPT STOP (tester tester~Bash'ls'", "1 open=false machine=false calls=1 start=1 end=2 STOP"},
		{"PROMPT STOP Bash'ls'", "1 open=true machine=false calls=1 start=3 end=2 STOP"},
		{"PROMPT SESSION_END'other'", "1 open=false machine=false calls=0 start=1 end=2 SESSION_END"},
		{"PROMPT Bash'ls' SESSION_START'resume'", "1 open=false machine=false calls=1 start=1 end=4 SESSION_START"},
	})
}

func TestEnd(t *testing.T) {
	ended := func(s *State, a *Session, _ time.Time) string {
		return fmt.Sprintf("%d %s turn=%v waiting=%v calls=%d", a.End.Ord, a.End.Reason, a.End.InTurn, a.End.Waiting, len(a.End.Calls))
	}
	tell(t, ended, []story{
		{"PROMPT STOP SESSION_END'clear'", "3 clear turn=false waiting=false calls=0"},
		{"PROMPT Bash'ls'< SESSION_END'other'", "3 other turn=true waiting=false calls=1"},
		{"PROMPT Bash'ls'<a SESSION_END'other' ^a", "3 other turn=true waiting=false calls=0"}, // it was not killed after all
		{"PROMPT SESSION_END'other' Bash'ls'<", "2 other turn=true waiting=false calls=1"},
		{"PROMPT Bash'ls'< PERMISSION SESSION_END'other'", "4 other turn=true waiting=true calls=0"},
		{"PROMPT Bash'ls'< SESSION_END'other' PROMPT", "0  turn=false waiting=false calls=0"},
	})
}

func TestWaits(t *testing.T) {
	waits := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, w := range a.Waits {
			what := fmt.Sprint(w.Since.Ord, w.Agent, " ", w.Tool)
			if w.Question {
				what += "?"
			}
			if w.Noted.Is() {
				what += fmt.Sprint(" noted ", w.Noted.Ord)
			}
			list = append(list, what)
		}
		return strings.Join(list, ", ")
	}
	tell(t, waits, []story{
		{"PROMPT Bash'a'<a PERMISSION NOTIFY'permission_prompt'", "3 Bash noted 4"},
		{"PROMPT Bash'a'<a PERMISSION NOTIFY'permission_prompt' NOTIFY'permission_prompt'", "3 Bash noted 4"},
		{"PROMPT Read'x'<b Bash'a'<a PERMISSION ^b", "4 Bash"}, // what runs beside it answers nothing
		{"PROMPT Bash'a'<a PERMISSION STOP", ""},
		{"PROMPT Bash'a'<a PERMISSION twice", "3 Bash"},
		{"PROMPT PERMISSION'Bash:git push'", "2 Bash"},
		{"PROMPT PERMISSION'Bash:git push' Bash'ls'<", ""}, // no call of ours: whatever the line does next, it was answered
		{"PROMPT PERMISSION'Bash:git push' NOTIFY'permission_prompt'", "2 Bash noted 3"},
		{"PROMPT PERMISSION'Bash:git push' (tester", "2 Bash"},
		{"PROMPT NOTIFY'permission_prompt'", "2  noted 2"},
		{"PROMPT NOTIFY'permission_prompt' Bash'ls'", ""},
		{"PROMPT NOTIFY'elicitation_dialog'", "2 ? noted 2"},
		{"PROMPT NOTIFY'elicitation_dialog' NOTIFY'elicitation_response'", ""},
		{"PROMPT NOTIFY'auth_success'", ""},
		{"PROMPT ExitPlanMode''<a", "2 ExitPlanMode?"},
		{"PROMPT ExitPlanMode''<a ^a", ""},
		{"codex PROMPT request_user_input''<a", "2 request_user_input?"},
		{"PROMPT (tester& tester~Bash'a'<a PERMISSION STOP", "4tester-1 Bash"}, // the agent in the background still waits
		{"PROMPT (tester& tester~Bash'a'<a PERMISSION STOP ^a", ""},
		{"PROMPT (tester& tester~Bash'a'<a PERMISSION tester)", ""},
		{"PROMPT Bash'a'<a PERMISSION Bash'b'<b PERMISSION ^a", "5 Bash"},
	})
}
