package home

import (
	"strconv"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// rec starts a record; its payload follows, then endRecord.
func (t *rollout) rec(kind string) *file {
	t.s(`{"timestamp":`).at(t.now)
	if !t.legacy {
		t.s(`,"ordinal":`).n(t.ordinal)
	}
	t.ordinal++
	return t.s(`,"type":"`, kind, `","payload":{`)
}

// endRecord ends the payload and the record.
func (t *rollout) endRecord(kind string) {
	t.s(`}}`).end(kind)
	t.now += int64(t.r.from(1, 60))
}

// repeatable writes a record of the history, which a child that inherits it repeats. of is more of the record's kind.
func (t *rollout) repeatable(kind, of, payload string) {
	t.rec(kind).s(payload)
	t.endRecord(kind + of)
	if t.inherit != nil {
		t.inherit.records = append(t.inherit.records, `,"type":"`+kind+`","payload":{`+payload+`}}`)
	}
}

// meta writes the first record. more is further fields, beginning with a comma.
func (t *rollout) meta(more string) {
	source := `"source":"exec","thread_source":"user"`
	if !t.exec {
		source = `"source":"cli","thread_source":"user"`
	}
	t.repeatable("session_meta", "", t.metaPayload(source, more))
}

func (t *rollout) metaPayload(source, more string) string {
	text := t.m.texts.cut(t.r, 21000)
	s := ""
	version := "0.130.0"
	if !t.legacy {
		version = "0.169.0"
		s = `"account_scoped":true,"session_id":"` + t.root + `",`
	}
	s += `"id":"` + t.id + `"` + more + `,"timestamp":"` + stamp(t.now) + `","cwd":"` + t.cwd + `","originator":"` + t.originator() + `","cli_version":"` +
		version + `",` + source + `,"model_provider":"openai","base_instructions":{"text":"` + string(text.esc) + `"}`
	if !t.legacy {
		s += `,"history_mode":"paginated","multi_agent_version":"v2","context_window":{"window_id":"` + t.r.thread(t.now) + `"}`
	}
	return s + `,"git":{"commit_hash":"` + t.r.hex(40) + `","branch":"` + t.bill.branch + `"}`
}

// begun starts a turn.
func (t *rollout) begun(first bool) {
	t.turn = t.r.thread(t.now)
	t.rootTurn = t.turn
	if t.exec && t.turnsRun > 0 { // another process goes on with the session
		t.t.Resumed++
	}
	if !first {
		t.switches()
	}
	t.turnsRun++
	t.started("null")
	if first {
		t.injected("developer", 700)
		t.injected("developer", 900)
		t.injected("user", 360)
		if !t.legacy {
			t.world(1900)
		}
	}
	t.context()
	if !t.legacy {
		t.settings()
	}
}

func (t *rollout) started(parent string) {
	p := `"type":"task_started",`
	if !t.legacy {
		p += `"turn_attribution":{"turn_id":"` + t.turn + `","turn_trigger":` + t.trigger() + `,"parent_turn_id":` + parent +
			`,"initiating_agent_path":null,"root_turn_id":"` + t.rootTurn + `"},`
	}
	p += `"turn_id":"` + t.turn + `",`
	if !t.legacy {
		p += `"root_turn_id":"` + t.rootTurn + `",`
	}
	t.repeatable("event_msg", "/task_started", p+`"started_at":`+itoa(t.now/1000)+`,"model_context_window":258400,"collaboration_mode_kind":"default"`)
}

func (t *rollout) originator() string {
	if t.exec {
		return "codex_exec"
	}
	return "codex-tui"
}

func (t *rollout) trigger() string {
	if t.exec {
		return `"exec"`
	}
	return "null"
}

// injected is a message that the client put into the history.
func (t *rollout) injected(role string, n int) {
	text := string(t.m.texts.cut(t.r, n).esc)
	if role == "user" {
		text = `<environment_context>\n  <cwd>` + t.cwd + `</cwd>\n` + text + `\n</environment_context>`
	} else {
		text = `<permissions instructions>\n` + text
	}
	t.repeatable("response_item", "/message", `"type":"message",`+t.itemID("msg")+`"role":"`+role+`","content":[{"type":"input_text","text":"`+text+`"}]`+
		t.passthrough(`"environments.environment_context"`))
}

func (t *rollout) itemID(prefix string) string {
	if t.legacy {
		return ""
	}
	return `"id":"` + prefix + "_" + t.r.thread(t.now) + `",`
}

// passthrough is what newer versions write behind each item of the history; it ends the payload and holds the
// record's metadata.
func (t *rollout) passthrough(kind string) string {
	if t.legacy {
		return ""
	}
	t.history++
	s := `,"internal_chat_message_metadata_passthrough":{"turn_id":"` + t.turn + `","create_time":` + itoa(t.now/1000) + `.5`
	if kind != "" {
		s += `,"content_item_kinds":[` + kind + `]`
	}
	return s + `}},"metadata":{"history_sequence":` + itoa(t.history) + `,"sampled_through_sequence":0,"client_authored":false`
}

func (t *rollout) world(n int) {
	text := t.m.texts.cut(t.r, n)
	t.repeatable("world_state", "", `"full":true,"state":{"agents_md":{},"environments":{"environments":{"local":{"cwd":"`+t.cwd+
		`","status":"available","shell":"bash"}}},"skills":"`+string(text.esc)+`"}`)
}

func (t *rollout) context() {
	p := `"turn_id":"` + t.turn + `",`
	if !t.legacy {
		p += `"root_turn_id":"` + t.rootTurn + `","disabled_plugin_ids":[],`
	}
	t.repeatable("turn_context", "", p+`"cwd":"`+t.cwd+`","approval_policy":"never","permission_profile":{"type":"disabled"},"model":"`+t.bill.model+
		`","collaboration_mode":{"mode":"default","settings":{"model":"`+t.bill.model+
		`","reasoning_effort":null,"developer_instructions":null}},"realtime_active":false,"summary":"none","sandbox_policy":{"type":"danger-full-access"}`)
}

func (t *rollout) settings() {
	t.rec("event_msg").s(`"type":"thread_settings_applied","thread_id":"`, t.id, `","thread_settings":{"model":"`, t.bill.model,
		`","model_provider_id":"openai","approval_policy":"never","approvals_reviewer":"user","permission_profile":{"type":"disabled"},"cwd":"`, t.cwd,
		`","disabled_plugin_ids":[]}`)
	t.endRecord("event_msg/thread_settings_applied")
}

// ask writes a prompt.
func (t *rollout) ask() {
	text := t.m.texts.cut(t.r, t.r.from(20, 700)).raw
	s := string(text)
	if t.has["secrets"] && t.r.percent(60) {
		s = t.m.texts.words(t.r, 3) + " " + t.m.secret(t.r) + " " + s
	}
	t.asks(s)
}

func (t *rollout) asks(s string) {
	t.t.Prompts++
	t.repeatable("response_item", "/message", `"type":"message",`+t.itemID("msg")+`"role":"user","content":[{"type":"input_text","text":`+quoted(s)+`}]`+
		t.passthrough(`"user.text"`))
	if t.legacy {
		t.rec("event_msg").s(`"type":"user_message","message":`).q(s).s(`,"images":[],"local_images":[],"text_elements":[]`)
		t.endRecord("event_msg/user_message")
		return
	}
	t.item("UserMessage", `"id":"`+t.r.thread(t.now)+`","content":[{"type":"text","text":`+quoted(s)+`,"text_elements":[]}]`, 0)
}

// item writes a finished item of the turn.
func (t *rollout) item(kind, fields string, took int64) { t.itemOf(t.id, kind, fields, took) }

func (t *rollout) itemOf(thread, kind, fields string, took int64) {
	t.rec("event_msg").s(`"type":"item_completed","thread_id":"`, thread, `","turn_id":"`, t.turn, `","item":{"type":"`, kind, `",`, fields,
		`},"started_at_ms":`).n(t.now - took).s(`,"completed_at_ms":`).n(t.now)
	t.endRecord("event_msg/item_completed/" + kind)
}

// says is an answer of text only, the turn's last.
func (t *rollout) says() {
	t.answer()
	t.text()
	t.billed()
	t.counted(1)
}

// text is what an answer says.
func (t *rollout) text() {
	s := string(t.m.texts.cut(t.r, t.r.from(30, 1500)).esc)
	t.message = s
	id := "msg_resp_" + t.r.hex(20)
	if t.legacy {
		t.rec("event_msg").s(`"type":"agent_message","message":"`, s, `","phase":null,"memory_citation":null`)
		t.endRecord("event_msg/agent_message")
	} else {
		t.item("AgentMessage", `"id":"`+id+`","content":[{"type":"Text","text":"`+s+`"}]`, 0)
		id = `"status":"completed","id":"` + id + `",`
	}
	if t.legacy {
		id = ""
	}
	t.repeatable("response_item", "/message", `"type":"message",`+id+`"role":"assistant","content":[{"type":"output_text","text":"`+s+`"}]`+
		t.passthrough(`"unknown"`))
}

// done ends a turn; failure is the error that ended it, if one did.
func (t *rollout) done(failure string) {
	message := `"` + t.message + `"`
	if failure != "" {
		message = "null"
	}
	t.rec("event_msg").s(`"type":"task_complete",`)
	if !t.legacy {
		t.s(`"root_turn_id":"`, t.rootTurn, `",`)
	}
	t.s(`"turn_id":"`, t.turn, `","last_agent_message":`, message, failure, `,"completed_at":`).n(t.now / 1000).s(`,"duration_ms":`).n(int64(t.r.from(100, 90000)))
	t.endRecord("event_msg/task_complete")
}
