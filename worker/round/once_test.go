package round

import (
	"fmt"
	"testing"
	"time"

	"aburn/internal/lab/fakegh"
	"aburn/worker"
	"aburn/worker/ledger"
)

// TestNoticesOnce: of many workers with something to say, a person hears each thing once, also while rounds do not read the ledgers again
// because the last reading took long.
func TestNoticesOnce(t *testing.T) {
	s := newStage(t)
	s.fail(1, "test")
	delete(s.gh.Logs, "1") // so that a person is told instead of the agent
	one := 1
	lives := [][]worker.Fact{
		{{Kind: worker.Prompted}, {Kind: worker.Asks, Call: "a"}},
		{{Kind: worker.Prompted}, {Kind: worker.SaysDone}, {Kind: worker.TurnEnded}, {Kind: worker.Snapshotted, Differs: &one}},
		{{Kind: worker.Prompted}, {Kind: worker.TurnEnded}, {Kind: worker.Snapshotted, Differs: &one}},
		{{Kind: worker.Prompted}, {Kind: worker.TurnFailed}},
		{{Kind: worker.Prompted}, {Kind: worker.NoProgress}},
		{{Kind: worker.Prompted}, {Kind: worker.Certificate, Exit: &one}},
		{{Kind: worker.Prompted}, {Kind: worker.AsksPerson}, {Kind: worker.TurnEnded}},
		{{Kind: worker.Prompted}, {Kind: worker.Budgeted, Full: true}},
	}
	for i, facts := range lives {
		book := s.store.Book(fmt.Sprintf("x%d", i))
		if err := book.Create(nil); err != nil {
			t.Fatal(err)
		}
		for _, f := range append([]worker.Fact{{Kind: worker.Requested}, {Kind: worker.Launched}}, facts...) {
			f.Gen = 1
			if err := book.Append(ledger.Entry{Fact: f}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 120 {
		s.now = s.now.Add(5 * time.Second)
		s.p.probed, s.p.planned = s.now, time.Time{}
		if err := s.p.Round(t.Context(), s.now); err != nil {
			t.Fatal(err)
		}
		s.p.Pulls.busy.Wait()
		if s.p.read.Equal(s.now) {
			s.p.rested = s.now.Add(40 * time.Second) // as after a reading of four seconds
		}
	}
	times := map[string]int{}
	for _, n := range s.told {
		times[n.Worker+" "+n.Key]++
	}
	if len(times) < len(lives)+1 {
		t.Errorf("told of %d things only: %v", len(times), times)
	}
	for what, n := range times {
		if n != 1 {
			t.Errorf("%s was told %d times", what, n)
		}
	}
}

// TestOneMatterIsOneNotice: what a person was told is not told again because the turn ends, or because the agent was out of sight.
func TestOneMatterIsOneNotice(t *testing.T) {
	hidden := func(l *life) []worker.Fact { // it looks dead for a moment
		up := time.Hour + l.at.Sub(noon)
		return []worker.Fact{
			{Kind: worker.Probed, Boot: "b", Up: up, Runtime: worker.Alive, Process: worker.Dead, Holder: worker.Alive},
			{Kind: worker.Probed, Boot: "b", Up: up + time.Minute, Runtime: worker.Alive, Process: worker.Alive, Holder: worker.Alive},
		}
	}
	for name, c := range map[string]struct {
		key   string
		kinds []worker.Kind
	}{
		"a question, and the turn's end": {KeyNeeds, []worker.Kind{worker.Prompted, worker.AsksPerson, worker.ToolEnded, worker.TurnEnded}},
		"a permission":                   {KeyNeeds, []worker.Kind{worker.Prompted, worker.Asks}},
		"a turn that failed":             {KeyNeeds, []worker.Kind{worker.Prompted, worker.TurnFailed}},
		"idle":                           {KeyIdle, []worker.Kind{worker.Prompted, worker.TurnEnded}},
	} {
		l, told := newLife("w"), 0
		look := func() {
			now := l.at.Add(worker.ReadyFor + time.Minute)
			for _, n := range notices([]Seen{l.Seen}, now) {
				if n.Key == c.key {
					told++
				}
				e := ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Key: n.Key, Action: worker.ActionNotify}}
				e.Subject = n.Subject
				l.entry(e)
			}
		}
		for _, k := range c.kinds {
			l.add(k)
			look()
		}
		for range 2 {
			for _, f := range hidden(l) {
				l.fact(f)
				look()
			}
		}
		if told != 1 {
			t.Errorf("%s: told %d times", name, told)
		}
		l.add(worker.Prompted)
		look()
		for _, k := range c.kinds[1:] {
			l.add(k)
			look()
		}
		if told != 2 {
			t.Errorf("%s, after another prompt: told %d times", name, told)
		}
	}
}

// TestGreenIsOneNotice: an approval of what can be merged already is no news.
func TestGreenIsOneNotice(t *testing.T) {
	s := newStage(t)
	s.green(1)
	s.pass(5 * time.Minute)
	s.pull().Reviews = []fakegh.Comment{{ID: "r1", Author: "bob", Association: "MEMBER", State: "APPROVED", Head: s.pull().Head}}
	s.pass(10 * time.Minute)
	if n := len(s.told); n != 1 || s.told[0].Key != "approved-and-green" {
		t.Errorf("told %d times: %+v", n, s.told)
	}
}
