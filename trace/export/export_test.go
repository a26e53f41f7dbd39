package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"aburn/internal/lab/tracetest"
	"aburn/internal/otlp"
	"aburn/trace"
)

var began = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }

func number[T any](v T) *T { return &v }

// parentTrace is a session with one of everything, forked from "origin", which spawned a sub-agent.
func parentTrace() *trace.SessionTrace {
	bodies := []trace.Event{
		{Time: at(-100), Copied: "origin", Body: &trace.UserMessage{Head: "copied"}},
		{Time: at(0), Body: &trace.UserMessage{Head: "please", Digest: trace.Digest{Length: 6}}},
		{Time: at(2), Body: &trace.AgentMessage{Response: "r1"}},
		{Time: at(2), Body: &trace.ToolCall{Call: "c1", Index: 1, Tool: "Bash", Type: trace.ShellTool, Response: "r1", Head: "make test"}},
		{Time: at(5), Body: &trace.ToolResult{Call: "c1", Result: 0}},
		{Time: at(6), Body: &trace.ToolCall{Call: "c2", Index: 2, Tool: "Agent", Type: trace.AgentTool, Response: "r2"}},
		{Time: at(7), Body: &trace.SubagentSpawn{Session: "s/a", Call: "c2", AgentID: "a"}},
		{Time: at(8), Body: &trace.FileChange{Path: "a.go", Action: "modified", Added: number(3)}},
		{Time: at(9), Body: &trace.Error{Code: "rate_limit", Status: 429, Head: "slow down", Fatal: true}},
		{Time: at(9), Body: &trace.Interrupt{Call: "c2"}},
	}
	t := &trace.SessionTrace{
		V: 1, Source: "claude", ID: "s", Agent: trace.Agent{Name: "claude-code", Version: "2.1.329"},
		Project: trace.Project{Path: "/home/user/project", Key: "/home/user/project"},
		Outcome: trace.Errored, OutcomeFrom: "drawn", Sources: []trace.File{{Path: "s.jsonl"}}, Scrub: trace.Scrub{Version: 1},
		Results: []trace.ToolResultEvent{{V: 1, Source: "claude", Session: "s", Call: "c1", CallIndex: 1, EventIndex: 5, Time: at(5), Status: trace.StatusErrored,
			From: trace.FromToolResult, ExitCode: number(3), IsError: number(true), Head: "exit 3"}},
		Responses: []trace.Response{
			{Ref: trace.Ref{Line: 1}, ID: "r0", Model: "claude-x", Event: 1, Time: at(-99), Copied: "origin", Usage: trace.Usage{Input: 1000}},
			{Ref: trace.Ref{Line: 3}, ID: "r1", Model: "claude-x", Event: 3, Time: at(2), Stop: "tool_use",
				Usage: trace.Usage{Input: 1, CacheRead: 20, CacheWrite: 300, Output: 4000}},
			{Ref: trace.Ref{Line: 6}, ID: "r2", Model: "mystery", Event: 6, Time: at(6)},
		},
		Relationships: []trace.SessionRelationship{{V: 1, Kind: trace.Fork, Source: "claude", Session: "s", Related: "origin", Provenance: trace.Inferred,
			Evidence: "drawn"}},
	}
	for i := range bodies {
		bodies[i].Seq, bodies[i].Ref = i+1, trace.Ref{Line: int64(i + 1)}
	}
	t.Events = bodies
	t.Settle()
	return t
}

func childTrace() *trace.SessionTrace {
	t := &trace.SessionTrace{
		V: 1, Source: "claude", ID: "s/a", Agent: trace.Agent{Name: "claude-code"}, Outcome: trace.Unknown, Sources: []trace.File{{Path: "a.jsonl"}},
		Scrub:  trace.Scrub{Version: 1},
		Events: []trace.Event{{Seq: 1, Time: at(7), Ref: trace.Ref{Line: 1}, Body: &trace.ToolCall{Call: "c9", Index: 1, Tool: "Read", Type: trace.ReadTool}}},
		Relationships: []trace.SessionRelationship{{V: 1, Kind: trace.Subagent, Source: "claude", Session: "s/a", Related: "s", ParentCall: "c2", AgentID: "a",
			AgentType: "Explore", Provenance: trace.Explicit}},
	}
	t.Settle()
	return t
}

func inTree(n Node) Node {
	if n.ID == "s/a" {
		n.ID = "s"
	}
	return n
}

func TestTracesAreWhatTheyShouldBe(t *testing.T) {
	for _, tr := range []*trace.SessionTrace{parentTrace(), childTrace()} {
		if err := tr.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// flat is a span as text: name, ids, and its attributes by name.
func flat(kvs []*commonpb.KeyValue) map[string]any {
	m := map[string]any{}
	for _, kv := range kvs {
		switch v := kv.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			m[kv.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			m[kv.Key] = v.IntValue
		case *commonpb.AnyValue_BoolValue:
			m[kv.Key] = v.BoolValue
		case *commonpb.AnyValue_ArrayValue:
			m[kv.Key] = v.ArrayValue.Values[0].GetStringValue()
		}
	}
	return m
}

// decoded is what the generated types of OTLP read out of the spans.
func decoded(t *testing.T, r *Resource) *tracepb.ResourceSpans {
	t.Helper()
	var got tracepb.TracesData
	data := request([]*Resource{r})
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if known := proto.Size(&got); known != len(data) || len(got.ResourceSpans) != 1 {
		t.Fatalf("of %d bytes they know %d", len(data), known)
	}
	return got.ResourceSpans[0]
}

func spansOf(r *tracepb.ResourceSpans) map[string]*tracepb.Span {
	m := map[string]*tracepb.Span{}
	for _, s := range r.ScopeSpans[0].Spans {
		m[s.Name] = s
	}
	return m
}

func TestSpans(t *testing.T) {
	r := decoded(t, Spans(parentTrace(), Options{Root: inTree}))
	spans := spansOf(r)
	if got := flat(r.Resource.Attributes); got["service.name"] != "claude-code" || got["service.version"] != "2.1.329" {
		t.Errorf("resource %v", got)
	}
	top, chat, call, open := spans["invoke_agent claude-code"], spans["chat claude-x"], spans["execute_tool Bash"], spans["execute_tool Agent"]
	if len(r.ScopeSpans[0].Spans) != 5 || top == nil || chat == nil || call == nil || open == nil || spans["chat mystery"] == nil {
		t.Fatalf("spans %v", r.ScopeSpans[0].Spans)
	}
	a := flat(chat.Attributes)
	for key, want := range map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-x", "gen_ai.usage.input_tokens": int64(321),
		"gen_ai.usage.cache_read.input_tokens": int64(20), "gen_ai.usage.cache_creation.input_tokens": int64(300), "gen_ai.usage.output_tokens": int64(4000),
		"gen_ai.response.finish_reasons": "tool_use", "gen_ai.conversation.id": "s",
	} {
		if a[key] != want {
			t.Errorf("chat: %s is %v, not %v", key, a[key], want)
		}
	}
	if chat.StartTimeUnixNano != uint64(at(0).UnixNano()) || chat.EndTimeUnixNano != uint64(at(2).UnixNano()) {
		t.Errorf("the answer goes from %d to %d", chat.StartTimeUnixNano, chat.EndTimeUnixNano)
	}
	if _, told := flat(spans["chat mystery"].Attributes)["gen_ai.provider.name"]; told {
		t.Error("nobody knows who serves that model")
	}
	a = flat(call.Attributes)
	if a["process.exit.code"] != int64(3) || a["error.type"] != "errored" || call.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR ||
		call.EndTimeUnixNano != uint64(at(5).UnixNano()) {
		t.Errorf("failed call: %v %v", a, call.Status)
	}
	if a := flat(open.Attributes); a["aburn.tool.status"] != "no_result" || open.Status != nil {
		t.Errorf("open call: %v %v", a, open.Status)
	}
	var events []string
	for _, e := range top.Events {
		events = append(events, e.Name)
	}
	if want := []string{"aburn.user_message", "aburn.file_change", "aburn.error", "aburn.interrupt"}; !slices.Equal(events, want) {
		t.Errorf("events %v", events)
	}
	if len(top.Links) != 1 || !bytes.Equal(top.Links[0].SpanId, Node{"claude", "origin"}.spanID()) || len(top.ParentSpanId) != 0 {
		t.Errorf("links %v", top.Links)
	}
}

// A sub-agent's session lies below the call that spawned it, in the same trace.
func TestSubagentBelowItsCall(t *testing.T) {
	parent, child := decoded(t, Spans(parentTrace(), Options{Root: inTree})), decoded(t, Spans(childTrace(), Options{Root: inTree}))
	call, sub := spansOf(parent)["execute_tool Agent"], spansOf(child)["invoke_agent Explore"]
	if call == nil || sub == nil || !bytes.Equal(sub.ParentSpanId, call.SpanId) || !bytes.Equal(sub.TraceId, call.TraceId) {
		t.Fatalf("call %v\nsub-agent %v", call, sub)
	}
	alone := decoded(t, Spans(childTrace(), Options{}))
	if bytes.Equal(alone.ScopeSpans[0].Spans[0].TraceId, call.TraceId) {
		t.Error("without a tree it is in its parent's trace")
	}
}

// No text of a session leaves the machine unless its user wants that.
func TestHeadsOnlyIfAsked(t *testing.T) {
	texts := []string{"please", "make test", "slow down", "exit 3", "/home/user", "a.go"}
	without := request([]*Resource{Spans(parentTrace(), Options{})})
	with := request([]*Resource{Spans(parentTrace(), Options{Heads: true})})
	for _, text := range texts {
		if bytes.Contains(without, []byte(text)) {
			t.Errorf("%q is exported unasked", text)
		}
		if !bytes.Contains(with, []byte(text)) {
			t.Errorf("%q is not exported", text)
		}
	}
	if bytes.Contains(with, []byte("copied")) {
		t.Error("a copy is exported")
	}
}

func TestSameTwice(t *testing.T) {
	if a, b := Spans(parentTrace(), Options{}), Spans(parentTrace(), Options{}); !bytes.Equal(request([]*Resource{a}), request([]*Resource{b})) {
		t.Error("two exports differ")
	}
	seen := map[string]string{}
	for _, r := range []*tracepb.ResourceSpans{decoded(t, Spans(parentTrace(), Options{})), decoded(t, Spans(childTrace(), Options{}))} {
		for _, s := range r.ScopeSpans[0].Spans {
			id := hex.EncodeToString(s.SpanId)
			if seen[id] != "" || len(s.SpanId) != 8 || len(s.TraceId) != 16 {
				t.Errorf("%s and %s have the id %s", seen[id], s.Name, id)
			}
			seen[id] = s.Name
		}
	}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := NewLines(&out)
	for _, tr := range []*trace.SessionTrace{parentTrace(), childTrace()} {
		if err := l.Add(tr); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	got, err := tracetest.Parse([]byte(lines[0]))
	if err != nil || got.Count() != parentTrace().Count() {
		t.Errorf("%v: %+v", err, got)
	}
}

// receiver is the other side: it notes what it takes, and answers as it is told.
type receiver struct {
	*httptest.Server
	requests []*tracepb.TracesData
	headers  []http.Header
	answers  []func(http.ResponseWriter) // used up one after the other; then everything is taken
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		z, err := gzip.NewReader(req.Body)
		if err != nil || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/x-protobuf" || req.URL.Path != "/v1/traces" {
			t.Errorf("%s %s %v: %v", req.Method, req.URL, req.Header, err)
			return
		}
		data, err := io.ReadAll(z)
		var got tracepb.TracesData
		if err != nil || proto.Unmarshal(data, &got) != nil {
			t.Errorf("body: %v", err)
		}
		r.headers = append(r.headers, req.Header)
		if len(r.answers) > 0 {
			answer := r.answers[0]
			r.answers = r.answers[1:]
			answer(w)
			return
		}
		r.requests = append(r.requests, &got)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) spans() int {
	n := 0
	for _, req := range r.requests {
		for _, rs := range req.ResourceSpans {
			n += len(rs.ScopeSpans[0].Spans)
		}
	}
	return n
}

func (r *receiver) sender(t *testing.T) *Sender {
	e, err := Resolve(r.URL, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddHeader("Authorization=dummy"); err != nil {
		t.Fatal(err)
	}
	s := NewSender(e)
	s.wait = time.Millisecond
	return s
}

// many is one session with n spans.
func many(n int) *Resource {
	r := Spans(childTrace(), Options{})
	r.Spans = slices.Repeat(r.Spans[:1], n)
	return r
}

func TestSend(t *testing.T) {
	r := newReceiver(t)
	s := r.sender(t)
	ctx := context.Background()
	for range 3 {
		if err := s.Add(ctx, many(700)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if s.Sent != 2100 || r.spans() != 2100 || len(r.requests) != 3 || r.headers[0].Get("Authorization") != "dummy" {
		t.Errorf("sent %d, taken %d in %d requests", s.Sent, r.spans(), len(r.requests))
	}
}

func TestSendTriesAgain(t *testing.T) {
	r := newReceiver(t)
	for _, code := range []int{429, 502, 503, 504} {
		r.answers = append(r.answers, func(w http.ResponseWriter) { w.WriteHeader(code) })
	}
	s := r.sender(t)
	if err := s.Add(context.Background(), many(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(context.Background()); err != nil || r.spans() != 1 || len(r.headers) != 5 {
		t.Errorf("%v after %d requests", err, len(r.headers))
	}
}

func TestSendGivesUp(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answer   func(http.ResponseWriter)
		requests int
		want     string
	}{
		{"refused", func(w http.ResponseWriter) { http.Error(w, "who are you?", http.StatusUnauthorized) }, 1, "401 Unauthorized: who are you?"},
		{"redirected", func(w http.ResponseWriter) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(307) }, 1, "307"},
		{"never there", func(w http.ResponseWriter) { w.WriteHeader(503) }, maxTries, "503"},
		{"a status", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.WriteHeader(400)
			w.Write(protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), "bad span"))
		}, 1, "400 Bad Request: bad span"},
	} {
		r := newReceiver(t)
		r.answers = slices.Repeat([]func(http.ResponseWriter){tc.answer}, 9)
		s := r.sender(t)
		if err := s.Add(context.Background(), many(1)); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(context.Background()); err == nil || !strings.Contains(err.Error(), tc.want) || len(r.headers) != tc.requests {
			t.Errorf("%s: %v after %d requests", tc.name, err, len(r.headers))
		}
	}
}

// What the other side did not take is not said to be sent.
func TestPartialSuccess(t *testing.T) {
	r := newReceiver(t)
	r.answers = append(r.answers, func(w http.ResponseWriter) {
		inner := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 2)
		inner = protowire.AppendString(protowire.AppendTag(inner, 2, protowire.BytesType), "too old")
		w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner))
	})
	s := r.sender(t)
	if err := s.Add(context.Background(), many(5)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(context.Background()); err != nil || s.Sent != 3 || s.Rejected != 2 || s.Why != "too old" {
		t.Errorf("%v: sent %d, rejected %d, %q", err, s.Sent, s.Rejected, s.Why)
	}
}

// What no protobuf is does no harm.
func FuzzPartial(f *testing.F) {
	f.Add(request([]*Resource{many(1)}))
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte("\r0000")) // field 1 in 32 bits
	f.Fuzz(func(t *testing.T, data []byte) {
		partial(data)
		var known tracepb.TracesData
		if otlp.Each(data, func(otlp.Field) error { return nil }) == nil && proto.Unmarshal(data, &known) == nil {
			n := 0
			otlp.Each(data, func(f otlp.Field) error {
				if f.N == 1 && f.Inside(func(otlp.Field) error { return nil }) == nil { // of another wire type it is unknown
					n++
				}
				return nil
			})
			if n != len(known.ResourceSpans) {
				t.Errorf("%d fields, and %d messages", n, len(known.ResourceSpans))
			}
		}
	})
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct {
		flag string
		env  map[string]string
		want string
	}{
		{"", nil, "http://localhost:4318/v1/traces"},
		{"http://h:1", nil, "http://h:1/v1/traces"},
		{"http://h:1/own/path", nil, "http://h:1/own/path"},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/base"}, "https://c/base/v1/traces"},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t/x"}, "https://t/x"},
		{"localhost:4318", nil, "!address is needed"},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "!only http/protobuf"},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, "!milliseconds"},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "novalue"}, "!name=value"},
	} {
		e, err := Resolve(tc.flag, func(k string) string { return tc.env[k] })
		if want, fails := strings.CutPrefix(tc.want, "!"); fails && (err == nil || !strings.Contains(err.Error(), want)) || !fails &&
			(err != nil || e.URL != tc.want) {
			t.Errorf("%q %v: %v %v", tc.flag, tc.env, e, err)
		}
	}
	env := map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=1%202,b=3", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=4", "OTEL_EXPORTER_OTLP_TIMEOUT": "1500"}
	e, err := Resolve("", func(k string) string { return env[k] })
	if err != nil || e.Headers.Get("a") != "1 2" || e.Headers.Get("b") != "4" || e.Timeout != 1500*time.Millisecond {
		t.Errorf("%v %v", e, err)
	}
	for _, pair := range []string{"Authorization: dummy", "a b=dummy", "a=dummy\nb"} {
		if err := e.AddHeader(pair); err == nil || strings.Contains(err.Error(), "dummy") {
			t.Errorf("%q: %v", pair, err)
		}
	}
}
