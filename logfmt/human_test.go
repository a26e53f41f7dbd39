package logfmt

import (
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// One line of the table is one entry in a short notation, `cmd[:phase]:EVENT
// [@agent]` with its data, and the line that a person sees.
var humanLines = []struct{ entry, data, want string }{
	// lifecycle
	{"build:START", ``, "# BUILD:START"},
	{"build:START", `{"args":"the login form"}`, "# BUILD:START - the login form"},
	{"build:RED:PHASE_START", ``, "# BUILD:RED:START"},
	{"build:RED:PHASE_COMPLETE", `{"details":"Wrote 3 failing tests"}`, "# BUILD:RED:COMPLETE - Wrote 3 failing tests"},
	{"build:RED:COMPLETE", `{"details":"Wrote 3 failing tests"}`, "# BUILD:RED:COMPLETE - Wrote 3 failing tests"},
	{"build:RED:COMPLETE", `{"details":{"tests":3,"files":["a"],"ok":true}}`, "# BUILD:RED:COMPLETE - tests=3, ok=true"},
	{"build:PHASE_START", ``, "# BUILD:PHASE_START"},
	{"build:MILESTONE", `{"description":"Parser done","metrics":{"tests":12,"coverage":81.5}}`, "# BUILD:MILESTONE - Parser done (tests=12, coverage=81.5)"},
	{"plan:COMPLETE", `{"summary":"Two slices","outputs":["docs/plan.md"],"next_suggested":"build"}`, "# PLAN:COMPLETE - Two slices -> docs/plan.md; next: build"},
	{"plan:COMPLETE", `{"summary":"S","outputs":[{"path":"a","bytes":1},"b",{"path":"c"},"d","e"]}`, "# PLAN:COMPLETE - S -> a, b, c, +2"},
	{"plan:COMPLETE", `{"outputs":[{"path":"a"}]}`, "# PLAN:COMPLETE - -> a"},
	{"build:FAILED", `{"error":"3 tests fail","recoverable":true,"suggestion":"run them alone"}`, "# BUILD:FAILED - 3 tests fail; try: run them alone"},
	{"build:GREEN:FAILED", `{"error":"3 tests fail"}`, "# BUILD:GREEN:FAILED - 3 tests fail"},
	{"build:AGENT_SPAWN @Explore", `{"agent_id":"a1","agent_type":"Explore","task":"find the tests","background":true}`,
		"# BUILD:AGENT_SPAWN - Explore in the background: find the tests"},
	{"build:AGENT_COMPLETE @Explore", `{"agent_id":"a1","agent_type":"Explore","status":"failed","error":"no model"}`,
		"# BUILD:AGENT_COMPLETE - Explore (failed): no model"},
	{"build:AGENT_SPAWN", `{"agent_id":"a1"}`, "# BUILD:AGENT_SPAWN - a1"},
	// hooks
	{"session:SESSION_START", `{"source":"startup","client":"claude","client_version":"2.1.329"}`, "# SESSION:SESSION_START - claude 2.1.329 (startup)"},
	{"session:SESSION_END", `{"reason":"prompt_input_exit"}`, "# SESSION:SESSION_END - prompt_input_exit"},
	{"session:PROMPT", `{"head":"fix the flaky test","chars":18}`, "# SESSION:PROMPT - fix the flaky test"},
	{"session:PROMPT", `{"head":"fix the flaky…","chars":1204,"machine":true}`, "# SESSION:PROMPT - [machine] fix the flaky… (1204 characters)"},
	{"session:COMMAND", `{"command":"build","args_chars":12}`, "# SESSION:COMMAND - /build (12 characters of arguments)"},
	{"build:RED:TOOL_START", `{"tool":"Bash","head":"go test ./..."}`, "# BUILD:RED:TOOL_START - Bash: go test ./..."},
	{"build:RED:TOOL", `{"tool":"Bash","head":"go test ./...","exit_code":0,"duration_ms":1234}`, "# BUILD:RED:TOOL - Bash: go test ./... (1.2s)"},
	{"build:RED:TOOL", `{"tool":"Edit","path":"logfmt/entry.go","bytes":4300,"duration_ms":12}`, "# BUILD:RED:TOOL - Edit: logfmt/entry.go (12ms, 4.2 KB)"},
	{"build:TOOL", `{"tool":"Bash","head":"make","background":true}`, "# BUILD:TOOL - Bash: make (in the background)"},
	{"build:TOOL", `{"tool":"shell","head":"ls","outcome":"unknown","inferred":"transcript"}`, "# BUILD:TOOL - shell: ls (unknown, from the transcript)"},
	{"build:TOOL", `{"tool":"Bash","head":"grep x y","exit_code":1,"outcome":"ok","duration_ms":61000}`, "# BUILD:TOOL - Bash: grep x y (exit 1, 1m01s)"},
	{"build:TOOL @Explore", `{"tool":"Read","path":"a.go"}`, "# BUILD:TOOL - [Explore] Read: a.go"},
	{"build:TOOL_FAILED", `{"tool":"Bash","head":"go test","exit_code":1,"duration_ms":3723000,"error":"--- FAIL: TestX\nexit 1"}`,
		"# BUILD:TOOL_FAILED - Bash: go test (exit 1, 1h02m): --- FAIL: TestX exit 1"},
	{"session:TOOL_DENIED", `{"tool":"Bash","head":"rm -rf x","reason":"by the user"}`, "# SESSION:TOOL_DENIED - Bash: rm -rf x: by the user"},
	{"session:PERMISSION", `{"tool":"Bash","head":"rm x"}`, "# SESSION:PERMISSION - Bash: rm x"},
	{"session:NOTIFY", `{"type":"idle_prompt","head":"Claude is waiting"}`, "# SESSION:NOTIFY - idle_prompt: Claude is waiting"},
	{"session:STOP", `{"hook_us":412,"lock_us":3}`, "# SESSION:STOP"},
	{"session:TURN_FAILED", `{"error":"overloaded","reason":"529 Overloaded"}`, "# SESSION:TURN_FAILED - overloaded: 529 Overloaded"},
	{"session:INTERRUPT", `{"proc":{"pid":7}}`, "# SESSION:INTERRUPT"},
	{"session:CWD_CHANGED", `{"hook":"CwdChanged","fields":{"old_cwd":"/a","new_cwd":"/a/sub"},"hook_us":7}`,
		"# SESSION:CWD_CHANGED - old_cwd=/a, new_cwd=/a/sub"},
	{"session:COMPACT", `{"trigger":"auto","stage":"before"}`, "# SESSION:COMPACT - auto, before"},
	{"session:UNREADABLE", `{"bytes":52428800,"sha256":"0123456789abcdef","reason":"not JSON"}`, "# SESSION:UNREADABLE - 50.0 MB, sha256 0123456789ab: not JSON"},
	// workers
	{"session:WORKER_DONE", `{"worker":"fix-cart","text":"the test passes"}`, "# SESSION:WORKER_DONE - fix-cart: the test passes"},
	{"session:WORKER_ASK", `{"worker":"fix-cart","text":"drop the old table?"}`, "# SESSION:WORKER_ASK - fix-cart: drop the old table?"},
	{"session:WORKER_DONE", `{"worker":"fix-cart"}`, "# SESSION:WORKER_DONE - fix-cart"},
	// aburn
	{"supervisor:INTERVENTION", `{"type":"stuck","signature":"build RED","task_id":"t1"}`, "# SUPERVISOR:INTERVENTION - stuck: build RED (t1)"},
	{"session:CHECKPOINT", `{"segment":"workflow.log.1","first":1,"last":9,"entries":9,"carrying":2,"left":1}`,
		"# SESSION:CHECKPOINT - continues workflow.log.1 (9 entries); 2 lines carried over, 1 left behind"},
	{"session:CHECKPOINT", `{"carried":2,"left":0}`, "# SESSION:CHECKPOINT - 2 lines carried over"},
	// others'
	{"deploy:ROLLED_OUT", `{"message":"to 3 hosts"}`, "# DEPLOY:ROLLED_OUT - to 3 hosts"},
	{"deploy:ROLLED_OUT", `{"hosts":3,"list":[1]}`, "# DEPLOY:ROLLED_OUT - hosts=3"},
	{"oss:build:TOOL", `{"tool":7,"head":null,"exit_code":"1","duration_ms":-5,"bytes":"x"}`, "# OSS:BUILD:TOOL"},
}

func TestHumanLines(t *testing.T) {
	for _, c := range humanLines {
		if got := drawn(c.entry, c.data).Human(); got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.entry, c.data, got, c.want)
		}
	}
}

func drawn(s, data string) *Entry {
	e := &Entry{Time: noon}
	s, agent, _ := strings.Cut(s, " @")
	if agent != "" {
		e.Agent = &Agent{Type: agent}
	}
	i := strings.LastIndexByte(s, ':')
	e.Cmd, e.Event = s[:i], Event(s[i+1:])
	if cmd, phase, ok := strings.Cut(e.Cmd, ":"); ok && strings.ToUpper(phase) == phase {
		e.Cmd, e.Phase = cmd, phase
	}
	if data != "" {
		e.Data = []byte(data)
	}
	return e
}

func TestHumanLineIsBounded(t *testing.T) {
	world.Slow(t)
	long := strings.Repeat("ä \n", 5000)
	for _, ev := range append(Events(), "OTHER") {
		var o Object
		for _, key := range []string{"summary", "details", "description", "args", "error", "reason", "head", "tool", "client", "type", "signature", "task_id",
			"command", "task"} {
			o.Str(key, long)
		}
		e := Entry{Time: noon, Cmd: long, Phase: long, Event: ev, Agent: &Agent{Type: long}, Data: o.Bytes()}
		if h := e.Human(); len(h) >= maxHuman || strings.ContainsAny(h, "\n\t") || strings.Contains(h, "  ") {
			t.Errorf("%s: %d bytes: %q", ev, len(h), h)
		}
	}
	e := Entry{Time: noon, Cmd: "build", Event: Complete, Data: new(Object).Str("summary", strings.Repeat("s", 500)).Raw("outputs",
		[]byte(`["plan.md"]`)).Str("next_suggested", "ship").Bytes()}
	if h := e.Human(); !strings.HasSuffix(h, "… -> plan.md; next: ship") {
		t.Errorf("a long summary hides the outputs: %s", h)
	}
}
