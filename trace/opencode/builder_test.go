package opencode

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/draft"
)

// noOthers is a store with one session.
type noOthers struct{}

func (noOthers) spawningCalls(context.Context, string) (map[string]string, error) { return nil, nil }
func (noOthers) originCandidates(context.Context, session, int64) ([]string, error) {
	return nil, nil
}
func (noOthers) turnsOf(context.Context, string) (map[turn]int, map[string]bool, error) {
	return nil, nil, nil
}

// traceOf is the trace of a session that is drawn in lines: "m ID {…}" is a message, "p MESSAGE ID {…}" a part, "-m ID" and
// "-p ID" take one out again.
func traceOf(t *testing.T, s session, drawing string) *trace.SessionTrace {
	t.Helper()
	s.id, s.created, s.directory, s.ref = "ses_1", 1000, "/p", trace.Ref{Table: "session", Key: "ses_1"}
	talk := newConversation(s)
	for i, line := range strings.Split(strings.TrimSpace(drawing), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := record{pos: int64(i + 1), ref: trace.Ref{Table: "event", Key: fmt.Sprint("evt_", i)}}
		if word == "p" {
			r.message, rest, _ = strings.Cut(rest, " ")
		}
		id, data, _ := strings.Cut(rest, " ")
		r.id, r.data = id, []byte(data)
		r.kind = map[string]kind{"m": ofMessage, "p": ofPart, "-m": messageGone, "-p": partGone}[word]
		talk.apply(r)
	}
	talk.settle(nil)
	tr, err := talk.assemble(t.Context(), noOthers{}, "opencode.db", "", "event")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// line is what a trace tells, in a word or two for each event.
func line(tr *trace.SessionTrace) string {
	var words []string
	for _, e := range tr.Events {
		w := e.Body.Kind()
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			w = "user:" + b.Machine
		case *trace.ToolCall:
			w = "call:" + b.Tool + "(" + b.Path + b.Head + ")"
		case *trace.ToolResult:
			r := tr.Results[b.Result]
			w = "result:" + string(r.Status)
			if r.Denied != "" {
				w += "," + r.Denied
			}
			if r.From != trace.FromToolResult {
				w += "," + string(r.From)
			}
		case *trace.FileChange:
			w = b.Action + ":" + b.Path
			if b.Added != nil {
				w += fmt.Sprintf("+%d-%d", *b.Added, *b.Removed)
			}
		case *trace.Error:
			w = fmt.Sprintf("error:%s,%d,%t", b.Code, b.Status, b.Fatal)
		case *trace.Interrupt:
			w = "interrupt:" + b.Call
		case *trace.SubagentSpawn:
			w = "spawn:" + b.Session
		case *trace.Session:
			w = strings.TrimSuffix(string(b.Marker)+":"+b.Detail+b.Model, ":")
		}
		if e.By != "" {
			w += "/" + e.By
		}
		if e.Abandoned {
			w += "/abandoned"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

const (
	ask   = `{"role":"user","time":{"created":1001},"model":{"modelID":"m1"}}`
	done  = `{"role":"assistant","parentID":"u1","time":{"created":1002,"completed":1009},"modelID":"m1","finish":"stop"}`
	tools = `{"role":"assistant","parentID":"u1","time":{"created":1002,"completed":1009},"modelID":"m1","finish":"tool-calls"}`
	open  = `{"role":"assistant","parentID":"u1","time":{"created":1002},"modelID":"m1"}`
	later = `{"role":"assistant","parentID":"u1","time":{"created":1010,"completed":1012},"modelID":"m1","finish":"stop"}`
	hi    = `{"type":"text","text":"hi"}`
)

func TestStories(t *testing.T) {
	for name, c := range map[string]struct{ drawing, want, outcome string }{
		"a prompt that is only a file": {`
			m u1 ` + ask + `
			p u1 p1 {"type":"text","synthetic":true,"text":"Called the Read tool"}
			p u1 p2 {"type":"file","filename":"x.png"}
			m a1 ` + done + `
			p a1 p3 ` + hi,
			"started user: agent_message stopped:stop", "completed"},
		"a text that only opencode wrote": {`
			m u1 ` + ask + `
			p u1 p1 {"type":"text","synthetic":true,"text":"Summarize the task tool output above and continue with your task."}
			m a1 ` + done,
			"started user:other/client stopped:stop", "completed"},
		"an answer without an end, and another": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + open + `
			p a1 p2 {"type":"tool","tool":"bash","callID":"c1","state":{"status":"running","input":{"command":"sleep 9"},"time":{"start":1003}}}
			m a2 ` + later + `
			p a2 p3 ` + hi,
			"started user: call:bash(sleep 9) interrupt:c1 agent_message stopped:stop", "completed"},
		"a call that was never given its input": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + open + `
			p a1 p2 {"type":"tool","tool":"bash","callID":"c1","state":{"status":"pending","input":{},"raw":""}}`,
			"started user: call:bash()", "killed"},
		"the last prompt has no answer": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi,
			"started user:", "killed"},
		"no answer behind a call": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + tools + `
			p a1 p2 {"type":"tool","tool":"read","callID":"c1","state":{"status":"completed","input":{"filePath":"/p/a.go"},"output":"x","metadata":{},"time":{"start":1003,"end":1004}}}`,
			"started user: call:read(a.go) result:completed", "killed"},
		"refused by a rule, aborted, killed by a signal": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + done + `
			p a1 p2 {"type":"tool","tool":"bash","callID":"c1","state":{"status":"error","input":{"command":"rm x"},"error":"The user has specified a rule which prevents you from using this specific tool call. Here are some"}}
			p a1 p3 {"type":"tool","tool":"bash","callID":"c2","state":{"status":"error","input":{"command":"b"},"error":"Tool execution aborted","metadata":{"interrupted":true}}}
			p a1 p4 {"type":"tool","tool":"bash","callID":"c3","state":{"status":"completed","input":{"command":"c"},"output":"","metadata":{"exit":null}}}`,
			"started user: call:bash(rm x) result:errored,rule call:bash(b) result:cancelled call:bash(c) result:errored stopped:stop", "completed"},
		"refused with words, and the agent goes on": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + tools + `
			p a1 p2 {"type":"tool","tool":"bash","callID":"c1","state":{"status":"error","input":{"command":"b"},"error":"The user rejected permission to use this specific tool call with the following feedback: no"}}
			m a2 ` + later,
			"started user: call:bash(b) result:cancelled,user stopped:stop", "completed"},
		"changes: by a patch tool, by a command, by neither twice": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + done + `
			p a1 p2 {"type":"tool","tool":"apply_patch","callID":"c1","state":{"status":"completed","input":{},"output":"ok","metadata":{"files":[{"filePath":"/p/a","type":"add","additions":2,"deletions":0},{"filePath":"/p/b","movePath":"/p/c","type":"move","additions":0,"deletions":0},{"filePath":"/p/d","type":"delete","additions":0,"deletions":3}]}}}
			p a1 p3 {"type":"patch","hash":"h","files":["/p/a","/p/b","/p/c","/p/d","/p/made","/p/made"]}`,
			"started user: call:apply_patch() result:completed created:a+2-0 renamed:c+0-0 deleted:d+0-3 unknown:made stopped:stop", "completed"},
		"a sub-agent in the background": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + done + `
			p a1 p2 {"type":"tool","tool":"task","callID":"c1","state":{"status":"completed","input":{"description":"d","subagent_type":"general"},"output":"<task id=\"ses_9\" state=\"running\">\n<summary>Background task started</summary>","metadata":{"sessionId":"ses_9","background":true}}}
			p a1 p3 {"type":"patch","hash":"h","files":["/p/of-the-sub-agent"]}
			m u2 {"role":"user","time":{"created":1020}}
			p u2 p4 {"type":"text","synthetic":true,"text":"<task id=\"ses_9\" state=\"error\">\n<summary>Background task failed: d</summary>"}
			m a2 {"role":"assistant","parentID":"u2","time":{"created":1021,"completed":1022},"finish":"stop"}`,
			"started user: call:task() spawn:ses_9 result:running stopped:stop user:task_notification/client result:errored,subagent_notification/client stopped:stop",
			"completed"},
		"a sub-agent that goes on is one sub-agent": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + done + `
			p a1 p2 {"type":"tool","tool":"task","callID":"c1","state":{"status":"completed","input":{},"output":"<task id=\"ses_9\" state=\"completed\">","metadata":{"sessionId":"ses_9"}}}
			p a1 p3 {"type":"tool","tool":"task","callID":"c2","state":{"status":"completed","input":{"task_id":"ses_9"},"output":"<task id=\"ses_9\" state=\"completed\">","metadata":{"sessionId":"ses_9"}}}`,
			"started user: call:task() spawn:ses_9 result:completed call:task() result:completed stopped:stop", "completed"},
		"another model, a retry, an overflow and a summary": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 {"role":"assistant","parentID":"u1","time":{"created":1002,"completed":1003},"error":{"name":"ContextOverflowError","data":{"message":"too long"}}}
			p a1 p2 {"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"overloaded","statusCode":529}},"time":{"created":1002}}
			m u2 {"role":"user","time":{"created":1004},"model":{"modelID":"m2"}}
			p u2 p3 {"type":"compaction","auto":true,"overflow":true}
			m a2 {"role":"assistant","parentID":"u2","summary":true,"mode":"compaction","time":{"created":1005,"completed":1006},"finish":"stop"}
			p a2 p4 {"type":"text","text":"the summary"}
			m u3 {"role":"user","time":{"created":1007},"model":{"modelID":"m2"}}
			p u3 p5 ` + hi + `
			m a3 {"role":"assistant","parentID":"u3","time":{"created":1008,"completed":1009},"finish":"length"}`,
			"started user: error:APIError,529,false error:ContextOverflowError,0,true user:compact_summary/client compacted:auto model_changed:m2 user: stopped:length",
			"completed"},
		"taken out again": {`
			m u1 ` + ask + `
			p u1 p1 ` + hi + `
			m a1 ` + done + `
			p a1 p2 ` + hi + `
			-m a1
			-m u1
			-p p2
			-p p1`,
			"started user:/abandoned agent_message/abandoned stopped:stop/abandoned", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := traceOf(t, session{}, c.drawing)
			if got := line(tr); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if string(tr.Outcome) != c.outcome {
				t.Errorf("outcome %s (%s), want %s", tr.Outcome, tr.OutcomeFrom, c.outcome)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		drawing   string
		responses int
		want      trace.Usage
	}{
		"of a message, if no step tells": {`m a1 {"role":"assistant","time":{"created":1,"completed":2},"cost":0.5,"tokens":{"input":1,"output":2,"reasoning":3,` +
			`"cache":{"read":4,"write":5}}}`,
			1, trace.Usage{Input: 1, Output: 5, Reasoning: 3, CacheRead: 4, CacheWrite: 5, CostUSD: 0.5}},
		"of each of two steps, of which the message has the last": {`
			m a1 {"role":"assistant","time":{"created":1,"completed":2},"cost":3,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}
			p a1 p1 {"type":"step-start"}
			p a1 p2 {"type":"text","text":"one"}
			p a1 p3 {"type":"step-finish","reason":"tool-calls","cost":1,"tokens":{"input":5,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}
			p a1 p4 {"type":"step-start"}
			p a1 p5 {"type":"text","text":"two"}
			p a1 p6 {"type":"step-finish","reason":"stop","cost":2,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}`,
			2, trace.Usage{Input: 15, Output: 2, CostUSD: 3}},
		"of an older version, whose output holds the reasoning": {`
			m a1 {"role":"assistant","time":{"created":1,"completed":2}}
			p a1 p1 {"type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":3,"cache":{"read":0,"write":0}}}`,
			1, trace.Usage{Input: 10, Output: 5, Reasoning: 3}},
		"of a newer one, whose output does not": {`
			m a1 {"role":"assistant","time":{"created":1,"completed":2}}
			p a1 p1 {"type":"step-finish","tokens":{"total":18,"input":10,"output":5,"reasoning":3,"cache":{"read":0,"write":0}}}`,
			1, trace.Usage{Input: 10, Output: 8, Reasoning: 3}},
		"none of what the user ran": {`
			m u1 {"role":"user","time":{"created":1}}
			p u1 p1 {"type":"text","synthetic":true,"text":"The following tool was executed by the user"}
			m a1 {"role":"assistant","parentID":"u1","time":{"created":1,"completed":2},"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}}
			p a1 p2 {"type":"tool","tool":"bash","callID":"01M","state":{"status":"completed","input":{"command":"ls"},"output":"","metadata":{"output":""}}}`,
			0, trace.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := traceOf(t, session{}, c.drawing)
			if tr.Usage != c.want || len(tr.Responses) != c.responses {
				t.Errorf("%d answers, %+v; want %d, %+v", len(tr.Responses), tr.Usage, c.responses, c.want)
			}
		})
	}
}

func TestNoSecretIsKept(t *testing.T) {
	secret := "ghp_" + "R7kQ2mXw9LtZ4vBn8cYp1sDf6gHj3aEu5oIx"
	tr := traceOf(t, session{title: secret + " (@" + secret + " subagent)", parent: "ses_0", model: secret}, `
		m u1 `+ask+`
		p u1 p1 {"type":"text","text":"use `+secret+`"}
		m a1 {"role":"assistant","parentID":"u1","time":{"created":1002,"completed":1009},"modelID":"`+secret+`","finish":"`+secret+`"}
		p a1 p2 {"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"curl -H `+secret+`"},"output":"`+secret+
		`","metadata":{"exit":1}}}
		p a1 p3 {"type":"tool","tool":"write","callID":"c2","state":{"status":"completed","input":{"filePath":"/p/`+secret+
		`","content":""},"output":"","metadata":{"exists":false,"filepath":"/p/`+secret+`"}}}
		p a1 p4 {"type":"tool","tool":"task","callID":"c3","state":{"status":"error","input":{"description":"`+secret+`","subagent_type":"`+secret+`"},"error":"`+
		secret+`","metadata":{"sessionId":"ses_2"}}}
		p a1 p5 {"type":"patch","files":["/p/other/`+secret+`"]}
		m a2 {"role":"assistant","parentID":"u1","time":{"created":1012,"completed":1019},"error":{"name":"`+secret+`","data":{"message":"`+secret+`"}}}`)
	if data := show(tr); strings.Contains(data, secret) {
		i := strings.Index(data, secret)
		t.Errorf("a secret is in the trace: …%s", data[max(0, i-200):i+len(secret)])
	}
	if tr.Scrub.Redacted == 0 {
		t.Error("nothing was taken out")
	}
}

// A prompt of several texts has their length and no hash: a reader of contents would look in one record for what none holds
// whole, and say that it changed.
func TestPromptOfSeveralTexts(t *testing.T) {
	for parts, want := range map[string]trace.Digest{
		`p m1 p1 {"type":"text","text":"fix it"}`:                                                       draft.Digest([]byte("fix it")),
		"p m1 p1 {\"type\":\"text\",\"text\":\"fix it\"}\np m1 p2 {\"type\":\"text\",\"text\":\"now\"}": {Length: 9},
	} {
		tr := traceOf(t, session{}, `m m1 {"role":"user"}`+"\n"+parts)
		e := &tr.Events[len(tr.Events)-1]
		said := e.Body.(*trace.UserMessage)
		if said.Digest != want || said.Head != "fix it" {
			t.Errorf("%s: %+v, %q; want %+v", parts, said.Digest, said.Head, want)
		}
		if _, ok := contents.Of(tr, e); ok != (want.Hash != "") {
			t.Errorf("%s: its text is wanted: %v", parts, ok)
		}
	}
}
