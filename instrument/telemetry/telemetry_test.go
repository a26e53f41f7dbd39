package telemetry

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver takes what a tracer sends.
func receiver(t *testing.T, answer int) (*httptest.Server, *tracev1.TracesData) {
	t.Helper()
	got := &tracev1.TracesData{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		z, err := gzip.NewReader(q.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(z)
		if err := errors.Join(err, proto.Unmarshal(body, got)); err != nil || q.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", q.URL.Path, err)
		}
		w.WriteHeader(answer)
	}))
	t.Cleanup(s.Close)
	return s, got
}

// TestSpansArrive: a run with a file and a question to a model, as a receiver that knows the generated types reads them.
func TestSpansArrive(t *testing.T) {
	s, got := receiver(t, http.StatusOK)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=somebody")
	now := time.Unix(1000, 0)
	tracer, err := New(s.URL, func() time.Time { now = now.Add(time.Second); return now })
	if err != nil {
		t.Fatal(err)
	}
	ctx, run := tracer.Start(t.Context(), Run)
	inside, file := tracer.Start(ctx, File)
	_, plan := tracer.Start(inside, Plan)
	plan.Model("anthropic", "m", 100, 20)
	plan.End(errors.New("const secret = 1"))
	file.Text("code.file.path", "src/a\x1b[31m.js"+strings.Repeat("x", 1000))
	file.Number("aburn.instrument.spans", 3)
	file.End(nil)
	file.End(nil)
	run.End(nil)
	_, open := tracer.Start(ctx, Check)
	_ = open // one that never ended is not sent
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := got.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 3 || spans[0].Name != Plan || spans[2].Name != Run {
		t.Fatalf("%v", spans)
	}
	p, f, r := spans[0], spans[1], spans[2]
	if len(r.ParentSpanId) > 0 || !bytes.Equal(f.ParentSpanId, r.SpanId) || !bytes.Equal(p.ParentSpanId, f.SpanId) || !bytes.Equal(p.TraceId, r.TraceId) ||
		len(r.TraceId) != 16 || len(r.SpanId) != 8 {
		t.Errorf("parents: %v", spans)
	}
	if p.Kind != 3 || p.Status.GetCode() != 2 || f.Status.GetCode() != 0 || p.EndTimeUnixNano <= p.StartTimeUnixNano {
		t.Errorf("%v", p)
	}
	text := got.String()
	for _, want := range []string{"gen_ai.usage.input_tokens", "*errors.errorString", "aburn-instrument", "src/a"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s: %s", want, text)
		}
	}
	for _, span := range spans {
		for _, a := range span.Attributes { // ids are random bytes, so the whole text may have anything
			for _, bad := range []string{"secret", "\x1b", strings.Repeat("x", 300)} {
				if strings.Contains(a.Value.GetStringValue(), bad) {
					t.Errorf("%s has %q", a.Key, bad)
				}
			}
		}
		if strings.Contains(span.Status.GetMessage(), "secret") {
			t.Error("the status has an error's text")
		}
	}
}

// TestOff: without an endpoint nothing happens, and a wrong one is said.
func TestOff(t *testing.T) {
	tracer, err := New("", time.Now)
	if tracer != nil || err != nil {
		t.Fatal(err)
	}
	ctx, s := tracer.Start(t.Context(), Run)
	s.Text("a", "b")
	s.Number("a", 1)
	s.Model("a", "b", 1, 1)
	s.End(nil)
	if ctx != t.Context() || tracer.Close(ctx) != nil {
		t.Error("a nil tracer does something")
	}
	if _, err := New("localhost:4318", time.Now); err == nil {
		t.Error("an address without http is taken")
	}
}

// TestNotTaken: what a receiver refuses is an error for a warning.
func TestNotTaken(t *testing.T) {
	s, _ := receiver(t, http.StatusForbidden)
	tracer, err := New(s.URL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), Run)
	span.End(nil)
	if err := tracer.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Error(err)
	}
}
