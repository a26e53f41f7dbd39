package claude_test

import (
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
)

// One response in three records that repeat its usage, of which the last tells all of it, is counted once.
func TestOneRecordPerBlock(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "do")
	part := func(id, parent, block, usage string) {
		d.record("assistant", id, parent, `,"requestId":"req_1","message":{"id":"msg_1","model":"m","stop_reason":"tool_use","content":[`+block+`],"usage":`+usage+
			`}`)
	}
	part("1", "p1", `{"type":"thinking","thinking":"hm","signature":"s"}`,
		`{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":11,"output_tokens":1}`)
	part("2", "1", `{"type":"text","text":"I look"}`, `{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":11,"output_tokens":1}`)
	part("3", "2", `{"type":"tool_use","id":"c3","name":"Read","input":{"file_path":"/p/a"}}`,
		`{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":11,"output_tokens":13,"output_tokens_details":{"thinking_tokens":3}}`)
	tr := d.only(t)
	tells(t, tr, "user agent agent call:Read")
	if want := (trace.Usage{Input: 5, CacheWrite: 7, CacheRead: 11, Output: 13, Reasoning: 3}); len(tr.Responses) != 1 || tr.Usage != want {
		t.Errorf("%d responses, %+v", len(tr.Responses), tr.Usage)
	}
	if r := tr.Responses[0]; r.ID != "msg_1" || r.Event != 2 || r.Stop != "tool_use" || r.Model != "m" {
		t.Errorf("%+v", r)
	}
	if !tr.Events[1].Body.(*trace.AgentMessage).Thought || tr.Events[2].Body.(*trace.AgentMessage).Thought {
		t.Error("the thought")
	}
	if a := tr.Events[2].Body.(*trace.AgentMessage); a.Length != 6 || a.Response != "msg_1" {
		t.Errorf("%+v", a)
	}
}

// What a price depends on: the life of cache writes, searches, tier, place and branch.
func TestWhatAResponseCosts(t *testing.T) {
	for name, c := range map[string]struct {
		usage string
		want  trace.Response
	}{
		"the parts of the writes": {`"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_1h_input_tokens":4,"ephemeral_5m_input_tokens":3}`,
			trace.Response{Usage: trace.Usage{Input: 1, Output: 1, CacheWrite: 7, CacheWrite5m: 3, CacheWrite1h: 4}}},
		"parts that are more than the whole": {`"cache_creation_input_tokens":6,"cache_creation":{"ephemeral_1h_input_tokens":4,"ephemeral_5m_input_tokens":3}`,
			trace.Response{Usage: trace.Usage{Input: 1, Output: 1, CacheWrite: 6}}},
		"searches": {`"server_tool_use":{"web_search_requests":2,"web_fetch_requests":1}`,
			trace.Response{Usage: trace.Usage{Input: 1, Output: 1, Searches: 2}}},
		"the standard":           {`"service_tier":"standard","speed":"standard","inference_geo":""`, trace.Response{Usage: trace.Usage{Input: 1, Output: 1}}},
		"null":                   {`"service_tier":null,"speed":null,"inference_geo":null`, trace.Response{Usage: trace.Usage{Input: 1, Output: 1}}},
		"fast":                   {`"service_tier":"standard","speed":"fast"`, trace.Response{Tier: "fast", Usage: trace.Usage{Input: 1, Output: 1}}},
		"fast, whatever follows": {`"speed":"fast","service_tier":"priority"`, trace.Response{Tier: "fast", Usage: trace.Usage{Input: 1, Output: 1}}},
		"another tier":           {`"service_tier":"batch"`, trace.Response{Tier: "batch", Usage: trace.Usage{Input: 1, Output: 1}}},
		"a place":                {`"inference_geo":"us"`, trace.Response{Geo: "us", Usage: trace.Usage{Input: 1, Output: 1}}},
	} {
		d := newDraft(one)
		d.text("p1", "", "do")
		d.record("assistant", "1", "p1",
			`,"gitBranch":"fix/cart","message":{"id":"msg_1","model":"m","role":"assistant","content":"old","stop_reason":null,"usage":{"input_tokens":1,`+
				`"output_tokens":1,`+c.usage+`}}`)
		got := d.only(t).Responses[0]
		if got.Usage != c.want.Usage || got.Tier != c.want.Tier || got.Geo != c.want.Geo || got.Branch != "fix/cart" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Another model answers; tools that the provider runs; a content that is a text.
func TestResponses(t *testing.T) {
	d := newDraft(one)
	d.turn = ""
	d.text("p1", "", "do")
	d.says("1", "p1",
		`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"s1",`+
			`"content":[{"type":"web_search_result"}]},`+
			`{"type":"server_tool_use","id":"s2","name":"web_search","input":{"query":"y"}},{"type":"web_search_tool_result","tool_use_id":"s2",`+
			`"content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}`, "end_turn")
	d.record("assistant", "2", "1",
		`,"costUSD":0.5,"message":{"id":"msg_2","model":"other","role":"assistant","content":"old","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
	tr := d.only(t)
	tells(t, tr, "user call:web_search result:completed call:web_search result:errored model_changed agent")
	if m := tr.Events[5].Body.(*trace.Session); m.Model != "other" || tr.Responses[1].Model != "other" || tr.Usage.CostUSD != 0.5 {
		t.Errorf("%+v, %+v", m, tr.Usage)
	}
	if r := tr.Results[1]; r.Head != "max_uses_exceeded" {
		t.Errorf("%+v", r)
	}
	if tr.Outcome != trace.Unknown {
		t.Errorf("the client does not say whether it goes on: %s", tr.Outcome)
	}
}

func TestTools(t *testing.T) {
	for tool, want := range map[string]trace.ToolType{
		"Bash": trace.ShellTool, "BashOutput": trace.ShellTool, "Read": trace.ReadTool, "Write": trace.EditTool, "MultiEdit": trace.EditTool,
		"NotebookEdit": trace.EditTool,
		"Grep":         trace.SearchTool, "WebFetch": trace.WebTool, "WebSearch": trace.WebTool, "mcp__x__y": trace.MCPTool, "Agent": trace.AgentTool,
		"Task":      trace.AgentTool,
		"TodoWrite": trace.OtherTool, "TaskCreate": trace.OtherTool, "Skill": trace.OtherTool, "made up": trace.OtherTool,
	} {
		d := newDraft(one)
		d.text("p1", "", "do")
		d.calls("1", "p1", tool, `{"file_path":"/p/a/b","command":"make\nall"}`)
		c := d.only(t).Calls()[0].Call
		if c.Type != want || c.Tool != tool || c.Path != "a/b" || (c.Head == "make all") != (want == trace.ShellTool) {
			t.Errorf("%s: %+v", tool, c)
		}
	}
}

// Nothing of a secret reaches a trace, wherever it stands.
func TestSecrets(t *testing.T) {
	secret := "gh" + "p_" + "x7Kq2mZ9tR4vB8nL1c" + "D6wF3hJ5sG0pYaQeUi"
	d := newDraft(one)
	d.text("p1", "", "my token is "+secret)
	d.calls("1", "p1", "Bash", `{"command":"curl -H 'Authorization: Bearer `+secret+`'","description":"`+secret+`"}`)
	d.result("r1", "1", `"Exit code 7\n`+secret+` was refused"`, true)
	d.calls("2", "r1", "Agent", `{"description":"`+secret+`","prompt":"`+secret+`","subagent_type":"`+secret+`"}`)
	d.calls("3", "2", secret, `{"file_path":"/p/`+secret+`"}`)
	d.record("assistant", "e", "3", `,"message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"bad key `+secret+`"}]},"error":"`+secret+
		`","isApiErrorMessage":true`)
	tr := d.only(t)
	if data := asJSON(t, tr); strings.Contains(data, secret) {
		t.Errorf("it is in %s", data)
	}
	if tr.Scrub.Redacted == 0 || tr.Results[0].ExitCode == nil || *tr.Results[0].ExitCode != 7 {
		t.Errorf("%+v, %+v", tr.Scrub, tr.Results[0])
	}
}

// Of large records a trace holds ids and digests, and nothing that keeps the lines alive.
func TestHeld(t *testing.T) {
	world.Unshared(t)
	big := strings.Repeat("x", 1<<20)
	d := newDraft(one)
	d.text("p1", "", big)
	d.record("attachment", "s", "p1", `,"attachment":{"type":"prompt_snapshot","systemPrompt":["`+big+`"]}`)
	d.calls("1", "s", "Write", `{"file_path":"/p/a","content":"`+big+`"}`)
	d.result("r1", "1", `"`+big+`"`, false, `,"toolUseResult":{"type":"create","filePath":"/p/a","content":"`+big+`"}`)
	d.calls("2", "r1", "Bash", `{"command":"`+big+`"}`)
	d.result("r2", "2", `"`+big+`"`, true)
	d.text("n", "r2", "<task-notification>\n<tool-use-id>c2</tool-use-id>\n<status>failed</status>\n<summary>"+big+"</summary>\n</task-notification>")
	d.says("a", "n", `{"type":"text","text":"`+big+`"}`, "end_turn")
	path := d.write(t, t.TempDir())
	if held, traces := tracetest.Held(t, claude.New(), path); len(traces) != 1 || held > 512<<10 {
		t.Errorf("%d traces hold %d bytes of 10 MiB", len(traces), held)
	}
}
