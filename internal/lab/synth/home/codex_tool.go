package home

import "strconv"

// use is a call of a tool of Codex: how it is called and what came of it.
type use struct {
	id, tool string
	bad      bool
	command  string
	path     string
	patch    piece
	word     string
	out      piece
	code     int
	secret   string // in the output
}

// codexTools are the tools and how often each is used and fails, in percent.
var codexTools = []struct {
	tool        string
	used, fails int
}{{"exec_command", 68, 9}, {"apply_patch", 17, 8}, {"mcp__ledger__find", 8, 7}, {"view_image", 2, 10}, {"update_plan", 3, 0}, {"no_such_tool", 2, 100}}

// draw makes a call. Only tools that leave an item can be called from code.
func (t *rollout) draw() *use {
	draw, i := t.r.below(100), 0
	for draw >= codexTools[i].used {
		draw -= codexTools[i].used
		i++
	}
	if t.code && i > 2 || t.legacy && i == 2 {
		i = 0
	}
	u := &use{id: "call_" + t.r.alnum(24), tool: codexTools[i].tool, bad: t.r.percent(codexTools[i].fails), word: t.m.texts.words(t.r, 2),
		code: pick(t.r, []int{1, 1, 2, 3, 101, 127})}
	if t.code && u.tool == "apply_patch" {
		u.bad = false // a patch that fails leaves no item
	}
	u.path = t.cwd + "/src/" + t.m.texts.words(t.r, 1) + ".rs"
	u.command = pick(t.r, []string{"cargo test ", "rg ", "sed -n 1,80p ", "ls "}) + u.word
	u.out = t.m.texts.cut(t.r, 1<<t.r.from(5, 13))
	u.patch = t.m.texts.cut(t.r, t.r.from(40, 1600))
	if t.has["secrets"] && t.r.percent(25) {
		u.secret = t.m.secret(t.r)
		if t.r.percent(50) {
			u.command += " --header 'X-Auth: " + t.m.secret(t.r) + "'"
		}
	}
	return u
}

// uses is an answer that calls n tools at once, and their results.
func (t *rollout) uses(n int) {
	t.answer()
	if t.r.percent(35) {
		t.text()
	}
	var all []*use
	for range n {
		u := t.draw()
		all = append(all, u)
		t.calls(u)
		t.t.called(u.tool)
		if u.bad {
			t.t.failed(u.tool)
		}
	}
	if n > 1 {
		t.t.Parallel += n
	}
	t.billed()
	t.now += int64(t.r.from(20, 20000))
	for _, u := range all {
		t.leaves(u, u.id)
	}
	for _, u := range all {
		t.hears(u)
	}
	t.counted(1)
}

// calls writes a call.
func (t *rollout) calls(u *use) {
	status, fc := `"status":"completed",`, `"id":"fc_`+u.id+`",`
	if t.legacy {
		status, fc = "", ""
	}
	named := func(name, arguments string) {
		t.repeatable("response_item", "/function_call", `"type":"function_call",`+status+fc+`"name":"`+name+`","arguments":`+quoted(arguments)+`,"call_id":"`+u.id+
			`"`+t.passthrough(""))
	}
	switch u.tool {
	case "exec_command":
		if u.bad && u.code == 101 { // arguments that are no JSON
			named("exec_command", "{not json")
			return
		}
		named("exec_command", `{"cmd":`+quoted(u.command)+`}`)
	case "apply_patch":
		t.repeatable("response_item", "/custom_tool_call", `"type":"custom_tool_call",`+status+`"call_id":"`+u.id+
			`","name":"apply_patch","input":"*** Begin Patch\n*** Update File: `+u.path+`\n@@\n-x\n+`+string(u.patch.esc)+`\n*** End Patch\n"`+t.passthrough(""))
	case "mcp__ledger__find":
		t.repeatable("response_item", "/function_call", `"type":"function_call",`+status+fc+`"name":"find","namespace":"mcp__ledger","arguments":"{\"query\":\"`+
			u.word+`\"}","call_id":"`+u.id+`"`+t.passthrough(""))
	case "view_image":
		named("view_image", `{"path":"`+u.path+`"}`)
	default:
		named(u.tool, `{"a":1}`)
	}
}

// leaves writes the item that a call leaves, if it leaves one. id is the item's.
func (t *rollout) leaves(u *use, id string) {
	if t.legacy {
		if u.tool == "apply_patch" && !u.bad {
			t.rec("event_msg").s(`"type":"patch_apply_end","call_id":"`, u.id, `","turn_id":"`, t.turn, `","stdout":"Success.","stderr":"","success":true,"changes":{"`,
				u.path, `":{"type":"update","unified_diff":"@@ -1 +1 @@\n-x\n+y\n","move_path":null}},"status":"completed"`)
			t.endRecord("event_msg/patch_apply_end")
			t.t.Changes++
		}
		return
	}
	status, took := `"status":"completed"`, int64(t.r.from(1, 9000))
	if u.bad {
		status = `"status":"failed"`
	}
	switch u.tool {
	case "exec_command":
		code := "0"
		if u.bad {
			if u.code == 101 && !t.code {
				return
			}
			code = strconv.Itoa(u.code)
		}
		t.item("CommandExecution", `"id":"`+id+`","process_id":"`+strconv.Itoa(t.r.below(90000))+`","command":["/bin/bash","-lc",`+quoted(u.command)+
			`],"cwd":"file://`+t.cwd+`","parsed_cmd":[{"type":"unknown","cmd":`+quoted(u.command)+`}],"source":"unified_exec_startup",`+status+`,"aggregated_output":"`+
			u.output()+`","exit_code":`+code+`,"duration":{"secs":0,"nanos":4828}`, took)
	case "apply_patch":
		if !u.bad {
			t.item("FileChange", `"id":"`+id+`","changes":{"`+u.path+`":{"type":"update","unified_diff":"@@ -1,1 +1,1 @@\n-x\n+`+string(u.patch.esc)+
				`\n","move_path":null}},`+status+`,"stdout":"Success.\n","stderr":""`, took)
			t.t.Changes++
		}
	case "mcp__ledger__find":
		t.item("McpToolCall", `"id":"`+id+`","server":"ledger","tool":"find","arguments":{"query":"`+u.word+`"},"readOnlyHint":true,`+status+
			`,"result":{"content":[{"type":"text","text":"`+u.output()+`"}],"isError":`+strconv.FormatBool(u.bad)+`},"duration":{"secs":0,"nanos":615608}`, took)
	case "view_image":
		if !u.bad {
			t.item("ImageView", `"id":"`+id+`","path":"file://`+u.path+`"`, 0)
		}
	}
}

func (u *use) output() string {
	if u.secret != "" {
		return u.secret + `\n` + string(u.out.esc)
	}
	return string(u.out.esc)
}

// hears writes what the model hears of a call.
func (t *rollout) hears(u *use) {
	output := func(kind, escaped string) {
		id := ""
		if !t.legacy {
			id = `"id":"fco_` + t.r.thread(t.now) + `",`
		}
		t.rec("response_item").s(`"type":"`, kind, `",`, id, `"call_id":"`, u.id, `","output":`, escaped, t.passthrough(""))
		t.endRecord("response_item/" + kind)
	}
	switch u.tool {
	case "exec_command":
		if u.bad && u.code == 101 {
			output("function_call_output", `"failed to parse function arguments: key must be a string at line 1 column 2"`)
			return
		}
		code := 0
		if u.bad {
			code = u.code
		}
		output("function_call_output", `"Chunk ID: 5c8168\nWall time: 0.0000 seconds\nProcess exited with code `+strconv.Itoa(code)+
			`\nOriginal token count: 7\nOutput:\n`+u.output()+`"`)
	case "apply_patch":
		if u.bad {
			output("custom_tool_call_output", `"apply_patch verification failed: Failed to read file to update `+u.path+`: No such file or directory (os error 2) `+
				u.secret+`"`)
			return
		}
		output("custom_tool_call_output", `"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM `+u.path+`\n"`)
	case "mcp__ledger__find":
		output("function_call_output", `[{"type":"input_text","text":"Wall time: 0.0014 seconds\nOutput:"},{"type":"input_text","text":"`+u.output()+`"}]`)
	case "view_image":
		if u.bad {
			output("function_call_output", "\"unable to locate image at `"+u.path+"`: No such file or directory (os error 2)\"")
			return
		}
		output("function_call_output", `[{"type":"input_image","image_url":"data:image/png;base64,`+t.r.alnum(400)+`","detail":"original"}]`)
	case "update_plan":
		output("function_call_output", `"Plan updated"`)
	default:
		output("function_call_output", `"unsupported call: `+u.tool+`"`)
	}
}

// script is an answer in code mode: JavaScript that calls tools, each of which leaves an item and no call of its own.
func (t *rollout) script() {
	t.answer()
	outer := "call_" + t.r.alnum(24)
	code := `const r = await tools.exec_command({cmd:` + quoted(t.m.texts.words(t.r, 3)) + `}); text(JSON.stringify(r));`
	t.repeatable("response_item", "/custom_tool_call", `"type":"custom_tool_call","id":"ctc_`+outer+`","status":"completed","call_id":"`+outer+
		`","name":"exec","input":`+quoted(code)+t.passthrough(""))
	t.billed()
	t.t.Containers++
	n := t.r.from(1, 3)
	for range n {
		u := t.draw()
		t.now += int64(t.r.from(20, 9000))
		t.t.called(u.tool)
		if u.bad {
			t.t.failed(u.tool)
		}
		t.leaves(u, "exec-"+t.r.uuid())
	}
	t.rec("response_item").s(`"type":"custom_tool_call_output","id":"ctco_`, t.r.thread(t.now), `","call_id":"`, outer,
		`","output":[{"type":"input_text","text":"Script completed\nWall time 0.1 seconds\nOutput:\n"},{"type":"input_text","text":"`).e(t.m.texts.cut(t.r,
		800).esc).s(`"}]`, t.passthrough(""))
	t.endRecord("response_item/custom_tool_call_output")
	t.counted(1)
}
