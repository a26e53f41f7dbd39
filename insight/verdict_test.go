package insight_test

import (
	"fmt"
	"strings"
	"testing"

	"aburn/insight"
)

// Each rule, at its edges, and what of two that fit comes first. Numbers are those of the events in the line.
func TestVerdict(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "unknown nothing []"},
		{"say", "unknown nothing []"},
		{"p:hi", "completed work [1]"},
		{"p:hi say", "completed work [1 2]"},
		{"m c1:Bash=ls ok say", "completed work [2 4]"},
		// An interrupt of the last turn before all others.
		{"p:hi c1:Bash=ls intr say", "interrupted interrupt [3]"},
		{"p:hi intr fatal!:x", "interrupted interrupt [2]"},
		{"p:hi intr p:again", "interrupted interrupt [2]"},
		{"p:hi intr m say", "completed work [1 4]"},
		{"p:hi c1:Bash=ls intr p:go c2:Edit=a ok c3:Bash=test ok say m", "completed work [1 9]"},
		{"p:hi say intr p:go say intr", "interrupted interrupt [6]"},
		{"p:hi say intr p:go c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad", "errored failing_tail [6 8 10]"},
		{"p:hi say intr p:go c1:Bash=a", "gave_up open_calls [5]"},
		{"intr intr intr intr intr intr intr", "interrupted interrupt [3 4 5 6 7]"},
		// A fatal error ends the session unless the agent went on.
		{"p:hi say fatal!:x", "errored fatal_error [3]"},
		{"p:hi fatal!:x m p:again", "errored fatal_error [2]"},
		{"p:hi fatal!:x p:again say", "completed work [1 4]"},
		{"p:hi fatal!:x p:again c1:Bash=ls ok", "completed work [1 4]"},
		{"p:hi err:x", "completed work [1]"},
		// The tail: at least three, at most the last five, 80 %, and the last one.
		{"p:hi c1:Bash=a bad c2:Bash=b bad", "completed work [1 4]"},
		{"p:hi c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad say", "errored failing_tail [3 5 7]"},
		{"p:hi c1:Bash=a ok c2:Bash=b bad c3:Bash=c bad", "completed work [1 6]"},
		{"p:hi c1:Bash=a ok c2:Bash=b bad c3:Bash=c bad c4:Bash=d bad", "completed work [1 8]"},
		{"p:hi c1:Bash=a ok c2:Bash=b bad c3:Bash=c bad c4:Bash=d bad c5:Bash=e bad", "errored failing_tail [3 5 7 9 11]"},
		{"p:hi c1:Bash=a bad c2:Bash=b bad c3:Bash=c ok c4:Bash=d bad c5:Bash=e bad", "errored failing_tail [3 5 7 9 11]"},
		{"p:hi c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad c4:Bash=d bad c5:Bash=e ok", "completed work [1 10]"},
		{"p:hi c1:Bash=a ok c2:Bash=b ok c3:Bash=c ok c4:Bash=d bad c5:Bash=e bad c6:Bash=f bad c7:Bash=g bad c8:Bash=h bad", "errored failing_tail [9 11 13 15 17]"},
		// The last turn's: what failed before it ended that turn.
		{"p:hi c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad p:leave_it say", "completed work [1 9]"},
		{"p:hi c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad p:leave_it", "errored failing_tail [3 5 7]"},
		{"p:hi c1:Bash=a bad c2:Bash=b bad p:again c3:Bash=c bad say", "errored failing_tail [3 5 8]"},
		// By the order of the ends, not of the calls: the one that succeeded ended last.
		{"p:hi c1:Bash=a c2:Bash=b c3:Bash=c bad:c3 bad:c2 ok:c1", "completed work [1 4]"},
		// Running is no end.
		{"p:hi c1:Bash=a bad c2:Bash=b run c3:Bash=c bad", "completed work [1 6]"},
		// Open calls, unless the agent went on without them.
		{"p:hi c1:Bash=a", "gave_up open_calls [2]"},
		{"p:hi c1:Bash=a c2:Bash=b ok:c1", "gave_up open_calls [3]"},
		{"p:hi c1:Bash=a@r1 c2:Bash=b@r1 ok:c2", "gave_up open_calls [2]"},
		{"p:hi c1:Bash=a@r1 c2:Bash=b@r1 ok:c2 say:r2", "completed work [1 5]"},
		{"p:hi c1:Bash=a run", "gave_up open_calls [2]"},
		{"p:hi c1:Bash=a run say", "completed work [1 4]"},
		{"p:hi c1:Bash=a m say", "completed work [1 4]"},
		{"p:hi c1:Bash=a@r1 run say:r1", "gave_up open_calls [2]"},
		// What was copied is not of this session.
		{"copy:ON p:hi intr c1:Bash=a copy:OFF", "unknown nothing []"},
		{"copy:ON p:hi fatal!:x copy:OFF p:go say", "completed work [3 4]"},
		{"copy:ON c1:Bash=a bad c2:Bash=b bad copy:OFF c3:Bash=c bad", "completed work [5]"},
	} {
		v := insight.Make(drawn(t, c.line), false).Verdict
		if got := fmt.Sprint(v.Outcome, " ", v.Rule, " ", v.Events); got != c.want || v.Refined != "" {
			t.Errorf("%q\n got %s %s\nwant %s", c.line, got, v.Refined, c.want)
		}
	}
}

// What hooks and the source state corrects what was inferred, says from what to what, and leaves the rule and its events.
func TestFacts(t *testing.T) {
	tail := "c1:Bash=a bad c2:Bash=b bad c3:Bash=c bad "
	for _, c := range []struct{ line, want string }{
		{"p:hi c1:Bash=a stop", "completed open_calls gave_up → completed: the turn ended at 2026-11-21 10:00:03 UTC"},
		{"p:hi c1:Bash=a stop:failed", "gave_up open_calls "},
		{"p:hi stop c1:Bash=a", "gave_up open_calls "},
		{"p:hi c1:Bash=a stop c2:Bash=b", "gave_up open_calls "},
		{"start:build " + tail + "complete:build", "completed failing_tail errored → completed: COMPLETE of build at 2026-11-21 10:00:08 UTC"},
		{"start:build complete:build " + tail, "errored failing_tail "},
		{"start:build c0:Bash=x bad complete:build " + tail, "completed failing_tail errored → completed: COMPLETE of build at 2026-11-21 10:00:04 UTC"},
		{"start:build " + tail + "complete:build start:ship", "errored failing_tail "},
		{"p:hi start:build say fail:build say", "errored work completed → errored: FAILED of build at 2026-11-21 10:00:04 UTC"},
		{"p:hi start:build fail:build start:build say", "completed work "},
		{"p:hi start:build fail:build start:build complete:build", "completed work "},
		{"p:hi start:build phase:build:RED broke:build:RED", "completed work "},
		{"p:hi c1:Bash=a outcome:killed", "crashed open_calls gave_up → crashed: crashed, the test"},
		{"p:hi say outcome:killed:signal_9", "killed work completed → killed: killed, signal 9"},
		{"p:hi say outcome:killed", "crashed work completed → crashed: crashed, the test"},
		{"p:hi " + tail + "outcome:killed", "errored failing_tail "},
		{"say outcome:killed", "unknown nothing "},
		{"p:hi say outcome:errored", "errored work completed → errored: errored, the test"},
		{"p:hi c1:Bash=a outcome:interrupted", "interrupted open_calls gave_up → interrupted: interrupted, the test"},
		{"p:hi " + tail + "outcome:completed", "errored failing_tail "},
		{"start:build " + tail + "complete:build outcome:killed",
			"crashed failing_tail errored → crashed: COMPLETE of build at 2026-11-21 10:00:08 UTC; crashed, the test"},
		// Nothing turns an interrupt into something else.
		{"p:hi intr start:build fail:build outcome:killed", "interrupted interrupt "},
		{"p:hi intr start:build complete:build stop outcome:completed", "interrupted interrupt "},
		// But who ended the worker that it was, and took nothing of it, abandoned it, unless it was done or went on.
		{"p:hi say stop abandoned", "gave_up work completed → gave_up: abandoned at 2026-11-21 10:00:04 UTC: the test"},
		{"p:hi intr abandoned end", "gave_up interrupt interrupted → gave_up: abandoned at 2026-11-21 10:00:03 UTC: the test"},
		{"p:hi c1:Bash=a abandoned outcome:killed", "gave_up open_calls "},
		{"p:hi saysdone stop abandoned", "completed work "},
		{"p:hi saysdone p:more abandoned", "gave_up work completed → gave_up: abandoned at 2026-11-21 10:00:04 UTC: the test"},
		{"p:hi abandoned p:more", "completed work "},
	} {
		v := insight.Make(drawn(t, c.line), true).Verdict
		if got := fmt.Sprint(v.Outcome, " ", v.Rule, " ", v.Refined); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.line, got, c.want)
		}
	}
}

// How often a session was interrupted before its last turn is part of the reason, stored or not.
func TestInterrupts(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"p:hi say intr p:go say", "interrupted once, then it worked, and nothing says that it failed (events 1, 5)"},
		{"p:hi say intr p:go say intr p:go fatal!:x p:go say intr", "it was interrupted (event 11)"},
		{"p:hi say intr p:go say intr p:go say fail:build", "interrupted 2 times, then FAILED of build at 2026-11-21 10:00:09 UTC"},
	} {
		d := insight.Make(drawn(t, c.line), true)
		stored, err := decode(insight.Append(nil, d))
		if err != nil || d.Verdict.Reason != c.want || stored.Verdict.Reason != c.want {
			t.Errorf("%q\n got %s\nwant %s, %v", c.line, d.Verdict.Reason, c.want, err)
		}
	}
}

// A live session is running, whatever it looks like so far, and only that differs in its keys.
func TestLive(t *testing.T) {
	d := insight.Make(drawn(t, "p:hi c1:Bash=a bad:1 c2:Bash=b bad:1 c3:Bash=c bad:1"), false)
	before := d.Keys
	if d.Outcome() != insight.Errored || !d.Verdict.Failing() {
		t.Fatalf("%+v", d.Verdict)
	}
	d.SetLive(true)
	if d.Outcome() != insight.Running || d.Verdict.Outcome != insight.Errored || d.Keys.Coarse == before.Coarse || d.Keys.Sub != before.Sub ||
		d.Keys.Fine != before.Fine {
		t.Errorf("live: %s, %+v, keys %+v, before %+v", d.Outcome(), d.Verdict, d.Keys, before)
	}
	stored, err := decode(insight.Append(nil, d))
	if err != nil || stored.Live || stored.Keys != before {
		t.Errorf("stored: live %v, keys %+v, %v", stored.Live, stored.Keys, err)
	}
	d.SetLive(false)
	if d.Keys != before {
		t.Errorf("after it: %+v, not %+v", d.Keys, before)
	}
	if !strings.HasPrefix(d.Shape(), "claude errored ") {
		t.Error(d.Shape())
	}
}
