package reportpage

import (
	"fmt"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/trace"
)

// drawn is a report of many sessions over so many weeks, every kind of finding in it. The same number draws the same report.
func drawn(weeks int) *report.Report {
	r, _ := drawnUnits(weeks)
	return r
}

// drawnUnits is drawn, with the sessions.
func drawnUnits(weeks int) (*report.Report, []*insight.Digest) {
	outcomes := []insight.Outcome{insight.Completed, insight.Completed, insight.Errored, insight.Completed, insight.GaveUp, insight.Interrupted, insight.Completed,
		insight.Killed, insight.Unknown}
	classes := []failure.Class{failure.Build, failure.Test, failure.NotFound, failure.EditMismatch, failure.Network, failure.Timeout}
	types := []trace.ToolType{trace.ShellTool, trace.EditTool, trace.ReadTool}
	var list []*insight.Digest
	for i := range weeks * 9 {
		week := i / 9
		if week%7 == 5 { // nothing ended in some weeks
			continue
		}
		one := &insight.Digest{
			Source: []string{"claude", "codex"}[i%2], ID: fmt.Sprintf("session-%04d", i), Project: trace.Project{Key: "/home/ada/src/garden"}, Relation: trace.Root,
			End: time.Date(2026, 3, 2+7*week, 9+i%9, 0, 0, 0, time.UTC), Verdict: insight.Verdict{Outcome: outcomes[(i+week)%len(outcomes)], Rule: "work"}, Decisive: -1,
			Usage: trace.Usage{Input: int64(1000 * i), Output: 500}, Spent: insight.Spent{Calls: int64(900 * i), Failed: int64(100 * (i % 7)),
				Retries: int64(40 * (i % 3))}, Counts: trace.Counts{Calls: 10},
		}
		one.Agent.Name = one.Source
		if i%4 == 0 {
			one.Relation = trace.Subagent
		}
		class, kind := classes[(i/3+i*i/5)%len(classes)], types[i%len(types)]
		if i%3 != 0 {
			one.Decisive = 0
			one.Keys.Fine = fmt.Sprintf("e1-%012x", int(class[0])*256+int(class[1])*3+i%3)
			one.Classes = []insight.ClassCount{{Class: class, Count: 1 + i%4}}
			one.Errors = []insight.ErrorGroup{{Class: class, Type: kind, Tool: "Bash",
				Head: fmt.Sprintf("<path>: IT WENT WRONG in the way %d, at some length so that it has to be cut", i%3), Text: "a.go: it went wrong", Count: 1 + i%4,
				First: 5, Solved: i % 2}}
		}
		one.Keys.Coarse = fmt.Sprintf("f1-%012x", i%17)
		one.Tools = []insight.ToolUse{{Type: kind, Calls: 10, Ended: 9, Failed: i % 5, Retries: i % 3, Timed: 9, TimedMS: 12345}}
		one.Slow = []insight.SlowCall{{Event: 7, Tool: "Bash", Type: kind, What: "go test ./...", MS: int64(1000 * i), Failed: i%2 == 0}}
		if i%10 == 0 {
			one.Loops = []insight.EditLoop{{Path: fmt.Sprintf("beds/bed%d.go", i%4), Edits: 4 + i%5, Identical: i % 3, First: 9}}
		}
		if i%6 == 0 {
			one.Phases = []insight.PhaseUse{{Command: "build", Phase: "RED", Result: "completed", ActiveMS: 60000, Tokens: 900, Calls: 4, Failed: 1,
				Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 1}}}}
		}
		one.Live = i == weeks*9-1
		list = append(list, one)
	}
	tried := []remedy.Measured{{
		Applied: remedy.Applied{V: 1, Key: "e1-00000000abcd", Time: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), Note: "pinned the version of the seeder"},
		Before:  remedy.Rate{Failed: 12, Of: 40}, After: remedy.Rate{Failed: 6, Of: 41},
	}}
	return report.Make(list, report.Options{Now: time.Date(2026, 3, 2+7*max(weeks, 38), 12, 0, 0, 0, time.UTC),
		Chosen: report.Chosen{Project: "/home/ada/src/garden"}, Remedies: tried}), list
}
