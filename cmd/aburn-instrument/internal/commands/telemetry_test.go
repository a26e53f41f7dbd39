package commands_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"aburn/cmd/aburn-instrument/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/internal/consent"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// receiving is a receiver of OTLP, and what arrived there by now.
func receiving(t *testing.T) (*httptest.Server, func() []*tracev1.TracesData) {
	var mu sync.Mutex
	var got []*tracev1.TracesData
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		data := &tracev1.TracesData{}
		z, err := gzip.NewReader(q.Body)
		if err != nil {
			t.Error(err)
			return
		}
		if body, err := io.ReadAll(z); err != nil || proto.Unmarshal(body, data) != nil {
			t.Error("no traces")
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, data)
	}))
	t.Cleanup(receiver.Close)
	return receiver, func() []*tracev1.TracesData {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// settingsOfUser has the user's own settings send spans to an endpoint.
func settingsOfUser(t *testing.T, endpoint string) {
	write(t, project.ConfigDir(os.Getenv), map[string]string{"settings.json": `{"instrument": {"telemetry": "` + endpoint + `"}}`})
}

// TestTelemetryOfItself: a plan that is applied makes spans where the user's own settings say so. A project's settings and
// configuration, and the variables of other exporters, say nothing.
func TestTelemetryOfItself(t *testing.T) {
	world.Slow(t)
	w := world.New(t)
	w.Enter(t)
	receiver, arrived := receiving(t)
	dir := t.TempDir()
	setting := `{"instrument": {"telemetry": "` + receiver.URL + `"}}`
	write(t, dir, map[string]string{
		"a.mjs":                 "export async function place(order) {\n  await save(order);\n}\n",
		"plan.json":             `{"files": [{"path": "a.mjs", "functions": [{"id": "f1", "name": "place", "action": "span", "span": "shop.place"}]}]}`,
		"aburn-instrument.yaml": "telemetry:\n  endpoint: " + receiver.URL + "\n", ".oss/settings.json": setting,
	})
	apply := func() {
		var out, errs bytes.Buffer
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: os.Getenv}
		if code := commands.Run(t.Context(), a, []string{"aburn-instrument", "-C", dir, "--from-plan", "plan.json", "--dry-run"}); code != 0 {
			t.Fatalf("exit %d\n%s%s", code, out.String(), errs.String())
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	if apply(); len(arrived()) > 0 {
		t.Fatal("spans were sent, and nobody asked for them")
	}
	settingsOfUser(t, receiver.URL)
	apply()
	got := arrived()
	if len(got) != 1 {
		t.Fatalf("%d requests", len(got))
	}
	var names []string
	for _, s := range got[0].ResourceSpans[0].ScopeSpans[0].Spans {
		names = append(names, s.Name)
	}
	if all := strings.Join(names, " "); all != "aburn.instrument.check aburn.instrument.file aburn.instrument.run" || strings.Contains(got[0].String(), "save(") {
		t.Errorf("%s: %s", all, got[0])
	}
	receiver.Close()
	apply() // nobody there: a warning, and exit code 0
}

// TestTelemetryOfARun: a span of the run, below it one of each file, and below that each question to the model and each
// judgement; then the recording.
func TestTelemetryOfARun(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	w := world.New(t)
	w.Enter(t)
	receiver, arrived := receiving(t)
	settingsOfUser(t, receiver.URL)
	bin, dir := t.TempDir(), t.TempDir()
	plan := `{"functions":[{"id":"f1","action":"span","span":"shop.place","tier":2,"reason":"the registry has it","attributes":[]}],"newSpans":[],` +
		`"newAttributes":[],"libraries":[],"notes":[]}`
	write(t, bin,
		map[string]string{"claude": "#!/bin/sh\n[ \"$1\" = --version ] || cat > /dev/null\necho '{\"is_error\":false,\"subtype\":\"success\",\"structured_output\":" +
			plan + ",\"modelUsage\":{\"m\":{\"inputTokens\":100,\"outputTokens\":30}}}'\n"})
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	write(t, dir, map[string]string{
		"src/order.mjs":           "import { readFile } from 'node:fs/promises';\nexport async function place(order) {\n  return await readFile(order.id);\n}\n",
		".gitignore":              ".oss/\n",
		"package.json":            `{"name": "shop", "private": true, "dependencies": {"@opentelemetry/api": "^1.9.0"}}`,
		"telemetry/manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n",
		"telemetry/a.yaml":        "groups: [{id: span.shop.place, type: span, span_kind: internal, stability: development, brief: b}]\n",
		"aburn-instrument.yaml":   "schemaPath: telemetry\nprovider: claude\nagentModel: claude-sonnet-5\nweaver: never\ntestCommand: sh -c true\n",
	})
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "a"}, {"config", "user.email", "a@example.invalid"}, {"add", "."},
		{"commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		if cmd.Dir = dir; cmd.Run() != nil {
			t.Fatal(args)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, project.OssDir), 0o700), project.Mark(dir)); err != nil {
		t.Fatal(err)
	}
	p, err := project.Find(dir, os.Getenv)
	if err == nil {
		err = consent.Give(p, "sh -c true")
	}
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: os.Getenv}
	if code := commands.Run(t.Context(), a, []string{"aburn-instrument", "-C", dir, "src", "--yes", "--no-pr"}); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out.String(), errs.String())
	}
	got := arrived()
	if len(got) != 1 {
		t.Fatalf("%d requests\n%s", len(got), errs.String())
	}
	names, tree := map[string]string{}, []string{}
	spans := got[0].ResourceSpans[0].ScopeSpans[0].Spans
	for _, s := range spans {
		names[string(s.SpanId)] = strings.TrimPrefix(s.Name, "aburn.instrument.")
	}
	texts := map[string]string{}
	for _, s := range spans {
		tree = append(tree, names[string(s.ParentSpanId)]+">"+names[string(s.SpanId)])
		for _, attribute := range s.Attributes {
			texts[names[string(s.SpanId)]+" "+attribute.Key] = attribute.Value.String()
		}
	}
	slices.Sort(tree)
	if tree = slices.Compact(tree); !slices.Equal(tree, []string{">run", "file>check", "file>plan", "run>file", "run>record"}) {
		t.Error(tree)
	}
	for key, want := range map[string]string{
		"plan gen_ai.request.model": "claude-sonnet-5", "plan gen_ai.usage.input_tokens": "100", "plan gen_ai.provider.name": "claude",
		"file code.file.path": "src/order.mjs", "file aburn.instrument.tokens": "130",
		"run aburn.instrument.files.succeeded": "1", "run aburn.instrument.spans": "1", "run aburn.instrument.tests.exit_code": "0",
		"record aburn.instrument.spans": "0",
	} {
		if !strings.Contains(texts[key], want) {
			t.Errorf("%s is %q", key, texts[key])
		}
	}
	if strings.Contains(got[0].String(), "readFile") {
		t.Error("source was sent")
	}
}
