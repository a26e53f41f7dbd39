package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBothProtocolsPlayTheSameScript(t *testing.T) {
	script := func() Script {
		return Script{{Name: "main", Turns: []Turn{
			{Reasoning: "hmm", Text: "two words", Calls: []Call{{Name: "Bash", Input: map[string]any{"command": "echo \"hi\""}}}},
			Text("done"),
		}}}
	}
	for protocol, ask := range map[Protocol]func(*Server, string) string{Messages: askMessages, Responses: askResponses} {
		t.Run(string(protocol), func(t *testing.T) {
			s := start(t, script(), "")
			first := ask(s, "hello")
			for _, want := range []string{"hmm", "two ", "words", "main_0_0", `echo \\\"hi\\\"`} {
				if !strings.Contains(first, want) {
					t.Errorf("answer lacks %q:\n%s", want, first)
				}
			}
			if second := ask(s, "hello"); !strings.Contains(second, "done") || strings.Contains(second, "main_1_0") {
				t.Errorf("second answer:\n%s", second)
			}
			if third := ask(s, "hello"); !strings.Contains(third, "used up") && !strings.Contains(third, `"used "`) {
				t.Errorf("third answer:\n%s", third)
			}
			checkEvents(t, first)
		})
	}
}

// checkEvents holds every frame to the form that clients parse: an event line, and data with the same type.
func checkEvents(t *testing.T, stream string) {
	t.Helper()
	for frame := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		event, data, ok := strings.Cut(frame, "\ndata: ")
		var payload struct{ Type string }
		if !ok || json.Unmarshal([]byte(data), &payload) != nil || "event: "+payload.Type != event {
			t.Errorf("not a server-sent event:\n%s", frame)
		}
	}
}

func TestConversationsAreChosenInOrderAndPerThread(t *testing.T) {
	s := start(t, Script{
		{Name: "child", When: FirstUserContains("CHILD"), PerThread: true, Turns: []Turn{Calls(Call{Name: "Bash"}), Text("second")}},
		{Name: "loop", When: LastContains("again"), Repeat: true, Turns: []Turn{Text("once more")}},
		{Name: "rest", When: Not(Contains("nobody")), Turns: []Turn{Text("rest")}},
	}, "")
	for _, step := range []struct{ thread, prompt, want string }{
		{"a", "CHILD one", "toolu_child_0_0"},
		{"b", "CHILD two", "toolu_1_child_0_0"}, // a thread of its own, and other ids
		{"a", "CHILD one", "second"},
		{"", "again", "once more"},
		{"", "again", "once more"},
		{"", "hello", "rest"},
		{"", "nobody", "no conversation matches"},
	} {
		got := post(s, "/v1/messages", messagesBody(step.prompt), "X-Claude-Code-Session-Id", step.thread)
		if !strings.Contains(joined(got), step.want) {
			t.Errorf("thread %q, prompt %q: no %q in\n%s", step.thread, step.prompt, step.want, got)
		}
	}
	asked := s.Asked()
	if n := len(asked); n != 7 || asked[1].Conversation != "child" || asked[2].Turn != 1 || asked[6].Conversation != "" {
		t.Errorf("%d requests kept: %+v", n, asked)
	}
}

// joined glues the text deltas of an Anthropic stream together and keeps the rest.
func joined(stream string) string {
	var text strings.Builder
	for line := range strings.SplitSeq(stream, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		var payload struct{ Delta struct{ Text string } }
		if ok && json.Unmarshal([]byte(data), &payload) == nil {
			text.WriteString(payload.Delta.Text)
		}
	}
	return text.String() + stream
}

func TestFailuresCutsAndGates(t *testing.T) {
	gate := make(chan struct{})
	s := start(t, Script{{Name: "main", Turns: []Turn{
		{Failure: &Failure{Status: 429, Type: "rate_limit_error", Message: "slow down", Header: http.Header{"X-Should-Retry": {"false"}}}},
		{Text: "half", Cut: true},
		{Text: "late", Before: func(context.Context) { <-gate }},
	}}}, "")
	response, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(messagesBody("x")))
	if err != nil || response.StatusCode != 429 || response.Header.Get("X-Should-Retry") != "false" {
		t.Fatalf("status %v, %v", response, err)
	}
	response.Body.Close()
	if got := askMessages(s, "x"); !strings.Contains(got, "half") || strings.Contains(got, "message_stop") {
		t.Errorf("cut answer:\n%s", got)
	}
	late := make(chan string)
	go func() { late <- askMessages(s, "x") }()
	close(gate)
	if got := <-late; !strings.Contains(got, "late") {
		t.Errorf("gated answer:\n%s", got)
	}
}

func TestTheLogHoldsNoKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	s := start(t, Script{{Name: "main", Turns: []Turn{Text("ok")}}}, path)
	post(s, "/v1/messages", messagesBody("hello"), "X-Api-Key", "sesame", "Authorization", "Bearer sesame")
	post(s, "/nowhere", "not json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "sesame") || !strings.Contains(string(data), "(present)") {
		t.Errorf("log:\n%s", data)
	}
	for line := range strings.Lines(string(data)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestOnlyLoopback(t *testing.T) {
	if l, err := listenLoopback("0.0.0.0:0"); err == nil {
		l.Close()
		t.Error("listened on every interface")
	}
}

func start(t *testing.T, script Script, log string) *Server {
	t.Helper()
	s, err := Start(script, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func askMessages(s *Server, prompt string) string {
	return post(s, "/v1/messages", messagesBody(prompt))
}

func messagesBody(prompt string) string {
	return `{"model":"m","stream":true,"system":"be good","messages":[{"role":"user","content":[{"type":"text","text":"` + prompt + `"}]}]}`
}

func askResponses(s *Server, prompt string) string {
	return post(s, "/v1/responses", `{"model":"m","instructions":"be good","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"`+
		prompt+`"}]}]}`)
}

// post returns the whole answer, also of a connection that was cut.
func post(s *Server, path, body string, header ...string) string {
	request, _ := http.NewRequest(http.MethodPost, s.URL()+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	data, _ := io.ReadAll(response.Body)
	return string(data)
}
