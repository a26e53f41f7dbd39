package worker

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func (w *Worker) is(s State, why Reason) bool { return w.State == s && w.Reason == why }

// want fails unless the story ends in s and why.
func (s *story) want(t *testing.T, state State, why Reason) *Worker {
	t.Helper()
	w := s.worker()
	if !w.is(state, why) {
		t.Errorf("it is %v %s, want %v %s", w.State, w.Reason, state, why)
	}
	return w
}

// The seven cases of activity that every agent must have.
func TestActivity(t *testing.T) {
	working := func() *story { return newStory().launch(false).add(Fact{Kind: Prompted}) }
	for _, c := range []struct {
		name string
		s    *story
		late time.Duration // of the question after the last fact
		grew time.Duration // of the transcript before the question; 0: it cannot be read
		want Activity
	}{
		{"the process does not run", working().add(Fact{Kind: Certificate}), 0, time.Second, Exited},
		{"a permission is open", working().add(Fact{Kind: Asks}), time.Hour, time.Second, WaitingInput},
		{"the agent hit an error", working().add(Fact{Kind: TurnFailed}), time.Hour, time.Second, Blocked},
		{"the transcript grew lately", working(), time.Hour, 5 * time.Second, Active},
		{"no transcript, an entry lately", working(), 5 * time.Second, 0, Active},
		{"no transcript, an entry long ago", working(), 6 * time.Minute, 0, Quiet},
		{"neither", newStory().launch(false), 2 * time.Minute, 0, NoActivity},

		{"just launched", newStory().launch(false), time.Second, 0, Spawning},
		{"no entry since a minute", working(), time.Minute, 0, Ready},
		{"a turn that ended is not active again", working().add(Fact{Kind: TurnEnded}), time.Minute, time.Second, Ready},
		{"looks dead: no word of exited", working().add(Fact{Kind: Ended}), time.Minute, 0, Ready},
		{"the clock went back", working(), -time.Hour, 0, Active},
	} {
		now := c.s.at.Add(-time.Second + c.late)
		var signals Signals
		if c.grew > 0 {
			signals.Grew = now.Add(-c.grew)
		}
		if got := c.s.worker().Activity(now, signals); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A call that began runs until its end, or that of its turn. A prompt may come meanwhile.
func TestCallsThatRun(t *testing.T) {
	began, ended := Fact{Kind: ToolBegan, Call: "a"}, Fact{Kind: ToolEnded, Call: "a"}
	start := func() *story { return newStory().launch(false).add(Fact{Kind: Prompted}) }
	many := func() *story {
		s := start()
		for _, kind := range []Kind{ToolBegan, ToolEnded} {
			for i := range 3 * maxCalls {
				s.add(Fact{Kind: kind, Call: fmt.Sprint(i)})
			}
		}
		return s
	}
	for name, c := range map[string]struct {
		s    *story
		runs bool
	}{
		"none": {start(), false}, "one": {start().add(began), true}, "its end": {start().add(began).add(ended), false},
		"the end of another": {start().add(began).add(Fact{Kind: ToolEnded, Call: "b"}), true},
		"a prompt meanwhile": {start().add(began).add(Fact{Kind: Prompted}), true},
		"the turn's end":     {start().add(began).add(Fact{Kind: TurnEnded}), false}, "another launch": {start().add(began).add(Fact{Kind: Launched, Gen: 2}), false},
		"more than are kept": {many(), true}, "and the turn's end": {many().add(Fact{Kind: TurnEnded}), false},
	} {
		if got := c.s.worker().Calling(); got != c.runs {
			t.Errorf("%s: runs %t", name, got)
		}
	}
}

// A death takes three rounds ten seconds apart, by the uptime, with the holder gone; each of these alone is not enough.
func TestDeathNeedsProof(t *testing.T) {
	working := func() *story { return newStory().launch(false).add(Fact{Kind: Prompted}) }
	dead := func(s *story, apart time.Duration, rounds int) *story {
		for range rounds {
			s.wait(apart).probe(Dead, Dead, Dead)
		}
		return s
	}
	w := dead(working(), 10*time.Second, 3).want(t, Terminated, RuntimeLost)
	if len(w.Evidence) != 3 {
		t.Errorf("the proof is %v", w.Evidence)
	}
	dead(working(), 10*time.Second, 2).want(t, Detecting, RuntimeLost)
	dead(working(), 0, 9).want(t, Detecting, RuntimeLost) // nine seconds
	dead(working(), time.Second, 12).want(t, Terminated, RuntimeLost)
	s := working()
	for range 9 {
		s.wait(time.Minute).probe(Dead, Dead, LifeUnknown)
	}
	s.want(t, Detecting, RuntimeLost)
	dead(dead(working(), time.Minute, 2).probe(Alive, Alive, Alive), time.Minute, 2).want(t, Detecting, RuntimeLost)
	dead(dead(working(), time.Minute, 2).add(Fact{Kind: ToolBegan}), time.Minute, 2).want(t, Detecting, RuntimeLost)
	dead(dead(working(), time.Minute, 2).probe(LifeUnknown, Dead, Dead), time.Minute, 2).want(t, Detecting, RuntimeLost)
	s = dead(working().add(Fact{Kind: NoProgress}), time.Minute, 2).probe(Alive, LifeUnknown, Dead)
	dead(s, time.Minute, 1).want(t, Stuck, NotProgressing)
	s = working()
	for range 9 { // the clock says a day, the host ran for nine seconds
		s.at = s.at.Add(24 * time.Hour)
		s.probe(Dead, Dead, Dead)
	}
	s.want(t, Detecting, RuntimeLost)
	dead(working().add(Fact{Kind: KillAsked}), time.Minute, 3).want(t, Terminated, ManuallyKilled)
	s = working().wait(time.Minute)
	s.add(Fact{Kind: Probed, Host: "elsewhere", Boot: "b9", Runtime: Dead, Process: Dead, Holder: Dead}).want(t, Working, TaskInProgress)
}

// A wrong end is lifted by life, and by nothing less.
func TestRevived(t *testing.T) {
	ended := func() *story {
		return newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: KillAsked}).add(Fact{Kind: Certificate, Proc: &Process{10, 100}})
	}
	ended().add(Fact{Kind: Prompted}).want(t, Terminated, ManuallyKilled)
	ended().add(Fact{Kind: Prompted, Proc: &Process{10, 100}, Alive: true}).want(t, Terminated, ManuallyKilled)
	ended().add(Fact{Kind: Prompted, Proc: &Process{10, 101}}).want(t, Terminated, ManuallyKilled)
	ended().add(Fact{Kind: Probed, Runtime: Alive, Process: Alive, Proc: &Process{10, 100}}).want(t, Terminated, ManuallyKilled)
	for _, s := range []*story{
		ended().add(Fact{Kind: Prompted, Proc: &Process{10, 101}, Alive: true}),
		ended().probe(Alive, Alive, Alive),
	} {
		if w := s.want(t, Working, Revived); !w.Flags(noon).KilledYetLives {
			t.Error("nobody is told that it was killed, yet lives")
		}
	}
	late := ended().add(Fact{Kind: TurnEnded}).probe(Alive, Alive, Alive)
	late.want(t, Idle, Revived)
	s := newStory().launch(false).add(Fact{Kind: Prompted})
	for range 3 {
		s.wait(time.Minute).probe(Dead, Dead, Dead)
	}
	s.want(t, Terminated, RuntimeLost)
	s.add(Fact{Kind: ToolEnded, Proc: &Process{10, 100}, Alive: true}).want(t, Working, Revived)
}

// Fifty workers that vanish at once are one event: held back for two rounds, told once, terminated after that.
func TestMassDeath(t *testing.T) {
	var m Mass
	stories := make([]*story, 50)
	for i := range stories {
		stories[i] = newStory().launch(false).add(Fact{Kind: Prompted})
	}
	told := 0
	for round := range 6 {
		var seen []Seen
		for i, s := range stories {
			w := s.worker()
			if w.State != Terminated {
				seen = append(seen, Seen{fmt.Sprintf("w%02d", i), w.Server, true, false})
			}
		}
		held, deaths := m.Round(seen)
		told += len(deaths)
		for _, d := range deaths {
			if round != 2 || len(d.Workers) != 50 || d.Server != "tmux" {
				t.Errorf("round %d tells of %d workers of %s", round, len(d.Workers), d.Server)
			}
		}
		for _, s := range stories {
			s.wait(30 * time.Second).add(Fact{Kind: Probed, Runtime: Dead, Process: Dead, Holder: Dead, Mass: held["tmux"]})
			if w := s.worker(); (w.State == Terminated) != (round >= 4) {
				t.Fatalf("round %d: %v %s", round, w.State, w.Reason)
			}
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	look := func(dead, all, certified int) (list []Seen) {
		for i := range all {
			list = append(list, Seen{fmt.Sprint(i), "s", i < dead, i < certified})
		}
		return list
	}
	for _, c := range []struct {
		dead, all, certified int
		want                 bool
	}{{2, 2, 0, false}, {3, 3, 0, true}, {3, 6, 0, true}, {3, 7, 0, false}, {5, 5, 3, false}, {6, 6, 3, true}} {
		if held, _ := new(Mass).Round(look(c.dead, c.all, c.certified)); held["s"] != c.want {
			t.Errorf("%+v: held is %v", c, held["s"])
		}
	}
	over := new(Mass)
	over.Round(look(3, 3, 0))
	over.Round(look(0, 3, 0))
	if _, deaths := over.Round(look(0, 3, 0)); len(deaths) != 0 {
		t.Error("a scare that passed was told as a death")
	}
	if held, _ := over.Round(look(3, 3, 0)); !held["s"] {
		t.Error("a second mass death was not held back")
	}
}

// An agent's silence counts only in uptime: a host that slept for a night proves nothing.
func TestUnseen(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).probe("", "", "").wait(50*time.Second).probe("", "", "")
	s.want(t, Working, TaskInProgress)
	s.at = s.at.Add(8 * time.Hour)
	if w := s.probe("", "", "").want(t, Working, TaskInProgress); !w.Flags(noon).Unseen {
		t.Error("nobody is told that it is unseen")
	}
	s.wait(10*time.Second).probe("", "", "").want(t, Detecting, ProbeFailure)
	s.wait(5*time.Minute).probe("", "", "").want(t, Stuck, ProbeFailure)
	s.probe(Alive, Alive, Alive).want(t, Working, TaskInProgress)
}

// Gates: done waits for them, failures count against one budget, and a restore does not fill it.
func TestGates(t *testing.T) {
	gated := func() *story {
		s := newStory().launch(true).add(Fact{Kind: Prompted})
		return s.add(Fact{Kind: ToolBegan}).add(Fact{Kind: SaysDone}).add(Fact{Kind: ToolEnded}).add(Fact{Kind: TurnEnded})
	}
	run := func(s *story, is string) *story {
		return s.add(Fact{Kind: Gated, Is: GateStarted, Gen: s.worker().Gen}).add(Fact{Kind: Gated, Is: is, Gen: s.worker().Gen})
	}
	gated().want(t, Working, Verifying)
	run(gated(), GatePassed).want(t, Done, ResearchComplete)
	run(gated().add(Fact{Kind: Prompted}), GatePassed).want(t, Working, TaskInProgress) // the done was for the former task
	s := run(gated(), GateFailed)
	s.want(t, Idle, TurnIsOver) // until somebody tells it
	s.add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: TurnEnded}).add(Fact{Kind: Ended}).add(Fact{Kind: Restored, Gen: 2}).want(t, NotStarted, SpawnRequested)
	s.add(Fact{Kind: Launched, Gen: 2}).add(Fact{Kind: SaysDone}).want(t, Working, Verifying)
	w := run(s, GateFailed).want(t, NeedsInput, VerifyFailed)
	if w.MayVerify() {
		t.Error("the gates may run for ever")
	}
	s.add(Fact{Kind: Prompted, Message: "m1"}).add(Fact{Kind: SaysDone})
	if s.worker().MayVerify() {
		t.Error("a message of aburn's gave a fresh budget")
	}
	run(s, GateFailed).want(t, NeedsInput, VerifyFailed)
	s.add(Fact{Kind: Prompted, Person: true})
	if !s.worker().MayVerify() {
		t.Error("a person's word gives no fresh budget")
	}
	s = gated()
	for range 5 { // runs that never say how they ended
		s.add(Fact{Kind: Gated, Is: GateStarted})
	}
	if s.worker().MayVerify() {
		t.Error("runs without an end cost nothing")
	}
	s.add(Fact{Kind: Gated, Is: GateFailed}).want(t, NeedsInput, VerifyFailed)
	s.add(Fact{Kind: Messaged, Message: "m2"}).add(Fact{Kind: Prompted, Message: "m2"}).add(Fact{Kind: SaysDone})
	if s.worker().MayVerify() {
		t.Error("an agent's message gave a fresh budget")
	}
	s.add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Gated, Is: GateFailed}).add(Fact{Kind: Messaged, Message: "m3", Person: true})
	if !s.worker().MayVerify() {
		t.Error("a person's message gives no fresh budget")
	}
}

// Done holds until the next prompt or message: what the agent does in the rest of its turn does not take it back.
func TestDoneHolds(t *testing.T) {
	for _, gated := range []bool{false, true} {
		state, why := Done, ResearchComplete
		if gated {
			state, why = Working, Verifying
		}
		said := func() *story {
			s := newStory().launch(gated).add(Fact{Kind: Messaged, Message: "m1"}).add(Fact{Kind: Prompted}).add(Fact{Kind: ToolBegan,
				Call: "a"}).add(Fact{Kind: SaysDone})
			return s.add(Fact{Kind: ToolEnded, Call: "a"})
		}
		called := func() *story {
			return said().add(Fact{Kind: ToolBegan, Call: "b"}).add(Fact{Kind: ToolEnded, Call: "b"})
		}
		called().want(t, state, why)
		if w := called().add(Fact{Kind: TurnEnded}).want(t, state, why); !w.TurnOver {
			t.Error("the turn is not over")
		}
		said().add(Fact{Kind: ToolBegan, Call: "b"}).add(Fact{Kind: Interrupted}).want(t, state, why)
		asked := said().add(Fact{Kind: ToolBegan, Call: "b"}).add(Fact{Kind: Asks, Call: "b"})
		asked.want(t, NeedsInput, AwaitingUser)
		asked.add(Fact{Kind: ToolEnded, Call: "b"}).want(t, state, why)
		asked.add(Fact{Kind: TurnEnded}).want(t, state, why)
		said().add(Fact{Kind: Asks, Call: "b"}).add(Fact{Kind: TurnEnded}).want(t, state, why)

		called().add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
		called().add(Fact{Kind: Prompted}).add(Fact{Kind: TurnEnded}).want(t, Idle, TurnIsOver)
		called().add(Fact{Kind: Received, Message: "m1"}).add(Fact{Kind: ToolBegan, Call: "c"}).want(t, Working, TaskInProgress)
		called().add(Fact{Kind: TurnEnded}).add(Fact{Kind: Received, Message: "m1"}).want(t, Working, TaskInProgress)
		called().add(Fact{Kind: Received}).add(Fact{Kind: ToolBegan, Call: "c"}).want(t, state, why) // advice is no message
		called().add(Fact{Kind: AsksPerson}).add(Fact{Kind: TurnEnded}).want(t, Idle, AwaitingUser)
	}
	s := newStory().launch(true).add(Fact{Kind: Prompted}).add(Fact{Kind: SaysDone}).add(Fact{Kind: ToolBegan}).add(Fact{Kind: TurnEnded})
	s.add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Gated, Is: GateFailed}).add(Fact{Kind: ToolBegan}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: TurnEnded}).want(t, Idle, TurnIsOver) // the gates took it back
}

// Gates judge what the agent said last: a done that was said while they ran waits for a run of its own.
func TestGatesJudgeTheLastWord(t *testing.T) {
	s := newStory().launch(true).add(Fact{Kind: Prompted}).add(Fact{Kind: SaysDone})
	if s.worker().TurnOver {
		t.Error("the turn is over before the agent said so")
	}
	if s.add(Fact{Kind: ToolEnded}).add(Fact{Kind: TurnEnded}); !s.worker().TurnOver {
		t.Error("nobody knows that the turn is over")
	}
	s.add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Prompted}).add(Fact{Kind: ToolBegan}).add(Fact{Kind: SaysDone})
	if s.worker().TurnOver {
		t.Error("the former turn's end counts for this one")
	}
	s.add(Fact{Kind: Gated, Is: GatePassed}).want(t, Working, Verifying)
	s.add(Fact{Kind: TurnEnded}).add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Gated, Is: GateFailed, Message: "m1"}).want(t, Idle, TurnIsOver)
	if w := s.worker(); len(w.Open()) != 1 || w.GateFails != 1 || w.GateRuns != 1 {
		t.Errorf("after a failure %v wait, %d failed of %d runs", w.Open(), w.GateFails, w.GateRuns)
	}
}

// A protocol tells of an answer by another clock than hooks tell of the turn: told after the end of that turn, it says nothing.
func TestAnswered(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: ToolBegan, Call: "a"}).add(Fact{Kind: Asks, Call: "a"})
	s.add(Fact{Kind: Answered, Call: "b"}).want(t, NeedsInput, AwaitingUser)
	if w := s.add(Fact{Kind: Answered, Call: "a"}).want(t, Working, TaskInProgress); !w.Calling() {
		t.Error("the call that was allowed does not run")
	}
	if w := s.add(Fact{Kind: ToolEnded, Call: "a"}).want(t, Working, TaskInProgress); w.Calling() {
		t.Error("the call that ended runs")
	}
	s.add(Fact{Kind: Asks, Call: "c"}).add(Fact{Kind: TurnEnded}).add(Fact{Kind: Answered, Call: "c"}).want(t, Idle, TurnIsOver)
	s.add(Fact{Kind: Prompted}).add(Fact{Kind: Asks, Call: "d"}).add(Fact{Kind: SaysDone}).add(Fact{Kind: Answered, Call: "d"}).want(t, Done, ResearchComplete)
}

// The call that runs `aburn done` ends after the done, and does not undo it. Neither does one that begins later; a prompt does.
func TestDone(t *testing.T) {
	none := 0
	s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: ToolBegan, Call: "a"}).add(Fact{Kind: SaysDone}).add(Fact{Kind: ToolEnded, Call: "a"})
	if w := s.add(Fact{Kind: TurnEnded}).want(t, Done, ResearchComplete); w.Flags(noon).NoChange {
		t.Error("says that nothing changed without knowing")
	}
	s.add(Fact{Kind: Snapshotted, Clean: true, Differs: &none})
	if w := s.add(Fact{Kind: Certificate, Exit: new(int)}).want(t, Done, ResearchComplete); !w.Flags(noon).NoChange || w.Delivery() != OnHold {
		t.Errorf("a done without a change: %+v, %v", w.Flags(noon), w.Delivery())
	}
	s.add(Fact{Kind: ToolBegan}).want(t, Done, ResearchComplete)
	s.add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
}

// A permission is answered by its own call, named by id or by input, and by no other; all open ones must be.
func TestPermissions(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: Asks, Call: "a"}).add(Fact{Kind: Asks, Input: "x"})
	s.add(Fact{Kind: ToolBegan, Call: "other"}).add(Fact{Kind: ToolEnded, Call: "other"}).add(Fact{Kind: ToolEnded, Call: "a"}).want(t, NeedsInput, AwaitingUser)
	s.add(Fact{Kind: ToolEnded, Call: "b", Input: "x"}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: Asks}).add(Fact{Kind: ToolEnded}).want(t, NeedsInput, AwaitingUser) // a question has no call
	s.add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
	for i := range 20 {
		s.add(Fact{Kind: Asks, Call: fmt.Sprint("c", i)})
	}
	for i := range 20 {
		s.add(Fact{Kind: ToolEnded, Call: fmt.Sprint("c", i)})
	}
	s.want(t, NeedsInput, AwaitingUser)
	s.add(Fact{Kind: TurnEnded}).want(t, Idle, TurnIsOver)
}

// What an agent asked the person with `aburn ask` stays open when its turn ends, until somebody answers: with a prompt, or
// with a message that its own hook hands over. A permission is over with the turn.
func TestAskOutlivesTheTurn(t *testing.T) {
	asked := func() *story {
		return newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: AsksPerson}).add(Fact{Kind: ToolEnded, Call: "ask"})
	}
	asked().want(t, NeedsInput, AwaitingUser)
	s := asked().add(Fact{Kind: TurnEnded})
	if w := s.want(t, Idle, AwaitingUser); w.Status() != StatusNeedsInput || w.Zone() != ZoneNeedsYou || w.Activity(noon, Signals{}) != WaitingInput ||
		w.Delivery() != ByKeys {
		t.Errorf("%v, %v, %v", w.Status(), w.Zone(), w.Delivery())
	}
	s.add(Fact{Kind: Prompted, Person: true}).add(Fact{Kind: TurnEnded}).want(t, Idle, TurnIsOver)
	s = asked().add(Fact{Kind: Messaged, Message: "m-1"}).add(Fact{Kind: TurnEnded}).add(Fact{Kind: Received, Message: "m-1"})
	s.want(t, Working, TaskInProgress)
	s.add(Fact{Kind: TurnEnded}).want(t, Idle, TurnIsOver)
	asked().add(Fact{Kind: TurnEnded}).add(Fact{Kind: Received}).add(Fact{Kind: Received, Message: "m-9"}).want(t, Idle, AwaitingUser) // advice answers nothing
	asked().add(Fact{Kind: SaysDone}).add(Fact{Kind: TurnEnded}).want(t, Done, ResearchComplete)
}

// A screen may demote a worker for as long as nobody else speaks.
func TestWeak(t *testing.T) {
	s := newStory().launch(false)
	s.add(Fact{Kind: Started, Weak: true}).add(Fact{Kind: Prompted, Weak: true}).want(t, NotStarted, SpawnRequested)
	s.add(Fact{Kind: TurnEnded, Weak: true}).want(t, NotStarted, SpawnRequested)
	s.add(Fact{Kind: Asks, Weak: true}).want(t, NeedsInput, AwaitingUser) // whether a folder is trusted
	s.add(Fact{Kind: Answered, Weak: true}).want(t, NotStarted, SpawnRequested)
	s.add(Fact{Kind: Asks, Weak: true}).want(t, NeedsInput, AwaitingUser)
	s.add(Fact{Kind: Prompted}).add(Fact{Kind: Asks, Weak: true})
	if w := s.want(t, NeedsInput, AwaitingUser); !w.Flags(noon).Weak || w.Delivery() != OnHold {
		t.Error("it is not shown as weak, or a key may be pressed")
	}
	s.probe(Alive, Alive, Alive).want(t, NeedsInput, AwaitingUser)
	s.add(Fact{Kind: ToolBegan, Weak: true}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: TurnEnded, Weak: true}).want(t, Idle, TurnIsOver)
	s.add(Fact{Kind: ToolBegan}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: Asks, Weak: true}).probe(Dead, Dead, Dead).want(t, Detecting, RuntimeLost)
	s.add(Fact{Kind: TurnEnded, Weak: true}).add(Fact{Kind: Ended, Weak: true}).want(t, Detecting, RuntimeLost)
}

// Facts of a former launch change nothing; a launch whose `restored` was lost begins a generation.
func TestGenerations(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: Certificate, Proc: &Process{10, 100}}).add(Fact{Kind: Restored, Gen: 2})
	s.add(Fact{Kind: Launched, Gen: 2, Proc: &Process{20, 200}})
	s.add(Fact{Kind: Certificate, Gen: 1}).add(Fact{Kind: Prompted, Proc: &Process{10, 100}, Alive: true}).add(Fact{Kind: Prompted, Gen: 1})
	s.want(t, NotStarted, SpawnRequested)
	s.add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
	s.add(Fact{Kind: Restored, Gen: 3}).want(t, Working, TaskInProgress) // it works: there was nothing to restore
	if w := s.add(Fact{Kind: Launched, Gen: 3}).want(t, NotStarted, SpawnRequested); w.Gen != 3 {
		t.Errorf("generation %d", w.Gen)
	}
	s.add(Fact{Kind: Certificate, Gen: 4}).want(t, NotStarted, SpawnRequested)
}

// Reasons of work follow what the agent was told, until it answered.
func TestReactions(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Pulled, PR: 3, Is: PullOpen, Head: "h1"}).add(Fact{Kind: Checked, Is: CheckFailing, Head: "h1"})
	s.add(Fact{Kind: Reacted, Key: KeyCI, Action: ActionSend, Head: "h1"}).add(Fact{Kind: Prompted}).want(t, Working, FixingCI)
	s.add(Fact{Kind: TurnEnded}).want(t, Idle, AwaitingReview)
	s.add(Fact{Kind: Pulled, PR: 3, Is: PullOpen, Head: "h2"}).add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
	green := func(h string) { s.add(Fact{Kind: Checked, Is: CheckPassing, Head: h}) }
	green("h2")
	s.add(Fact{Kind: Checked, Is: CheckFailing, Head: "h2"})
	green("h2")
	green("h2")
	if n := s.worker().Spent(KeyCI); n != 1 {
		t.Errorf("a head that was bad gave back the budget: %d", n)
	}
	s.add(Fact{Kind: Reacted, Key: KeyCI, Action: ActionNotify, Head: "h3"})
	green("h2")
	green("h2")
	if n := s.worker().Spent(KeyCI); n != 1 {
		t.Errorf("a person was told of another head, and the bad one gave back the budget: %d", n)
	}
	s.add(Fact{Kind: Pulled, PR: 3, Is: PullOpen, Head: "h3"})
	green("h3")
	s.add(Fact{Kind: Restored, Gen: 2}).add(Fact{Kind: Launched, Gen: 2})
	if n := s.worker().Spent(KeyCI); n != 1 {
		t.Errorf("one green run gave back the budget: %d", n)
	}
	s.add(Fact{Kind: Checked, Is: CheckPassing, Head: "h3", Gen: 2})
	if n := s.worker().Spent(KeyCI); n != 0 {
		t.Errorf("two green runs of a new head gave nothing back: %d", n)
	}
}

// A ledger keeps a probe that says something new, and no other.
func TestWorth(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).probe(Alive, Alive, Alive)
	worth := func(process Life) bool {
		c := newStory()
		*c = *s
		c.facts = slices.Clone(s.facts)
		c.wait(30*time.Second).probe(Alive, process, process)
		return s.worker().Worth(c.facts[len(c.facts)-1])
	}
	if worth(Alive) {
		t.Error("the same answer is kept again")
	}
	for i := range 3 {
		if !worth(Dead) {
			t.Errorf("round %d of a death is not kept", i)
		}
		s.wait(30*time.Second).probe(Alive, Dead, Dead)
	}
	if s.want(t, Terminated, AgentProcessExited); worth(Dead) {
		t.Error("a death that is proven is kept again")
	}
}

func BenchmarkFold(b *testing.B) {
	s := newStory().launch(false)
	for range 2000 {
		s.add(Fact{Kind: Prompted}).add(Fact{Kind: ToolBegan}).add(Fact{Kind: ToolEnded}).add(Fact{Kind: TurnEnded}).probe(Alive, Alive, Alive)
	}
	b.ReportAllocs()
	for b.Loop() {
		Reduce(s.facts)
	}
}

// A hook that cannot have the log's lock writes its entry without a number. Such entries are heard, each by its own clock, once.
func TestEntriesWithoutNumbers(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Started}).add(Fact{Kind: Prompted}).add(Fact{Kind: TurnEnded})
	unnumbered := func(kind Kind) *story {
		s.add(Fact{Kind: kind})
		last := &s.facts[len(s.facts)-1]
		last.Seq = 0
		s.seq[last.File]--
		return s
	}
	unnumbered(Prompted).want(t, Working, TaskInProgress)
	unnumbered(TurnEnded).want(t, Idle, TurnIsOver)
	s.add(Fact{Kind: Prompted}).want(t, Working, TaskInProgress)
	w := unnumbered(TurnEnded).want(t, Idle, TurnIsOver)
	s.facts = append(s.facts, s.facts...)
	if again := s.want(t, Idle, TurnIsOver); !again.equal(w) {
		t.Error("repeats change something")
	}
	for _, f := range s.facts {
		if line, err := Encode(f); err != nil {
			t.Error(err)
		} else if read, err := Parse(line, f.File); err != nil || read.Seq != f.Seq {
			t.Errorf("%s: %v", line, err)
		}
	}
}
