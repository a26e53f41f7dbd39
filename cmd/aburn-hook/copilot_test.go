package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	lab "aburn/internal/lab/world"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// newCopilot is a world in which Copilot starts: none of its hooks has Claude Code's variable.
func newCopilot(t *testing.T) *world {
	w := newWorld(t)
	w.env = []string{"HOME=" + w.Home, "COPILOT_CLI_BINARY_VERSION=1.0.102"}
	return w
}

// callID is an id that a hook gave to a call.
var callID = regexp.MustCompile(`("tool_use_id":")([0-9a-f]{8})-[0-9a-z]+(?:-\d+)?`)

// inputOfPath is the hash of an input with a path in this test's own home.
var inputOfPath = regexp.MustCompile(`"path":"[^"]*","input":"([0-9a-f]{8})"`)

// Every session of Copilot that was recorded, all hook calls in their order through the real executable, with the
// transcript as far as it was written at each call.
func TestCopilotSequences(t *testing.T) {
	lab.Slow(t)
	names, err := filepath.Glob("../../hooks/copilot/testdata/sequences/*.tsv")
	if err != nil || len(names) < 4 {
		t.Fatalf("%d sequences, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".tsv"), func(t *testing.T) {
			t.Parallel()
			w := newCopilot(t)
			payloads, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			transcript, err := os.ReadFile(strings.TrimSuffix(name, ".tsv") + ".events.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			_, first, _ := strings.Cut(string(payloads), "\t")
			session := gjson.Get(first, "sessionId").Str
			for line := range strings.Lines(string(payloads)) {
				event, payload, _ := strings.Cut(line, "\t")
				w.Write(".copilot/session-state/"+session+"/events.jsonl", strings.ReplaceAll(written(string(transcript), payload), "/home/user", w.Home))
				if out := w.send("copilot "+event, payload); out != "" {
					t.Errorf("%s printed %s", event, out)
				}
			}
			log := string(w.normalized())
			numbers := map[string]int{}
			log = callID.ReplaceAllStringFunc(log, func(id string) string {
				if numbers[id] == 0 {
					numbers[id] = len(numbers) + 1
				}
				return callID.ReplaceAllString(id, fmt.Sprintf("${1}${2}-#%d", numbers[id]))
			})
			for _, found := range inputOfPath.FindAllStringSubmatch(log, -1) {
				log = strings.ReplaceAll(log, found[1], "…")
			}
			golden(t, filepath.Join("testdata", "copilot", filepath.Base(strings.TrimSuffix(name, ".tsv"))+".golden"), []byte(log))
		})
	}
}

// written is the transcript as it was when the payload was made.
func written(transcript, payload string) string {
	at := time.UnixMilli(gjson.Get(payload, "timestamp").Int())
	var b strings.Builder
	for record := range strings.Lines(transcript) {
		if made, err := time.Parse(time.RFC3339, gjson.Get(record, "timestamp").Str); err != nil || made.After(at) {
			break
		}
		b.WriteString(record)
	}
	return b.String()
}

func copilotPayload(members string) string {
	return `{"sessionId":"s1","timestamp":1795343477345,"cwd":"/home/user/project"` + comma(members) + "}\n"
}

// Copilot runs the hooks of a repository's .claude/settings.json and leaves their arguments out: a bare aburn-hook. It
// sends Claude Code's form, but not to Claude Code's hook, so nothing is recorded and nothing said.
func TestCopilotRunsClaudeSettings(t *testing.T) {
	w := newWorld(t)
	w.env = append(w.env, "COPILOT_CLI=1")
	w.trust()
	w.put(queue.Task{Session: "b1f4e6f0-6baa-41ee-97c7-31531674f148", Prompt: "be careful", Source: "test"})
	payloads, err := os.ReadFile("../../hooks/copilot/testdata/claude-settings.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(payloads)) {
		event, payload, _ := strings.Cut(line, "\t")
		if out := w.send("", payload); out != "" {
			t.Errorf("%s printed %s", event, out)
		}
		n++
	}
	if got := w.events(); got != "" || n < 7 {
		t.Errorf("%d payloads left %s", n, got)
	}
}

// The client has a name for the shell of each command only in its last line, which the command cannot write.
func TestCopilotExitCodes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`hi\n<shellId: 0 completed with exit code 0>`, `TOOL 0 `},
		{`<shellId: 12 completed with exit code 0>`, `TOOL 0 `},
		{`\n<shellId: 0 completed with exit code 7>`, `TOOL_FAILED 7 `},
		{`<shellId: 0 completed with exit code 0>\nout\n<shellId: 1 completed with exit code 3>`, `TOOL_FAILED 3 `},
		{`<shellId: 1 completed with exit code 3>\nand more`, `TOOL  unknown`},
		{`<shellId: 1 completed with exit code 3>\n<shellId: 1 is gone>`, `TOOL  unknown`},
		{`no such line`, `TOOL  unknown`},
		{``, `TOOL  unknown`},
		{`<command started in background with shellId: 1>`, `TOOL  true`},
		{`<command with shellId: 1 moved to background by the user. You will be automatically notified when it completes.>`, `TOOL  true`},
	} {
		w := newCopilot(t)
		w.send("copilot postToolUse", copilotPayload(`"toolName":"bash","toolArgs":{"command":"make"},"toolResult":{"resultType":"success","textResultForLlm":"`+
			c.text+`"}`))
		e := w.last()
		if got := fmt.Sprintf("%s %s %s%s", e.Event, get(e, "exit_code").Raw, get(e, "outcome").Str, get(e, "background").Raw); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Calls have no ids. Equal ones that run at once still begin and end as often as the client says, and an end goes to the
// newest call of its tool and input.
func TestCopilotCallsWithoutIDs(t *testing.T) {
	w := newCopilot(t)
	call := func(event, command string) {
		w.send("copilot "+event, copilotPayload(`"toolName":"bash","toolArgs":{"command":"`+command+`"}`))
	}
	call("preToolUse", "a") // denied: it gets no end
	call("preToolUse", "b")
	call("preToolUse", "a")
	call("preToolUse", "a")
	call("postToolUse", "a")
	call("postToolUse", "b")
	call("postToolUse", "a")
	call("postToolUse", "c") // whose start is not in the log
	var ids []string
	for _, e := range w.entries() {
		ids = append(ids, get(e, "tool_use_id").Str)
	}
	if len(ids) != 8 || ids[4] != ids[3] || ids[5] != ids[1] || ids[6] != ids[2] || ids[7] != "" || ids[0] == ids[2] || ids[2] == ids[3] {
		t.Errorf("ids are %q", ids)
	}
}

// Advice comes with the next prompt of the session itself, once. At a turn's end it comes if the user wants that, and
// never to a turn that a hook prolonged already; the prompt that follows from it is a machine's.
func TestCopilotAdvice(t *testing.T) {
	w := newCopilot(t)
	w.trust()
	w.put(queue.Task{Session: "s1", Prompt: "be careful", Source: "test"})
	const child = `"prompt":"task","agentId":"s1-child","agentType":"explore","parentAgentId":"s1"`
	if out := w.send("copilot userPromptSubmitted", strings.Replace(copilotPayload(child), `"s1"`, `"s1-child"`, 1)); out != "" {
		t.Errorf("a sub-agent is told %s", out)
	}
	for _, want := range []int{1, 0} {
		out := w.send("copilot userPromptSubmitted", copilotPayload(`"prompt":"go"`))
		text := gjson.Get(out, "additionalContext").Str
		if strings.Count(text, "be careful") != want || strings.Count(out, `":`) != want {
			t.Errorf("with a prompt: %s", out)
		}
	}

	w.put(queue.Task{Session: "s1", Prompt: "stop that", Priority: queue.Critical, Source: "test"})
	if out := w.send("copilot agentStop", copilotPayload(`"stopReason":"end_turn","stop_hook_active":false`)); out != "" {
		t.Errorf("at a turn's end, without the setting: %s", out)
	}
	w.Write(".config/aburn/settings.json", `{"deliver":{"at_stop":true}}`)
	if out := w.send("copilot agentStop", copilotPayload(`"stopReason":"end_turn","stop_hook_active":true`)); out != "" {
		t.Errorf("at the end of a prolonged turn: %s", out)
	}
	out := w.send("copilot agentStop", copilotPayload(`"stopReason":"end_turn","stop_hook_active":false`))
	reason := gjson.Get(out, "reason").Str
	if gjson.Get(out, "decision").Str != "block" || !strings.Contains(reason, "stop that") {
		t.Errorf("at a turn's end: %s", out)
	}
	w.send("copilot userPromptSubmitted", copilotPayload(`"prompt":`+string(logfmt.AppendString(nil, reason))))
	for _, e := range w.entries() {
		if e.Event == logfmt.Prompt && strings.HasPrefix(get(e, "head").Str, "From aburn") && !get(e, "machine").Bool() {
			t.Errorf("our own text counts as a person's: %s", e.Data)
		}
	}
}

// A payload in Cursor's form, or VS Code's, is another client's, whatever the argument says.
func TestCopilotForeign(t *testing.T) {
	w := newCopilot(t)
	for _, members := range []string{`"hookEventName":"PreToolUse"`, `"hookName":"permissionRequest"`, `"cursor_version":"1"`} {
		w.send("copilot preToolUse", copilotPayload(members))
	}
	w.send("copilot permissionRequest", copilotPayload(`"toolName":"bash"`))
	if got := w.events(); got != "" {
		t.Error(got)
	}
	w.send("copilot somethingNew", copilotPayload(`"count":3,"text":"not prose, but it could be"`))
	e := w.last()
	if e.Event != "SOMETHING_NEW" || get(e, "fields.count").Int() != 3 || get(e, "fields.text").Str != "" {
		t.Errorf("an unknown event: %s %s", e.Event, e.Data)
	}
}

// A session that loops is told so after the call that makes it certain, if the user wants that.
func TestCopilotInTurn(t *testing.T) {
	w := inTurn(t, `["loop"]`)
	w.env = []string{"HOME=" + w.Home}
	w.send("copilot userPromptSubmitted", copilotPayload(`"prompt":"go"`))
	var told []string
	for range 8 {
		const call = `"toolName":"bash","toolArgs":{"command":"./deploy"}`
		w.send("copilot preToolUse", copilotPayload(call))
		out := w.send("copilot postToolUse",
			copilotPayload(call+`,"toolResult":{"resultType":"success","textResultForLlm":"<shellId: 0 completed with exit code 0>"}`))
		told = append(told, strings.Repeat("|", strings.Count(gjson.Get(out, "additionalContext").Str, "aburn task "))+".")
	}
	if got := strings.Join(told, " "); got != ". . . . . |. . ." {
		t.Errorf("told %s, the log has\n%s", got, w.events())
	}
}
