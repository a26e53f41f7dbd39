package scenario

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// Everything is a drawing that fills every part of a State.
const Everything = `
	@A SESSION_START'startup' PROMPT/build'it' proc=12 build> build:RED> Edit'a.go'=1 Edit'a_test.go'=1 Bash'go test ./...'!1 Bash'go test ./...' Bash'go test ./...'!1
	build*'one' build*'one' build:RED.{tests_failing=1} build:REFACTOR> build:REFACTOR! build![x] build.'done'[a.md,b.md]
	Bash'serve'&bg (tester& tester~test> tester~Bash'ls'<a tester~test! (looker looker)'failed'
	Bash'rm -r x'<b PERMISSION NOTIFY'permission_prompt'
	@B codex PROMPT Bash'sleep 9'< SESSION_END'other'
	@C /feature ideate> ideate. ship> PROMPT STOP Bash'x'!1 Bash'y'!2
	@A / INTERVENTION'T1 loop x' DELIVERED'T1' SEEN'T1' RESOLVED'T1' notify'silence y' twice
	@D PROMPT Bash'ls'< PROMPT`

// Item is one entry of a log and whether a rotation carried it over.
type Item struct {
	Entry   *logfmt.Entry
	Carried bool
}

// Logs returns drawn, recorded and random logs by name.
func Logs(t *testing.T, recordings string) map[string][]Item {
	t.Helper()
	all := map[string][]Item{}
	drawings := []string{
		Everything,
		"@A SESSION_START'startup' PROMPT build> { build:RED> Edit'a_test.go' Bash'go test'!1 build:RED. build:GREEN> Edit'a.go' Bash'go test' build:GREEN. " +
			"build* }*3 build. STOP",
		"@A Bash'ls' Bash'serve'&s STOP +1h PROMPT&s @B PROMPT Bash'x'<a @A PROMPT (t& @B ^a STOP @A t~Bash'ls' STOP t) SESSION_END'clear' @B SESSION_START'resume'",
		"codex @A PROMPT (x x~Bash'a'<a STOP ^a PROMPT x~Bash'b' x) INTERRUPT @ plan> plan. -2h $build> $build.",
	}
	for i, d := range drawings {
		entries, _ := drawn.Entries(d)
		for _, e := range entries {
			all[fmt.Sprint("drawing ", i)] = append(all[fmt.Sprint("drawing ", i)], Item{e, false})
		}
	}
	files, _ := filepath.Glob(filepath.Join(recordings, "*.log"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var block logfmt.Block
		for line := range bytes.Lines(data) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			carried := block.Step(line)
			if e, err := logfmt.Parse(line); err == nil {
				all[f] = append(all[f], Item{&e, carried})
			}
		}
	}
	for seed := range uint64(12) {
		all[fmt.Sprint("random ", seed)] = Random(seed, 400)
	}
	return all
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// Random makes a meaningless log of n entries in which every field takes all kinds of values.
func Random(seed uint64, n int) []Item {
	r := rand.New(rand.NewPCG(seed, 7))
	at := drawn.Epoch
	carry := r.IntN(2) == 0
	var list []Item
	for i := range n {
		at = at.Add(time.Duration(r.IntN(100_000)-2000) * time.Millisecond)
		e := logfmt.Entry{
			Time: at, Cmd: pick(r, "session", "build", "plan", "deploy", "supervisor"), Phase: pick(r, "", "", "RED", "GREEN", "REFACTOR", "X"),
			Event:   pick(r, append(logfmt.Events(), "CWD_CHANGED", logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.Prompt, logfmt.Stop)...),
			Session: pick[logfmt.SessionID](r, "A", "A", "B", ""), Source: pick(r, agentcli.Claude.Name, agentcli.Claude.Name, agentcli.Codex.Name, "prompt", "aburn",
				""), Wt: pick(r, "", "", "f"),
		}
		if r.IntN(4) > 0 {
			e.Seq, e.ID = logfmt.Seq(i+1), fmt.Sprintf("%016x", r.IntN(4*n))
		}
		if r.IntN(4) == 0 {
			e.Agent = &logfmt.Agent{ID: pick(r, "a1", "a2", ""), Type: pick(r, "tester", "looker", "")}
		}
		e.Data = randomData(r)
		list = append(list, Item{&e, carry && i%50 < 3})
	}
	return list
}

func randomData(r *rand.Rand) []byte {
	var o logfmt.Object
	some := func(name string, values ...string) {
		if r.IntN(2) == 0 {
			o.Str(name, pick(r, values...))
		}
	}
	some("tool", "Bash", "Edit", "Agent", "AskUserQuestion", "KillShell", "Read")
	some("tool_use_id", "t1", "t2", "t3", "t4", "t5")
	some("head", "go test ./...", "ls", "go test | tail", "é\"\\")
	some("path", "a.go", "a_test.go", "README.md", "/tmp/x", "~/y")
	some("input", "00000001", "00000002")
	some("sha256", "aa", "bb")
	some("outcome", "unknown", "interrupted")
	some("agent_id", "a1", "a2", "a3")
	some("agent_type", "tester", "looker")
	some("status", "completed", "failed", "async_launched")
	some("type", "idle_prompt", "permission_prompt", "elicitation_dialog", "loop")
	some("source", "startup", "resume", "compact")
	some("command", "build", "plan", "cost")
	some("description", "one", "two", "3 failing tests")
	some("task_id", "T1", "T2")
	some("signature", "s1", "s2")
	some("reason", "clear", "other")
	for name, odds := range map[string]int{"background": 4, "machine": 4, "seen": 3} {
		if r.IntN(odds) == 0 {
			o.Bool(name, true)
		}
	}
	if r.IntN(2) == 0 {
		o.Int("exit_code", int64(r.IntN(3)))
	}
	if r.IntN(6) == 0 {
		o.Raw("proc", []byte(`{"pid":12,"start":99,"host":"h"}`))
	}
	if r.IntN(6) == 0 {
		o.Raw("outputs", []byte(`["a.md",{"path":"b.md","sha256":"00"}]`)).Raw("metrics", []byte(`{"tests_failing":2}`))
	}
	return o.Bytes()
}
