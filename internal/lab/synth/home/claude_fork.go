package home

import (
	"bytes"

	"aburn/trace"
)

// forks writes sessions that begin with a copy of this one.
func (t *transcript) forks(m *maker) {
	if len(t.ends) == 0 {
		return
	}
	how := []string{"fork", "branch", "oldfork"}
	for _, name := range how {
		if t.has[name] {
			t.fork(m, name == "branch")
		}
	}
	if t.has["refork"] {
		if child := t.fork(m, false); len(child.ends) > 0 {
			child.fork(m, t.r.percent(50))
		}
	}
}

// fork writes a session that begins with a copy of this one up to the end of a turn, mostly the last. Every record
// keeps its uuid and time; linked says that the copies name where they are from.
func (t *transcript) fork(m *maker, linked bool) *transcript {
	end := t.ends[len(t.ends)-1]
	if t.r.percent(30) {
		end = pick(t.r, t.ends)
	}
	r := t.r.fork(t.r.next())
	c := &transcript{r: r, has: features{"secrets": t.has["secrets"]}, session: r.uuid(), cwd: t.cwd, slug: t.slug, version: t.version, typed: linked,
		now: t.now + int64(r.from(60, 90000))*1000, cache: t.cache, keep: true}
	c.billsLike(t)
	c.t = &Session{Source: "claude", ID: c.session, Main: true, Kind: trace.Fork, Related: t.session, Outcome: trace.Completed, Linked: linked ||
		t.version == "2.1.329"}
	c.file = m.create("claude", ".claude/projects/"+c.slug+"/"+c.session+".jsonl")
	c.t.File = c.path
	text := c.promptText()
	c.prompt = c.r.uuid()
	if !c.typed {
		c.lead(text)
	}
	for _, k := range t.kept[:end.kept] {
		c.copy(t, k, linked)
	}
	c.leaf, c.t.Copied = end.leaf, t.kept[end.kept-1].held
	c.prompts = c.t.Copied.Prompts
	if c.typed {
		c.lead(text)
	}
	c.asks(askPlain, text)
	c.answers(r.from(0, 4), false)
	c.answer(nil, false)
	c.stop()
	for range r.below(2) {
		c.turn(1, 9)
	}
	c.exit()
	c.close(c.now)
	m.note(c.t)
	return c
}

// copy writes a record of another session, as a fork does.
func (t *transcript) copy(from *transcript, k kept, linked bool) {
	line := bytes.ReplaceAll(k.line, []byte(`"sessionId":"`+from.session+`"`), []byte(`"sessionId":"`+t.session+`"`))
	if i := bytes.Index(line, []byte(`"promptId":"`)); i >= 0 && i < 200 {
		copy(line[i+len(`"promptId":"`):], t.prompt)
	}
	t.e(line[:len(line)-1])
	if k.request != "" && t.version == "2.1.329" {
		t.s(`,"requestSessionId":"`, k.request, `"`)
	}
	if linked {
		t.s(`,"forkedFrom":{"sessionId":"`, from.session, `","messageUuid":"`, k.uuid, `"}`)
	}
	t.s(`}`).end("copied")
	k.line = line
	t.kept = append(t.kept, k)
}
