package home

import "strconv"

// plain makes a call of a command that succeeds by default.
func (t *rollout) plain() *use {
	return &use{id: "call_" + t.r.alnum(24), tool: "exec_command", command: "make " + t.m.texts.words(t.r, 2), out: t.m.texts.cut(t.r, 300), code: 5}
}

// unfinished is a call that nothing is heard of.
func (t *rollout) unfinished() {
	t.answer()
	u := t.plain()
	t.calls(u)
	t.t.called(u.tool)
	t.t.NoResult++
	t.billed()
}

// output writes what the model hears of a call, an escaped text.
func (t *rollout) output(u *use, escaped string) {
	id := ""
	if !t.legacy {
		id = `"id":"fco_` + t.r.thread(t.now) + `",`
	}
	t.rec("response_item").s(`"type":"function_call_output",`, id, `"call_id":"`, u.id, `","output":"`, escaped, `"`, t.passthrough(""))
	t.endRecord("response_item/function_call_output")
}

// interrupted is a turn that the user stops, mostly while a command runs.
func (t *rollout) interrupted() {
	var u *use
	if t.r.percent(70) {
		t.answer()
		u = t.plain()
		t.calls(u)
		t.t.called(u.tool)
		t.billed()
		t.now += 2500
		t.output(u, `Wall time: 2.5 seconds\naborted by user`)
		t.counted(1)
	}
	t.rec("response_item").s(`"type":"message",`, t.itemID("msg"),
		`"role":"user","content":[{"type":"input_text","text":"<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"}]`,
		t.passthrough(`"generic.turn_aborted"`))
	t.endRecord("response_item/message")
	t.rec("event_msg").s(`"type":"turn_aborted","turn_id":"`, t.turn, `","reason":"interrupted","duration_ms":2741`)
	t.endRecord("event_msg/turn_aborted")
	if u != nil && !t.legacy {
		t.ran(u, "failed", -1, 2500) // killed, which is no failure
	}
	t.t.Interrupts++
}

// ran writes the item of a command.
func (t *rollout) ran(u *use, status string, code int, took int64) {
	t.item("CommandExecution", `"id":"`+u.id+`","process_id":"79882","command":["/bin/bash","-lc",`+quoted(u.command)+`],"cwd":"file://`+t.cwd+
		`","parsed_cmd":[],"source":"unified_exec_startup","status":"`+status+`","aggregated_output":"`+string(u.out.esc)+`","exit_code":`+strconv.Itoa(code)+
		`,"duration":{"secs":2,"nanos":339280435}`, took)
}

// fails ends a turn with an error of the provider.
func (t *rollout) fails() {
	info := pick(t.r, []string{"internal_server_error", "usage_limit_exceeded", "context_window_exceeded", "other"})
	text := t.m.texts.words(t.r, 8)
	if t.has["secrets"] {
		text += " " + t.m.secret(t.r)
	}
	t.done(`,"error":{"message":"` + text + `","codex_error_info":"` + info + `"}`)
	t.t.Errors++
}

// long is a command that goes on while the model waits for it, and ends later, well or badly.
func (t *rollout) long() {
	u := t.plain()
	u.command = "read x; " + u.command
	u.bad = t.r.percent(50)
	session := t.r.from(1000, 9000)
	t.answer()
	t.function(u, `{"cmd":`+quoted(u.command)+`,"yield_time_ms":300,"tty":true}`)
	t.billed()
	t.now += 300
	t.output(u, `Chunk ID: ddb023\nWall time: 0.3005 seconds\nProcess running with session ID `+strconv.Itoa(session)+`\nOriginal token count: 0\nOutput:\n`)
	t.counted(1)
	t.answer()
	w := &use{id: "call_" + t.r.alnum(24), tool: "write_stdin"}
	t.function(w, `{"session_id":`+strconv.Itoa(session)+`,"chars":"","yield_time_ms":3000}`)
	t.billed()
	t.now += 900
	status, code := "completed", 0
	if u.bad {
		status, code = "failed", 5
		t.t.failed(u.tool)
	}
	t.ran(u, status, code, 1200)
	t.output(w, `Chunk ID: 50c411\nWall time: 0.5818 seconds\nProcess exited with code `+strconv.Itoa(code)+`\nOriginal token count: 0\nOutput:\n`)
	t.counted(1)
}

// function writes a call of a function with its arguments, and counts it.
func (t *rollout) function(u *use, arguments string) {
	t.repeatable("response_item", "/function_call", `"type":"function_call","status":"completed","id":"fc_`+u.id+`","name":"`+u.tool+`","arguments":`+
		quoted(arguments)+`,"call_id":"`+u.id+`"`+t.passthrough(""))
	t.t.called(u.tool)
}

// blocked is a command that a hook refuses.
func (t *rollout) blocked() {
	t.answer()
	u := t.plain()
	t.function(u, `{"cmd":`+quoted(u.command)+`}`)
	t.billed()
	t.output(u, "Command blocked by PreToolUse hook: "+t.m.texts.words(t.r, 4))
	t.counted(1)
	t.t.failed(u.tool)
	t.t.Denied++
}
