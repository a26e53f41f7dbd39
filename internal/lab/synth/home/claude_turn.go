package home

import (
	"fmt"
	"strconv"

	"aburn/trace"
)

// How a prompt came to be.
const (
	askPlain = iota
	askCommand
)

// ask writes a prompt of a person, or of a program through the SDK.
func (t *transcript) ask(how int) {
	text := t.promptText()
	t.lead(text)
	t.asks(how, text)
}

func (t *transcript) promptText() string {
	text := string(t.m.texts.cut(t.r, t.r.from(20, 700)).raw)
	if t.has["secrets"] && t.r.percent(60) {
		text = t.m.texts.words(t.r, 3) + " " + t.m.secret(t.r) + " " + text
	}
	return text
}

// lead writes what stands before a prompt.
func (t *transcript) lead(text string) {
	t.prompt = t.r.uuid()
	if !t.typed {
		t.queue("enqueue", text)
		t.now += 2
		t.queue("dequeue", "")
		return
	}
	t.bookkeeping("permission-mode", `"permissionMode":"default"`)
	id := t.r.uuid()
	t.s(`{"type":"file-history-snapshot","messageId":"`, id, `","snapshot":{"messageId":"`, id,
		`","trackedFileBackups":{},"timestamp":`).at(t.now).s(`},"isSnapshotUpdate":false}`).end("file-history-snapshot")
}

func (t *transcript) asks(how int, text string) {
	t.prompts++
	t.t.Prompts++
	place := `,"turnPosition":{"promptIndex":` + strconv.Itoa(t.prompts) + `,"turnIndex":` + strconv.Itoa(t.prompts) + `}`
	extra := `,"permissionMode":"bypassPermissions","promptSource":"sdk","turnOrigin":"sdk"` + place
	if t.typed {
		extra = `,"permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"` + place
	}
	if how == askPlain {
		t.said(text, extra)
		return
	}
	t.said("<command-message>weave</command-message>\n<command-name>/weave</command-name>\n<command-args>"+t.m.texts.words(t.r, 2)+"</command-args>",
		`,"origin":{"kind":"human"},"turnOrigin":"human"`+place)
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"type":"text","text":`).q(text).s(`}]},"isMeta":true,"turnCompanion":true`)
	t.finish("user", "text", "")
}

// said writes a user record with a text.
func (t *transcript) said(text, extra string) {
	t.begin("user")
	t.s(`,"message":{"role":"user","content":`).q(text).s(`}`)
	t.finish("user", "", extra)
}

// stop ends a turn.
func (t *transcript) stop() {
	t.begin("system")
	if t.typed {
		t.s(`,"subtype":"turn_duration","durationMs":`).n(int64(t.r.from(100, 90000))).s(`,"messageCount":`).n(int64(t.r.from(3, 90)))
		t.finish("system", "turn_duration", `,"isMeta":false`)
	} else {
		t.s(`,"subtype":"stop_hook_summary","hookCount":1,"hookInfos":[{"command":"/home/user/bin/hook","durationMs":`).n(int64(t.r.from(2, 40))).
			s(`}],"hookErrors":[],"failedHookErrorIndexes":[],"hookAdditionalContext":[],"preventedContinuation":false,"stopReason":"","hasOutput":false,` +
				`"level":"suggestion"`)
		t.finish("system", "stop_hook_summary", `,"toolUseID":"`+t.r.uuid()+`"`)
	}
}

// exit is the end of the process, unless it was killed.
func (t *transcript) exit() {
	if t.t.Outcome == trace.Killed {
		return
	}
	t.bookkeeping("last-prompt", `"lastPrompt":"`+t.m.texts.words(t.r, 3)+`","leafUuid":"`+t.leaf+`"`)
	t.s(`{"type":"cost-state","sessionId":"`, t.session, `","totalCostUSD":0.0`).n(int64(t.r.from(10, 99))).s(`,"totalAPIDuration":`).n(int64(t.r.from(100,
		99999))).
		s(`,"totalLinesAdded":0,"totalLinesRemoved":0,"modelUsage":{"claude-opus-5-5":{"inputTokens":1200,"outputTokens":240,"cacheReadInputTokens":77,` +
			`"costUSD":0.05}},"hasUnknownModelCost":false}`).end("cost-state")
}

// stopped writes what a user leaves who stops the agent.
func (t *transcript) stopped(text, message string) {
	extra := ""
	if message != "" {
		extra = `,"interruptedMessageId":"` + message + `"`
	}
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"type":"text","text":`).q(text).s(`}]}`)
	t.finish("user", "text", extra)
	t.t.Interrupts++
}

// brokenOff is an answer that was stopped in the middle of its text. It returns its id.
func (t *transcript) brokenOff() string {
	a := t.asked("null", false)
	a.extra = `,"isAbortedMidStream":true`
	text := t.m.texts.cut(t.r, 200)
	t.block(a, "text", func() { t.s(`{"text":"`).e(text.esc).s(`","type":"text"}`) })
	return a.id
}

// refused is a call that the user refused when asked.
func (t *transcript) refused() {
	t.answer(t.calls(1, fateUser), false)
	t.stopped("[Request interrupted by user for tool use]", "")
	t.t.Outcome = trace.Interrupted
}

// apiError is the provider's refusal, which ends the turn.
func (t *transcript) apiError() {
	status := pick(t.r, []int{400, 429, 500, 529})
	text := fmt.Sprintf("API Error: %d %s", status, t.m.texts.words(t.r, 6))
	if t.has["secrets"] {
		text += " " + t.m.secret(t.r)
	}
	t.begin("assistant")
	t.s(`,"message":{"diagnostics":null,"id":"`, t.r.uuid(),
		`","container":null,"model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","stop_sequence":"","type":"message",`)
	t.usage(usage{})
	t.s(`,"content":[{"type":"text","text":`).q(text).s(`}],"context_management":null},"requestId":"req_01`, t.r.alnum(22),
		`","error":"unknown","isApiErrorMessage":true,"apiErrorStatus":`).n(int64(status))
	t.finish("assistant", "text", "")
	t.t.Errors++
}

// retry is a request that failed and was made again.
func (t *transcript) retry() {
	t.begin("system")
	t.s(`,"subtype":"api_error","level":"error","error":{"message":"Connection error.","formatted":"Connection dropped (ECONNRESET)"},"retryInMs":588,` +
		`"retryAttempt":1,"maxRetries":10,"source":"connection_retry"`)
	t.finish("system", "api_error", "")
	t.t.Errors++
}

// compact replaces the history by a summary.
func (t *transcript) compact() {
	before := t.leaf
	t.leaf = ""
	t.begin("system")
	t.s(`,"logicalParentUuid":"`, before, `","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false`)
	t.finish("system", "compact_boundary", `,"level":"info","compactMetadata":{"trigger":"auto","preTokens":160000,"postTokens":3000,"durationMs":9000}`)
	summary := t.m.texts.cut(t.r, 3000)
	t.said("This session is being continued from a previous conversation. "+string(summary.raw), `,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`)
	t.cache = 6000
	t.t.Compacted++
}

// queued is a prompt that was given while the agent worked, and taken into the turn.
func (t *transcript) queued() {
	text := t.promptText()
	t.queue("enqueue", text)
	source := t.r.uuid()
	t.s(`{"type":"queue-operation","operation":"remove","timestamp":`).at(t.now).s(`,"sessionId":"`, t.session, `","content":`).q(text).
		s(`,"reason":"absorbed_mid_turn","commandUuid":"`, source, `"}`).end("queue-operation")
	t.attach("queued_command", func() {
		t.s(`,"prompt":`).q(text).s(`,"source_uuid":"`, source, `","commandMode":"prompt","timestamp":`).at(t.now)
	}, 200)
	t.t.Prompts++
	t.t.Queued++
}

// shellLine is a command that the user ran through the agent, which then says something about it.
func (t *transcript) shellLine() {
	t.now += 30_000
	t.lead("")
	t.said("<bash-input> ls "+t.m.texts.words(t.r, 1)+"</bash-input>", "")
	out := t.m.texts.words(t.r, 20)
	t.said("<bash-stdout>"+out+"</bash-stdout><bash-stderr></bash-stderr>", `,"turnOrigin":"human"`)
	t.t.UserCalls++
	t.answer(nil, false)
	t.stop()
}

// killedAndResumed is the end of a process in the middle of calls, and what the next one writes first.
func (t *transcript) killedAndResumed() {
	t.now += 20_000
	t.ask(askPlain)
	calls := t.calls(t.r.from(1, 2), fateResumed)
	t.answer(calls, false)
	t.now += 3600_000
	for _, c := range calls {
		t.begin("user")
		t.s(`,"message":{"role":"user","content":[{"type":"tool_result","content":"[Tool call interrupted: the session ended before it returned a result]",`+
			`"is_error":true,"tool_use_id":"`, c.id, `"}]}`)
		t.finish("user", "tool_result", "")
		t.t.failed(c.tool)
	}
	t.begin("assistant")
	t.s(`,"message":{"id":"`, t.r.uuid(), `","model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","stop_sequence":"","type":"message",`)
	t.usage(usage{})
	t.s(`,"content":[{"type":"text","text":"No response requested."}]}`)
	t.finish("assistant", "text", "")
	t.t.Resumed++
	t.t.Interrupts++ // by the end of the program
}

// ended is where a turn ended: what the next prompt hangs on, or a fork copies up to.
type ended struct {
	leaf  string
	kept  int
	calls int
}

// rewound goes back to before a turn that was finished, and asks something else.
func (t *transcript) rewound() {
	if to := len(t.ends) - 2; to >= 0 {
		t.t.Abandoned += t.t.Calls - t.ends[to].calls
		t.leaf = t.ends[to].leaf
	}
	t.ask(askPlain)
}
