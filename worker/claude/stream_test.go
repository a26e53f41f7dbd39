package claude

import (
	"strings"
	"testing"
	"time"

	"aburn/worker"
	"aburn/worker/slot"
)

// hear reads lines as Claude Code 2.1.329 printed them, shortened.
func hear(t *slot.Talk, lines string) *slot.Talk {
	p := Agent().Protocol()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		p.Hear(t, time.Unix(1, 0), []byte(strings.TrimSpace(line)))
	}
	return t
}

func kinds(t *slot.Talk, hooked bool) (list string) {
	for _, e := range t.Events {
		if e.Hooked == hooked {
			list += string(e.Kind) + " "
		}
	}
	return strings.TrimSpace(list)
}

func told(ids ...string) *slot.Talk {
	t := &slot.Talk{}
	for _, id := range ids {
		Agent().Protocol().Tell(t, messageTag+id)
	}
	return t
}

func TestTurnWithAQuestion(t *testing.T) {
	id := uuidOf("m-1")
	talk := hear(told("m-1"), `
		{"type":"system","subtype":"hook_started","session_id":"s"}
		{"type":"command_lifecycle","command_uuid":"`+id+`","state":"queued","session_id":"s"}
		{"type":"command_lifecycle","command_uuid":"`+id+`","state":"started","session_id":"s"}
		{"type":"user","message":{"role":"user","content":"first"},"uuid":"`+id+`","isReplay":true}
		{"type":"assistant","message":{"content":[{"id":"t1","input":{"command":"echo"},"name":"Bash","type":"tool_use"}]},"parent_tool_use_id":null}
		{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo"},"tool_use_id":"t1"}}`)
	if len(talk.Asks) != 1 || talk.Asks[0].What != "Bash: echo" || talk.Asks[0].Call != "t1" || talk.Session != "s" || talk.Receipts["m-1"] != slot.Begun {
		t.Fatalf("%+v", talk)
	}
	l, err := Agent().Protocol().Answer(talk.Asks[0], true, "")
	if want := `{"response":{"request_id":"r1","response":{"behavior":"allow","updatedInput":{"command":"echo"}},"subtype":"success"},"type":"control_response"}`; err != nil || string(l.Text) != want {
		t.Errorf("%s, %v", l.Text, err)
	}
	hear(talk, `
		{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow"}}}
		{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"x"}]},"parent_tool_use_id":null}
		{"type":"assistant","message":{"content":[{"text":"in a sub-agent","type":"tool_use","id":"t2"}]},"parent_tool_use_id":"t1"}
		{"type":"result","subtype":"success","is_error":false}
		{"type":"command_lifecycle","command_uuid":"`+id+`","state":"completed"}`)
	if len(talk.Asks) != 0 || talk.Receipts["m-1"] != slot.Finished || len(talk.Had) != 0 {
		t.Errorf("%+v", talk)
	}
	if got, want := kinds(talk, false), "received asks answered"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := kinds(talk, true), "prompt tool_began tool_ended turn_ended"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A message that stands in the record already is called completed at once, and its turn may have been cut off.
func TestMessageOfAResumedConversation(t *testing.T) {
	talk := hear(told("m-1"), `{"type":"command_lifecycle","command_uuid":"`+uuidOf("m-1")+`","state":"completed"}`)
	if talk.Receipts["m-1"] != slot.Finished || !talk.Had["m-1"] || kinds(talk, false) != "received" {
		t.Errorf("%+v", talk)
	}
}

func TestInterruptedTurn(t *testing.T) {
	talk := told("m-1")
	may := func() bool {
		_, ok := Agent().Protocol().Interrupt(talk, "int-1")
		return ok
	}
	if may() {
		t.Error("an agent at its prompt is interrupted")
	}
	hear(talk, `{"type":"command_lifecycle","command_uuid":"`+uuidOf("m-1")+`","state":"started"}`)
	if !may() {
		t.Error("its turn cannot be interrupted")
	}
	hear(talk, `
		{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]},"parent_tool_use_id":null}
		{"type":"result","subtype":"error_during_execution","is_error":true}`)
	if kinds(talk, false) != "received interrupted" || talk.Receipts["m-1"] != slot.Finished || may() {
		t.Errorf("%s %+v", kinds(talk, false), talk)
	}
}

func FuzzHear(f *testing.F) {
	f.Add(`{"type":"control_request","request":{"subtype":"can_use_tool","input":[1]}}`)
	f.Add(`{"type":"user","message":{"content":[null,{"type":"tool_result","content":[{}]}]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		talk := &slot.Talk{}
		Agent().Protocol().Hear(talk, time.Unix(1, 0), []byte(line))
		Agent().Protocol().Show([]byte(line))
		for _, q := range talk.Asks {
			if _, err := Agent().Protocol().Answer(q, true, ""); err != nil {
				t.Error(err)
			}
		}
		for _, e := range talk.Events {
			if e.Kind == worker.Certificate {
				t.Error("an agent certified its own end")
			}
		}
	})
}
