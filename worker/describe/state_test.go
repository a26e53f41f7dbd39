package describe

import (
	"testing"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
)

// What went wrong is what went wrong last: a launch that failed before is another generation's.
func TestErrorOfTheLastLaunch(t *testing.T) {
	three := 3
	entries := []ledger.Entry{
		{Fact: worker.Fact{Kind: worker.Launched, Gen: 1}},
		{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 2}, Detail: ledger.Detail{Why: "no such program"}},
		{Fact: worker.Fact{Kind: worker.Launched, Gen: 3}},
		{Fact: worker.Fact{Kind: worker.Certificate, Gen: 3, Exit: &three}},
	}
	for n, want := range map[int]string{2: "no such program", 4: "exit 3"} {
		if got := errorText(&manager.Member{Ledger: &ledger.Contents{Entries: entries[:n]}}); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// What was merged conflicts with nobody any more: neither side names the other.
func TestMergedWorkersDoNotConflict(t *testing.T) {
	clash := ledger.Entry{Fact: worker.Fact{Kind: worker.Overlapped, Gen: 1, Is: worker.OverlapConflict},
		Detail: ledger.Detail{Peer: "b", Files: []string{"cart.go"}}}
	member := func(name string, merged bool, entries ...ledger.Entry) *manager.Member {
		return &manager.Member{Name: name, Worker: &worker.Worker{Merged: merged}, Ledger: &ledger.Contents{Entries: entries}}
	}
	for _, c := range []struct {
		a, b bool // merged
		want int
	}{{false, false, 1}, {true, false, 0}, {false, true, 0}} {
		a, b := member("a", c.a, clash), member("b", c.b)
		if got := ClashesOf(a, Living([]*manager.Member{a, b})); len(got) != c.want {
			t.Errorf("merged %v and %v: %v", c.a, c.b, got)
		}
	}
}

// A worker whose turn is over is ready, as the board's column says, with or without changes.
func TestReadyIsOneWord(t *testing.T) {
	three := 3
	for _, changes := range []*int{nil, &three} {
		w := &worker.Worker{Changes: changes}
		w.State = worker.Idle
		m := &manager.Member{Name: "a", Worker: w, Ledger: &ledger.Contents{}}
		if got := StateText(m); got != "ready" || w.Zone() != worker.ZoneReady {
			t.Errorf("%s is %q in %s", w.Status(), got, w.Zone())
		}
	}
}
