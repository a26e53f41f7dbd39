package home

// attach writes an attachment record: what the client put into the request, and what became of it there.
func (t *transcript) attach(kind string, fields func(), rendered int) {
	t.begin("attachment")
	t.s(`,"attachment":{"type":"`, kind, `"`)
	fields()
	t.s(`}`)
	if rendered == 0 {
		t.finish("attachment", kind, "")
		return
	}
	text := t.m.texts.cut(t.r, rendered)
	t.finish("attachment", kind, `,"rendered":[{"content":"<system-reminder>\n`+string(text.esc)+`\n</system-reminder>"}],"renderedRole":"system"`)
}

// context writes what stands behind the first prompt of a session or sub-agent.
func (t *transcript) context() {
	t.attach("environment", func() {
		t.s(`,"snapshot":{"workingDirectory":"`, t.cwd, `","isWorktree":false,"isGitRepo":true,"additionalWorkingDirectories":[],"platform":"linux","shell":"bash"}`)
	}, 800)
	t.attach("model", func() { t.s(`,"identity":{"modelId":"claude-opus-5-5"},"text":"`, t.m.texts.words(t.r, 9), `"`) }, 160)
	t.attach("deferred_tools_delta", func() { t.list("addedNames", 11); t.list("addedLines", 11); t.s(`,"removedNames":[]`) }, 400)
	t.attach("agent_listing_delta", func() { t.list("addedTypes", 5); t.lines("addedLines", 5, 280); t.s(`,"isInitial":true`) }, 1670)
	t.attach("skill_listing", func() {
		t.s(`,"content":"`).e(t.m.texts.cut(t.r, 300).esc).s(`","skillCount":13,"isInitial":true`)
		t.list("names", 13)
	}, 6300)
	t.bookkeeping("atis-latch", `"atis":""`)
	t.attach("instructions", func() {
		t.s(`,"files":[{"path":"`, t.cwd, `/CLAUDE.md","type":"Project","content":"`).e(t.m.texts.cut(t.r, 600).esc).s(`"}]`)
	}, 900)
	t.attach("session_context", func() { t.s(`,"context":{"gitStatus":"`).e(t.m.texts.cut(t.r, 280).esc).s(`"}`) }, 580)
	t.attach("date", func() { t.s(`,"date":"2026-10-01"`) }, 60)
	t.attach("remote_session_change", func() { t.s(`,"url":null,"commit":"`, t.m.texts.words(t.r, 5), `"`) }, 580)
	t.snapshot(t.r.from(2500, 4000))
}

func (t *transcript) list(name string, n int) { t.lines(name, n, 0) }

func (t *transcript) lines(name string, n, size int) {
	t.s(`,"`, name, `":[`)
	for i := range n {
		if i > 0 {
			t.s(",")
		}
		if size == 0 {
			t.s(`"`, t.m.texts.words(t.r, 1), `"`)
		} else {
			t.s(`"`).e(t.m.texts.cut(t.r, size).esc).s(`"`)
		}
	}
	t.s(`]`)
}

// snapshot writes the system prompt and the tools as they were sent, n bytes of them.
func (t *transcript) snapshot(n int) {
	t.attach("prompt_snapshot", func() {
		t.lines("systemPrompt", 4, n/8)
		t.s(`,"tools":[`)
		for i := range 6 {
			if i > 0 {
				t.s(",")
			}
			t.s(`{"name":"`, t.m.texts.words(t.r, 1), `","description":"`).e(t.m.texts.cut(t.r,
				n/12).esc).s(`","schema":{"type":"object","properties":{"x":{"type":"string"}}}}`)
		}
		t.s(`],"reminderFold":false,"contextRendering":"announced"`)
	}, 0)
}

// requested writes the snapshot of a request: what of the ones before is kept, and what is new.
func (t *transcript) requested(a *answered) {
	t.s(`{"type":"api-request","sessionId":"`, t.session, `","id":"`, a.ref, `","timestamp":`).at(t.now).s(`,"version":"`, t.version,
		`","querySource":"sdk","shapeHash":"`, t.r.hex(64),
		`","params":{"model":"`, a.model, `","max_tokens":128000,"thinking":{"type":"adaptive"}},"base":null,"keep":`).n(int64(t.r.from(2,
		80))).s(`,"tail":[{"ref":"`, t.r.uuid(), `"},{"ref":"`, t.r.uuid(), `"}],"requestDigest":"`, t.r.hex(64), `"}`).end("api-request")
	if t.r.percent(30) {
		t.s(`{"type":"api-request-blob","sessionId":"`, t.session, `","id":"`, t.r.hex(40),
			`","content":"`).e(t.m.texts.cut(t.r, t.r.from(2000, 16000)).esc).s(`"}`).end("api-request-blob")
	}
	if t.r.percent(8) {
		t.snapshot(t.r.from(9000, 24000))
	}
	if t.r.percent(5) {
		t.s(`{"type":"api-request-shape","sessionId":"`, t.session, `","hash":"`, t.r.hex(64),
			`","system":"`).e(t.m.texts.cut(t.r, 20000).esc).s(`"}`).end("api-request-shape")
	}
	if t.r.percent(20) {
		t.bookkeeping("tools-used", `"tools":["Bash","Read"]`)
	}
	if t.r.percent(10) {
		t.bookkeeping("last-prompt", `"lastPrompt":"`+t.m.texts.words(t.r, 4)+`","leafUuid":"`+t.leaf+`"`)
	}
}
