package edit

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/jsast"
)

// TestInstrumentedRuns runs programs in node, as they were and with a span in each
// function that may have one. They print the same, and each span ends, once a call.
func TestInstrumentedRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	programs, _ := filepath.Glob("testdata/run/*")
	for _, path := range programs {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := jsast.Parse(t.Context(), engine(), source, jsast.TypeByName(path))
		if err != nil {
			t.Fatal(err)
		}
		var p Plan
		for _, f := range m.Functions {
			c := Choice{ID: f.ID, Action: "span", Span: f.ID + " " + f.Name}
			if len(f.Params) > 0 {
				c.Attributes = []Attribute{{"first", f.Params[0].Names[0], ""}, {"deep", f.Params[0].Names[0] + ".a.b.length", ""}}
			}
			if !printable(c.Span) {
				c.Span = f.ID
			}
			p.Functions = append(p.Functions, c)
		}
		out, dropped, err := Apply(t.Context(), engine(), m, p, Names{Tracer: "test"})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, c := range p.Functions {
			if !slices.ContainsFunc(dropped, func(d Dropped) bool { return d.Function == c.ID && d.Attribute == "" }) {
				want[c.Span] = true
			}
		}
		was, _ := runNode(t, node, path, source)
		now, spans := runNode(t, node, path, out)
		if was != now || was == "" {
			t.Errorf("%s printed\n%s\ninstead of\n%s\n%s", path, now, was, out)
		}
		if missing := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(name string) bool { return spans[name] > 0 }); len(missing) > 0 {
			t.Errorf("%s: no span of %v", path, missing)
		}
		if len(want) < 10 {
			t.Errorf("%s: only %d functions have a span", path, len(want))
		}
	}
}

// runNode runs a program beside the stand-in for the API, and counts the spans that ended.
func runNode(t *testing.T, node, path string, source []byte) (printed string, spans map[string]int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "@opentelemetry", "api"), os.DirFS("testdata/api")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.Command(node, file)
	cmd.Env, cmd.Stderr = []string{}, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", path, err, errs.String(), source)
	}
	spans = map[string]int{}
	for line := range strings.Lines(errs.String()) {
		var s struct{ Name string }
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Errorf("%s: %s", path, line)
		}
		spans[s.Name]++
	}
	return string(out), spans
}
