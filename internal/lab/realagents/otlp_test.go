//go:build agents

package realagents

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// buildReceiver builds the OpenTelemetry Collector's OTLP receiver, a module of its own, into the folder of this run.
func buildReceiver(ctx context.Context, work string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(work, "receiver"), ".")
	build.Dir = filepath.Join("..", "..", "..", "trace", "export", "testdata", "receiver")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the collector's receiver: %w\n%s", err, out)
	}
	return nil
}

// otlpSpan is what these tests want of a span in OTLP's JSON.
type otlpSpan struct {
	TraceID, SpanID, ParentSpanID, Name string
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
}

func (s *otlpSpan) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// receive runs the collector's receiver while do sends to it, and returns what it took.
func receive(w *world, do func(endpoint string)) (spans []otlpSpan) {
	w.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	cmd := exec.Command(filepath.Join(os.Getenv(workVar), "receiver"), address)
	var out bytes.Buffer
	cmd.Stdout, cmd.Env = &out, []string{}
	ready, err := cmd.StderrPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	if line, err := bufio.NewReader(ready).ReadString('\n'); line != "ready\n" {
		w.Fatalf("the receiver says %q: %v", line, err)
	}
	do("http://" + address)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		w.Errorf("receiver: %v", err)
	}
	for line := range strings.Lines(out.String()) {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []otlpSpan }
			}
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			w.Fatal(err)
		}
		for _, r := range request.ResourceSpans {
			for _, s := range r.ScopeSpans {
				spans = append(spans, s.Spans...)
			}
		}
	}
	return spans
}

// What the real collector takes is what the real agent did: a session, its responses and calls, and the sub-agent below its call.
func TestExportToCollector(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "native", model.Script{
		helper("inner", "TASK-INNER", model.Calls(bash("echo inner; exit 2")), model.Text("inner done")),
		{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-INNER please", false)), model.Calls(bash("echo main")), model.Text("all done")}},
	}, nil)
	w.claude("do the thing", free(sessionA)...)
	if r := w.run(w.project, "aburn", "ingest", "--quiet"); r.code != 0 {
		t.Fatalf("ingest: %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	var told string
	spans := receive(w, func(endpoint string) {
		r := w.run(w.project, "aburn", "export", "--format", "otlp", "--endpoint", endpoint, "--json")
		if r.code != 0 {
			t.Errorf("export: %d\n%s", r.code, r.stderr)
		}
		told = r.stdout
	})
	byID, byName := map[string]*otlpSpan{}, map[string]int{}
	for i := range spans {
		byID[spans[i].SpanID] = &spans[i]
		byName[spans[i].Name]++
	}
	if !strings.Contains(told, fmt.Sprintf(`"sessions":2,"spans":%d,"rejected":0`, len(spans))) {
		t.Errorf("%d spans, and export says %s", len(spans), told)
	}
	for name, n := range map[string]int{"invoke_agent claude": 1, "invoke_agent general-purpose": 1, "execute_tool Agent": 1, "execute_tool Bash": 2} {
		if byName[name] != n {
			t.Errorf("%d spans %q, want %d: %v", byName[name], name, n, byName)
		}
	}
	for i := range spans {
		s := &spans[i]
		switch {
		case s.TraceID != spans[0].TraceID:
			t.Errorf("%s is in another trace", s.Name)
		case s.Name == "invoke_agent general-purpose":
			if above := byID[s.ParentSpanID]; above == nil || above.Name != "execute_tool Agent" {
				t.Errorf("the sub-agent lies below %v", above)
			}
		case s.attribute("error.type") != "" && s.attribute("process.exit.code") != "2":
			t.Errorf("%s failed: %v", s.Name, s.Attributes)
		}
	}
}
