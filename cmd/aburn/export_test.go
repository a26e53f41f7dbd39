package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
)

// exported runs commands for a user who has the sessions of testdata/store.
type exported struct {
	*testing.T
	home string
}

func newExported(t *testing.T) *exported {
	x := &exported{t, t.TempDir()}
	if err := os.CopyFS(x.home, os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := x.run("ingest", "--quiet"); code != fault.ExitOK {
		t.Fatal(errs)
	}
	return x
}

func (x *exported) run(args ...string) (out, errs string, code int) {
	var stdout, stderr bytes.Buffer
	env := func(key string) string { return map[string]string{"HOME": x.home}[key] }
	a := &kit.App{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: env}
	code = run(context.Background(), a, append([]string{"aburn"}, args...))
	return stdout.String(), stderr.String(), code
}

// collector takes spans, and answers with status.
func collector(t *testing.T, status int) (url string, spans *[]*tracepb.Span) {
	spans = &[]*tracepb.Span{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var got tracepb.TracesData
		z, err := gzip.NewReader(req.Body)
		if err == nil {
			var data []byte
			if data, err = io.ReadAll(z); err == nil {
				err = proto.Unmarshal(data, &got)
			}
		}
		if err != nil || req.Header.Get("X-Key") != "dummy" {
			t.Errorf("%v %v", err, req.Header)
		}
		for _, r := range got.ResourceSpans {
			*spans = append(*spans, r.ScopeSpans[0].Spans...)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, spans
}

func TestExportLines(t *testing.T) {
	world.Unshared(t)
	x := newExported(t)
	out, errs, code := x.run("export", "--format", "jsonl")
	if code != fault.ExitOK {
		t.Fatal(errs)
	}
	var ids []string
	for line := range strings.Lines(out) {
		tr, err := tracetest.Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, tr.Source+" "+tr.ID)
	}
	list, _, _ := x.run("sessions", "--subagents", "--json")
	for _, id := range ids {
		source, session, _ := strings.Cut(id, " ")
		if !strings.Contains(list, `"source":"`+source+`","session":"`+session+`"`) {
			t.Errorf("%s is not in %s", id, list)
		}
	}
	if strings.Count(list, `"session":`) != len(ids) || len(ids) < 4 {
		t.Errorf("%d lines of\n%s", len(ids), list)
	}
	// A named session goes with its sub-agents, and with nothing else.
	out, errs, code = x.run("export", "--format", "jsonl", "claude/5b0c2f91-0000-4000-8000-000000000001")
	if code != fault.ExitOK || strings.Count(out, "\n") != 2 || !strings.Contains(out, `/a1b2c3d4e5f60718a"`) {
		t.Errorf("%s%s", out, errs)
	}
}

func TestExportSpans(t *testing.T) {
	world.Unshared(t)
	x := newExported(t)
	url, spans := collector(t, http.StatusOK)
	out, errs, code := x.run("export", "--format", "otlp", "--endpoint", url, "--header", "X-Key=dummy", "--json")
	if code != fault.ExitOK {
		t.Fatal(errs)
	}
	all := map[string]*tracepb.Span{}
	var child *tracepb.Span
	for _, s := range *spans {
		all[string(s.SpanId)] = s
		if s.Name != "invoke_agent claude" && strings.HasPrefix(s.Name, "invoke_agent ") && len(s.ParentSpanId) > 0 {
			child = s
		}
	}
	if !strings.Contains(out, `"sessions":4`) || len(all) != len(*spans) || child == nil {
		t.Fatalf("%s: %d spans, %d ids, sub-agent %v", out, len(*spans), len(all), child)
	}
	call := all[string(child.ParentSpanId)]
	if call == nil || !strings.HasPrefix(call.Name, "execute_tool ") || !bytes.Equal(call.TraceId, child.TraceId) {
		t.Errorf("the sub-agent lies below %v", call)
	}
}

func TestExportMistakes(t *testing.T) {
	world.Unshared(t)
	x := newExported(t)
	refused, _ := collector(t, http.StatusForbidden)
	for _, tc := range []struct {
		args string
		code int
		want string
	}{
		{"--format csv", fault.ExitUsage, `--format: unknown "csv"`},
		{"--format jsonl --endpoint " + refused, fault.ExitUsage, "need --format otlp"},
		{"--format otlp --endpoint nowhere", fault.ExitUsage, "an http:// or https:// address is needed"},
		{"--format otlp --header Authorization:dummy --endpoint " + refused, fault.ExitUsage, "--header: name=value is needed"},
		{"--format otlp --header X-Key=dummy --endpoint " + refused, fault.ExitFailed, "403 Forbidden"},
		{"--format otlp --endpoint http://127.0.0.1:1", fault.ExitFailed, "no collector listens there"},
		{"--format jsonl nobody", fault.ExitFailed, `no session in the archive is called "nobody"`},
	} {
		out, errs, code := x.run(append([]string{"export"}, strings.Fields(tc.args)...)...)
		if code != tc.code || !strings.Contains(errs, tc.want) || out != "" || strings.Contains(errs, "dummy") {
			t.Errorf("%s: exit %d\n%s%s", tc.args, code, out, errs)
		}
	}
}
