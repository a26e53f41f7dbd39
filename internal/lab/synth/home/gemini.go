package home

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"time"

	"aburn/trace"
)

// chat is one conversation of Gemini CLI while it is written: a session's or a sub-agent's.
type chat struct {
	*file
	r     *random
	t     *Session
	has   features
	id    string
	cwd   string
	now   int64
	kind  string
	last  string // id of the last prompt
	sent  int64  // tokens of the request
	root  string // id of the session
	model string
}

// geminiSession writes one session of Gemini CLI and its sub-agents.
func geminiSession(m *maker, r *random, has features) {
	now := m.begin(r)
	c := &chat{r: r, has: has, id: r.uuid(), cwd: m.project(r), now: now, kind: "main", sent: 100}
	c.root, c.model = c.id, pick(r.fork(0xb111), []string{"gemini-3.8-flash", "gemini-3.8-flash", "gemini-3.5-flash", "gemini-3.1-pro-preview", "gemma-local"})
	if r.fork(0xb112).percent(10) {
		c.sent = 199_000 // near the length above which a model costs more
	}
	c.t = &Session{Source: "gemini", ID: c.id, Main: true, Kind: trace.Root, Outcome: trace.Unknown, Linked: true, Start: now}
	c.file = m.create("gemini", path.Join(c.folder(), "session-"+time.UnixMilli(now).UTC().Format("2006-01-02T15-04")+"-"+c.id[:8]+".jsonl"))
	c.header(`,"kind":"main"`)
	c.s(`{"$set":{"messages":[{"id":"`, r.hex(32), `","timestamp":`).at(c.now).s(`,"type":"user","content":[{"text":"<session_context>\n`).e(m.texts.cut(r,
		600).esc).s(`\n</session_context>"}]}],"lastUpdated":`).at(c.now).s(`}}`).end("set")
	for i := range r.from(1, 4) {
		c.ask()
		c.works(r.from(0, 12), has["agents"] && i == 0)
		c.says()
	}
	if has["rewound"] {
		calls := c.t.Calls
		c.ask()
		c.works(2, false)
		c.says()
		c.s(`{"$rewindTo":"`, c.last, `"}`).end("rewindTo")
		c.t.Abandoned += c.t.Calls - calls
		c.ask()
		c.says()
	}
	c.t.File = c.path
	c.close(c.now)
	m.note(c.t)
}

func (c *chat) folder() string {
	return path.Join(".gemini/tmp", path.Base(c.cwd), "chats")
}

func (c *chat) header(more string) {
	sum := sha256.Sum256([]byte(c.cwd))
	c.s(`{"sessionId":"`, c.id, `","projectHash":"`, hex.EncodeToString(sum[:]), `","startTime":`).at(c.now).s(`,"lastUpdated":`).at(c.now).s(more,
		`}`).end("header")
}

func (c *chat) updated() {
	c.s(`{"$set":{"lastUpdated":`).at(c.now).s(`}}`).end("set")
	c.now += int64(c.r.from(300, 5000))
}

func (c *chat) ask() {
	c.now += int64(c.r.from(5, 900)) * 1000
	text := string(c.m.texts.cut(c.r, c.r.from(20, 600)).raw)
	if c.has["secrets"] {
		text = c.m.texts.words(c.r, 3) + " " + c.m.secret(c.r) + " " + text
	}
	c.t.Prompts++
	c.asked(text)
}

func (c *chat) asked(text string) {
	c.last = c.r.uuid()
	c.s(`{"id":"`, c.last, `","timestamp":`).at(c.now).s(`,"type":"user","content":[{"text":`).q(text).s(`}]}`).end("user")
	c.updated()
}

// reply is an answer of the model, which is written again when its tools have finished.
type reply struct {
	id, text                     string
	at, in, out, cached, thought int64
}

func (c *chat) reply() *reply {
	a := &reply{id: c.r.uuid(), text: string(c.m.texts.cut(c.r, c.r.from(20, 900)).esc), at: c.now, in: c.sent, cached: c.sent / 2, out: int64(c.r.from(10, 900)),
		thought: int64(c.r.from(0, 300))}
	c.sent += int64(c.r.from(50, 2000))
	c.m.answered(c.t, Answer{Time: a.at, Root: c.root, Project: c.cwd, Model: c.model, Input: a.in - a.cached, CacheRead: a.cached, Output: a.out + a.thought,
		Reasoning: a.thought})
	return a
}

func (c *chat) record(a *reply, calls func()) {
	c.s(`{"id":"`, a.id, `","timestamp":`).at(a.at).s(`,"type":"gemini","content":"`, a.text,
		`","thoughts":[],"tokens":{"input":`).n(a.in).s(`,"output":`).n(a.out).s(`,"cached":`).n(a.cached).
		s(`,"thoughts":`).n(a.thought).s(`,"tool":0,"total":`).n(a.in+a.out+a.thought).s(`},"model":"`, c.model, `"`)
	if calls != nil {
		c.s(`,"toolCalls":[`)
		calls()
		c.s(`]`)
	}
	c.s(`}`).end("gemini")
}

func (c *chat) says() {
	c.record(c.reply(), nil)
	c.updated()
}

// works writes n answers that use tools.
func (c *chat) works(n int, agents bool) {
	if agents {
		n++
	}
	for i := range n {
		a := c.reply()
		c.record(a, nil)
		c.updated()
		tool, bad, status := pick(c.r, []string{"run_shell_command", "read_file", "write_file", "grep_search"}), c.r.percent(10), "success"
		var child *chat
		if agents && i == 0 {
			tool, bad = "invoke_agent", false
			child = c.child()
		}
		id := tool + "__" + tool + "_" + strconv.FormatInt(c.now, 10) + "_0"
		if child != nil {
			child.t.Call = id
			child.run(c)
			c.t.Spawned++
		}
		out := string(c.m.texts.cut(c.r, c.r.from(30, 9000)).esc)
		answer := `"output":"` + out + `"`
		if bad && tool == "run_shell_command" {
			answer = `"output":"<untrusted_context>\nOutput: ` + out + `\nExit Code: 3\nProcess Group PGID: 25180\n</untrusted_context>"`
		} else if bad {
			status, answer = "error", `"error":"File not found: `+c.cwd+`/x"`
		}
		c.t.called(tool)
		if bad {
			c.t.failed(tool)
		}
		c.record(a, func() { c.call(id, tool, status, answer, child) })
		c.s(`{"id":"`, c.r.uuid(), `","timestamp":`).at(c.now).s(`,"type":"user","content":[{"functionResponse":{"id":"`, id, `","name":"`, tool, `","response":{`,
			answer, `}}}]}`).end("user")
		c.updated()
	}
}

func (c *chat) call(id, tool, status, answer string, child *chat) {
	path := c.cwd + "/src/" + c.m.texts.words(c.r, 1) + ".ts"
	c.s(`{"id":"`, id, `","name":"`, tool, `","args":{`)
	switch tool {
	case "run_shell_command":
		c.s(`"command":"npm test `, c.m.texts.words(c.r, 1), `","description":"x"`)
	case "write_file":
		c.s(`"file_path":"`, path, `","content":"x\n"`)
	case "invoke_agent":
		c.s(`"agent_name":"generalist","prompt":"`, c.m.texts.words(c.r, 9), `"`)
	default:
		c.s(`"file_path":"`, path, `"`)
	}
	c.s(`},"result":[{"functionResponse":{"id":"`, id, `","name":"`, tool, `","response":{`, answer, `}}}],"status":"`, status, `","timestamp":`).at(c.now)
	if tool == "write_file" && status == "success" {
		c.s(`,"resultDisplay":{"fileDiff":"@@ -0,0 +1 @@\n+x\n","fileName":"x.ts","filePath":"`, path,
			`","originalContent":"","newContent":"x\n","diffStat":{"model_added_lines":1,"model_removed_lines":0,"user_added_lines":0,"user_removed_lines":0},`+
				`"isNewFile":true}`)
		c.t.Changes++
	}
	c.s(`,"description":"x","displayName":"`, tool, `"`)
	if child != nil {
		c.s(`,"agentId":"`, child.id, `"`)
	}
	c.s(`}`)
}

func (c *chat) child() *chat {
	r := c.r.fork(c.r.next())
	k := &chat{r: r, has: features{}, id: r.uuid(), cwd: c.cwd, now: c.now, kind: "subagent", sent: 100, root: c.root, model: c.model}
	k.t = &Session{Source: "gemini", ID: k.id, Kind: trace.Subagent, Related: c.id, AgentID: k.id, AgentType: "generalist", Linked: true, Outcome: trace.Unknown,
		Start: c.now}
	return k
}

func (c *chat) run(parent *chat) {
	c.file = parent.m.create("gemini", path.Join(parent.folder(), parent.id, c.id+".jsonl"))
	c.t.File = c.path
	c.header(`,"kind":"subagent","directories":["` + c.cwd + `"]`)
	c.asked(c.m.texts.words(c.r, 12))
	c.works(c.r.from(0, 4), false)
	c.says()
	c.close(c.now)
	parent.now = c.now
	c.m.note(c.t)
}
