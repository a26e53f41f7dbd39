package home

import (
	"fmt"
	"strconv"

	"aburn/trace"
)

var helperNames = []string{"alpha", "beta", "gamma", "delta"}

// child is a sub-agent of a thread, whose file is not begun.
func (t *rollout) child(name string, call string) *rollout {
	r := t.r.fork(t.r.next())
	now := t.now + int64(r.from(20, 200))
	id := r.thread(now)
	c := &rollout{r: r, has: features{"secrets": t.has["secrets"]}, id: id, root: t.root, cwd: t.cwd, name: name, code: t.code, exec: t.exec, now: now,
		bill: t.bill}
	c.bill.draw = r.fork(0xb111)
	c.t = &Session{Source: "codex", ID: id, Kind: trace.Subagent, Related: t.id, Call: call, AgentID: id, AgentType: "default", Linked: true,
		Outcome: trace.Completed, Start: now}
	return c
}

// helpers is an answer that starts sub-agents, the wait for them, and perhaps another task for one of them.
func (t *rollout) helpers() {
	t.answer()
	t.text()
	depth := 1
	for _, c := range t.name {
		if c == '/' {
			depth++
		}
	}
	n := t.r.from(1, 3)
	var kids []*rollout
	for i := range n {
		u := &use{id: "call_" + t.r.alnum(24), tool: "spawn_agent"}
		turns := "none"
		if t.has["inherit"] && i == 0 {
			turns = "all"
		}
		t.repeatable("response_item", "/function_call", `"type":"function_call","status":"completed","id":"fc_`+u.id+
			`","name":"spawn_agent","namespace":"collaboration","arguments":`+
			quoted(`{"task_name":"`+helperNames[i]+`","message":`+quoted(t.m.texts.words(t.r, 12))+`,"fork_turns":"`+turns+`"}`)+`,"call_id":"`+u.id+`"`+
			t.passthrough(""))
		t.t.called(u.tool)
		kids = append(kids, t.child(t.name+"/"+helperNames[i], u.id))
	}
	if n > 1 {
		t.t.Parallel += n
	}
	t.billed()
	var inherit *inherited
	if t.has["inherit"] {
		inherit = t.inherit
	}
	t.inherit = nil
	for i, c := range kids {
		t.activity(c.t.Call, "started", c)
		from := inherit
		if i > 0 {
			from = nil
		}
		c.firstTask(t, depth, from)
		t.t.Spawned++
		t.t.Background++
	}
	for _, c := range kids {
		t.output(&use{id: c.t.Call}, `{\"task_name\":\"`+c.name+`\"}`)
	}
	t.counted(1)
	t.waits(kids)
	if t.has["followup"] {
		t.again(kids[0])
	}
	for _, c := range kids {
		c.close(c.now)
		t.m.note(c.t)
	}
}

// activity is a record of a sub-agent in its parent's thread.
func (t *rollout) activity(id, kind string, c *rollout) {
	t.item("SubAgentActivity", `"model":"`+t.bill.model+`","reasoning_effort":"medium","id":"`+id+`","kind":"`+kind+`","agent_thread_id":"`+c.id+
		`","agent_path":"`+c.name+`"`, 0)
}

// firstTask writes the sub-agent's first turn. inherit is what of its parent it begins with.
func (c *rollout) firstTask(parent *rollout, depth int, inherit *inherited) {
	c.create(parent.m, false)
	more := `,"parent_thread_id":"` + parent.id + `"`
	source := fmt.Sprintf(`"source":{"subagent":{"thread_spawn":{"parent_thread_id":"%s","depth":%d,"agent_path":"%s","agent_nickname":"Noether",`+
		`"agent_role":null}}},"thread_source":"subagent","agent_nickname":"Noether","agent_path":"%s"`,
		parent.id, depth, c.name, c.name)
	if inherit != nil {
		more = `,"forked_from_id":"` + parent.id + `"` + more
		source += `,"subagent_history_start_ordinal":` + strconv.Itoa(len(inherit.records)+4)
	}
	c.rec("session_meta").s(c.metaPayload(source, more))
	c.endRecord("session_meta")
	if inherit != nil {
		for _, record := range inherit.records {
			c.s(`{"timestamp":`).at(c.now).s(`,"ordinal":`).n(c.ordinal).s(record).end("inherited")
			c.ordinal++
		}
		c.rec("event_msg").s(`"type":"turn_aborted","turn_id":"`, parent.turn, `","reason":"interrupted"`)
		c.endRecord("event_msg/turn_aborted")
		c.turn = parent.turn
		c.injected("developer", 360)
		c.injected("developer", 600)
	}
	c.task(parent)
	if depth < 2 && c.r.percent(15) {
		c.helpers()
	}
	c.works(c.r.from(0, 5))
	c.says()
	c.done("")
}

// task begins a turn with what another thread wants done.
func (c *rollout) task(parent *rollout) {
	c.turn, c.rootTurn = c.r.thread(c.now), parent.rootTurn
	c.started(`"` + parent.turn + `"`)
	c.injected("developer", 270)
	c.world(400)
	c.context()
	c.rec("inter_agent_communication_metadata").s(`"trigger_turn":true`)
	c.endRecord("inter_agent_communication_metadata")
	c.rec("response_item").s(`"type":"agent_message",`, c.itemID("amsg"), `"author":"`, parent.name, `","recipient":"`, c.name,
		`","content":[{"type":"input_text","text":"Message Type: NEW_TASK\nTask name: `, c.name, `\nPayload:\n"},{"type":"encrypted_content","encrypted_content":"`).
		e(c.m.texts.cut(c.r, 300).esc).s(`"}]`, c.passthrough(""))
	c.endRecord("response_item/agent_message")
}

// waits is the call that waits for sub-agents, and what they say at the end.
func (t *rollout) waits(kids []*rollout) {
	t.answer()
	u := &use{id: "call_" + t.r.alnum(24), tool: "wait_agent"}
	t.function(u, `{"timeout_ms":10000}`)
	t.billed()
	for _, c := range kids {
		t.now = max(t.now, c.now)
		t.activity("subagent-completed-"+c.turn, "completed", c)
	}
	t.item("CollabAgentToolCall", `"id":"`+u.id+`","tool":"wait","status":"completed","sender_thread_id":"`+t.id+
		`","receiver_thread_ids":[],"receiver_agents":[],"agents_states":{}`, 70)
	t.output(u, `{\"message\":\"Wait completed.\",\"timed_out\":false}`)
	t.counted(1)
	for _, c := range kids {
		t.rec("inter_agent_communication_metadata").s(`"trigger_turn":false`)
		t.endRecord("inter_agent_communication_metadata")
		t.rec("response_item").s(`"type":"agent_message",`, t.itemID("amsg"), `"author":"`, c.name, `","recipient":"`, t.name,
			`","content":[{"type":"input_text","text":"Message Type: FINAL_ANSWER\nPayload:\n`).
			e(t.m.texts.cut(t.r, 400).esc).s(`"}]`, t.passthrough(""))
		t.endRecord("response_item/agent_message")
		t.t.Notified++
	}
}

// again gives a sub-agent another task: another turn of the same thread.
func (t *rollout) again(c *rollout) {
	t.answer()
	u := &use{id: "call_" + t.r.alnum(24), tool: "followup_task"}
	t.function(u, `{"target":"alpha","message":"`+t.m.texts.words(t.r, 4)+`"}`)
	t.billed()
	t.activity(u.id, "interacted", c)
	t.output(u, "")
	t.counted(1)
	c.now = max(c.now, t.now)
	c.task(t)
	c.works(c.r.from(0, 2))
	c.says()
	c.done("")
	t.waits([]*rollout{c})
}

// review is a turn that a reviewer works in, a thread of its own; the session repeats what the reviewer does.
func (t *rollout) review() {
	t.turn = t.r.thread(t.now)
	t.rootTurn = t.turn
	c := t.child("", "")
	c.create(t.m, false)
	c.t.AgentType = "review"
	c.rec("session_meta").s(c.metaPayload(`"source":{"subagent":"review"},"thread_source":"subagent"`, `,"parent_thread_id":"`+t.id+`"`))
	c.endRecord("session_meta")
	t.item("EnteredReviewMode", `"id":"`+t.r.thread(t.now)+`","target":{"type":"uncommittedChanges"},"user_facing_hint":"current changes"`, 1)
	c.turn, c.rootTurn = c.r.thread(c.now), t.turn
	c.started(`"` + t.turn + `"`)
	outer := t.turn
	t.turn = c.turn
	t.started(`"` + outer + `"`)
	c.injected("developer", 700)
	c.injected("user", 360)
	c.world(1900)
	c.context()
	c.settings()
	text := "Review the " + t.m.texts.words(t.r, 5)
	c.rec("response_item").s(`"type":"message",`, c.itemID("msg"), `"role":"user","content":[{"type":"input_text","text":"`, text, `"}]`,
		c.passthrough(`"user.text"`))
	c.endRecord("response_item/message")
	asked := `"id":"` + c.r.thread(c.now) + `","content":[{"type":"text","text":"` + text + `","text_elements":[]}]`
	c.item("UserMessage", asked, 0)
	t.itemOf(c.id, "UserMessage", asked, 0)
	for range c.r.from(1, 4) {
		c.answer()
		u := c.plain()
		c.function(u, `{"cmd":`+quoted(u.command)+`}`)
		c.billed()
		status, code := "completed", 0
		if c.r.percent(20) {
			status, code = "failed", 2
			c.t.failed(u.tool)
		}
		did := `"id":"` + u.id + `","process_id":"12687","command":["/bin/bash","-lc",` + quoted(u.command) + `],"cwd":"file://` + t.cwd +
			`","parsed_cmd":[],"source":"unified_exec_startup","status":"` + status + `","aggregated_output":"` + string(u.out.esc) + `","exit_code":` +
			strconv.Itoa(code) + `,"duration":{"secs":0,"nanos":4767}`
		c.item("CommandExecution", did, 10)
		t.now = c.now
		t.itemOf(c.id, "CommandExecution", did, 10)
		t.t.Copied.Calls++
		c.output(u, `Chunk ID: dc1357\nWall time: 0.0000 seconds\nProcess exited with code `+strconv.Itoa(code)+`\nOriginal token count: 0\nOutput:\n`)
		c.counted(1)
	}
	c.says()
	c.done("")
	c.close(c.now)
	t.m.note(c.t)
	t.now = c.now + 50
	t.reviewed(outer)
}

// reviewed ends the turn of a review in the session that asked for it.
func (t *rollout) reviewed(outer string) {
	t.turn = outer
	t.settings()
	t.rec("response_item").s(`"type":"message",`, t.itemID("msg"), `"role":"user","content":[{"type":"input_text","text":"<user_action>\n  <context>`,
		t.m.texts.words(t.r, 9), `</context>\n</user_action>"}]`, t.passthrough(`"review"`))
	t.endRecord("response_item/message")
	t.item("ExitedReviewMode",
		`"id":"`+t.r.thread(t.now)+
			`","review_output":{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"x","overall_confidence_score":0.9}`, 0)
	t.text()
	t.done("")
	t.t.Reviews++
	t.t.Spawned++
	t.turnsRun++
}
