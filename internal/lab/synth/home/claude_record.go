package home

// begin starts a record of the conversation.
func (t *transcript) begin(kind string) {
	t.s(`{"parentUuid":`)
	if t.leaf == "" {
		t.s("null")
	} else {
		t.s(`"`, t.leaf, `"`)
	}
	t.s(`,"isSidechain":`)
	if t.agentID != "" {
		t.s(`true`)
	} else {
		t.s(`false`)
	}
	if kind == "user" {
		t.s(`,"promptId":"`, t.prompt, `"`)
	}
	if t.agentID != "" {
		t.s(`,"agentId":"`, t.agentID, `"`)
	}
	if kind == "user" || kind == "system" {
		t.s(`,"type":"`, kind, `"`)
	}
}

// finish ends a record of the conversation and returns its uuid. extra is further fields, beginning with a comma.
func (t *transcript) finish(kind, of, extra string) string {
	uuid := t.r.uuid()
	if t.t.Start == 0 {
		t.t.Start = t.now
	}
	if kind == "assistant" || kind == "attachment" {
		t.s(`,"type":"`, kind, `"`)
	}
	t.s(`,"uuid":"`, uuid, `","timestamp":`).at(t.now).s(extra, `,"userType":"external","entrypoint":"`, t.entry(), `","cwd":"`, t.cwd, `","sessionId":"`,
		t.session,
		`","version":"`, t.version, `","gitBranch":"`, t.branch, `"}`)
	name := kind
	if of != "" {
		name += "/" + of
	}
	line := t.end(name)
	if t.keep {
		k := kept{line: append([]byte(nil), line...), uuid: uuid, held: Copied{t.t.Prompts + t.t.Copied.Prompts, t.t.Responses + t.t.Copied.Responses,
			t.t.Calls + t.t.Copied.Calls}}
		if kind == "assistant" {
			k.request = t.session
		}
		t.kept = append(t.kept, k)
	}
	t.leaf = uuid
	t.now += int64(t.r.from(1, 400))
	return uuid
}

func (t *transcript) entry() string {
	if t.typed {
		return "cli"
	}
	return "sdk-cli"
}

// bookkeeping writes a record that is not part of the conversation; text is all of it but its session.
func (t *transcript) bookkeeping(kind, text string) {
	t.s(`{"type":"`, kind, `",`, text, `,"sessionId":"`, t.session, `"}`).end(kind)
}

func (t *transcript) queue(operation, content string) {
	t.s(`{"type":"queue-operation","operation":"`, operation, `","timestamp":`).at(t.now).s(`,"sessionId":"`, t.session, `"`)
	if content != "" {
		t.s(`,"content":`).q(content)
	}
	t.s(`}`).end("queue-operation")
}

// block writes one record of an answer, which holds one block of its content. write writes the block.
func (t *transcript) block(a *answered, of string, write func()) string {
	if a.blocks == 0 {
		t.billed(a)
	}
	t.begin("assistant")
	t.s(`,"message":{"content":[`)
	write()
	t.s(`],"id":"`, a.id, `","model":"`, a.model, `","role":"assistant","stop_reason":`, a.stop, `,"stop_sequence":null,"type":"message",`)
	t.usage(a.usage)
	t.s(`,"stop_details":null},"apiBlockIndex":`).n(int64(a.blocks)).s(`,"requestId":"`, a.request, `","requestRef":"`, a.ref, `","requestedModel":"`, a.model,
		`","promptCacheRequested":"5m"`)
	if t.agentID != "" {
		t.s(`,"attributionAgent":"general-purpose"`)
	}
	a.blocks++
	return t.finish("assistant", of, `,"effort":"medium","perTurnEffort":"medium","madeBy":"model"`+a.extra)
}

// answered is an answer of the model while its records are written.
type answered struct {
	id, request, ref, model, stop, extra string
	usage                                usage
	blocks                               int
}

// answer writes an answer of the model, the tools that it calls, and their results. Without calls it ends the turn.
func (t *transcript) answer(calls []*call, mayThink bool) {
	a := t.asked(`"end_turn"`, mayThink && t.r.percent(25))
	if len(calls) > 0 {
		a.stop = `"tool_use"`
	}
	if a.usage.thought > 0 {
		text := t.m.texts.cut(t.r, t.r.from(200, 2500))
		t.block(a, "thinking", func() {
			t.s(`{"signature":"`, t.r.alnum(64), `","thinking":"`).e(text.esc).s(`","type":"thinking"}`)
		})
	}
	if len(calls) == 0 || t.r.percent(45) {
		text := t.m.texts.cut(t.r, t.r.from(40, 1800))
		t.block(a, "text", func() { t.s(`{"text":"`).e(text.esc).s(`","type":"text"}`) })
	}
	for _, c := range calls {
		c.record = t.block(a, "tool_use", func() {
			t.s(`{"id":"`, c.id, `","input":{`)
			c.input()
			t.s(`},"name":"`, c.tool, `","type":"tool_use"}`)
		})
		t.t.called(c.tool)
	}
	if len(calls) > 1 {
		t.t.Parallel += len(calls)
	}
	t.results(calls)
}

// asked is the answer to a new request, whose snapshot is written with it.
func (t *transcript) asked(stop string, thinks bool) *answered {
	a := &answered{id: "msg_01" + t.r.alnum(22), request: "req_01" + t.r.alnum(22), ref: t.r.uuid(), model: t.model, stop: stop}
	t.requested(a)
	t.now += int64(t.r.from(800, 9000))
	a.usage = t.spend(thinks)
	return a
}
