package activity

import (
	"os"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/proc"
	"aburn/logfmt"
	"aburn/worker"
)

func entry(ev logfmt.Event, data string) logfmt.Entry {
	return logfmt.Entry{Time: time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC), Cmd: logfmt.SessionCmd, Event: ev, Seq: 7, Data: []byte(data)}
}

func TestWhatEntriesTell(t *testing.T) {
	for _, c := range []struct {
		e    logfmt.Entry
		want worker.Fact // Kind "" is nothing
	}{
		{entry(logfmt.SessionStart, `{"source":"startup"}`), worker.Fact{Kind: worker.Started}},
		{entry(logfmt.SessionStart, `{"source":"compact"}`), worker.Fact{}},
		{entry(logfmt.Prompt, `{}`), worker.Fact{Kind: worker.Prompted, Person: true}},
		{entry(logfmt.Prompt, `{"machine":true}`), worker.Fact{Kind: worker.Prompted}},
		{entry(logfmt.ToolStart, `{"tool_use_id":"a"}`), worker.Fact{Kind: worker.ToolBegan, Call: "a"}},
		{entry(logfmt.Tool, `{"tool_use_id":"a"}`), worker.Fact{Kind: worker.ToolEnded, Call: "a"}},
		{entry(logfmt.ToolFailed, `{"tool_use_id":"a"}`), worker.Fact{Kind: worker.ToolEnded, Call: "a"}},
		{entry(logfmt.ToolDenied, `{"tool_use_id":"a"}`), worker.Fact{Kind: worker.ToolEnded, Call: "a"}},
		{entry(logfmt.Permission, `{"tool_use_id":"a"}`), worker.Fact{Kind: worker.Asks, Call: "a"}},
		{entry(logfmt.Permission, `{"input":"bd690bb7"}`), worker.Fact{Kind: worker.Asks, Input: "bd690bb7"}},
		{entry(logfmt.Tool, `{"tool_use_id":"a","input":"bd690bb7"}`), worker.Fact{Kind: worker.ToolEnded, Call: "a", Input: "bd690bb7"}},
		{entry(logfmt.Stop, `{}`), worker.Fact{Kind: worker.TurnEnded}},
		{entry(logfmt.TurnFailed, `{}`), worker.Fact{Kind: worker.TurnFailed}},
		{entry(logfmt.Interrupt, `{}`), worker.Fact{Kind: worker.Interrupted}},
		{entry(logfmt.SessionEnd, `{"reason":"clear"}`), worker.Fact{Kind: worker.Cleared}},
		{entry(logfmt.SessionEnd, `{"reason":"prompt_input_exit"}`), worker.Fact{Kind: worker.Ended}},
		{entry(logfmt.Permission, `{"input":"0a"}`), worker.Fact{Kind: worker.Asks, Input: "0a"}},
		{entry(logfmt.Tool, `{"tool_use_id":"a","input":"0a"}`), worker.Fact{Kind: worker.ToolEnded, Call: "a", Input: "0a"}},
		{entry(logfmt.WorkerDone, `{"text":"x"}`), worker.Fact{Kind: worker.SaysDone}},
		{entry(logfmt.WorkerAsk, `{"text":"x"}`), worker.Fact{Kind: worker.AsksPerson}},
		{entry(logfmt.Prompt, `{"head":"[aburn m-7f3a] do it"}`), worker.Fact{Kind: worker.Prompted, Message: "m-7f3a"}},
		{entry(logfmt.Prompt, `{"head":"<pasted_content id=\"1\"> [aburn m-7f3a] do it"}`), worker.Fact{Kind: worker.Prompted, Message: "m-7f3a"}},
		{entry(logfmt.Prompt, `{"head":"look at [aburn m-7f3a]"}`), worker.Fact{Kind: worker.Prompted, Person: true}},
		{entry(logfmt.Prompt, `{"head":"[aburn m-7f3X] do it"}`), worker.Fact{Kind: worker.Prompted, Person: true}},
		{entry(logfmt.Delivered, `{"task_id":"m-7f3a","type":"message"}`), worker.Fact{Kind: worker.Received, Message: "m-7f3a"}},
		{entry(logfmt.Delivered, `{"task_id":"m-7f3a","type":"loop"}`), worker.Fact{Kind: worker.Received}},
		{entry(logfmt.Notify, `{}`), worker.Fact{}},
		{entry(logfmt.Start, `{}`), worker.Fact{}},
	} {
		f, ok := Fact(&c.e)
		if c.want.Kind == "" {
			if ok {
				t.Errorf("%s %s is %+v", c.e.Event, c.e.Data, f)
			}
			continue
		}
		c.want.File, c.want.Seq, c.want.At = worker.Log, 7, c.e.Time
		if f != c.want || !ok {
			t.Errorf("%s %s is %+v, not %+v", c.e.Event, c.e.Data, f, c.want)
		}
	}
	for event, counts := range map[logfmt.Event]bool{logfmt.WorkerDone: false, logfmt.WorkerAsk: true} {
		e := entry(event, `{}`)
		e.Agent = &logfmt.Agent{Type: "x", ID: "y"}
		if f, ok := Fact(&e); ok != counts {
			t.Errorf("%s of a sub-agent is %+v", event, f)
		}
	}
	sub := entry(logfmt.Stop, `{}`)
	sub.Agent = &logfmt.Agent{Type: "x", ID: "y"}
	if f, ok := Fact(&sub); ok {
		t.Errorf("the stop of a sub-agent is %+v", f)
	}
}

// Claude Code's permissions name no call, but its input: once that call has ended, nobody is needed any more.
func TestAllowedCallNeedsNobody(t *testing.T) {
	var facts []worker.Fact
	for i, e := range []logfmt.Entry{
		entry(logfmt.Prompt, `{}`), entry(logfmt.ToolStart, `{"tool_use_id":"a","input":"x1"}`), entry(logfmt.Permission, `{"input":"x1"}`),
		entry(logfmt.Tool, `{"tool_use_id":"b","input":"x2"}`), entry(logfmt.Tool, `{"tool_use_id":"a","input":"x1"}`),
	} {
		e.Seq = logfmt.Seq(i + 1)
		f, _ := Fact(&e)
		facts = append(facts, f)
		if i == 3 && worker.Reduce(facts).State != worker.NeedsInput {
			t.Error("another call answered the question")
		}
	}
	if w := worker.Reduce(facts); w.State != worker.Working {
		t.Errorf("%s", w.State)
	}
}

// Only entries of the asked trees since the asked time count, whatever lies between.
func TestSinceTakesTheTreesOnly(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	j := journal.New(root, journal.Options{By: journal.Command})
	begin := time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)
	for i, wt := range []string{"../w", "", "../w", "../other", "../w"} {
		e := &logfmt.Entry{Time: begin.Add(time.Duration(i) * time.Hour), Cmd: logfmt.SessionCmd, Event: logfmt.Stop, Wt: wt}
		if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
			t.Fatal(err)
		}
	}
	facts, err := Since(j, begin.Add(2*time.Hour), map[string]bool{"../w": true}, proc.NewLook())
	if err != nil || len(facts) != 1 || len(facts["../w"].Facts) != 2 {
		t.Errorf("%+v, %v", facts, err)
	}
}
