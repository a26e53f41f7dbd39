package join_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/join"
)

// drawn makes a trace of one line, a word an event: `p:TEXT` a prompt, `c:ID:TOOL` a call, `ok:ID`, `bad:ID:EXIT`, `run:ID`,
// `denied:ID:WHO` its results, `phase:NAME`, `stop`, `end`, `intr:ID`, `err:CODE`, `spawn:AGENT:CALL`, `say`, `file:PATH:CALL`.
// Suffix =KEY/HEAD sets the input's key and head of a call, ~MS the duration of a result, @S the second.
func drawn(t *testing.T, source, line string) *trace.SessionTrace {
	t.Helper()
	b := draft.New(source, "s1", "claude", "/"+source)
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i, word := range strings.Fields(line) {
		e := trace.Event{Ref: trace.Ref{Line: int64(i + 1)}, Time: start.Add(time.Duration(i) * time.Second)}
		if source == "own" {
			e.Ref = trace.Ref{Table: "entry", Key: fmt.Sprint(i + 1)}
		}
		if at, s, ok := cutInt(word, "@"); ok {
			word, e.Time = at, start.Add(time.Duration(s)*time.Second)
		}
		draw(b, e, word)
	}
	tr, err := b.Finish()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return tr
}

func cutInt(word, sep string) (string, int, bool) {
	before, after, ok := strings.Cut(word, sep)
	var n int
	if !ok {
		return word, 0, false
	}
	fmt.Sscan(after, &n)
	return before, n, true
}

func draw(b *draft.Builder, e trace.Event, word string) {
	word, ms, _ := cutInt(word, "~")
	word, key, _ := strings.Cut(word, "=")
	key, head, _ := strings.Cut(key, "/")
	part := append(strings.Split(word, ":"), "", "")
	yes := true
	result := func(s trace.Status) trace.ToolResultEvent {
		return trace.ToolResultEvent{Call: part[1], Status: s, From: trace.FromToolResult, DurationMS: int64(ms)}
	}
	body := func(x trace.Body) { e.Body = x; b.Add(e) }
	switch part[0] {
	case "p":
		body(&trace.UserMessage{Head: part[1]})
	case "say":
		body(&trace.AgentMessage{})
	case "c":
		types := map[string]trace.ToolType{"Bash": trace.ShellTool, "exec_command": trace.ShellTool, "Read": trace.ReadTool, "Agent": trace.AgentTool}
		b.Call(e, &trace.ToolCall{Call: part[1], Tool: part[2], Type: types[part[2]], Key: key, Head: head})
	case "ok":
		b.Result(e, result(trace.StatusCompleted))
	case "run":
		b.Result(e, result(trace.StatusRunning))
	case "what":
		b.Result(e, result(trace.StatusUnknown))
	case "bad":
		r := result(trace.StatusErrored)
		if r.IsError = &yes; part[2] != "" {
			_, code, _ := cutInt(":"+part[2], ":")
			r.ExitCode = &code
		}
		b.Result(e, r)
	case "denied":
		r := result(trace.StatusErrored)
		r.Denied, r.IsError = part[2], &yes
		b.Result(e, r)
	case "cancelled":
		b.Result(e, result(trace.StatusCancelled))
	case "phase":
		body(&trace.Session{Marker: trace.PhaseStarted, Command: "build", Phase: part[1]})
	case "stop":
		body(&trace.Session{Marker: trace.Stopped})
	case "end":
		body(&trace.Session{Marker: trace.Ended})
	case "intr":
		body(&trace.Interrupt{Call: part[1]})
	case "err":
		body(&trace.Error{Code: part[1], Fatal: true})
	case "spawn":
		body(&trace.SubagentSpawn{AgentID: part[1], Call: part[2]})
	case "file":
		f := &trace.FileChange{Path: part[1], Action: "modified", Call: part[2]}
		if key != "" {
			f.Hash = strings.Repeat(key, 64)[:64]
		}
		body(f)
	case "outcome":
		b.Trace().Outcome, b.Trace().OutcomeFrom = trace.Outcome(part[1]), "it says so"
	default:
		panic(word)
	}
}

// shown is the trace in the notation of drawn; what the hooks gave has a + before it, what they filled in a ! behind it.
func shown(tr *trace.SessionTrace) string {
	var words []string
	for i := range tr.Events {
		e := &tr.Events[i]
		word := show(tr, e)
		switch {
		case strings.HasPrefix(e.Inferred, "workflow log"):
			word = "+" + word
		case e.Inferred != "":
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func show(tr *trace.SessionTrace, e *trace.Event) string {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return "p:" + b.Head
	case *trace.AgentMessage:
		return "say"
	case *trace.ToolCall:
		return "c:" + b.Call
	case *trace.ToolResult:
		r := tr.Results[b.Result]
		word := string(r.Status) + ":" + r.Call
		if r.ExitCode != nil {
			word += fmt.Sprint(":", *r.ExitCode)
		}
		return word + map[bool]string{true: ":" + r.Denied}[r.Denied != ""]
	case *trace.Session:
		return string(b.Marker) + b.Phase
	case *trace.Interrupt:
		return "intr:" + b.Call
	case *trace.Error:
		return "err:" + b.Code
	case *trace.SubagentSpawn:
		return "spawn:" + b.AgentID
	case *trace.FileChange:
		return "file:" + b.Path + map[bool]string{true: "#"}[b.Hash != ""]
	}
	return "?"
}

func TestJoin(t *testing.T) {
	for _, c := range []struct{ name, store, own, joined, differences string }{
		{"the same", "p:go c:1:Bash ok:1 say stop", "p:go c:1:Bash ok:1 stop", "p:go c:1 completed:1 say stopped", ""},
		{"an exit code and a duration", "p:go c:1:Bash bad:1", "p:go c:1:Bash bad:1:3~70", "p:go c:1 errored:1:3!", ""},
		{"a killed call", "p:go c:1:Bash ok:1", "p:go c:1:Bash ok:1 c:2:Bash", "p:go c:1 completed:1 +c:2", "tool_call 2 only_hooks"},
		{"a call that was killed, and the store has no end", "p:go c:1:Bash", "p:go c:1:Bash cancelled:1 intr:1", "p:go c:1 +cancelled:1 +intr:1",
			"tool_call 1 no_result; interrupt only_hooks"},
		{"a background call that ended", "p:go c:1:Bash run:1 stop", "p:go c:1:Bash run:1 stop ok:1", "p:go c:1 running:1 stopped +completed:1",
			"tool_call 1 status"},
		{"a background call that failed", "p:go c:1:Bash run:1 stop", "p:go c:1:Bash run:1 stop bad:1:3~50", "p:go c:1 running:1 stopped +errored:1:3",
			"tool_call 1 status"},
		{"the store closes it itself", "p:go c:1:Bash p:again cancelled:1", "p:go c:1:Bash p:again", "p:go c:1 p:again cancelled:1", "tool_call 1 no_result"},
		{"phases", "p:go c:1:Bash ok:1 c:2:Read ok:2", "p:go c:1:Bash phase:RED ok:1 c:2:Read ok:2 end",
			"p:go c:1 +phase_startedRED completed:1 c:2 completed:2 +ended", ""},
		{"parallel calls in another order", "p:go c:1:Bash c:2:Bash ok:1 ok:2", "p:go c:2:Bash c:1:Bash ok:2 ok:1", "p:go c:1 c:2 completed:1 completed:2",
			"tool_call 1 order"},
		{"ids differ, inputs are the same", "p:go c:a:exec_command=11111111 ok:a c:b:exec_command=11111111 bad:b:2",
			"p:go c:1:Bash=11111111 ok:1 c:2:Bash=11111111 bad:2:2 file:x:2=9",
			"p:go c:a completed:a c:b errored:b:2", ""},
		{"only in the store", "p:go c:1:Read ok:1", "p:go", "p:go c:1 completed:1", "tool_call 1 only_store"},
		{"a command of the user is in no hook", "p:go c:1:Bash bad:1:1", "p:go c:1:Bash bad:1:2", "p:go c:1 errored:1:1", "tool_call 1 exit_code"},
		{"what kind of failure", "p:go c:1:Bash ok:1", "p:go c:1:Bash bad:1:2", "p:go c:1 completed:1:2!", "tool_call 1 status"},
		{"who refused", "p:go c:1:Bash bad:1 c:2:Bash denied:2:rule", "p:go c:1:Bash denied:1:user c:2:Bash denied:2:hook",
			"p:go c:1 errored:1:user! c:2 errored:2:rule", "tool_call 2 denied"},
		{"a status that only the hooks know", "p:go c:1:Bash what:1", "p:go c:1:Bash bad:1:2", "p:go c:1 errored:1:2!", ""},
		{"another input", "p:go c:1:Bash=11111111/make ok:1", "p:go c:1:Bash=22222222/test ok:1", "p:go c:1 completed:1", "tool_call 1 input"},
		{"the same input in another order", "p:go c:1:Bash=11111111/make ok:1", "p:go c:1:Bash=22222222/make ok:1", "p:go c:1 completed:1", ""},
		{"another tool", "p:go c:1:Read ok:1", "p:go c:1:Bash ok:1", "p:go c:1 completed:1", "tool_call 1 tool"},
		{"another text", "p:go p:on", "p:go p:off", "p:go p:on", "user_message prompt"},
		{"a command that no hook saw between them", "p:go p:/compact p:on", "p:go p:on", "p:go p:/compact p:on", "user_message only_store"},
		{"a prompt that was lost between them", "p:go p:on", "p:go p:wait p:on", "p:go +p:wait p:on", "user_message only_hooks"},
		{"a cut text", "p:go_on_and_on_until_the_end", "p:go_on_and_on…", "p:go_on_and_on_until_the_end", ""},
		{"a prompt that was not written", "p:go say", "p:go p:more", "p:go +p:more say", "user_message only_hooks"},
		{"a prompt that no hook saw", "p:go p:more", "p:go", "p:go p:more", "user_message only_store"},
		{"sub-agents", "p:go c:1:Agent spawn:a:1 ok:1 spawn:b", "p:go c:1:Agent spawn:a:1 ok:1 spawn:c", "p:go c:1 spawn:a completed:1 +spawn:c spawn:b",
			"subagent_spawn only_hooks; subagent_spawn only_store"},
		{"an error", "p:go say", "p:go err:rate_limit", "p:go +err:rate_limit say", "error only_hooks"},
		{"another time", "p:go c:1:Bash@2 ok:1", "p:go c:1:Bash@40 ok:1", "p:go c:1 completed:1", "tool_call 1 time"},
		{"another duration", "p:go c:1:Bash ok:1~100", "p:go c:1:Bash ok:1~5000", "p:go c:1 completed:1!", "tool_call 1 duration"},
		{"the hash of a file", "p:go c:1:Read file:/p/a.go:1 ok:1", "p:go c:1:Read ok:1 file:a.go:1=5", "p:go c:1 file:/p/a.go#! completed:1", ""},
		{"another outcome", "p:go outcome:completed", "p:go outcome:errored", "p:go", "session outcome"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, own := drawn(t, "claude", c.store), drawn(t, "own", c.own)
			before := fmt.Sprint(marshal(t, store), marshal(t, own))
			joined, differences, err := join.Join(store, own)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(joined); got != c.joined {
				t.Errorf("joined\n%s, not\n%s", got, c.joined)
			}
			var all []string
			for _, d := range differences {
				all = append(all, strings.Join(strings.Fields(d.Event+" "+d.Call+" "+string(d.Kind)), " "))
				if d.String() == "" || strings.Contains(d.String(), "%!") {
					t.Errorf("%+v reads %q", d, d.String())
				}
			}
			if got := strings.Join(all, "; "); got != c.differences {
				t.Errorf("differences %q, not %q", got, c.differences)
			}
			if after := fmt.Sprint(marshal(t, store), marshal(t, own)); after != before {
				t.Error("it changed what it was given")
			}
		})
	}
}

func marshal(t *testing.T, tr *trace.SessionTrace) string {
	t.Helper()
	data, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What is copied or was run by the user is in no hook, and that is no difference. Responses, sums and lineage stay right.
func TestJoinKeepsTheStore(t *testing.T) {
	store := drawn(t, "claude", "p:go c:0:Bash ok:0 c:1:Bash say ok:1")
	store.Events[0].Copied, store.Events[1].Copied, store.Events[2].Copied = "s0", "s0", "s0"
	store.Events[3].By = "user"
	store.Relationships = []trace.SessionRelationship{{V: 1, Kind: trace.Fork, Source: "claude", Session: "s1", Related: "s0", Provenance: trace.Explicit}}
	store.Responses = []trace.Response{{ID: "r1", Event: 5, Ref: trace.Ref{Line: 5}, Usage: trace.Usage{Output: 7}}}
	store.Lineage = trace.Lineage{Root: "u1", MayCopy: 3}
	store.Settle()
	own := drawn(t, "own", "phase:RED p:new")
	joined, differences, err := join.Join(store, own)
	if err != nil {
		t.Fatal(err)
	}
	if len(differences) != 1 || differences[0].Kind != join.OnlyHooks || differences[0].Event != trace.KindUserMessage {
		t.Errorf("differences %v", differences)
	}
	if got := shown(joined); got != "+phase_startedRED +p:new p:go c:0 completed:0 c:1 say completed:1" {
		t.Error(got)
	}
	if joined.Responses[0].Event != 7 || joined.Lineage.MayCopy != 5 || joined.Usage.Output != 7 || len(joined.Sources) != 2 || joined.Events[0].Ref.File != 1 {
		t.Errorf("%+v, %+v, %+v", joined.Responses, joined.Lineage, joined.Sources)
	}
}

func TestOutcome(t *testing.T) {
	for _, c := range [][3]string{
		{"unknown", "errored", "errored"}, {"killed", "interrupted", "interrupted"}, {"completed", "interrupted", "completed"},
		{"unknown", "killed", "killed"}, {"interrupted", "killed", "interrupted"}, {"killed", "unknown", "killed"},
	} {
		with := func(o, source string) *trace.SessionTrace {
			if o == "unknown" {
				return drawn(t, source, "p:go")
			}
			return drawn(t, source, "p:go outcome:"+o)
		}
		joined, _, err := join.Join(with(c[0], "claude"), with(c[1], "own"))
		if err != nil || string(joined.Outcome) != c[2] {
			t.Errorf("%s and %s: %s, %v", c[0], c[1], joined.Outcome, err)
		}
	}
}

func TestOthersAreNotJoined(t *testing.T) {
	own := drawn(t, "own", "p:go")
	own.ID = "s2"
	if _, _, err := join.Join(drawn(t, "claude", "p:go"), own); err == nil || !strings.Contains(err.Error(), "two sessions") {
		t.Error(err)
	}
}
