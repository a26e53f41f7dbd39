package supervisor_test

import (
	"fmt"
	"testing"
	"time"

	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// A log is folded into a State, entry by entry, and judged at a time that the caller gives.
func Example() {
	model := workflow.Default()
	s := state.New(&model, limits.Default())
	at := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	for i, ev := range []logfmt.Event{logfmt.Start, logfmt.Failed} {
		s.Apply(&logfmt.Entry{
			Time: at.Add(time.Duration(i) * time.Minute), Seq: logfmt.Seq(i + 1), Cmd: "ship", Event: ev, Session: "af1c5fba", Source: "prompt",
		}, false)
	}
	for _, issue := range supervisor.Judge(s, supervisor.Input{Now: at.Add(time.Hour)}) {
		fmt.Printf("%s: %s\n", issue.Type, issue.Says)
		for _, e := range issue.Evidence {
			fmt.Println("proved by entry", e.Seq)
		}
	}
	// Output:
	// explicit_failure: the command "ship" ended as failed (entry 2) and was not completed since
	// proved by entry 1
	// proved by entry 2
}

// Where neither the State nor the Input has limits, the defaults hold.
func TestJudgeWithoutLimits(t *testing.T) {
	model := workflow.Default()
	at := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	for _, l := range []*limits.Limits{nil, limits.Default()} {
		s := state.New(&model, nil)
		for i, ev := range []logfmt.Event{logfmt.Start, logfmt.Failed} {
			s.Apply(&logfmt.Entry{Time: at, Seq: logfmt.Seq(i + 1), Cmd: "ship", Event: ev, Session: "af1c5fba", Source: "prompt"}, false)
		}
		issues, _ := supervisor.Look(s, supervisor.Input{Now: at.Add(time.Hour), Limits: l})
		if len(issues) != 1 || issues[0].Type != limits.ExplicitFailure {
			t.Errorf("with limits %v: %v", l, issues)
		}
	}
}
