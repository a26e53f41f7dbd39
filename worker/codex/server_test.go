package codex

import (
	"strings"
	"testing"
	"time"

	"aburn/worker/slot"
)

// hear reads lines as Codex 0.169.0 printed them, shortened.
func hear(t *slot.Talk, lines string) *slot.Talk {
	p := Agent().Protocol()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		p.Hear(t, time.Unix(1, 0), []byte(strings.TrimSpace(line)))
	}
	return t
}

func kinds(t *slot.Talk) (list string) {
	for _, e := range t.Events {
		if list += string(e.Kind); !e.Hooked {
			list += "!"
		}
		list += " "
	}
	return strings.TrimSpace(list)
}

func TestTurnWithAQuestion(t *testing.T) {
	p := Agent().Protocol()
	talk := &slot.Talk{}
	if _, ok := p.Message(talk, slot.Message{ID: "m-1"}); ok {
		t.Error("a turn begins before the thread is known")
	}
	hear(talk, `
		{"id":"open-1","result":{"userAgent":"aburn"}}
		{"id":"open-3","result":{"thread":{"id":"t","turns":[]}}}`)
	if l, ok := p.Message(talk, slot.Message{ID: "m-1", Text: "a\n<b>"}); !ok || strings.Contains(string(l.Text), "\n") ||
		!strings.Contains(string(l.Text), `"clientUserMessageId":"m-1"`) {
		t.Errorf("%s %v", l.Text, ok)
	}
	hear(talk, `
		{"id":"msg-m-1","result":{"turn":{"id":"u"}}}
		{"method":"turn/started","params":{"threadId":"t","turn":{"id":"u"}}}
		{"method":"item/started","params":{"threadId":"t","item":{"type":"userMessage","clientId":"m-1"}}}
		{"method":"item/started","params":{"threadId":"other","item":{"type":"userMessage","clientId":"m-9"}}}
		{"method":"item/started","params":{"threadId":"t","item":{"type":"commandExecution","id":"c"}}}
		{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"t","itemId":"c","command":"rm x"}}`)
	if talk.Turn != "u" || len(talk.Asks) != 1 || talk.Asks[0].What != "rm x" || talk.Receipts["m-1"] != slot.Begun || talk.Receipts["m-9"] != slot.Unreceived {
		t.Fatalf("%+v", talk)
	}
	if l, err := p.Answer(talk.Asks[0], false, ""); err != nil || string(l.Text) != `{"id":0,"result":{"decision":"decline"}}` {
		t.Errorf("%s, %v", l.Text, err)
	}
	if _, err := p.Answer(talk.Asks[0], false, "why"); err == nil {
		t.Error("a text is lost")
	}
	hear(talk, `
		{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}
		{"method":"item/completed","params":{"threadId":"t","item":{"type":"commandExecution","id":"c"}}}
		{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed"}}}`)
	if talk.Turn != "" || len(talk.Asks) != 0 || talk.Receipts["m-1"] != slot.Finished {
		t.Errorf("%+v", talk)
	}
	if got, want := kinds(talk), "started! received! prompt tool_began asks! answered! tool_ended turn_ended"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestResumedThread(t *testing.T) {
	talk := hear(&slot.Talk{}, `{"id":"open-3","result":{"thread":{"id":"t","turns":[
		{"status":"completed","items":[{"type":"userMessage","clientId":"a"},{"type":"agentMessage"}]},{"status":"interrupted","items":[{"type":"userMessage","clientId":"b"}]}]}}}`)
	if talk.Receipts != nil {
		t.Errorf("half a line says something: %+v", talk)
	}
	talk = hear(&slot.Talk{},
		`{"id":"open-3","result":{"thread":{"id":"t","turns":[{"status":"completed","items":[{"type":"userMessage","clientId":"a"},{"type":"agentMessage"}]},`+
			`{"status":"interrupted","items":[{"type":"userMessage","clientId":"b"}]}]}}}`)
	if talk.Receipts["a"] != slot.Finished || talk.Had["a"] || talk.Receipts["b"] != slot.Finished || !talk.Had["b"] {
		t.Errorf("%+v", talk)
	}
}

func TestRefusedThread(t *testing.T) {
	if talk := hear(&slot.Talk{}, `{"id":"open-3","error":{"code":-32600,"message":"no rollout found"}}`); talk.Refused != "no rollout found" || talk.Ready {
		t.Errorf("%+v", talk)
	}
}

// Every question of the protocol is answered in its own form, or the error says why it is not.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ kind, input, allow, deny string }{
		{"item/fileChange/requestApproval", `{}`, `{"decision":"accept"}`, `{"decision":"decline"}`},
		{"item/permissions/requestApproval", `{"permissions":{"network":{"enabled":true}}}`, `{"permissions":{"network":{"enabled":true}}}`, `{"permissions":{}}`},
		{"mcpServer/elicitation/request", `{}`, ``, `{"action":"decline"}`},
		{"item/tool/call", `{}`, ``, ``},
	} {
		for allow, want := range map[bool]string{true: c.allow, false: c.deny} {
			l, err := Agent().Protocol().Answer(slot.Question{ID: `"q"`, Kind: c.kind, Input: []byte(c.input)}, allow, "")
			if (err != nil) != (want == "") || want != "" && string(l.Text) != `{"id":"q","result":`+want+`}` {
				t.Errorf("%s %v: %s, %v", c.kind, allow, l.Text, err)
			}
		}
	}
	q := slot.Question{ID: "1", Kind: "item/tool/requestUserInput", Input: []byte(`{"questions":[{"id":"x"}]}`)}
	if l, err := Agent().Protocol().Answer(q, true, "blue"); err != nil || !strings.Contains(string(l.Text), `{"x":{"answers":["blue"]}}`) {
		t.Errorf("%s, %v", l.Text, err)
	}
}

func FuzzHear(f *testing.F) {
	f.Add(`{"id":"open-3","result":{"thread":{"turns":[1,{"items":"x"}]}}}`)
	f.Add(`{"id":[1],"method":"item/tool/requestUserInput","params":7}`)
	f.Fuzz(func(t *testing.T, line string) {
		talk := &slot.Talk{}
		p := Agent().Protocol()
		p.Hear(talk, time.Unix(1, 0), []byte(line))
		p.Show([]byte(line))
		for _, q := range talk.Asks {
			p.Answer(q, true, "")
		}
	})
}
