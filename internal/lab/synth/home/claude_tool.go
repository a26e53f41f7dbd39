package home

import "strconv"

// fate is what becomes of a call.
type fate int

const (
	fateAny         fate = iota // good, or failed now and then
	fateGood                    // it ends well
	fateBad                     // it fails
	fateNone                    // nothing is heard of it
	fateResumed                 // nothing is heard of it until the session goes on
	fateRule                    // a rule refuses it
	fateUser                    // the user refuses it
	fateInterrupted             // the user stops it
)

// call is a call of a tool while it is written.
type call struct {
	id, tool, record, path string
	fate                   fate
	input                  func()      // writes the fields of the input
	agent                  *transcript // the sub-agent that it starts, not yet written
	background             bool
	code                   int
}

// claudeTools are the tools and how often each is used and fails, in percent.
var claudeTools = []struct {
	tool        string
	used, fails int
}{{"Bash", 44, 9}, {"Read", 22, 6}, {"Edit", 11, 7}, {"Grep", 8, 5}, {"Write", 4, 4}, {"Glob", 4, 0}, {"mcp__ledger__find", 3, 6}, {"WebFetch", 2, 10},
	{"Skill", 1, 0}, {"Nope", 1, 100}}

// calls makes n calls with a fate.
func (t *transcript) calls(n int, f fate) []*call {
	var calls []*call
	for range n {
		draw, i := t.r.below(100), 0
		for draw >= claudeTools[i].used {
			draw -= claudeTools[i].used
			i++
		}
		if f != fateAny && claudeTools[i].tool == "Nope" {
			i = 0
		}
		c := &call{id: "toolu_01" + t.r.alnum(22), tool: claudeTools[i].tool, fate: f, code: pick(t.r, []int{1, 1, 1, 2, 3, 101, 127})}
		if f == fateAny {
			c.fate = fateGood
			if t.r.percent(claudeTools[i].fails) {
				c.fate = fateBad
			}
		}
		t.fill(c)
		calls = append(calls, c)
	}
	return calls
}

// fill gives a call its input.
func (t *transcript) fill(c *call) {
	c.path = t.cwd + "/src/" + t.m.texts.words(t.r, 1) + ".go"
	word := t.m.texts.words(t.r, 2)
	switch c.tool {
	case "Bash":
		command := pick(t.r, []string{"go test ./", "grep -rn ", "make ", "git log -n 3 -- ", "npm run "}) + word
		if t.has["secrets"] && t.r.percent(15) {
			command = "curl -H 'X-Auth: " + t.m.secret(t.r) + "' " + word
		}
		if t.r.percent(10) {
			command += "\ncat <<'X'\n" + string(t.m.texts.cut(t.r, 800).raw) + "\nX"
		}
		c.input = func() { t.s(`"command":`).q(command).s(`,"description":"`, word, `"`) }
	case "Edit":
		old, neu := t.m.texts.cut(t.r, t.r.from(20, 900)), t.m.texts.cut(t.r, t.r.from(20, 1200))
		c.input = func() {
			t.s(`"replace_all":false,"file_path":"`, c.path, `","old_string":"`).e(old.esc).s(`","new_string":"`).e(neu.esc).s(`"`)
		}
	case "Write":
		text := t.m.texts.cut(t.r, t.r.from(100, 6000))
		c.input = func() { t.s(`"file_path":"`, c.path, `","content":"`).e(text.esc).s(`"`) }
	case "Read":
		c.input = func() { t.s(`"file_path":"`, c.path, `","offset":`).n(int64(t.r.below(400))) }
	case "Grep", "Glob":
		c.input = func() { t.s(`"pattern":"`, word, `","path":"`, t.cwd, `"`) }
	case "WebFetch":
		c.input = func() { t.s(`"url":"https://example.org/`, t.r.hex(6), `","prompt":"`, word, `"`) }
	case "Nope":
		c.input = func() {}
	default:
		c.input = func() { t.s(`"query":"`, word, `"`) }
	}
}

// results writes what became of the calls of one answer, in the order in which they ended.
func (t *transcript) results(calls []*call) {
	order := make([]int, len(calls))
	for i := range order {
		j := t.r.below(i + 1)
		order[i], order[j] = order[j], i
	}
	for _, i := range order {
		c := calls[i]
		if c.agent != nil {
			t.agentResult(c)
			continue
		}
		switch c.fate {
		case fateNone:
			t.t.NoResult++
			continue
		case fateResumed:
			continue
		}
		t.leaf = c.record
		if c.background {
			t.shellLaunched(c)
			continue
		}
		t.now += int64(t.r.from(20, 20000))
		t.result(c)
	}
}

// result writes what became of a call.
func (t *transcript) result(c *call) {
	accept := `,"permissionDecision":{"decision":"accept","source":"config","reasonType":"mode"}`
	source := `,"sourceToolAssistantUUID":"` + c.record + `"`
	switch c.fate {
	case fateGood:
		t.good(c, source+accept)
		return
	case fateBad:
		t.bad(c, source+accept)
	case fateRule:
		text := "Permission to use " + c.tool + " has been denied."
		t.wrong(c, text, "Error: "+text, `,"toolDenialKind":"permission-rule"`+source+
			`,"permissionDecision":{"decision":"reject","source":"config","reasonType":"rule","reasonCode":"rule:projectSettings"}`)
		t.t.Denied++
	case fateUser, fateInterrupted:
		extra := `,"toolDenialKind":"user-rejected"`
		if c.fate == fateUser {
			extra += `,"toolDenialBeforeRun":true`
			t.t.Denied++
		}
		t.wrong(c,
			"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).",
			"User rejected tool use", extra+source)
	}
	t.t.failed(c.tool)
}

// bad writes the result of a call that failed.
func (t *transcript) bad(c *call, extra string) {
	text := string(t.m.texts.cut(t.r, t.r.from(30, 2500)).raw)
	if t.has["secrets"] && t.r.percent(40) {
		text = "token " + t.m.secret(t.r) + "\n" + text
	}
	switch c.tool {
	case "Bash":
		text = "Exit code " + strconv.Itoa(c.code) + "\n" + text
	case "Nope":
		text = "<tool_use_error>Error: No such tool available: Nope</tool_use_error>"
	case "Edit":
		text = "<tool_use_error>String to replace not found in file.\nString: " + text + "</tool_use_error>"
	case "Read", "Write":
		text = "<tool_use_error>File does not exist. " + text + "</tool_use_error>"
	}
	t.wrong(c, text, "Error: "+text, extra)
}

// wrong writes a result with is_error.
func (t *transcript) wrong(c *call, text, result, extra string) {
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"type":"tool_result","content":`).q(text).s(`,"is_error":true,"tool_use_id":"`, c.id, `"}]}`)
	if t.agentID == "" {
		t.s(`,"toolUseResult":`).q(result)
	}
	t.finish("user", "tool_result", extra)
}

// good writes the result of a call that ended well. Transcripts of sub-agents have no toolUseResult.
func (t *transcript) good(c *call, extra string) {
	out := t.m.texts.cut(t.r, 1<<t.r.from(5, 14))
	if t.has["secrets"] && t.r.percent(20) {
		secret := "\\n" + t.m.secret(t.r) + "\\n"
		out.esc = append([]byte(secret), out.esc...)
	}
	t.begin("user")
	t.s(`,"message":{"role":"user","content":[{"tool_use_id":"`, c.id, `","type":"tool_result","content":"`)
	switch c.tool {
	case "Edit", "Write":
		t.s(`The file `, c.path, ` has been updated successfully.`)
		t.t.Changes++
	default:
		t.e(out.esc)
	}
	t.s(`"`)
	if c.tool == "Bash" {
		t.s(`,"is_error":false`)
	}
	t.s(`}]}`)
	if t.agentID == "" {
		t.toolUseResult(c, out)
	}
	if c.tool == "Bash" {
		extra = `,"sandboxed":false` + extra
	}
	t.finish("user", "tool_result", extra)
}

// toolUseResult writes the client's own record of a result, which the model does not see.
func (t *transcript) toolUseResult(c *call, out piece) {
	t.s(`,"toolUseResult":`)
	switch c.tool {
	case "Bash":
		t.s(`{"stdout":"`).e(out.esc).s(`","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`)
	case "Read":
		t.s(`{"type":"text","file":{"filePath":"`, c.path, `","content":"`).e(out.esc).s(`","numLines":9,"startLine":1,"totalLines":9}}`)
	case "Edit":
		t.s(`{"filePath":"`, c.path,
			`","oldString":"x","newString":"y","originalFile":"`).e(out.esc).s(`","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":3,` +
			`"lines":[" a","-x","+y","+z"]}],"userModified":false,"replaceAll":false}`)
	case "Write":
		t.s(`{"type":"create","filePath":"`, c.path, `","content":"`).e(out.esc).s(`","structuredPatch":[],"originalFile":null,"userModified":false}`)
	case "mcp__ledger__find":
		t.s(`[{"type":"text","text":"`).e(out.esc).s(`"}]`)
	default:
		t.s(`{"mode":"content","numFiles":2,"content":"`).e(out.esc).s(`"}`)
	}
}
