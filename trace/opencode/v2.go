package opencode

import (
	"cmp"
	"slices"
	"strings"

	"aburn/internal/jsonl"
	"aburn/internal/sqlite"
	"aburn/trace"
	"aburn/trace/draft"
)

// OpenCode 2 writes a row of session_message per message, with the content of an answer inside it, and leaves the tables of opencode 1
// as they are. The same session can be in both: it was brought over once, and either version can have gone on with it.

// foldV2 reads a session of OpenCode 2, and what only the tables of opencode 1 have of it. table names the tables it used.
func (d *database) foldV2(s session) (t *conversation, table string, err error) {
	f := v2fold{conversation: newConversation(s), turns: map[turn]bool{}, calls: map[string]bool{}}
	err = d.query("SELECT id, type, time_created, "+bounded("data")+" FROM session_message WHERE session_id = ? ORDER BY seq, id", []any{s.id},
		func(row *sqlite.Row) error {
			r := record{id: row.Text(0), at: row.Int64(2), ref: trace.Ref{Table: "session_message", Key: row.Text(0)}}
			if row.Null(3) {
				f.damage(r.ref, tooLarge)
				return nil
			}
			r.data = d.bytes(row, 3)
			f.take(row.Text(1), r)
			return nil
		})
	if err != nil {
		return nil, "", err
	}
	table = "session_message"
	if d.hasV1() {
		old, err := d.foldRows(s)
		if err != nil {
			return nil, "", err
		}
		if f.addRest(old) {
			table += ", message, part"
		}
	}
	f.settle(nil)
	return f.conversation, table, nil
}

// v2fold folds rows of session_message.
type v2fold struct {
	*conversation
	pos   int64
	asked *message // the last message that asked for an answer
	last  *message // the last answer
	turns map[turn]bool
	calls map[string]bool
}

// add appends a message. Everything in it comes from one row, so it has one place.
func (f *v2fold) add(id, role string, r record, created int64) *message {
	f.pos++
	m := &message{id: id, pos: f.pos, endAt: f.pos, ref: r.ref, end: r.ref}
	m.role, m.created = role, cmp.Or(created, r.at)
	f.byID[id] = m
	f.messages = append(f.messages, m)
	f.turns[turn{m.created, role}] = true
	return m
}

func (f *v2fold) part(m *message, kind string) *part {
	f.pos++
	p := &part{kind: kind, pos: f.pos, endAt: f.pos, ref: m.ref, end: m.ref}
	p.id = m.id
	m.parts, m.endAt = append(m.parts, p), f.pos
	return p
}

// take folds one row.
func (f *v2fold) take(kind string, r record) {
	if !jsonl.Members(r.data, func(_, _ []byte) bool { return true }) {
		f.damage(r.ref, "it is no message")
		return
	}
	times := member(r.data, "time")
	created := number(times, "created")
	switch kind {
	case "user", "synthetic":
		m := f.add(r.id, "user", r, created)
		f.asked = m
		p := f.part(m, "text")
		p.synthetic = kind == "synthetic"
		p.setText(member(r.data, "text"), m, &f.secrets)
	case "assistant":
		m := f.add(r.id, "assistant", r, created)
		f.answer(m, r.data, number(times, "completed"))
	case "shell":
		f.ran(r, created, number(times, "completed"))
	case "compaction":
		f.compacted(r, created)
	case "idle":
		if text(r.data, "outcome") == "interrupted" && f.last != nil && f.last.open() {
			f.last.err = &errorInfo{name: abortedV1}
		}
	case "system", "skill", "agent-switched", "model-switched", "location-switched": // no part of what was said or done
	default:
		f.damage(r.ref, "this version of aburn does not know messages of type "+draft.Word(kind))
	}
}

// abortedV1 is what opencode 1 calls an answer that the user stopped.
const abortedV1 = "MessageAbortedError"

func (f *v2fold) answer(m *message, data []byte, completed int64) {
	m.completed, f.last = completed, m
	if f.asked != nil {
		m.parent = f.asked.id
	}
	jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "agent":
			m.agent = jsonl.Text(v)
		case "model":
			m.model = text(v, "id")
		case "finish":
			m.finish = jsonl.Text(v)
		case "error":
			m.err = v2Error(v)
		case "tokens":
			f.usage(m, v)
		case "cost":
			m.usage.CostUSD = float(v)
		case "content":
			jsonl.Elements(v, func(v []byte) bool {
				f.content(m, v)
				return true
			})
		case "retry":
			if err := v2Error(member(v, "error")); err != nil {
				f.part(m, "retry").err = err
			}
		}
		return true
	})
	if f.asked != nil && f.asked.model == "" {
		f.asked.model = m.model
	}
}

func (f *v2fold) usage(m *message, tokens []byte) {
	cost := m.usage.CostUSD
	m.usage = parseTokens(tokens)
	m.usage.CostUSD = cost
}

func (f *v2fold) content(m *message, v []byte) {
	switch kind := text(v, "type"); kind {
	case "text", "reasoning":
		p := f.part(m, kind)
		p.setText(member(v, "text"), m, &f.secrets)
	case "tool":
		p := f.part(m, kind)
		p.tool = &tool{secrets: &f.secrets}
		p.tool.updateV2(v, f.session.directory)
		f.calls[p.tool.call] = true
	}
}

// ran adds a command that the user ran: opencode 1 stores it as the call of an answer to a message that says so.
func (f *v2fold) ran(r record, created, completed int64) {
	asked := f.add(r.id+"#user", "user", r, created)
	p := f.part(asked, "text")
	p.synthetic, p.textStart = true, userRan
	m := f.add(r.id, "assistant", r, created)
	m.parent, m.completed = asked.id, completed
	call := &tool{secrets: &f.secrets, name: "shell", call: r.id, status: "completed", start: created, end: completed}
	if completed == 0 || text(r.data, "status") == "running" {
		call.status = "running"
	}
	call.setInput(r.data, f.session.directory)
	call.input = draft.DigestText(member(r.data, "command"))
	if code, ok := jsonl.Int(member(r.data, "exit")); ok {
		n := int(code)
		call.exit = &n
	}
	call.output = draft.DigestText(member(member(r.data, "output"), "output"))
	f.part(m, "tool").tool = call
}

// compacted adds a summary: opencode 1 stores it as an answer to a message that asks for it.
func (f *v2fold) compacted(r record, created int64) {
	asked := f.add(r.id+"#user", "user", r, created)
	f.part(asked, "compaction").auto = text(r.data, "reason") == "auto"
	m := f.add(r.id, "assistant", r, created)
	m.parent, m.summary = asked.id, true
	switch text(r.data, "status") {
	case "running":
		return
	case "failed":
		m.err = v2Error(member(r.data, "error"))
	default:
		m.completed, m.finish = cmp.Or(m.created, 1), "stop"
	}
	m.model = text(member(r.data, "model"), "id")
	f.usage(m, member(r.data, "tokens"))
	m.usage.CostUSD = float(member(r.data, "cost"))
	if summary := member(r.data, "summary"); summary != nil {
		f.part(m, "text").setText(summary, m, &f.secrets)
	}
}

// addRest adds the messages of opencode 1 that no row here covers, by their id, their time and role, or a call of theirs. It reports
// whether there were any. All are ordered by time then, and numbered anew.
func (f *v2fold) addRest(old *conversation) bool {
	var rest []*message
	for _, m := range old.messages {
		if f.byID[m.id] != nil || f.turns[turn{m.created, m.role}] ||
			slices.ContainsFunc(m.parts, func(p *part) bool { return p.tool != nil && f.calls[p.tool.call] }) {
			continue
		}
		rest = append(rest, m)
		for _, p := range m.parts {
			f.parts[p.id] = p
		}
	}
	f.damaged = append(f.damaged, old.damaged...)
	if len(rest) == 0 {
		return false
	}
	for _, m := range rest {
		f.byID[m.id] = m
	}
	f.messages = append(rest, f.messages...)
	slices.SortStableFunc(f.messages, func(a, b *message) int { return cmp.Compare(a.created, b.created) })
	var pos int64
	for _, m := range f.messages {
		pos++
		m.pos, m.endAt = pos, pos
		for _, p := range m.parts {
			pos++
			p.pos, p.endAt, m.endAt = pos, pos, pos
		}
	}
	return true
}

// v2Error reads {type, message, status}; nil if raw is none.
func v2Error(raw []byte) *errorInfo {
	said := member(raw, "message")
	e := &errorInfo{name: text(raw, "type"), status: int(number(raw, "status"))}
	if e.name == "" && said == nil {
		return nil
	}
	if e.name == "aborted" {
		e.name = abortedV1
	}
	e.head, e.digest = draft.Head(jsonl.Text(said), trace.ErrorHead), draft.DigestText(said)
	return e
}

// updateV2 reads a call as OpenCode 2 stores it.
func (t *tool) updateV2(data []byte, dir string) {
	t.name, t.call = text(data, "name"), text(data, "id")
	times := member(data, "time")
	t.start, t.end = cmp.Or(number(times, "ran"), number(times, "created")), number(times, "completed")
	state := member(data, "state")
	t.status = text(state, "status")
	metadata := member(state, "metadata")
	if metadata == nil {
		metadata = member(state, "structured") // until 2.0 was released
	}
	if t.status != "streaming" {
		t.setInput(member(state, "input"), dir)
	}
	if typeOf(t.name) == trace.AgentTool {
		t.child = text(metadata, "sessionID")
		t.background = text(metadata, "status") == "running"
	}
	switch t.status {
	case "completed":
		t.completedV2(member(state, "content"), metadata, dir)
	case "error":
		t.failedV2(member(state, "error"))
	}
}

// completedV2 reads the end of a call that returned. The first text is the tool's own; a second one is a remark for the model.
func (t *tool) completedV2(content, metadata []byte, dir string) {
	var output []byte
	jsonl.Elements(content, func(v []byte) bool {
		output = member(v, "text")
		return output == nil
	})
	t.output = draft.DigestText(output)
	if code, ok := jsonl.Int(member(metadata, "exit")); ok {
		n := int(code)
		t.exit = &n
	}
	t.bad = isTrue(member(metadata, "timeout"))
	if t.result() != trace.StatusCompleted {
		t.outputHead = t.secrets.Head(jsonl.Text(output), trace.ErrorHead)
		return
	}
	jsonl.Elements(member(metadata, "files"), func(v []byte) bool {
		c := trace.FileChange{Action: "unknown", Path: draft.Path(text(v, "file"), dir), Added: count(member(v, "additions")),
			Removed: count(member(v, "deletions"))}
		switch text(v, "status") {
		case "added":
			c.Action = "created"
		case "modified", "deleted":
			c.Action = text(v, "status")
		}
		t.changes = appendChange(t.changes, c)
		return true
	})
}

func (t *tool) failedV2(failure []byte) {
	t.failed(toolState{failure: member(failure, "message")})
	kind := text(failure, "type")
	t.aborted = t.aborted || kind == "aborted"
	if kind == "permission.rejected" && t.denied == "" {
		t.denied = "rule"
	}
}

// spawningCallsV2 notes the calls of a session's answers that started sub-agents.
func (d *database) spawningCallsV2(calls map[string]string, session string) error {
	return d.answersV2(session, `"subagent"`, func(v []byte) {
		t := tool{secrets: &draft.Secrets{}}
		t.updateV2(v, "")
		if t.child != "" && calls[t.child] == "" {
			calls[t.child] = t.call
		}
	})
}

// answersV2 calls each with the calls in those answers of a session that hold the text.
func (d *database) answersV2(session, holds string, each func(call []byte)) error {
	return d.query("SELECT "+bounded("data")+" FROM session_message WHERE session_id = ? AND type = 'assistant' AND instr(data, ?) ORDER BY seq, id",
		[]any{session, holds}, func(row *sqlite.Row) error {
			jsonl.Elements(member(d.bytes(row, 0), "content"), func(v []byte) bool {
				if text(v, "type") == "tool" {
					each(v)
				}
				return true
			})
			return nil
		})
}

// turnsOfV2 adds what turnsOf answers for a session of OpenCode 2.
func (d *database) turnsOfV2(session string, turns map[turn]int, calls map[string]bool) error {
	err := d.query("SELECT time_created, type FROM session_message WHERE session_id = ?", []any{session}, func(row *sqlite.Row) error {
		role := strings.Replace(row.Text(1), "synthetic", "user", 1)
		turns[turn{row.Int64(0), role}]++
		return nil
	})
	if err != nil {
		return err
	}
	return d.answersV2(session, `"tool"`, func(v []byte) { calls[text(v, "id")] = true })
}
