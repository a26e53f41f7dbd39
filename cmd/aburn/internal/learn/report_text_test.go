package learn

import (
	"bytes"
	"errors"
	"testing"

	"aburn/archive/names"
	"aburn/insight/report"
	"aburn/internal/term"
)

// Where no record tells of tokens, it is not said that there were none.
func TestTokensThatNobodyKnows(t *testing.T) {
	var b bytes.Buffer
	v := reportView{out: term.New(&b, func(string) string { return "" }, false), names: names.Among([]string{"5b0c2f91"}), r: &report.Report{
		Agents: []report.Agent{{Source: "own", Ended: 2, Calls: 7}, {Source: "claude", Ended: 1, Calls: 3, Tokens: 1200}},
		Phases: []report.Phase{{Command: "build", Phase: "RED", Runs: 1, Completed: 1, Calls: 2, ActiveMS: 4000,
			Worst: report.Place{Source: "own", Session: "5b0c2f91", Event: 3}}},
	}}
	if err := errors.Join(v.agents(), v.phases()); err != nil {
		t.Fatal(err)
	}
	want := "\nagents\n" +
		"  agent   failing  rate  calls  tokens\n" +
		"  own      0 of 2  0.0%      7       -\n" +
		"  claude   0 of 1  0.0%      3    1.2k\n" +
		"\nphases of the workflow\n" +
		"  phase        done  failed  active  tokens  its failed calls  most in\n" +
		"  build:RED  1 of 1  0 of 1    4.0s       -            0 of 2  5b0c2f91 3\n"
	if b.String() != want {
		t.Errorf("shown is\n%s\nnot\n%s", b.String(), want)
	}
}
