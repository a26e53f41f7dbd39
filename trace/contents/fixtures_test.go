package contents_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/internal/sqlite"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/contents"
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/pi"
	"aburn/trace/qwen"
)

// opencodeDatabase is the recorded database of opencode.
func opencodeDatabase(t *testing.T) string {
	packed, err := os.Open("../opencode/testdata/opencode.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err = errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// opencodeV2 is the database that the reader for OpenCode 2 is tested with.
func opencodeV2(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "opencode.db")
	build(t, path, "../opencode/testdata/v2/built.sql")
	return path
}

// build makes a database from statements, one a line.
func build(t *testing.T, path, statements string) {
	conn, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines, err := os.ReadFile(statements)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(lines)), "\n") {
		if err := conn.Exec(line); err != nil {
			t.Fatal(err)
		}
	}
}

// openclawDatabase is the database that OpenClaw's reader is tested with.
func openclawDatabase(t *testing.T) string {
	dir := t.TempDir()
	path := filepath.Join(dir, "agents", "main", "agent", "openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../openclaw/testdata/schema.sql")
	if err == nil {
		err = conn.Exec(string(schema))
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	build(t, path, "../openclaw/testdata/built.sql")
	return dir
}

// fixture is the stores of one agent.
type fixture struct {
	reader trace.Reader
	rows   contents.Rows
	places []string
}

func fixtures(t *testing.T) []fixture {
	return []fixture{
		{claude.New(), nil, []string{"../claude/testdata/runs"}},
		{codex.New(), nil, []string{"../codex/testdata/rollouts"}},
		{gemini.New(), gemini.Records, []string{"../gemini/testdata/home", "../gemini/testdata/built"}},
		{qwen.New(), nil, []string{"../qwen/testdata/home", "../qwen/testdata/built"}},
		{pi.New(), nil, []string{"../pi/testdata/home", "../pi/testdata/built"}},
		{openclaw.New(), openclaw.Records, []string{"../openclaw/testdata/state", openclawDatabase(t)}},
		{opencode.New(), opencode.Records, []string{"../opencode/testdata/legacy", opencodeDatabase(t), opencodeV2(t)}},
	}
}

// What the readers digested is found in the agents' own files, in every fixture of every agent, without one difference.
func TestContentsOfAllFixtures(t *testing.T) {
	world.Slow(t)
	for _, c := range fixtures(t) {
		t.Run(c.reader.Name(), func(t *testing.T) {
			n := map[string]int{}
			for _, p := range c.places {
				p, _ = filepath.Abs(p)
				s := tracetest.Read(t, c.reader, p)
				for _, tr := range s.Ordered() {
					check(t, tr, c.rows, n)
				}
			}
			t.Log(n)
			if n["message"] == 0 || n["input"] == 0 || n["output"] == 0 {
				t.Errorf("too little was looked at: %v", n)
			}
		})
	}
}

func check(t *testing.T, tr *trace.SessionTrace, rows contents.Rows, n map[string]int) {
	var wants []contents.Want
	var events []*trace.Event
	for i := range tr.Events {
		if w, ok := contents.Of(tr, &tr.Events[i]); ok {
			wants, events = append(wants, w), append(events, &tr.Events[i])
		}
	}
	got, err := contents.Read(t.Context(), contents.From{Sources: tr.Sources, Rows: rows}, wants)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		kind := events[i].Body.Kind()
		switch {
		case got[i].State != contents.Proved:
			n["WRONG"]++
			t.Errorf("%s event %d (%s, %d bytes) at %+v: %d %v", tr.ID, events[i].Seq, kind, wants[i].Digest.Length, wants[i].Ref, got[i].State, got[i].Err)
		case kind == trace.KindToolCall:
			n["input"]++
		case kind == trace.KindToolResult:
			n["output"]++
		default:
			n["message"]++
		}
	}
}
