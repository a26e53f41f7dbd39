//go:build unix

package manager

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/typing"
)

// A resume that failed once says nothing of one that came after it.
func TestSendAfterAResumeThatFailed(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	p := &worker.Process{PID: 1, Start: 2}
	y.must(y.crew.Store.Book("w").Append(
		ledger.Entry{Fact: worker.Fact{Kind: worker.Restored, Gen: 2}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 2}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Restored, Gen: 3}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Launched, Gen: 3, Proc: p}}))
	sent, err := Send(t.Context(), y.crew, "w", Message{Text: "go on"}, SendOptions{})
	if err != nil || sent.State != Waits {
		t.Errorf("%+v, %v", sent, err)
	}
}

// A power cut may leave a message of which only the ledger knows: nothing is told in its place, and others are.
func TestTornMessage(t *testing.T) {
	y := newYard(t, "lines 9 > a; echo .oss > .gitignore")
	says := y.agent(0)
	says(logfmt.Prompt, logfmt.Stop)
	sent, err := Send(t.Context(), y.crew, "w", Message{Text: "one"}, SendOptions{})
	y.must(err)
	s := &sender{y.crew, "w", y.crew.Store.Book("w"), SendOptions{}, map[string]bool{}}
	for _, torn := range []string{"", "[aburn", logfmt.MessageTag("m-00000000") + " of another"} {
		y.must(os.WriteFile(s.path(sent.ID), []byte(torn), 0o600))
		if _, err := s.typeOne(t.Context(), &typing.Job{}, y.now(), sent.ID); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", torn, err)
		}
	}
	y.must(os.WriteFile(s.path(sent.ID), nil, 0o600))
	other, err := Send(t.Context(), y.crew, "w", Message{Text: "two"}, SendOptions{})
	y.must(err)
	said := &courier{}
	if why := s.hand(t.Context(), said, slot.Handle{}, y.now()); !strings.Contains(why, "lost") || len(said.got) != 1 || said.got[0].ID != other.ID {
		t.Errorf("%q, %v", why, said.got)
	}
}

// courier takes what is to be told.
type courier struct{ got []slot.Message }

func (c *courier) Deliver(_ context.Context, _ slot.Handle, m slot.Message) (slot.Receipt, error) {
	c.got = append(c.got, m)
	return slot.Queued, nil
}

// Who ends a merge while its gates run has not learned that they fail.
func TestEndedGatesOfAMerge(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	y.sh(y.tree, "edit a 5 w; save")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := tryGates(ctx, y.crew, y.repo, y.member("w"), Gates{Run: []string{"sleep 600"}, Tell: func(string) { cancel() }}, false)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if e := y.member("w").Ledger.Last(worker.Gated); e == nil || e.Is != worker.GateStarted {
		t.Errorf("the ledger says %+v", e)
	}
}

// A folder that git does not take for a worktree any more was not removed by anybody.
func TestCleanupOfATreeThatGitDoesNotKnow(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	y.sh(y.tree, "echo hours > work; rm .git")
	r, err := RemoveTree(t.Context(), y.crew, y.repo, y.member("w"), CleanupOptions{Preserve: true})
	if err != nil || r.Removed || strings.Contains(r.Why, "removed") || !strings.Contains(r.Why, y.tree) {
		t.Errorf("%+v, %v", r, err)
	}
	if e := y.member("w").Ledger.Last(worker.Removed); e != nil {
		t.Errorf("the ledger says %+v", e)
	}
	if _, err := os.Stat(filepath.Join(y.tree, "work")); err != nil {
		t.Error(err)
	}
}

// An id that somebody wrote into the log is an argument of the agent's next start, and may be no flag of it.
func TestSessionThatIsAFlag(t *testing.T) {
	y := newYard(t, "lines 9 > a; echo .oss > .gitignore")
	says := y.agent(0)
	says(logfmt.SessionStart)
	m := y.now()
	if id := SessionOf(y.crew, m); id != "s1" {
		t.Fatalf("%q", id)
	}
	for _, id := range []string{"--dangerously-bypass-approvals-and-sandbox", "-c", "a b\n"} {
		m.Talk = &slot.Talk{Session: id}
		if got := SessionOf(y.crew, m); got != "" {
			t.Errorf("%q", got)
		}
	}
}

// What a project's file runs may have keys in it. They are in no ledger.
func TestSetupKeepsNoSecrets(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	key := "gh" + "p_" + strings.Repeat("a1B2c3", 6)
	s := &Spawned{Name: "w", Folder: y.tree}
	y.must(runSetup(t.Context(), y.crew, y.crew.Store.Book("w"), s, Plan{Furniture: Furniture{Setup: []string{"test -n " + key}}}))
	e := y.member("w").Ledger.Last(worker.Stepped)
	if e == nil || e.Count != 1 || strings.Contains(strings.Join(e.Files, " "), key[8:]) {
		t.Errorf("%+v", e)
	}
}

// screen is a runtime with one terminal.
type screen struct {
	shows   slot.Screen
	pressed int
}

func (*screen) Name() string   { return "screen" }
func (*screen) Server() string { return "" }
func (*screen) Start(context.Context, string, string, []string) (string, error) {
	return "", errors.New("it is there")
}
func (*screen) Alive(context.Context) (map[string]bool, error) { return nil, errors.New("unknown") }
func (s *screen) Screen(context.Context, string) (slot.Screen, error) {
	return s.shows, nil
}
func (s *screen) Paste(context.Context, string, string) error { return nil }
func (s *screen) Press(context.Context, string, slot.Key) error {
	s.pressed++
	return nil
}

// prompter is an agent with an empty input line.
type prompter struct{ slot.Agent }

func (prompter) Name() string                     { return "prompter" }
func (prompter) Input(slot.Screen) (string, bool) { return "", true }
func (prompter) Shows(string, string) bool        { return false }
func (prompter) Busy(slot.Screen) bool            { return false }

// A budget that is used up ends no turn in which somebody types just now.
func TestChargeWaitsForWhoTypes(t *testing.T) {
	y := newYard(t, "lines 9 > a; echo .oss > .gitignore")
	says := y.agent(0)
	says(logfmt.Prompt)
	there := &screen{shows: slot.Screen{Touched: time.Now()}}
	y.crew.Runtimes, y.crew.Agents = []Runtime{there}, []slot.Agent{prompter{}}
	charge := func() (*Member, error) {
		m := y.now()
		m.Request.Via, m.Request.Agent, m.Request.Limit = "screen", "prompter", "10"
		return m, CheckBudget(t.Context(), y.crew, m, worker.Spent{Fresh: 100}, "100 tokens")
	}
	if _, err := charge(); err != nil || there.pressed > 0 || y.now().Full() {
		t.Errorf("somebody types, and a key was pressed %d times: %v", there.pressed, err)
	}
	there.shows.Touched = time.Now().Add(-time.Hour)
	if _, err := charge(); err != nil || there.pressed != 1 || !y.now().Full() {
		t.Errorf("pressed %d times, %v", there.pressed, err)
	}
}
