package gemini

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/internal/recent"
)

// The words about a command's end stand behind its output, which may look like them.
func TestShellEndings(t *testing.T) {
	wrap := func(text string) string { return `"<untrusted_context>\n` + text + `\n</untrusted_context>"` }
	for _, c := range []struct{ content, display, want string }{
		{wrap(`Output: hi\nProcess Group PGID: 7`), `"hi"`, "TOOL 0"},
		{wrap(`Output: (empty)\nExit Code: 7\nProcess Group PGID: 7`), `""`, "TOOL_FAILED 7"},
		{wrap(`Output: x\nExit Code: 0\nProcess Group PGID: 7`), `"x\nExit Code: 0"`, "TOOL 0"},
		{wrap(`Output: x\nExit Code: 3\nProcess Group PGID: 7`), `"x\nExit Code: 3"`, "TOOL 0"},
		{wrap(`Output: x\nExit Code: 3\nProcess Group PGID: 7`), `[[{"text":"x"}],[{"text":"Exit Code: 3"}]]`, "TOOL unknown"},
		{wrap(`Output: x\nSignal: 9\nProcess Group PGID: 7`), `"x"`, "TOOL_FAILED Signal: 9"},
		{wrap(`Output: x\nExit Code: 137\nSignal: 9\nBackground PIDs: 8\nProcess Group PGID: 7`), `"x"`, "TOOL_FAILED 137 Signal: 9"},
		{wrap(`Output: cut`), `"cut"`, "TOOL unknown"},
		{wrap(`Command was cancelled by user before it could complete.`), `"Command cancelled by user."`, "TOOL_FAILED interrupted"},
		{wrap(`Command was automatically cancelled because it exceeded the timeout`), `""`,
			"TOOL_FAILED killed Command was automatically cancelled because it exceeded the timeout"},
		{`"Command moved to background (PID: 7)"`, `""`, "TOOL background"},
		{`"Command injection detected: command substitution"`, `"Blocked"`, "TOOL_DENIED Command injection detected: command substitution"},
		{`"anything else"`, `""`, "TOOL unknown"},
	} {
		p, err := hooks.ParsePayload([]byte(`{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_response":{"llmContent":` + c.content +
			`,"returnDisplay":` + c.display + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := words(endOf(p)); got != c.want {
			t.Errorf("%s: %s, want %s", c.content, got, c.want)
		}
	}
}

func words(e ending) string {
	parts := []string{string(e.event)}
	if e.exited {
		parts = append(parts, fmt.Sprint(e.code))
	}
	for _, text := range []string{e.outcome, e.status, e.error, e.reason} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// A call without AfterTool ends as the transcript says, if it says anything of a call that ended after this one began.
// Otherwise only the turn's end ends it, as one of which nothing more is known.
func TestClosing(t *testing.T) {
	began := time.Date(2026, 11, 22, 10, 0, 5, 0, time.UTC)
	input := hooks.InputKey(`{"command":"ls"}`)
	record := func(second int, status, result string) string {
		return fmt.Sprintf(`{"id":"m","type":"gemini","toolCalls":[{"id":"x","name":"run_shell_command","args":{"command":"ls"},"status":%q,`+
			`"timestamp":"2026-11-22T10:00:%02d.000Z","result":[{"functionResponse":{"response":{"error":%q}}}]}]}`, status, second, result) + "\n"
	}
	for _, c := range []struct{ name, transcript, prompt, turn string }{
		{"nothing", "", "", "TOOL unknown turn"},
		{"an equal call before it", record(3, "cancelled", "no"), "", "TOOL unknown turn"},
		{"another call", strings.ReplaceAll(record(9, "cancelled", "no"), `"ls"`, `"rm x"`), "", "TOOL unknown turn"},
		{"refused by the user", record(9, "cancelled", "[Operation Cancelled]"), "TOOL_DENIED [Operation Cancelled] transcript", ""},
		{"blocked by a hook", record(9, "error", "Tool execution blocked: not here"), "TOOL_DENIED Tool execution blocked: not here transcript", ""},
		{"denied by a rule", record(9, "error", "Tool execution denied by policy."), "TOOL_DENIED Tool execution denied by policy. transcript", ""},
		{"failed", record(9, "error", "no such thing"), "TOOL_FAILED no such thing transcript", ""},
		{"the first of two", record(9, "error", "first") + record(11, "cancelled", "second"), "TOOL_FAILED first transcript", ""},
		{"AfterTool was lost", record(9, "success", ""), "TOOL unknown turn", ""},
		{"it still runs", record(9, "executing", ""), "", "TOOL unknown turn"},
	} {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, []byte(c.transcript), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, ended := range []bool{false, true} {
			calls := &recent.Calls{Open: []hooks.Call{{Time: began, ToolUseID: "t1", Tool: shellTool, Head: "ls", Input: input}}}
			cl := &closer{transcript: path, ended: ended}
			got := ""
			if cl.Prepare(calls) {
				for _, d := range cl.Close(calls) {
					data := gjson.ParseBytes(d.Data.Bytes())
					got = string(d.Event)
					for _, member := range []string{"outcome", "error", "reason", "inferred"} {
						got += " " + data.Get(member).Str
					}
					got = strings.Join(strings.Fields(got), " ")
				}
			}
			want := c.prompt
			if ended && c.turn != "" {
				want = c.turn
			}
			if got != want {
				t.Errorf("%s, the turn ended: %v: %q, want %q", c.name, ended, got, want)
			}
		}
	}
}

// A refused sub-agent ends with its call.
func TestClosingOfASubAgent(t *testing.T) {
	calls := &recent.Calls{Open: []hooks.Call{{ToolUseID: "t1", Tool: nests}}}
	cl := &closer{ended: true}
	if !cl.Prepare(calls) {
		t.Fatal("nothing is closed")
	}
	var got []string
	for _, d := range cl.Close(calls) {
		got = append(got, string(d.Event))
	}
	if strings.Join(got, " ") != "AGENT_COMPLETE TOOL" {
		t.Errorf("%v", got)
	}
}
