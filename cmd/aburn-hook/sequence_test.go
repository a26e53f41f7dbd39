package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

var update = flag.Bool("update", false, "write the golden files")

// Every session of Codex that was recorded, all hook calls in their order through
// the real executable, with the transcript as far as it was written at each call.
func TestCodexSequences(t *testing.T) {
	lab.Slow(t)
	names, err := filepath.Glob("../../hooks/codex/testdata/sequences/*.jsonl")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d sequences, %v", len(names), err)
	}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			rollouts := loadRollouts(t, id)
			calls, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for call := range strings.Lines(string(calls)) {
				p := gjson.Parse(call)
				if id != "hello" && p.Get("status").Str != "failed" && strings.HasSuffix(p.Get("hook_event_name").Str, "ModelRequest") {
					continue // nothing is recorded of it, as hello shows
				}
				for path, r := range rollouts {
					if before := r.at; r.advance(p) > before {
						w.Write("."+strings.TrimPrefix(path, "/home/user/."), strings.ReplaceAll(strings.Join(r.records[:r.at], ""), "/home/user", w.Home))
					}
				}
				if out := w.send("codex", call); out != "" {
					t.Errorf("%s printed %s", p.Get("hook_event_name").Str, out)
				}
			}
			golden(t, filepath.Join("testdata", "codex", id+".golden"), w.normalized())
		})
	}
}

// rollout is a transcript and how much of it is written.
type rollout struct {
	records []string
	at      int
}

// loadRollouts reads the transcripts of a recorded session by the path that its
// payloads give them.
func loadRollouts(t *testing.T, id string) map[string]*rollout {
	t.Helper()
	files, err := filepath.Glob("../../hooks/codex/testdata/rollouts/" + id + "/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*rollout{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m["/home/user/.codex/sessions/2026/11/21/"+filepath.Base(f)] = &rollout{records: slices.Collect(strings.Lines(string(b)))}
	}
	return m
}

// advance writes the transcript as far as Codex has when it runs the hook p: a
// call's result is there at PostToolUse, a turn's end is not at Stop, and at
// SessionEnd everything is.
func (r *rollout) advance(p gjson.Result) int {
	to := r.at
	until := func(after bool, match func(record gjson.Result) bool) {
		for i, rec := range r.records {
			if match(gjson.Parse(rec)) {
				if after {
					i++
				}
				to = max(to, i)
				return
			}
		}
	}
	kind := func(rec gjson.Result) string { return rec.Get("payload.type").Str }
	switch p.Get("hook_event_name").Str {
	case "SessionStart":
		to = max(to, 1)
	case "SessionEnd":
		to = len(r.records)
	case "PreToolUse":
		until(true, func(rec gjson.Result) bool { return rec.Get("payload.call_id").Str == p.Get("tool_use_id").Str })
	case "PostToolUse":
		until(true, func(rec gjson.Result) bool {
			return kind(rec) == "item_completed" && rec.Get("payload.item.id").Str == p.Get("tool_use_id").Str
		})
	case "Stop", "SubagentStop":
		until(false, func(rec gjson.Result) bool {
			return kind(rec) == "task_complete" && rec.Get("payload.turn_id").Str == p.Get("turn_id").Str
		})
	case "UserPromptSubmit":
		until(true, func(rec gjson.Result) bool {
			return kind(rec) == "task_started" && rec.Get("payload.turn_id").Str == p.Get("turn_id").Str
		})
	}
	r.at = to
	return to
}

var (
	volatile = regexp.MustCompile(`"(hook_us|lock_us)":\d+`)
	absolute = regexp.MustCompile(`((?:"tool":"view_image"|~/).*"input":)"[0-9a-f]{8}"`) // of a path in this test's own home
	crc      = regexp.MustCompile(`,"crc":"[0-9a-f]{8}"`)
	ts       = regexp.MustCompile(`"ts":"[^"]*"`)
)

// normalized is the log without what differs from run to run.
func (w *world) normalized() []byte {
	w.t.Helper()
	var b bytes.Buffer
	for i, e := range w.entries() {
		if get(e, "proc.pid").Int() > 0 {
			e.Data, _ = sjson.SetRawBytes(e.Data, "proc", []byte(`"…"`))
		}
		if get(e, "hook_us").Int() <= 0 || !get(e, "lock_us").Exists() {
			w.t.Errorf("entry %d has no cost: %s", i+1, e.Data)
		}
		if len(e.ID) != 16 {
			w.t.Errorf("entry %d has the id %q", i+1, e.ID)
		}
		e.ID = ""
		line, err := e.AppendJSON(nil)
		if err != nil {
			w.t.Fatal(err)
		}
		line = absolute.ReplaceAll(volatile.ReplaceAll(line, nil), []byte(`$1"…"`))
		line = bytes.ReplaceAll(line, []byte(",,"), nil)
		line = bytes.ReplaceAll(line, []byte(",}"), []byte("}"))
		line = bytes.ReplaceAll(line, []byte("{,"), []byte("{"))
		line = ts.ReplaceAll(crc.ReplaceAll(line, nil), []byte(`"ts":"…"`))
		fmt.Fprintf(&b, "%s\n%s\n", bytes.ReplaceAll(line, []byte(w.Home), []byte("/home/user")), e.Human())
	}
	return b.Bytes()
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d: differs (-update writes it):\ngot  %s\nwant %s", path, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines instead of %d (-update writes it)", path, len(g), len(w))
}

// Nothing that started is without an end in a session that ended well, and no call
// has two.
func TestCodexCallsEndOnce(t *testing.T) {
	for _, id := range []string{"codemode", "subagents-v2", "subagents-codemode", "tools-classic", "long-command"} {
		b, err := os.ReadFile(filepath.Join("testdata", "codex", id+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		starts, ends := map[string]int{}, map[string]int{}
		for line := range strings.Lines(string(b)) {
			r := gjson.Parse(line)
			call := r.Get("agent.id").Str + " " + r.Get("data.tool_use_id").Str
			switch logfmt.Event(r.Get("event").Str) {
			case logfmt.ToolStart:
				starts[call]++
			case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
				ends[call]++
			}
		}
		for call, n := range starts {
			if n != 1 || ends[call] != 1 {
				t.Errorf("%s: call %s started %d times and ended %d times", id, call, n, ends[call])
			}
		}
	}
}
