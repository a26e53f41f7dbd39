package home

import "time"

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// codexBill is what the cost of a thread's answers depends on. It is drawn from a stream of its own.
type codexBill struct {
	draw          *random
	branch, model string
	writes        bool // tells which tokens were written to the cache; all clients that were seen say 0
	wide          bool // long prompts, which some models bill higher
}

// Nobody knows a price of the last one.
var codexModels = []string{"gpt-5.5", "gpt-5.5", "gpt-5.6-sol", "gpt-5.6-luna", "gpt-6-luna", "gpt-5.3-codex", "gpt-oss-local"}

// codeModels are those that call tools from JavaScript.
var codeModels = []string{"gpt-6-sol", "gpt-6-sol", "gpt-6.1-sol", "gpt-6.1-terra"}

func (t *rollout) bills() {
	r := t.r.fork(0xb111)
	t.bill = codexBill{draw: r, branch: pick(r, branchNames), writes: !t.legacy && r.percent(12), wide: r.percent(8)}
	t.chooses()
	if t.bill.wide {
		t.cached = int64(r.from(240_000, 270_000))
	}
}

func (t *rollout) chooses() {
	of := codexModels
	if t.code {
		of = codeModels
	}
	t.bill.model = pick(t.bill.draw, of)
}

// switches changes what a user changes between turns.
func (t *rollout) switches() {
	if t.bill.draw.percent(12) {
		t.chooses()
	}
}

// answer begins an answer of the model: its usage, which billed tells.
func (t *rollout) answer() {
	t.now += int64(t.r.from(500, 9000))
	in := t.cached + int64(t.r.from(200, 5000))
	u := tokens{in: in, cached: t.cached, out: int64(t.r.from(20, 1500))}
	if t.r.percent(40) {
		u.thought = u.out / 3
	}
	if t.bill.writes {
		u.written = 1 + (in-t.cached)/2
	}
	t.cached = in &^ 127
	if full := int64(150_000); t.cached > full && !t.bill.wide || t.cached > 2*full {
		t.cached = 9_000
	}
	t.last = u
	t.total.in += u.in
	t.total.cached += u.cached
	t.total.written += u.written
	t.total.out += u.out
	t.total.thought += u.thought
}

func (t *rollout) tokens(u tokens) string {
	s := `{"input_tokens":` + itoa(u.in) + `,"cached_input_tokens":` + itoa(u.cached)
	if !t.legacy {
		s += `,"cache_write_input_tokens":` + itoa(u.written)
	}
	return s + `,"output_tokens":` + itoa(u.out) + `,"reasoning_output_tokens":` + itoa(u.thought) + `,"total_tokens":` + itoa(u.in+u.out) + `}`
}

// billed tells what the answer cost, once.
func (t *rollout) billed() {
	u := &t.last
	t.tell()
	t.untold = &Answer{Time: t.now, Root: t.root, Project: t.cwd, Branch: t.bill.branch, Model: t.bill.model, Input: u.in - u.cached - u.written,
		CacheRead: u.cached,
		Write:     u.written, Output: u.out, Reasoning: u.thought, HidesWrites: !t.bill.writes}
	if t.legacy {
		t.counted(1)
		return
	}
	t.rec("token_usage_record").s(`"thread_id":"`, t.id, `","turn_id":"`, t.turn, `","session_id":"`, t.root, `","root_turn_id":"`, t.rootTurn,
		`","response_id":"resp_`, t.r.hex(24), `","usage":`, t.tokens(t.last), `,"turn_token_usage":`, t.tokens(t.last), `,"thread_token_usage":`, t.tokens(t.total))
	t.endRecord("token_usage_record")
}

// tell notes the last answer, whether a running total has told it or not.
func (t *rollout) tell() {
	if t.untold != nil {
		t.m.answered(t.t, *t.untold)
		t.untold = nil
	}
}

func (t *rollout) close(ms int64) {
	t.tell()
	t.file.close(ms)
}

// limits is what Codex knows of the plan's windows. Their place says nothing: a plan has them in either order.
func (t *rollout) limits() string {
	window := func(minutes, used int64) string {
		length := minutes * 60
		return `{"used_percent":` + itoa(used) + `.5,"window_minutes":` + itoa(minutes) + `,"resets_at":` + itoa((t.now/1000/length+1)*length) + `}`
	}
	hours, week := window(300, t.now/1000/180%100), window(7*24*60, t.now/1000/6048%100)
	switch t.bill.draw.below(10) {
	case 0:
		hours, week = "null", "null" // an API key has no plan
	case 1, 2:
		hours, week = week, "null"
	case 3:
		hours, week = week, hours
	}
	return `{"limit_id":"codex","limit_name":null,"primary":` + hours + `,"secondary":` + week + `,"credits":null,"plan_type":null,"rate_limit_reached_type":null}`
}

// counted tells the usage again, n times.
func (t *rollout) counted(n int) {
	if t.r.percent(10) {
		n++
	}
	for i := range n {
		switch {
		case t.untold != nil && i == 0:
			t.untold.Counted = t.now
		case t.untold != nil && i == 1:
			t.untold.Recounted = t.now
		}
		t.rec("event_msg").s(`"type":"token_count","info":{"total_token_usage":`, t.tokens(t.total), `,"last_token_usage":`, t.tokens(t.last),
			`,"model_context_window":258400},"rate_limits":`, t.limits())
		t.endRecord("event_msg/token_count")
		t.t.Repeats++
	}
	t.tell()
}

// compact replaces the history by a summary, which an answer of its own makes.
func (t *rollout) compact() {
	t.answer()
	text := string(t.m.texts.cut(t.r, 1500).esc)
	if !t.legacy {
		t.repeatable("response_item", "/message", `"type":"message","status":"completed","id":"msg_resp_`+t.r.hex(20)+
			`","role":"assistant","content":[{"type":"output_text","text":"`+text+`"}]`+t.passthrough(`"unknown"`))
	}
	t.billed()
	t.counted(1)
	t.rec("compacted").s(`"message":"`, text,
		`","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"`).e(t.m.texts.cut(t.r, 4000).esc).s(`"}]}]`)
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
