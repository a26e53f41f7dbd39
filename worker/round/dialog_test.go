package round

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/claude"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/slot"
)

// terminals is a runtime whose terminals show what a test says.
type terminals struct {
	shows   slot.Screen
	looks   int
	pressed int // keys and pastes
}

func (r *terminals) Name() string   { return "tmux" }
func (r *terminals) Server() string { return "" }

func (r *terminals) Start(context.Context, string, string, []string) (string, error) { return "", nil }

func (r *terminals) Alive(context.Context) (map[string]bool, error) { return nil, nil }

func (r *terminals) Screen(context.Context, string) (slot.Screen, error) {
	r.looks++
	return r.shows, nil
}

func (r *terminals) Paste(context.Context, string, string) error { r.pressed++; return nil }

func (r *terminals) Press(context.Context, string, slot.Key) error { r.pressed++; return nil }

// screened is a stage with a worker of Claude Code, at a terminal, that has just been launched.
func screened(t *testing.T) (*stage, *terminals) {
	s, r := newStage(t), &terminals{}
	book := s.store.Book("d")
	if err := book.Create(nil); err != nil {
		t.Fatal(err)
	}
	asked := ledger.Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 1}, Detail: ledger.Detail{Agent: claude.Agent().Name(), Via: r.Name()}}
	if err := book.Append(asked, ledger.Entry{Fact: worker.Fact{Kind: worker.Launched, Gen: 1, Hooks: true}}); err != nil {
		t.Fatal(err)
	}
	s.watch(r)
	return s, r
}

// watch begins a process that sees the terminals.
func (s *stage) watch(r *terminals) {
	s.begin()
	s.p.Manager.Runtimes, s.p.Manager.Agents = []manager.Runtime{r}, []slot.Agent{claude.Agent()}
	s.p.Clock = func() (string, time.Duration) { c := s.clock(); return c.Boot, c.Up }
}

func (r *terminals) show(t *testing.T, name string) {
	t.Helper()
	x, y, lines := world.RecordedScreen(t, "../claude/testdata/screens/"+name+".txt")
	r.shows = slot.Screen{Lines: lines, X: x, Y: y}
}

func (s *stage) dialog() *manager.Member {
	s.Helper()
	m, err := s.p.Manager.LoadCached(s.Context(), "d")
	if err != nil || m[0].Err != nil {
		s.Fatal(err, m[0].Err)
	}
	return m[0]
}

// needs are the notices that the worker at the terminal needs somebody.
func (s *stage) needs() (list []Notice) {
	return slices.DeleteFunc(slices.Clone(s.told), func(n Notice) bool { return n.Worker != "d" || n.Key != KeyNeeds && n.Key != KeySilent })
}

func (s *stage) does(kinds ...worker.Kind) {
	s.Helper()
	for _, k := range kinds {
		s.now = s.now.Add(10 * time.Millisecond)
		if err := s.store.Book("d").Append(ledger.Entry{Fact: worker.Fact{Kind: k, Gen: 1}}); err != nil {
			s.Fatal(err)
		}
	}
}

// TestDialogWithoutAHook: the trust dialog of a first start, and a permission in the middle of a turn. No hook tells of either. Each is
// told once, with its words, also by later processes, and no key is pressed.
func TestDialogWithoutAHook(t *testing.T) {
	for name, c := range map[string]struct {
		before []worker.Kind
		words  string
	}{
		"trust": {nil, "Quick safety check"},
		"bash":  {[]worker.Kind{worker.Started, worker.Prompted, worker.ToolBegan}, "touch made · Do you want to proceed?"},
		"write": {[]worker.Kind{worker.Started, worker.Prompted}, "Do you want to create new.txt?"},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := screened(t)
			s.does(c.before...)
			r.show(t, name)
			for range 12 { // 48 seconds
				s.now = s.now.Add(time.Second)
				s.round()
			}
			if len(s.needs()) > 0 || s.dialog().Worker.State == worker.NeedsInput {
				t.Fatalf("before a minute was over: %+v", s.needs())
			}
			s.pass(2 * time.Minute)
			m := s.dialog()
			if got := s.needs(); len(got) != 1 || got[0].Key != KeyNeeds || !got[0].Urgent || !strings.Contains(got[0].Text, "its screen asks: ") ||
				m.Worker.Status() != worker.StatusNeedsInput ||
				!strings.Contains(manager.OnScreen(m), c.words) {
				t.Fatalf("%s, %q, told %+v", m.Worker.Status(), manager.OnScreen(m), got)
			}
			s.watch(r)
			s.pass(time.Hour)
			if got := s.needs(); len(got) != 1 {
				t.Errorf("told again: %+v", got[1:])
			}
			// A person answers: no hook tells, or one does.
			r.show(t, "works")
			s.pass(10 * time.Minute)
			if m := s.dialog(); manager.OnScreen(m) != "" || m.Worker.State == worker.NeedsInput {
				t.Errorf("the dialog is gone, and the worker is %s", m.Worker.State)
			}
			r.show(t, name)
			s.pass(10 * time.Minute)
			s.does(worker.Prompted)
			if m := s.dialog(); m.Worker.State != worker.Working || m.Worker.Weak() {
				t.Errorf("its hook told of the next step, and it is %s", m.Worker.State)
			}
			asked := slices.DeleteFunc(s.needs(), func(n Notice) bool { return n.Key != KeyNeeds })
			if len(asked) != 2 {
				t.Errorf("of two dialogs it was told %d times", len(asked))
			}
			if r.pressed != 0 {
				t.Errorf("%d keys were pressed", r.pressed)
			}
		})
	}
}

// TestNoDialog: nothing is told of a screen that shows none, of a person who types there, of one that changes, or while the machine sleeps.
func TestNoDialog(t *testing.T) {
	for _, name := range []string{"works", "idle", "draft", "imitation"} {
		s, r := screened(t)
		s.does(worker.Started, worker.Prompted)
		r.show(t, name)
		s.pass(time.Hour)
		if m := s.dialog(); len(s.needs()) > 0 || m.Worker.State != worker.Working {
			t.Errorf("%s: %s, %+v", name, m.Worker.State, s.needs())
		}
		if r.looks > 20 {
			t.Errorf("%s: the screen was looked at %d times in an hour", name, r.looks)
		}
	}
	s, r := screened(t)
	s.does(worker.Started, worker.Prompted)
	r.show(t, "bash")
	for range 20 {
		r.shows.Touched = s.now.Add(25 * time.Second)
		s.pass(30 * time.Second)
	}
	if len(s.needs()) > 0 {
		t.Errorf("a person is at it: %+v", s.needs())
	}
	for i := range 60 {
		r.shows.Touched = time.Time{}
		r.show(t, []string{"bash", "write"}[i%2])
		s.now = s.now.Add(screenAgain)
		s.round()
	}
	if len(s.needs()) > 0 {
		t.Errorf("it changes: %+v", s.needs())
	}
	r.show(t, "bash")
	boot, up := s.p.Clock()
	s.p.Clock = func() (string, time.Duration) { return boot, up }
	s.pass(time.Hour)
	if len(s.needs()) > 0 {
		t.Errorf("no time of the machine passed: %+v", s.needs())
	}
}
