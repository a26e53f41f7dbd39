package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
)

// TestOutcomes: how a session ended is what the end of its last turn says.
func TestOutcomes(t *testing.T) {
	done := `,"turn_id":"t","last_agent_message":"x"`
	tests := []struct {
		name string
		w    *written
		want trace.Outcome
		from string
	}{
		{"completed", started("").event("task_complete", done), trace.Completed, "task_complete"},
		{"no turn", paginated(""), trace.Unknown, ""},
		{"killed", started(""), trace.Killed, "the rollout stops inside a turn"},
		{"killed later", started("").event("task_complete", done).event("task_started", `,"turn_id":"u"`), trace.Killed, "the rollout stops inside a turn"},
		{"interrupted", started("").event("turn_aborted", `,"turn_id":"t","reason":"interrupted"`), trace.Interrupted, "turn_aborted: interrupted"},
		{"error", started("").event("task_complete", `,"turn_id":"t","error":{"message":"busy","codex_error_info":"internal_server_error"}`), trace.Errored,
			"task_complete: error internal_server_error"},
		{"error, then on", started("").event("task_complete", `,"turn_id":"t","error":{"message":"busy","codex_error_info":"other"}`).event("task_started",
			`,"turn_id":"u"`).event("task_complete", done), trace.Completed, "task_complete"},
		{"recorded after the end", started("").call("c", "exec_command", `{"cmd":"sleep 9"}`, "").event("task_complete", done).
			item(`"type":"CommandExecution","id":"c","command":["sleep"],"status":"failed","aggregated_output":"","exit_code":-1`), trace.Completed, "task_complete"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.w.read(t); got.Outcome != test.want || got.OutcomeFrom != test.from {
				t.Errorf("%s from %q, want %s from %q", got.Outcome, got.OutcomeFrom, test.want, test.from)
			}
		})
	}
}

// A command that an interrupt ended is no failure, whatever its process exits with when it is killed: -1 or 137.
func TestInterruptedCommand(t *testing.T) {
	for _, code := range []string{"-1", "137"} {
		got := started("").call("c", "exec_command", `{"cmd":"sleep 9"}`, "aborted by user").
			event("turn_aborted", `,"turn_id":"t","reason":"interrupted"`).
			item(`"type":"CommandExecution","id":"c","command":["sleep"],"status":"failed","aggregated_output":"","exit_code":` + code).read(t)
		last := got.Results[len(got.Results)-1]
		if c := got.Count(); last.Status != trace.StatusCancelled || c.Failed != 0 || c.Calls != 1 || len(got.Results) != 2 {
			t.Errorf("exit %s: %+v, %+v", code, c, last)
		}
	}
}

func TestErrorWithStatus(t *testing.T) {
	got := started("").event("task_complete",
		`,"turn_id":"t","error":{"message":"no","codex_error_info":{"http_connection_failed":{"http_status_code":503}}}`).read(t)
	e := bodies[*trace.Error](got)
	if len(e) != 1 || e[0].Code != "http_connection_failed" || e[0].Status != 503 || !e[0].Fatal || e[0].Head != "no" {
		t.Errorf("%+v", e)
	}
}

// TestResumed: where it can be told that another process went on.
func TestResumed(t *testing.T) {
	turn := func(w *written, id, by string) *written {
		return w.event("task_started", `,"turn_id":"`+id+`","turn_attribution":{"turn_trigger":`+by+`}`)
	}
	end := func(w *written) *written { return w.event("task_complete", `,"turn_id":"t"`) }
	two := func(first, second string) *written {
		return turn(end(turn(paginated(`,"source":"cli"`), "a", first)), "b", second)
	}
	tests := []struct {
		name string
		w    *written
		want int
	}{
		{"exec twice", two(`"exec"`, `"exec"`), 1},
		{"typed twice", two(`"user"`, `"user"`), 0},
		{"typed after exec", two(`"exec"`, `"user"`), 1},
		{"not told", two("null", "null"), 0},
		{"killed", turn(turn(paginated(""), "a", `"user"`), "b", `"user"`), 1},
		{"of a sub-agent", turn(end(turn(paginated(`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"`+other+`"}}}`), "a", `"exec"`)), "b", `"exec"`), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			got := test.w.read(t)
			for _, e := range got.Events {
				if m, ok := e.Body.(*trace.Session); ok && m.Marker == trace.Resumed {
					n++
					if e.Inferred == "" {
						t.Error("it does not say from what that was worked out")
					}
				}
			}
			if n != test.want {
				t.Errorf("resumed %d times, want %d", n, test.want)
			}
		})
	}
}

// TestPrompts: of all that stands in the place of a user's message, only what a user or caller wrote counts.
func TestPrompts(t *testing.T) {
	message := func(text string) string {
		return fmt.Sprintf(`"type":"message","id":"m","role":"user","content":[{"type":"input_text","text":%q}]`, text)
	}
	w := started("").
		rec("response_item", message("<environment_context>…")).
		rec("response_item", message("do it")).
		item(`"type":"UserMessage","id":"a","content":[{"type":"text","text":"do it"}]`).
		rec("response_item", message("<skill>\n<name>x</name>\n</skill>")).
		item(`"type":"UserMessage","id":"b","content":[{"type":"text","text":"$greet me"},{"type":"skill","name":"greet","path":"/x"}]`).
		rec("response_item", message("<hook_prompt>go on</hook_prompt>")).
		rec("response_item", message("<turn_aborted>\nstopped\n</turn_aborted>"))
	var got []string
	session := w.read(t)
	for _, e := range session.Events {
		if m, ok := e.Body.(*trace.UserMessage); ok {
			got = append(got, strings.Join([]string{e.By, m.Machine, m.Command, m.Head}, "|"))
		}
	}
	want := "|||do it ||greet|$greet me client|hook||<hook_prompt>go on</hook_prompt>"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	if n := session.Count().Prompts; n != 2 {
		t.Errorf("%d prompts", n)
	}
}

// TestCompactions: two records tell of one, in either order.
func TestCompactions(t *testing.T) {
	item := `"type":"ContextCompaction","id":"c"`
	tests := []struct {
		name string
		w    *written
		want int
	}{
		{"both", started("").rec("compacted", `"message":"sum"`).item(item), 1},
		{"the other way round", started("").item(item).rec("compacted", `"message":"sum"`), 1},
		{"only the item", started("").item(item), 1},
		{"twice", started("").rec("compacted", `"message":"sum"`).item(item).item(`"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"x"}]`).
			rec("compacted", `"message":"sum"`).item(item), 2},
		{"the record twice", started("").rec("compacted", `"message":"sum"`).rec("compacted", `"message":"sum"`), 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if n := test.w.read(t).Count().Compacted; n != test.want {
				t.Errorf("%d compactions, want %d", n, test.want)
			}
		})
	}
}

// TestModels: the model of a response is that of its turn; another one is marked.
func TestModels(t *testing.T) {
	usage := func(w *written, id string) *written {
		return w.rec("token_usage_record", `"thread_id":"`+thread+`","turn_id":"t","response_id":"`+id+
			`","usage":{"input_tokens":1000,"cached_input_tokens":600,"cache_write_input_tokens":100,"output_tokens":20,"reasoning_output_tokens":5,"total_tokens":1020}`)
	}
	w := usage(started("").rec("turn_context", `"model":"one"`), "r1")
	got := usage(w.rec("turn_context", `"model":"one"`).rec("turn_context", `"model":"two"`), "r2").read(t)
	if m := bodies[*trace.Session](got); len(m) != 2 || m[1].Marker != trace.ModelChanged || m[1].Model != "two" {
		t.Errorf("markers %+v", m)
	}
	if r := got.Responses; len(r) != 2 || r[0].Model != "one" || r[1].Model != "two" {
		t.Errorf("responses %+v", r)
	}
	want := trace.Usage{Input: 600, CacheRead: 1200, CacheWrite: 200, Output: 40, Reasoning: 10}
	if got.Usage != want || got.Usage.Total() != 2*1020 {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

// TestTokenCounts: where there are no token_usage_records, an answer is a token_count with another total.
func TestTokenCounts(t *testing.T) {
	count := func(w *written, total, last int) *written {
		tokens := `{"input_tokens":%[1]d,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":%[1]d}`
		return w.event("token_count", `,"info":{"total_token_usage":`+fmt.Sprintf(tokens, total)+`,"last_token_usage":`+fmt.Sprintf(tokens, last)+`}`)
	}
	say := func(w *written) *written {
		return w.item(`"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"x"}]`)
	}
	fork := count(started(`,"forked_from_id":"`+other+`"`), 500, 100) // what it was forked from came to this
	fork = count(count(say(fork), 580, 80), 580, 80)
	fork = count(say(fork), 700, 120)
	got := fork.read(t)
	if got.Usage.Input != 200 || len(got.Responses) != 2 {
		t.Errorf("%d tokens in %d responses, want 200 in 2", got.Usage.Input, len(got.Responses))
	}
	if r := got.Relationships[0]; r.Kind != trace.Fork || r.Related != other || r.Provenance != trace.Explicit {
		t.Errorf("%+v", r)
	}
}

// TestCountedOnce: what a review's, a child's and a fork's rollout repeat counts where it happened.
func TestCountedOnce(t *testing.T) {
	tests := []struct {
		dir                       string
		calls, failed, tokensBoth int
	}{
		{"0.169.0/review", 1, 0, 2 * 120},
		{"0.169.0/subagents-v2", 8, 2, 11 * 120},
		{"0.169.0/subagents-codemode", 8, 2, 11 * 120},
		{"0.130.0/subagent-forked", 5, 0, 7 * 120},
		{"0.130.0/long-command-fork", 3, 1, 7 * 120},
	}
	for _, test := range tests {
		s := tracetest.Read(t, codex.New(), rollouts+"/"+test.dir)
		var sum trace.Counts
		var used trace.Usage
		for _, session := range s.Traces {
			sum.Add(session.Count())
			used.Add(session.Usage)
		}
		if sum.Calls != test.calls || sum.Failed != test.failed || used.Total() != int64(test.tokensBoth) {
			t.Errorf("%s: %d calls, %d failed, %d tokens, want %d, %d, %d", test.dir, sum.Calls, sum.Failed, used.Total(), test.calls, test.failed, test.tokensBoth)
		}
	}
}

// TestSpawned: each sub-agent is named by its parent, with the call that it came of; a review has none.
func TestSpawned(t *testing.T) {
	s := tracetest.Read(t, codex.New(), rollouts)
	n := 0
	for _, child := range s.Traces {
		r := child.Relationships[0]
		if r.Kind != trace.Subagent {
			continue
		}
		n++
		parent := s.Traces[r.Related]
		if parent == nil {
			t.Errorf("%s: no parent %s", child.ID, r.Related)
			continue
		}
		var calls []string
		for _, spawn := range bodies[*trace.SubagentSpawn](parent) {
			if spawn.Session == child.ID {
				calls = append(calls, spawn.Call)
			}
		}
		if len(calls) != 1 || (calls[0] == "") != (r.AgentType == "review") {
			t.Errorf("%s: its parent names it with the calls %q", child.ID, calls)
		}
	}
	if n != 8 {
		t.Errorf("%d sub-agents", n)
	}
}

// TestForkWithinATurn: the end that the client gives to the turn it was forked in is nobody's interrupt.
func TestForkWithinATurn(t *testing.T) {
	fork := paginated(`,"source":"exec","forked_from_id":"`+other+`","history_base":{"thread_id":"`+other+`","end_ordinal_exclusive":7}`).
		event("turn_aborted", `,"turn_id":"the parent's","reason":"interrupted"`)
	if got := fork.read(t); got.Count().Interrupts != 0 || got.Outcome != trace.Unknown {
		t.Errorf("before its first turn: %s, %+v", got.Outcome, got.Count())
	}
	fork.event("task_started", `,"turn_id":"t"`).event("turn_aborted", `,"turn_id":"t","reason":"interrupted"`)
	if got := fork.read(t); got.Count().Interrupts != 1 || got.Outcome != trace.Interrupted {
		t.Errorf("its own turn: %s, %+v", got.Outcome, got.Count())
	}
}

// TestOrigins: what the first record says of where a session came from.
func TestOrigins(t *testing.T) {
	base := `,"history_base":{"thread_id":"` + other + `","end_ordinal_exclusive":7}`
	tests := []struct {
		name, more string
		want       trace.SessionRelationship
	}{
		{"root", `,"source":"cli"`, trace.SessionRelationship{Kind: trace.Root}},
		{"fork", `,"forked_from_id":"` + other + `"` + base, trace.SessionRelationship{Kind: trace.Fork, Related: other}},
		{"child", `,"parent_thread_id":"` + other + `","source":{"subagent":{"thread_spawn":{"agent_path":"/root/alpha","agent_role":"tester"}}}`,
			trace.SessionRelationship{Kind: trace.Subagent, Related: other, AgentID: thread, AgentType: "tester", Description: "/root/alpha"}},
		{"child with history", `,"forked_from_id":"` + other + `","source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + other + `"}}}`,
			trace.SessionRelationship{Kind: trace.Subagent, Related: other, AgentID: thread}},
		{"review", `,"parent_thread_id":"` + other + `","source":{"subagent":"review"}`,
			trace.SessionRelationship{Kind: trace.Subagent, Related: other, AgentID: thread, AgentType: "review"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := paginated(test.more).read(t).Relationships
			if len(got) != 1 {
				t.Fatalf("%d relationships", len(got))
			}
			r := got[0]
			if r.SourceVersion != "0.169.0" || r.Provenance != trace.Explicit || r.Session != thread || r.Time.IsZero() {
				t.Errorf("%+v", r)
			}
			if (r.Kind != test.want.Kind) || r.Related != test.want.Related || r.AgentID != test.want.AgentID || r.AgentType != test.want.AgentType ||
				r.Description != test.want.Description {
				t.Errorf("got %+v\nwant %+v", r, test.want)
			}
		})
	}
}

// TestSegmentOfAChild: what follows a rewind in a sub-agent's thread continues it, and its messages are no prompts either.
func TestSegmentOfAChild(t *testing.T) {
	w := paginated(`,"parent_thread_id":"` + other + `","source":{"subagent":{"thread_spawn":{}}},"history_base":{"thread_id":"` + thread +
		`","end_ordinal_exclusive":7}`).
		item(`"type":"UserMessage","id":"a","content":[{"type":"text","text":"task"}]`)
	dir := t.TempDir()
	const segment = "01a1fd2c-05b3-7ca2-9381-8527f9b63cf2"
	write(t, dir, strings.Replace(rolloutName, ".jsonl", "_"+segment+".jsonl", 1), w.text())
	got := tracetest.Read(t, codex.New(), dir).Traces[segment]
	if got == nil {
		t.Fatal("no such session")
	}
	r := got.Relationships[0]
	if r.Kind != trace.Continuation || r.Related != thread || r.SourceSession != thread || got.Count().Prompts != 0 {
		t.Errorf("%+v, %d prompts", r, got.Count().Prompts)
	}
}
