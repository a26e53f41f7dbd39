package home

import (
	"fmt"
	"strconv"

	"aburn/trace"
)

// spawned is a background task that has not reported.
type spawned struct {
	task, call, summary string
	agent               bool
}

// agentCall is a call that starts a sub-agent.
func (t *transcript) agentCall(background bool, f fate) *call {
	kind := pick(t.r, []string{"general-purpose", "Explore", "Plan"})
	description := t.m.texts.words(t.r, 3)
	if t.has["secrets"] && t.r.percent(50) {
		description += " " + t.m.secret(t.r)
	}
	task := string(t.m.texts.cut(t.r, t.r.from(100, 1500)).raw)
	c := &call{id: "toolu_01" + t.r.alnum(22), tool: "Agent", fate: f, background: background}
	c.input = func() {
		t.s(`"description":`).q(description).s(`,"prompt":`).q(task).s(`,"subagent_type":"`, kind, `"`)
		if !background {
			t.s(`,"run_in_background":false`)
		}
	}
	id := "a" + t.r.hex(16)
	parent := t.session
	if t.agentID != "" {
		parent += "/" + t.agentID
	}
	child := &transcript{r: t.r.fork(t.r.next()), has: features{"agents": t.has["agents"] && t.r.percent(20) && !t.has["lostmeta"], "lostmeta": t.has["lostmeta"],
		"secrets": t.has["secrets"]}, session: t.session, agentID: id, depth: t.depth + 1,
		cwd: t.cwd, slug: t.slug, version: t.version, typed: t.typed, cache: int64(t.r.from(4000, 9000)), task: task, about: description}
	child.t = &Session{Source: "claude", ID: t.session + "/" + id, Kind: trace.Subagent, Related: parent, Call: c.id, AgentID: id, AgentType: kind, Linked: true,
		Outcome: trace.Completed}
	child.file = &file{m: t.m}
	child.billsLike(t)
	c.agent = child
	return c
}

// run writes the sub-agent's transcript and the file beside it.
func (t *transcript) run(from *transcript, killed, background bool) {
	base := ".claude/projects/" + t.slug + "/" + t.session + "/subagents/agent-" + t.agentID
	t.file = t.m.create("claude", base+".jsonl")
	t.t.File = t.path
	t.now, t.prompt = from.now+50, from.prompt
	t.said(t.task, "")
	t.context()
	t.answers(t.r.from(1, 7), true)
	if killed {
		t.answer(t.calls(1, fateNone), false)
		t.t.Outcome = trace.Killed
	} else {
		t.answer(nil, false)
	}
	t.close(t.now)
	t.m.note(t.t)
	if t.has["lostmeta"] { // only the result of the call tells whose it is
		return
	}
	meta := t.m.create("claude", base+".meta.json")
	meta.s(`{"agentType":"`, t.t.AgentType, `","isBuiltIn":true,"description":`).q(t.about).s(`,"toolUseId":"`, t.t.Call, `"`)
	if from.agentID != "" {
		meta.s(`,"parentAgentId":"`, from.agentID, `"`)
	}
	shape := "foreground"
	if background {
		shape = "background"
	}
	meta.s(`,"spawnDepth":`, strconv.Itoa(t.depth), `,"requestShape":"`, shape,
		`","requestNonInteractive":true,"model":"claude-opus-5-5","finished":true}`).end("meta")
	meta.close(t.now)
}

// agentResult lets the sub-agent of a call run, and writes what the session hears of it.
func (t *transcript) agentResult(c *call) {
	child := c.agent
	child.run(t, c.fate == fateNone, c.background)
	t.t.Spawned++
	if c.fate == fateNone {
		t.t.NoResult++
		return
	}
	t.leaf = c.record
	if c.background {
		t.t.Background++
		t.launched(c)
		return
	}
	t.now = child.now + 20
	text := t.m.texts.cut(t.r, t.r.from(100, 4000))
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"tool_use_id":"`, c.id, `","type":"tool_result","content":[{"type":"text","text":"`).e(text.esc).s(`"}]}]}`)
	if t.agentID == "" {
		t.s(`,"toolUseResult":{"status":"completed","prompt":"x","agentId":"`, child.agentID, `","agentType":"`, child.t.AgentType,
			`","content":[{"type":"text","text":"`).e(text.esc).
			s(`"}],"resolvedModel":"claude-opus-5-5","totalDurationMs":`).n(child.now - child.t.Start).s(`,"totalTokens":`).n(child.t.Usage.Total()).s(`,"totalToolUseCount":`).n(int64(child.t.Calls)).s(`,`)
		t.usage(usage{in: 100, out: 20})
		t.s(`,"canContinueAgent":true}`)
	}
	t.finish("user", "tool_result", `,"sourceToolAssistantUUID":"`+c.record+`","permissionDecision":{"decision":"accept","source":"config","reasonType":"mode"}`)
}

// launched is the result of a call whose sub-agent goes on in the background.
func (t *transcript) launched(c *call) {
	id := c.agent.agentID
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"tool_use_id":"`, c.id,
		`","type":"tool_result","content":[{"type":"text","text":"Async agent launched successfully.\nagentId: `, id, `"}]}]}`)
	t.s(`,"toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"`, id,
		`","description":"x","resolvedModel":"claude-opus-5-5","prompt":"x","outputFile":"/home/user/.tmp/`, id, `.output","canReadOutputFile":true}`)
	t.finish("user", "tool_result", `,"sourceToolAssistantUUID":"`+c.record+`"`)
	t.waiting = append(t.waiting, &spawned{task: id, call: c.id, summary: "Agent finished", agent: true})
}

// backgroundShell is a command that goes on in the background.
func (t *transcript) backgroundShell() *call {
	c := &call{id: "toolu_01" + t.r.alnum(22), tool: "Bash", background: true}
	task := "b" + t.r.hex(8)
	command := "make " + t.m.texts.words(t.r, 2)
	c.input = func() { t.s(`"command":"`, command, `","run_in_background":true`) }
	t.waiting = append(t.waiting, &spawned{task: task, call: c.id, summary: `Background command "` + command + `" completed (exit code 0)`})
	return c
}

// shellLaunched is the result of such a call.
func (t *transcript) shellLaunched(c *call) {
	task := t.waiting[len(t.waiting)-1].task
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"tool_use_id":"`, c.id, `","type":"tool_result","content":"Command running in background with ID: `, task,
		`. Output is being written to: /home/user/.tmp/`, task, `.output","is_error":false}]}`)
	t.s(`,"toolUseResult":{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"`, task, `"}`)
	t.finish("user", "tool_result", `,"sandboxed":false,"sourceToolAssistantUUID":"`+c.record+`"`)
}

// reports writes what the background tasks report, most of them: a turn each, which nobody asked for.
func (t *transcript) reports() {
	var silent []*spawned
	for _, w := range t.waiting {
		if t.r.percent(15) {
			silent = append(silent, w)
			continue
		}
		t.now += int64(t.r.from(1, 60)) * 1000
		t.report(w)
	}
	t.waiting = silent
}

func (t *transcript) report(w *spawned) {
	text := fmt.Sprintf("<task-notification>\n<task-id>%s</task-id>\n<tool-use-id>%s</tool-use-id>\n<output-file>/home/user/.tmp/%s.output</output-file>\n<status>completed</status>\n<summary>%s</summary>", w.task, w.call, w.task, w.summary)
	if w.agent {
		text += "\n<result>" + t.m.texts.words(t.r, 30) +
			"</result>\n<usage><subagent_tokens>120</subagent_tokens><tool_uses>0</tool_uses><duration_ms>310</duration_ms></usage>"
	}
	text += "\n</task-notification>"
	t.queue("enqueue", text)
	t.queue("dequeue", "")
	t.prompt = t.r.uuid()
	t.said(text, `,"permissionMode":"bypassPermissions","origin":{"kind":"task-notification","producer":"session-task","runId":"`+t.r.hex(8)+
		`"},"promptSource":"system","turnOrigin":"task_notification","queueSkipAttachments":true`)
	t.t.Notified++
	t.answer(nil, false)
	t.stop()
}
