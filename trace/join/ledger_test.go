package join_test

import (
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/join"
)

// What a ledger says stands among the session's events by its time, within the bounds, and nothing else of it does.
func TestLedger(t *testing.T) {
	at := func(second int) trace.Event {
		return trace.Event{Time: time.Date(2026, 11, 22, 10, 0, second, 0, time.UTC), Ref: trace.Ref{Line: 1}}
	}
	with := func(e trace.Event, b trace.Body) trace.Event { e.Body = b; return e }
	s := draft.New("claude", "s", "claude", "/s.jsonl")
	s.Add(with(at(1), &trace.UserMessage{Head: "go"}))
	s.Call(at(5), &trace.ToolCall{Call: "gates-4", Tool: "Bash", Type: trace.ShellTool})
	s.Result(at(9), trace.ToolResultEvent{Call: "gates-4", From: trace.FromToolResult, Status: trace.StatusCompleted})
	s.Add(with(at(30), &trace.AgentMessage{}))
	l := draft.New("worker", "w@p", "claude", "/ledger.jsonl")
	l.Add(with(at(0), &trace.UserMessage{Head: "go"}))
	for _, second := range []int{2, 10, 40} {
		id := "run-" + at(second).Time.Format("05")
		l.Call(at(second), &trace.ToolCall{Call: id, Tool: "gates", Type: trace.ShellTool})
		l.Result(at(second+1), trace.ToolResultEvent{Call: id, From: trace.FromToolResult, Status: trace.StatusErrored})
	}
	l.Add(with(at(50), &trace.Session{Marker: trace.Abandoned}))
	l.Add(with(at(50), &trace.Session{Marker: trace.Ended}))
	for _, c := range []struct {
		from, until int
		want        string
	}{
		{0, 0, "user_message tool_call+ tool_result+ tool_call tool_result tool_call+ tool_result+ agent_message tool_call+ tool_result+ session+"},
		{5, 40, "user_message tool_call tool_result tool_call+ tool_result+ agent_message"},
		{60, 0, "user_message tool_call tool_result agent_message"},
		{3, 10, "user_message tool_call tool_result agent_message"}, // a run of gates that began before, and ended within
		{0, 3, "user_message tool_call+ tool_result+ tool_call tool_result agent_message"},
	} {
		bound := func(second int) (at time.Time) {
			if second > 0 {
				at = time.Date(2026, 11, 22, 10, 0, second, 0, time.UTC)
			}
			return at
		}
		session, ledger := s.Settle(), l.Settle()
		both, err := join.Ledger(session, ledger, bound(c.from), bound(c.until))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range both.Events {
			e := &both.Events[i]
			got += " " + e.Body.Kind()
			if e.Inferred == "worker's ledger" && e.Ref.File == 1 {
				got += "+"
			}
		}
		if got != " "+c.want {
			t.Errorf("from %d until %d:%s", c.from, c.until, got)
		}
		if len(session.Events) != 4 || len(ledger.Events) != 9 {
			t.Error("an argument was changed")
		}
	}
}
