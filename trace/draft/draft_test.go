package draft_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/packed"
)

func at(line int64) trace.Event {
	return trace.Event{Ref: trace.Ref{Line: line}, Time: time.Date(2026, 11, 21, 10, 0, int(line), 0, time.UTC)}
}

func with(line int64, b trace.Body) trace.Event {
	e := at(line)
	e.Body = b
	return e
}

func finished(t *testing.T, b *draft.Builder) *trace.SessionTrace {
	t.Helper()
	tr, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Calls are numbered, results find theirs, and what follows from the events is worked out.
func TestBuilder(t *testing.T) {
	b := draft.New("toy", "s1", "toy", "/tmp/s1")
	b.Add(with(1, &trace.UserMessage{Head: draft.Head("use token ghp"+"_0123456789abcdefghijABCDEFGHIJ456789", trace.UserHead)}))
	b.Call(at(2), &trace.ToolCall{Call: "a", Tool: "sh", Type: trace.ShellTool})
	b.Call(at(3), &trace.ToolCall{Tool: "read", Type: trace.ReadTool})
	b.Result(at(4), trace.ToolResultEvent{Call: "call-2", Status: trace.StatusCompleted, From: trace.FromToolResult})
	b.Result(at(5), trace.ToolResultEvent{Call: "elsewhere", Status: trace.StatusUnknown, From: trace.FromQueue})
	b.Response(trace.Response{ID: "r1", Ref: trace.Ref{Line: 2}, Usage: trace.Usage{Input: 5, Output: 1}})
	b.Response(trace.Response{ID: "r1", Ref: trace.Ref{Line: 3}, Usage: trace.Usage{Input: 5, Output: 9}, Stop: "end_turn"})
	b.Response(trace.Response{ID: "r1", Ref: trace.Ref{Line: 3}})
	tr := finished(t, b)
	if c := tr.Calls(); len(c) != 2 || c[0].Last() != nil || c[1].Call.Call != "call-2" || c[1].Last() != &tr.Results[0] || tr.Results[1].CallIndex != 0 {
		t.Errorf("calls %+v, results %+v", c, tr.Results)
	}
	if tr.Usage != (trace.Usage{Input: 5, Output: 9}) || len(tr.Responses) != 1 || tr.Responses[0].Stop != "end_turn" {
		t.Errorf("usage %+v of %+v", tr.Usage, tr.Responses)
	}
	if tr.ActiveMS != 4000 || tr.End.Sub(tr.Start) != 4*time.Second || tr.Scrub.Redacted != 1 || tr.Relationships[0].Kind != trace.Root {
		t.Errorf("%d ms from %v to %v, %+v, %+v", tr.ActiveMS, tr.Start, tr.End, tr.Scrub, tr.Relationships)
	}
}

// A trace that was stored goes on as if it had never been.
func TestResume(t *testing.T) {
	whole := draft.New("toy", "s1", "toy", "/tmp/s1")
	two := draft.New("toy", "s1", "toy", "/tmp/s1")
	long := strings.Repeat("x", 500)
	for n, step := range []func(b *draft.Builder){
		func(b *draft.Builder) { b.Call(at(1), &trace.ToolCall{Call: long, Tool: "sh", Type: trace.ShellTool}) },
		func(b *draft.Builder) { b.Response(trace.Response{ID: long, Ref: trace.Ref{Line: 1}}) },
		func(b *draft.Builder) {
			b.Result(at(2), trace.ToolResultEvent{Call: long, Status: trace.StatusCompleted, From: trace.FromToolResult})
		},
		func(b *draft.Builder) {
			b.Response(trace.Response{ID: long, Ref: trace.Ref{Line: 1}, Usage: trace.Usage{Output: 3}})
		},
		func(b *draft.Builder) { b.Call(at(3), &trace.ToolCall{Tool: "sh", Type: trace.ShellTool}) },
		func(b *draft.Builder) {
			b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: "s0", Provenance: trace.Explicit})
		},
	} {
		step(whole)
		step(two)
		data, err := packed.Append(nil, finished(t, two))
		if err != nil {
			t.Fatal(err)
		}
		again, err := packed.Parse(data)
		if err != nil {
			t.Fatalf("after step %d: %v", n, err)
		}
		two = draft.Resume(again)
	}
	a, err := finished(t, whole).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := finished(t, two).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("whole\n%s\nin steps\n%s", a, b)
	}
	if tr := finished(t, two); tr.Results[0].CallIndex != 1 || tr.Calls()[1].Call.Call != "call-2" || tr.Relationships[0].Kind != trace.Fork {
		t.Errorf("%+v", tr)
	}
}

// Whatever a source says, the trace is valid.
func TestNonsenseIsBrought(t *testing.T) {
	odd := "two\nlines\x00 and \xff" + strings.Repeat("日", 300)
	minus, huge := -1, 1<<40
	b := draft.New("toy", odd, "toy", "/tmp/s1")
	e := func(body trace.Body) trace.Event {
		return trace.Event{Ref: trace.Ref{Table: "t", Key: odd}, Record: odd, Turn: odd, Time: time.Date(-5, 1, 1, 0, 0, 0, 123, time.Local), Body: body,
			Copied: b.Trace().ID}
	}
	b.Add(e(&trace.UserMessage{Command: odd}))
	b.Add(e(&trace.AgentMessage{Response: odd}))
	b.Add(e(&trace.FileChange{Path: draft.Path(odd, ""), Action: "modified", Added: &minus, Removed: &minus, Call: odd}))
	b.Add(e(&trace.Error{Code: odd, Status: 7}))
	b.Add(e(&trace.Interrupt{Call: odd, Reason: odd}))
	b.Add(e(&trace.SubagentSpawn{Session: odd, Call: odd, AgentID: odd, AgentType: odd}))
	b.Add(e(&trace.Session{Marker: trace.PhaseFailed, Detail: odd, Model: odd, Command: odd, Phase: odd}))
	b.Call(e(nil), &trace.ToolCall{Call: odd, Parent: odd, Response: odd})
	b.Call(e(nil), &trace.ToolCall{Call: odd + "2", Parent: odd})
	b.Result(e(nil), trace.ToolResultEvent{Call: odd, Message: odd, AgentID: odd, Spawned: odd, Status: trace.StatusUnknown, From: trace.FromQueue, DurationMS: -1,
		ExitCode: &huge})
	b.Result(e(nil), trace.ToolResultEvent{Status: trace.StatusUnknown, From: trace.FromQueue})
	b.Response(trace.Response{ID: odd, Model: odd, Stop: odd, Ref: trace.Ref{Table: "t", Key: odd},
		Usage: trace.Usage{Input: math.MinInt64, Output: -1, CostUSD: -1}})
	for _, related := range []string{"", b.Trace().ID, odd + "3"} {
		b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: related, SourceSession: odd, SourceVersion: odd, ParentCall: odd, AgentID: odd, AgentType: odd,
			Provenance: trace.Explicit})
	}
	b.Trace().Agent.Version, b.Trace().Project.Path = odd, odd
	tr := finished(t, b)
	if c := tr.Calls(); c[0].Call.Tool != "unknown" || !c[0].Call.Container || c[1].Call.Parent != c[0].Call.Call || c[0].Last() == nil {
		t.Errorf("calls %+v %+v", c[0].Call, c[1].Call)
	}
	if len(tr.Relationships) != 1 || !tr.Start.IsZero() {
		t.Errorf("%+v from %v", tr.Relationships, tr.Start)
	}
}

func TestToken(t *testing.T) {
	long := strings.Repeat("x", 190) + "日本語日本語"
	for in, want := range map[string]string{
		"":                       "",
		"toolu_01":               "toolu_01",
		strings.Repeat("x", 200): strings.Repeat("x", 200),
		"a\nb":                   "a-b:" + draft.Digest([]byte("a\nb")).Hash,
		long:                     long[:183] + ":" + draft.Digest([]byte(long)).Hash,
	} {
		if got := draft.Token(in); got != want {
			t.Errorf("%q is %q, not %q", in, got, want)
		}
	}
	if a, b := draft.Token(long+"1"), draft.Token(long+"2"); a == b {
		t.Errorf("two are %q", a)
	}
}

// An id that holds a secret is kept as what tells it from others, and stays that when it is brought in again.
func TestSecretIDs(t *testing.T) {
	secret := "ghp" + "_0123456789abcdefghijABCDEFGHIJ456789"
	seen := map[string]bool{}
	for _, id := range []string{secret, secret + "0", "toolu_01 " + secret, "toolu_01_" + secret, "msg_" + secret, "call-" + secret, "a/" + secret} {
		for _, f := range []func(string) string{draft.Token, draft.SessionID} {
			got := f(id)
			if strings.Contains(got, secret) || f(got) != got || f(id) != got {
				t.Errorf("%q is %q, and that %q", id, got, f(got))
			}
			seen[got] = true
		}
	}
	if len(seen) != 7 {
		t.Errorf("7 ids are %d: %v", len(seen), seen)
	}
	b := draft.New("claude", secret, "claude", "/a")
	b.Trace().Agent.Version, b.Trace().Outcome, b.Trace().OutcomeFrom = secret, trace.Errored, "it ended with "+secret
	b.Trace().Project.Path = "/home/" + secret + "/x"
	b.Call(trace.Event{Record: secret, Turn: secret, Ref: trace.Ref{Table: "part", Key: secret}},
		&trace.ToolCall{Call: secret, Response: secret, Tool: secret, Type: trace.OtherTool})
	b.Result(trace.Event{Ref: trace.Ref{Line: 1}}, trace.ToolResultEvent{Call: secret, Message: secret, AgentID: secret, Spawned: secret,
		Status: trace.StatusCompleted, From: trace.FromToolResult})
	b.Response(trace.Response{ID: secret, Model: secret, Stop: secret, Ref: trace.Ref{Line: 1}})
	b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: secret + "1", SourceSession: secret, SourceVersion: secret, ParentCall: secret,
		AgentID: secret, AgentType: secret,
		Provenance: trace.Explicit})
	tr := finished(t, b)
	text, err := tr.AppendJSON(nil)
	if err != nil || strings.Contains(string(text), secret) {
		t.Errorf("%s, %v", text, err)
	}
	if c := tr.Calls(); len(c) != 1 || c[0].Last() == nil {
		t.Errorf("the call lost its result: %+v", c)
	}
}

func TestPath(t *testing.T) {
	secret := "ghp" + "_0123456789abcdefghijABCDEFGHIJ456789"
	for _, c := range [][3]string{
		{"", "/p", ""}, {"/p/a/b.go", "/p", "a/b.go"}, {"/p/a/b.go", "/p/", "a/b.go"}, {"/pq/b.go", "/p", "/pq/b.go"}, {"/p", "/p", "/p"}, {"a.go", "/p", "a.go"},
		{"/x", "", "/x"},
	} {
		if got := draft.Path(c[0], c[1]); got != c[2] {
			t.Errorf("%q in %q is %q, not %q", c[0], c[1], got, c[2])
		}
	}
	if got := draft.Path("/p/"+secret+"/x", "/p"); strings.Contains(got, secret) {
		t.Error(got)
	}
	if got := draft.Path("/"+strings.Repeat("x", 5000), ""); len(got) != trace.MaxPath {
		t.Errorf("%d bytes", len(got))
	}
}

func TestFile(t *testing.T) {
	b := draft.New("toy", "s1", "toy", "/tmp/a")
	if got := fmt.Sprint(b.File("/tmp/a", ""), b.File("/tmp/b", "copy"), b.File("/tmp/b", ""), b.File("/tmp/b", "copy")); got != "0 1 2 1" {
		t.Error(got)
	}
}

func BenchmarkBuilder(b *testing.B) {
	for b.Loop() {
		m := draft.New("toy", "s1", "toy", "/tmp/s1")
		for i := range 1000 {
			id := fmt.Sprintf("toolu_%020d", i)
			m.Call(at(1), &trace.ToolCall{Call: id, Tool: "Bash", Type: trace.ShellTool})
			m.Result(at(2), trace.ToolResultEvent{Call: id, Status: trace.StatusCompleted, From: trace.FromToolResult})
		}
		if _, err := m.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/event")
}

// Numbers that no source means are left out, and sums of many large ones do not overflow.
func TestHugeNumbers(t *testing.T) {
	b := draft.New("codex", "s", "codex", "/a")
	at := trace.Ref{Line: 1}
	most, lines := int64(math.MaxInt64), math.MaxInt
	b.Call(trace.Event{Ref: at}, &trace.ToolCall{Call: "c", Tool: "x", Type: trace.OtherTool})
	b.Result(trace.Event{Ref: at}, trace.ToolResultEvent{Call: "c", Status: trace.StatusCompleted, From: trace.FromToolResult, DurationMS: most})
	b.Add(trace.Event{Ref: at, Body: &trace.FileChange{Path: "a", Action: "modified", Added: &lines}})
	for i, u := range []trace.Usage{
		{Input: most, CacheRead: most, CacheWrite: most, Output: most, Reasoning: most, CostUSD: math.Inf(1)}, {Input: 1, Output: 2, CostUSD: math.NaN()},
		{Input: 1 << 35, CostUSD: 2},
	} {
		b.Response(trace.Response{ID: strconv.Itoa(i), Ref: at, Usage: u})
	}
	tr := finished(t, b)
	if want := (trace.Usage{Input: 1<<35 + 1, Output: 2, CostUSD: 2}); tr.Usage != want {
		t.Errorf("%+v, not %+v", tr.Usage, want)
	}
	if d := tr.Results[0].DurationMS; d != 0 {
		t.Errorf("a call of %d ms", d)
	}
	if c := tr.Events[2].Body.(*trace.FileChange); c.Added != nil {
		t.Errorf("%d lines", *c.Added)
	}
}

// Ids that begin as the clients' do are not looked through, but for what is a secret in the midst of a word too.
func TestSecretBehindPrefix(t *testing.T) {
	twilio := "SK" + "0123456789abcdef0123456789abcdef"
	gitlab := "GR1348941" + "abcdefghij0123456789"
	for _, secret := range []string{twilio, gitlab} {
		for _, prefix := range []string{"", "call_", "fc_call_", "req_"} {
			if got := draft.Token(prefix + secret); strings.Contains(got, secret) {
				t.Errorf("%q is %q", prefix+secret, got)
			}
		}
	}
	for _, id := range []string{"exec-6ebb911b-31ef-4f25-9298-425f2d208a0d", "fc_call_hVyn3KqaWxtnQaaA6kLdKWlP", "ctco_019a48b4-c24b-7a33-9d14-460160cb314e",
		"resp_f6d3676068ed14cfc4c64cd6"} {
		if got := draft.Token(id); got != id {
			t.Errorf("%q is %q", id, got)
		}
	}
}
