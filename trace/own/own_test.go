package own

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/tracetest"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

// Later entries may set the command of a prompt and what a sub-agent came of.
func later(e *trace.Event) {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		b.Command = ""
	case *trace.SubagentSpawn:
		b.Call, b.Description, b.Background = "", "", false
	}
}

// Logs of real sessions, recorded by the hooks of the real agents, say what was done in them.
func TestRecordings(t *testing.T) {
	logs, err := os.ReadDir("testdata/logs")
	if err != nil || len(logs) < 10 {
		t.Fatal(len(logs), err)
	}
	for _, log := range logs {
		t.Run(log.Name(), func(t *testing.T) {
			s := tracetest.Read(t, New(), filepath.Join("testdata/logs", log.Name()))
			for path, err := range s.Errors {
				t.Errorf("%s: %v", path, err)
			}
			tracetest.Truth(t, s, filepath.Join("testdata", log.Name()+".truth"))
			if slices.Contains([]string{"claude-agents", "codex-agents", "codex-permissions", "claude-compacted", "codex-error"}, log.Name()) {
				tracetest.Golden(t, s.Ordered(), filepath.Join("testdata/golden", log.Name()+".json"), *update)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	for _, log := range []string{"claude-agents", "codex-permissions", "claude-permissions"} {
		t.Run(log, func(t *testing.T) {
			t.Parallel()
			tracetest.Cuts(t, New(), filepath.Join("testdata/logs", log), later)
		})
	}
}

func FuzzRead(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, project.OssDir, journal.Name) }
	tracetest.Fuzz(f, New(), place, place("testdata/logs/codex-permissions"), place("testdata/logs/claude-agents"))
}

// What the recordings do not show: denials, deliveries, other tools' entries.
func TestEntries(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	e := func(ev logfmt.Event, data string) *logfmt.Entry {
		at = at.Add(time.Second)
		return &logfmt.Entry{Time: at, Cmd: "session", Event: ev, Session: "s1", Source: "claude", Data: []byte(data)}
	}
	prompted := e(logfmt.Start, `{}`)
	prompted.Source, prompted.Cmd = "prompt", "build"
	phaseless := e(logfmt.PhaseStart, `{}`)
	failed := e(logfmt.Failed, `{"error":"no compiler"}`)
	failed.Source, failed.Cmd, failed.Phase = "prompt", "build", "RED"
	nobody := e(logfmt.Tool, `{"tool":"Bash"}`)
	nobody.Session = ""
	// The compaction of Claude Code ends a helper that nothing began: it is no sub-agent.
	helper, agent := e(logfmt.AgentComplete, `{}`), e(logfmt.AgentComplete, `{}`)
	helper.Agent, agent.Agent = &logfmt.Agent{ID: "a1"}, &logfmt.Agent{ID: "a2", Type: "Explore"}
	dir := t.TempDir()
	appendTo(t, dir, 0, []*logfmt.Entry{
		helper, agent, prompted, phaseless, nobody,
		e(logfmt.Command, `{"command":"build"}`),
		e(logfmt.Delivered, `{"task_id":"t1"}`), e(logfmt.Delivered, `{"task_id":"t1","seen":true}`),
		e(logfmt.Permission, `{"tool":"Bash"}`), e(logfmt.Intervention, `{"task_id":"t1"}`), e("PARTY", `{}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c1","reason":"Permission to use Bash has been denied","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c2","reason":"The user doesn't want to proceed","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c3","reason":"PreToolUse:Bash hook error","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c4","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c5","reason":"classifier says no"}`),
		e(logfmt.Tool, `{"tool":"mcp__x__y","tool_use_id":"c6","outcome":"unknown","inferred":"batch"}`),
		e(logfmt.ToolFailed, `{"tool":"Bash","tool_use_id":"c7","outcome":"interrupted","error":"stopped"}`),
		failed,
	})
	s := tracetest.Read(t, New(), dir)
	if tr := s.Traces["s1/a2"]; len(s.Traces) != 2 || tr == nil {
		t.Errorf("traces of %v", slices.Sorted(maps.Keys(s.Traces)))
	}
	tr := s.Traces["s1"]
	var story []string
	for _, e := range tr.Events {
		switch b := e.Body.(type) {
		case *trace.Session:
			story = append(story, fmt.Sprintf("%s %s %s %s", b.Marker, b.Command, b.Phase, b.Detail))
		case *trace.UserMessage:
			story = append(story, fmt.Sprintf("%s%s%s", b.Machine, b.Command, e.By))
		case *trace.ToolCall:
			story = append(story, fmt.Sprintf("%s %s", b.Type, b.Call))
		case *trace.ToolResult:
			r := tr.Results[b.Result]
			story = append(story, fmt.Sprintf("%s %s", r.Status, r.Denied))
		case *trace.Interrupt:
			story = append(story, "interrupt "+b.Call)
		}
	}
	want := "command_started build  ; build; hookclient; shell c1; errored rule; shell c2; cancelled user; shell c3; errored hook; shell c4; errored other; " +
		"shell c5; errored other; mcp c6; unknown ; shell c7; cancelled ; interrupt c7; phase_failed build RED no compiler"
	if got := strings.Join(story, "; "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if tr.Agent.Name != "claude" || tr.Outcome != trace.Interrupted || tr.Project.Path != dir {
		t.Errorf("%+v, %s in %s", tr.Agent, tr.Outcome, tr.Project.Path)
	}
}
