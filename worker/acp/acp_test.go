package acp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/worker"
	"aburn/worker/slot"
)

var client = Protocol(func(slot.Order) slot.Launch { return slot.Launch{Args: []string{"acp"}} })

// hear reads lines as the agents printed them, shortened.
func hear(t *slot.Talk, lines string) *slot.Talk {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		client.Hear(t, time.Unix(1, 0), []byte(strings.TrimSpace(line)))
	}
	return t
}

func kinds(t *slot.Talk) (list []worker.Kind) {
	for _, e := range t.Events {
		list = append(list, e.Kind)
	}
	return list
}

const opened = `
	{"jsonrpc":"2.0","id":"open-1","result":{"protocolVersion":1}}
	{"jsonrpc":"2.0","id":"open-2","result":{"sessionId":"s"}}`

const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`

func TestTurnWithAQuestion(t *testing.T) {
	talk := &slot.Talk{}
	if _, ok := client.Message(talk, slot.Message{ID: "task"}); ok {
		t.Error("a turn begins before there is a session")
	}
	hear(talk, opened)
	l, ok := client.Message(talk, slot.Message{ID: "task", Text: "a\nb"})
	if !ok || l.Tag != "msg-task" || strings.Contains(string(l.Text), "\n") || !strings.Contains(string(l.Text), `"sessionId":"s"`) {
		t.Errorf("%v %s", ok, l.Text)
	}
	if _, ok := client.Message(talk, slot.Message{ID: "m-1"}); ok {
		t.Error("a second prompt goes into a turn that begins")
	}
	client.Tell(talk, "msg-task")
	hear(talk, update+`{"sessionUpdate":"available_commands_update"}}}`)
	if talk.Receipts["task"] != slot.Unreceived {
		t.Error("a list of commands is no receipt")
	}
	hear(talk, update+`{"sessionUpdate":"tool_call","toolCallId":"c","title":"bash","status":"pending"}}}
		{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"a command","rawInput":{"command":"rm x"}},"options":[{"optionId":"always","kind":"allow_always"},{"optionId":"once","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}`)
	if talk.Receipts["task"] != slot.Begun || len(talk.Asks) != 1 || talk.Asks[0].What != "a command: rm x" {
		t.Fatalf("%+v", talk)
	}
	q := talk.Asks[0]
	for allow, want := range map[bool]string{true: "once", false: "no"} {
		if l, err := client.Answer(q, allow, ""); err != nil || string(l.Text) != `{"id":0,"jsonrpc":"2.0","result":{"outcome":{"optionId":"`+want+
			`","outcome":"selected"}}}` {
			t.Errorf("%v: %s %v", allow, l.Text, err)
		}
	}
	if _, err := client.Answer(q, false, "why"); err == nil {
		t.Error("a text is lost")
	}
	client.Tell(talk, "ans-other")
	if len(talk.Asks) != 1 {
		t.Error("another answer closes it")
	}
	if client.Tell(talk, slot.AnswerTag(q)); len(talk.Asks) != 0 {
		t.Error("the answer does not close it")
	}
	hear(talk, update+`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}}
		{"jsonrpc":"2.0","id":"msg-task","result":{"stopReason":"end_turn"}}`)
	want := []worker.Kind{worker.Started, worker.Received, worker.Prompted, worker.ToolBegan, worker.Asks, worker.Answered, worker.ToolEnded, worker.TurnEnded}
	if got := kinds(talk); !slices.Equal(got, want) || talk.Turn != "" || talk.Receipts["task"] != slot.Finished {
		t.Errorf("%v %+v", got, talk)
	}
	if _, ok := client.Message(talk, slot.Message{ID: "m-1"}); !ok {
		t.Error("the next message is not taken")
	}
}

// A prompt that was refused was not taken, and an interrupt is no failure.
func TestEndsOfTurns(t *testing.T) {
	talk := hear(&slot.Talk{}, opened)
	client.Tell(talk, "msg-m-1")
	hear(talk, `{"jsonrpc":"2.0","id":"msg-m-1","error":{"code":-32603,"message":"Internal error","data":{"details":"no key"}}}`)
	if talk.Receipts["m-1"] != slot.Unreceived || talk.Errors["msg-m-1"] != "Internal error: no key" || talk.Turn != "" {
		t.Errorf("%+v", talk)
	}
	client.Tell(talk, "msg-m-2")
	if l, ok := client.Interrupt(talk, "int-1"); !ok || !strings.Contains(string(l.Text), "session/cancel") {
		t.Errorf("%v %s", ok, l.Text)
	}
	hear(talk, `{"jsonrpc":"2.0","id":"msg-m-2","result":{"stopReason":"cancelled"}}`)
	if got := kinds(talk); got[len(got)-1] != worker.Interrupted {
		t.Error(got)
	}
	if refused := hear(&slot.Talk{},
		`{"jsonrpc":"2.0","id":"open-2","error":{"code":-32000,"message":"Authentication required"}}`); refused.Refused != "Authentication required" ||
		refused.Ready {
		t.Errorf("%+v", refused)
	}
}

// A session that is loaded tells what it has. That is not told twice, and is no event of now.
func TestLoadedSession(t *testing.T) {
	talk := hear(&slot.Talk{}, update+`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"You work in a git worktree"}}}}
		`+update+`{"sessionUpdate":"tool_call","toolCallId":"c","status":"pending"}}}
		`+update+`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"[aburn m-20a33a33] use port 8081"}}}}
		`+update+`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"[aburn m-evil is nothing"}}}}
		{"jsonrpc":"2.0","id":"open-2","result":{"configOptions":[]}}`)
	if talk.Session != "s" || !talk.Ready || !talk.Had["task"] || !talk.Had["m-20a33a33"] || len(talk.Had) != 2 {
		t.Errorf("%+v", talk)
	}
	if got := kinds(talk); slices.Contains(got, worker.ToolBegan) || slices.Contains(got, worker.Prompted) {
		t.Error(got)
	}
}

// What the agent asks of its client without a person is refused, so that it goes on.
func TestRequestsThatNeedNoPerson(t *testing.T) {
	talk := hear(&slot.Talk{}, `{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`)
	if len(talk.Owed) != 1 || talk.Owed[0].Tag != "owed-7" || !strings.Contains(string(talk.Owed[0].Text), `"id":7`) || len(talk.Asks) > 0 {
		t.Errorf("%+v", talk.Owed)
	}
	for range 1000 {
		hear(talk, `{"jsonrpc":"2.0","id":"x y","method":"a/b"}`)
	}
	if len(talk.Owed) > 64 || talk.Owed[1].Tag != "owed--x-y-" {
		t.Errorf("%d, %s", len(talk.Owed), talk.Owed[1].Tag)
	}
}

func TestLaunch(t *testing.T) {
	l, opening := client.Launch(slot.Order{Tree: "/t", Task: "do it", Rules: "Be careful."}, "s-1")
	if l.Prompt != "Be careful.\n\nYour task:\ndo it" || l.Session != "s-1" || len(opening) != 2 || !strings.Contains(string(opening[1].Text), `"session/load"`) {
		t.Errorf("%+v %s", l, opening)
	}
	if _, opening := client.Launch(slot.Order{Tree: "/t"}, ""); !strings.Contains(string(opening[1].Text), `"session/new"`) ||
		!strings.Contains(string(opening[1].Text), `"cwd":"/t"`) {
		t.Errorf("%s", opening)
	}
}

func FuzzHear(f *testing.F) {
	f.Add([]byte(`{"id":{},"method":"session/request_permission","params":[1]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		talk := &slot.Talk{}
		client.Hear(talk, time.Unix(1, 0), line)
		client.Show(line)
		for _, q := range talk.Asks {
			client.Answer(q, true, "")
		}
	})
}
