//go:build agents

package realagents

import (
	"net/http"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// Holds claude: denied.
func TestClaudeDenied(t *testing.T) {
	scenario{
		files: map[string]string{".claude/settings.json": `{"permissions": {"deny": ["Bash(touch forbidden*)"]},
			"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q refused && { echo not here >&2; exit 2; }; exit 0"}]}]}}`},
		script: one(
			model.Calls(bash("touch forbidden.txt")),         // by a rule
			model.Calls(bash("curl http://example.invalid")), // nobody is there to be asked
			model.Calls(bash("echo refused")),                // by somebody else's hook
			model.Calls(bash("touch b.txt")),
			model.Calls(bash("echo allowed")),
			model.Text("all done"),
		),
		play: func(w *world) {
			w.claude("do the thing", "--session-id", sessionA, "--permission-mode", "default", "--allowedTools", "Bash(echo:*)")
		},
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL_DENIED -
			toolu_main_1_0 TOOL_DENIED -
			toolu_main_2_0 TOOL_DENIED -
			toolu_main_3_0 TOOL_DENIED -
			toolu_main_4_0 TOOL 0`,
		check: func(w *world) {
			// Two of them would have been asked about, had there been somebody.
			w.order(sessionA, "SESSION_START PROMPT PERMISSION PERMISSION STOP SESSION_END")
		},
	}.run(t)
}

// Holds claude: resume.
func TestClaudeResumeAndFork(t *testing.T) {
	scenario{
		script: one(
			model.Calls(bash("echo first")), model.Text("one done"),
			model.Calls(bash("echo second")), model.Text("two done"),
			model.Calls(bash("echo third")), model.Text("three done"),
		),
		play: func(w *world) {
			w.claude("first", free(sessionA)...)
			w.claude("second", "--dangerously-skip-permissions", "--resume", sessionA)
			w.claude("third", "--dangerously-skip-permissions", "--resume", sessionA, "--fork-session", "--session-id", sessionB)
		},
		transcript: func(w *world) []call { return w.claudeCalls(sessionA, sessionB) },
		calls: `
			toolu_main_0_0 TOOL 0
			toolu_main_2_0 TOOL 0
			toolu_main_4_0 TOOL 0`,
		check: func(w *world) {
			w.order(sessionA, "SESSION_START PROMPT STOP SESSION_END SESSION_START PROMPT STOP SESSION_END")
			w.order(sessionB, "SESSION_START PROMPT STOP SESSION_END")
			var sources []string
			for _, e := range of(w.entries(w.project), logfmt.SessionStart) {
				sources = append(sources, datum(e, "source"))
			}
			if got := strings.Join(sources, " "); got != "startup resume fork" {
				w.Errorf("sessions started by %q", got)
			}
		},
	}.run(t)
}

func TestClaudeCompaction(t *testing.T) {
	scenario{
		script: func() model.Script {
			return model.Script{
				{Name: "summary", When: model.Contains("CRITICAL: Respond with TEXT ONLY"), Repeat: true,
					Turns: []model.Turn{model.Text("<summary>so far so good</summary>")}},
				{Name: "main", Turns: []model.Turn{
					model.Text("one done"),
					{Text: "two done", Usage: model.Usage{Input: 190000}},
					model.Calls(bash("echo after")), model.Text("three done"),
					model.Calls(bash("echo later")), model.Text("four done"),
				}},
			}
		},
		prepare: func(w *world) { w.more = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"} },
		play: func(w *world) {
			resume := []string{"--dangerously-skip-permissions", "--resume", sessionA}
			w.claude("first", free(sessionA)...)
			w.claude("second", resume...)
			w.claude("third", resume...) // is compacted by the client's own will
			w.claude("/compact keep names", resume...)
			w.claude("fourth", resume...)
		},
		transcript: claudeCalls,
		calls: `
			toolu_main_2_0 TOOL 0
			toolu_main_4_0 TOOL 0`,
		check: func(w *world) {
			w.order(sessionA, "SESSION_START PROMPT STOP SESSION_END SESSION_START PROMPT STOP SESSION_END "+
				"SESSION_START PROMPT COMPACT SESSION_START COMPACT STOP SESSION_END "+
				"SESSION_START COMPACT SESSION_START COMPACT SESSION_END SESSION_START PROMPT STOP SESSION_END")
			if spawned, ended := w.agentLives(); len(spawned)+len(ended) != 0 {
				w.Errorf("the compaction helper is logged as an agent: %v %v", spawned, ended)
			}
		},
	}.run(t)
}

func TestClaudeAPIError(t *testing.T) {
	limit := model.Turn{Failure: &model.Failure{Status: 429, Type: "rate_limit_error", Message: "slow down", Header: http.Header{"X-Should-Retry": {"false"}}}}
	scenario{
		script:     one(append([]model.Turn{model.Calls(bash("echo before"))}, model.Times(6, limit)...)...),
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		transcript: claudeCalls,
		calls:      `toolu_main_0_0 TOOL 0`,
		check: func(w *world) {
			// The client does not wait for StopFailure: it may be missing, and nothing may stand in for it.
			switch got := events(inSession(w.entries(w.project), sessionA)); got {
			case "SESSION_START PROMPT TURN_FAILED SESSION_END", "SESSION_START PROMPT SESSION_END", "SESSION_START PROMPT SESSION_END TURN_FAILED":
			default:
				w.Errorf("events: %s", got)
			}
		},
	}.run(t)
}

func TestClaudeKilledInATool(t *testing.T) {
	scenario{
		script: one(
			model.Calls(bash("echo finished")),
			model.Calls(bash(untilEnd)),
			model.Calls(bash("echo resumed")), model.Text("all done"),
		),
		play: func(w *world) {
			p := w.startClaude(w.project, "do the thing", free(sessionA)...)
			w.killIn(p, "toolu_main_1_0")
			w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA)
		},
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL 0
			toolu_main_1_0 open -
			toolu_main_2_0 TOOL 0`,
		unequal: "with aburn the model is told, at the next prompt, that the call was erased",
		check: func(w *world) {
			w.order(sessionA, "SESSION_START PROMPT SESSION_START PROMPT INTERVENTION DELIVERED STOP DELIVERED SESSION_END")
			if told := w.asked(2); !told.Contains("killed_tool") {
				w.Errorf("the third request does not tell of the erased call")
			}
		},
	}.run(t)
}
