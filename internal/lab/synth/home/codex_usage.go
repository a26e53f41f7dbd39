package home

import "time"

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// answer begins an answer of the model: its usage, which billed tells.
func (t *rollout) answer() {
	t.now += int64(t.r.from(500, 9000))
	in := t.cached + int64(t.r.from(200, 5000))
	u := tokens{in: in, cached: t.cached, out: int64(t.r.from(20, 1500))}
	if t.r.percent(40) {
		u.thought = u.out / 3
	}
	t.cached = in &^ 127
	if t.cached > 150_000 {
		t.cached = 9_000
	}
	t.last = u
	t.total.in += u.in
	t.total.cached += u.cached
	t.total.out += u.out
	t.total.thought += u.thought
	t.t.Responses++
	t.t.Usage.Input += u.in - u.cached
	t.t.Usage.CacheRead += u.cached
	t.t.Usage.Output += u.out
	t.t.Usage.Reasoning += u.thought
}

func (t *rollout) tokens(u tokens) string {
	s := `{"input_tokens":` + itoa(u.in) + `,"cached_input_tokens":` + itoa(u.cached)
	if !t.legacy {
		s += `,"cache_write_input_tokens":0`
	}
	return s + `,"output_tokens":` + itoa(u.out) + `,"reasoning_output_tokens":` + itoa(u.thought) + `,"total_tokens":` + itoa(u.in+u.out) + `}`
}

// billed tells what the answer cost, once.
func (t *rollout) billed() {
	if t.legacy {
		t.counted(1)
		return
	}
	t.rec("token_usage_record").s(`"thread_id":"`, t.id, `","turn_id":"`, t.turn, `","session_id":"`, t.root, `","root_turn_id":"`, t.rootTurn, `","response_id":"resp_`, t.r.hex(24), `","usage":`, t.tokens(t.last), `,"turn_token_usage":`, t.tokens(t.last), `,"thread_token_usage":`, t.tokens(t.total))
	t.endRecord("token_usage_record")
}

// counted tells the usage again, n times.
func (t *rollout) counted(n int) {
	if t.r.percent(10) {
		n++
	}
	for range n {
		t.rec("event_msg").s(`"type":"token_count","info":{"total_token_usage":`, t.tokens(t.total), `,"last_token_usage":`, t.tokens(t.last), `,"model_context_window":258400},"rate_limits":{"limit_id":"codex","limit_name":null,"primary":null,"secondary":null,"credits":null,"plan_type":null,"rate_limit_reached_type":null}`)
		t.endRecord("event_msg/token_count")
		t.t.Repeats++
	}
}

// compact replaces the history by a summary, which an answer of its own makes.
func (t *rollout) compact() {
	t.answer()
	text := string(t.m.texts.cut(t.r, 1500).esc)
	if !t.legacy {
		t.repeatable("response_item", "/message", `"type":"message","status":"completed","id":"msg_resp_`+t.r.hex(20)+`","role":"assistant","content":[{"type":"output_text","text":"`+text+`"}]`+t.passthrough(`"unknown"`))
	}
	t.billed()
	t.counted(1)
	t.rec("compacted").s(`"message":"`, text, `","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"`).e(t.m.texts.cut(t.r, 4000).esc).s(`"}]}]`)
	t.endRecord("compacted")
	t.cached = 6000
	if !t.legacy {
		t.world(1900)
		t.context()
		t.item("ContextCompaction", `"id":"`+t.r.thread(t.now)+`"`, 30)
	}
	t.t.Compacted++
}

// dropped is an answer whose stream broke: what had come of it stays, and it is asked for again.
func (t *rollout) dropped() {
	t.item("AgentMessage", `"id":"msg_resp_`+t.r.hex(20)+`","content":[{"type":"Text","text":"`+string(t.m.texts.cut(t.r, 90).esc)+`"}]`, 0)
	t.t.Dropped++
}
