package worker

import (
	"testing"
	"time"
)

// Every status, by the first rule that holds.
func TestStatus(t *testing.T) {
	none, three := 0, 3
	ended := func(kill Fact) *story {
		s := newStory().launch(false).add(Fact{Kind: Prompted})
		if kill.Kind != "" {
			s.add(kill)
		}
		return s.add(Fact{Kind: Certificate, Exit: new(int)})
	}
	idle := func(facts ...Fact) *story {
		s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: TurnEnded})
		for _, f := range facts {
			s.add(f)
		}
		return s
	}
	pull := func(facts ...Fact) *story {
		return idle(append([]Fact{{Kind: Pulled, PR: 3, Is: PullOpen, Head: "h"}}, facts...)...)
	}
	green, approved := Fact{Kind: Checked, Is: CheckPassing, Head: "h"}, Fact{Kind: Reviewed, Is: ReviewApproved}
	for _, c := range []struct {
		s      *story
		status Status
		zone   Zone
	}{
		{ended(Fact{}), StatusTerminated, ZoneDone},
		{ended(Fact{Kind: KillAsked}), StatusKilled, ZoneDone},
		{ended(Fact{Kind: KillAsked, Reason: AutoCleanup}), StatusCleanup, ZoneDone},
		{ended(Fact{Kind: Pulled, PR: 3, Is: PullMerged}), StatusMerged, ZoneDone},
		{ended(Fact{Kind: KillAsked}).add(Fact{Kind: Merged}), StatusMerged, ZoneDone},
		{idle(Fact{Kind: Merged}), StatusMerged, ZoneDone},
		{idle(Fact{Kind: Merged}, Fact{Kind: Prompted}, Fact{Kind: TurnEnded}), StatusIdle, ZoneReady}, // it did more since
		{pull(Fact{Kind: Merged}), StatusPullOpen, ZoneInReview},
		{ended(Fact{Kind: KillAsked}).add(Fact{Kind: Merged}).add(Fact{Kind: Restored, Gen: 2}).add(Fact{Kind: KillAsked, Gen: 2}).
			add(Fact{Kind: Certificate, Gen: 2, Exit: new(int)}), StatusKilled, ZoneDone}, // it began again, and may have done more
		{newStory().launch(false).add(Fact{Kind: LaunchFailed}), StatusErrored, ZoneNeedsYou},
		{stand(colDone), StatusDone, ZoneDone},
		{stand(colNotStarted), StatusSpawning, ZoneWorking},
		{stand(colStuck), StatusStuck, ZoneNeedsYou},
		{stand(colNeeds), StatusNeedsInput, ZoneNeedsYou},
		{stand(colDetecting), StatusDetecting, ZoneWorking},
		{stand(colVerify), StatusWorking, ZoneWorking},
		{idle(Fact{Kind: Pulled, PR: 3, Is: PullMerged}), StatusMerged, ZoneNeedsYou},
		{idle(Fact{Kind: Pulled, PR: 3, Is: PullClosed}), StatusPullClosed, ZoneNeedsYou},
		{pull(Fact{Kind: Checked, Is: CheckFailing, Head: "h"}, approved), StatusCIFailed, ZoneInReview},
		{pull(Fact{Kind: Checked, Is: CheckFailing, Head: "h"}, Fact{Kind: Prompted}), StatusCIFailed, ZoneInReview},
		{pull(green, Fact{Kind: Checked, Is: CheckFailing, Head: "former"}, approved), StatusMergeable, ZoneReady},
		{pull(green, Fact{Kind: Reviewed, Is: ReviewChanges}), StatusChangesRequested, ZoneInReview},
		{pull(green, approved, Fact{Kind: Pulled, PR: 3, Is: PullOpen, Head: "h", Conflicts: true}), StatusMergeConflict, ZoneInReview},
		{pull(green, approved), StatusMergeable, ZoneReady},
		{pull(green, Fact{Kind: Reviewed, Is: ReviewNone}), StatusMergeable, ZoneReady},
		{pull(approved), StatusApproved, ZoneReady},
		{pull(green, approved, Fact{Kind: Pulled, PR: 3, Is: PullOpen, Head: "new"}), StatusApproved, ZoneReady},
		{pull(Fact{Kind: Reviewed, Is: ReviewAsked}), StatusReviewPending, ZoneInReview},
		{pull(), StatusPullOpen, ZoneInReview},
		{stand(colWorking), StatusWorking, ZoneWorking},
		{idle(Fact{Kind: Snapshotted, Differs: &three}), StatusToReview, ZoneReady},
		{idle(Fact{Kind: Snapshotted, Differs: &none}), StatusIdle, ZoneReady},
		{idle(), StatusIdle, ZoneReady},
	} {
		if w := c.s.worker(); w.Status() != c.status || w.Zone() != c.zone {
			t.Errorf("%v %s with %+v is %s in %q, want %s in %q", w.State, w.Reason, w.Pull, w.Status(), w.Zone(), c.status, c.zone)
		}
	}
}

// An agent that should report and does not is shown after a minute, until it speaks.
func TestNoSignal(t *testing.T) {
	s := newStory().launch(false)
	launched := s.worker().LaunchedAt
	for d, want := range map[time.Duration]bool{0: false, 59 * time.Second: false, time.Minute: true, time.Hour: true} {
		if got := s.worker().Flags(launched.Add(d)).NoSignal; got != want {
			t.Errorf("%v after the launch: %v", d, got)
		}
	}
	if s.add(Fact{Kind: Started}).worker().Flags(launched.Add(time.Hour)).NoSignal {
		t.Error("it spoke")
	}
}

// Which way a message may go in each column of the table.
func TestDelivery(t *testing.T) {
	for c, want := range [columns]Delivery{
		colNotStarted: WithStart, colWorking: AtTurnEnd, colVerify: ByKeys, colIdle: ByKeys, colNeeds: OnHold,
		colDetecting: OnHold, colStuck: OnHold, colDone: ByKeys, colTerminated: OnHold,
	} {
		if got := stand(column(c)).worker().Delivery(); got != want {
			t.Errorf("%s: %v, want %v", columnNames[c], got, want)
		}
	}
}

// A message is accepted when the agent's record of this generation shows its tag, once.
func TestMessages(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Messaged, Message: "m1"}).add(Fact{Kind: Messaged, Message: "m2"})
	receipts := func(want ...Receipt) {
		t.Helper()
		for i, m := range s.worker().Messages {
			if m.Receipt != want[i] {
				t.Errorf("%s is %v, want %v", m.ID, m.Receipt, want[i])
			}
		}
	}
	s.add(Fact{Kind: Accepted, Message: "m1"})
	receipts(Waiting, Waiting)
	s.add(Fact{Kind: Unconfirmed, Message: "m2"}).add(Fact{Kind: Prompted, Message: "m1"})
	receipts(Heard, NotConfirmed)
	if open := s.worker().Open(); len(open) != 1 || open[0].ID != "m2" {
		t.Errorf("open are %v", open)
	}
	s.add(Fact{Kind: Accepted, Message: "m1"}).add(Fact{Kind: Messaged, Message: "m1"})
	receipts(Confirmed, NotConfirmed)
	s.add(Fact{Kind: Received, Message: "m2"}).add(Fact{Kind: Ended}).add(Fact{Kind: Restored, Gen: 2}).add(Fact{Kind: Accepted, Message: "m2", Gen: 2})
	receipts(Confirmed, Heard)
	for range 3 * MaxOpen {
		s.add(Fact{Kind: Messaged, Message: string(rune('A' + len(s.facts)))})
	}
	if n := len(s.worker().Open()); n > MaxOpen {
		t.Errorf("%d messages are open", n)
	}
}

// A tree may go when its state was kept after the agent's last word, whichever launch that word came from.
func TestMayRemove(t *testing.T) {
	s := newStory().launch(false).add(Fact{Kind: Prompted}).add(Fact{Kind: Certificate, Proc: &Process{10, 100}})
	if s.worker().MayRemove() {
		t.Error("nothing was kept")
	}
	if !s.add(Fact{Kind: Preserved}).worker().MayRemove() {
		t.Error("everything was kept")
	}
	s.add(Fact{Kind: Restored, Gen: 2}).add(Fact{Kind: Preserved, Gen: 2}).add(Fact{Kind: ToolEnded, Proc: &Process{10, 100}})
	if s.worker().MayRemove() {
		t.Error("the former agent lives and wrote after that")
	}
	if w := s.add(Fact{Kind: Removed, Gen: 2}).want(t, Terminated, AutoCleanup); !w.Flags(noon).RemovedUnproven {
		t.Error("nobody is told of a removal without proof")
	}
}
