package opencode

import (
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// conversation is a session's records, folded: the last state of each message and part, and where it began and ended.
// It holds no content.
type conversation struct {
	session  session
	messages []*message // in the order in which they began
	byID     map[string]*message
	parts    map[string]*part
	damaged  []trace.Damage
	secrets  draft.Secrets
}

type message struct {
	id         string
	pos, endAt int64 // of its first record, and of the one that completed it
	ref, end   trace.Ref
	info
	parts   []*part // in the order in which they began
	removed bool    // deleted, or reverted

	// What settle finds out.
	copied bool
	byUser bool // not an answer: the user ran its tool
	steps  []*step
	next   *message // the next answer, of any turn
	last   bool     // the last answer of its turn
}

type part struct {
	id         string
	pos, endAt int64
	ref, end   trace.Ref
	kind       string
	removed    bool

	text            trace.Digest
	head, textStart string // of a user's text: scrubbed for the trace, and its raw beginning
	synthetic       bool
	start, fin      int64
	tool            *tool
	usage           trace.Usage // of a step-finish
	reason          string
	files           []string // of a patch
	auto            bool     // of a compaction
	err             *errorInfo
	step            *step
}

func newConversation(s session) *conversation {
	return &conversation{session: s, byID: map[string]*message{}, parts: map[string]*part{}}
}

// apply folds one more record.
func (t *conversation) apply(r record) {
	switch r.kind {
	case ofMessage:
		t.applyMessage(r)
	case ofPart:
		t.applyPart(r)
	case messageGone:
		if m := t.byID[r.id]; m != nil {
			m.removed = true
		}
	case partGone:
		if p := t.parts[r.id]; p != nil {
			p.removed = true
		}
	}
}

func (t *conversation) applyMessage(r record) {
	in, ok := parseInfo(r.data)
	if !ok {
		t.damage(r.ref, "it is no message")
		return
	}
	m := t.byID[r.id]
	if m == nil {
		m = &message{id: r.id, pos: r.pos, ref: r.ref}
		t.byID[r.id] = m
		t.messages = append(t.messages, m)
	}
	if m.completed == 0 && m.err == nil {
		m.end, m.endAt = r.ref, r.pos
	}
	if in.created == 0 {
		in.created = r.at
	}
	m.info, m.removed = in, false
}

func (t *conversation) applyPart(r record) {
	m := t.byID[r.message]
	kind := ""
	whole := jsonl.Members(r.data, func(key, v []byte) bool {
		if string(key) == "type" {
			kind = jsonl.Text(v)
		}
		return true
	})
	if m == nil || kind == "" || !whole {
		t.damage(r.ref, "it is no part of a message")
		return
	}
	p := t.parts[r.id]
	if p == nil {
		p = &part{id: r.id, pos: r.pos, ref: r.ref}
		t.parts[r.id] = p
		m.parts = append(m.parts, p)
	}
	p.kind, p.removed = kind, false
	if p.tool != nil && p.tool.ended() {
		return // later states only drop its output to save room
	}
	p.endAt, p.end = r.pos, r.ref
	p.update(r.data, m, t)
}

// update takes a newer state of the part.
func (p *part) update(data []byte, m *message, t *conversation) {
	dir := t.session.directory
	if p.kind == "tool" {
		if p.tool == nil {
			p.tool = &tool{secrets: &t.secrets}
		}
		given := p.tool.hasInput
		p.tool.update(data, dir)
		if !given {
			p.ref = p.end // the call counts from the state that has its input
		}
		return
	}
	jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "text", "prompt":
			p.setText(v, m, &t.secrets)
		case "synthetic":
			p.synthetic = isTrue(v)
		case "time":
			p.start, p.fin = number(v, "start"), number(v, "end")
		case "reason":
			p.reason = jsonl.Text(v)
		case "tokens":
			cost := p.usage.CostUSD
			p.usage = parseTokens(v)
			p.usage.CostUSD = cost
		case "cost":
			p.usage.CostUSD = float(v)
		case "auto":
			p.auto = isTrue(v)
		case "error":
			p.err = parseError(v)
		case "files":
			p.files = p.files[:0]
			jsonl.Elements(v, func(v []byte) bool {
				p.files = append(p.files, draft.Path(jsonl.Text(v), dir))
				return true
			})
		}
		return true
	})
}

// textStartBytes is how much of a user's text is kept, to recognise texts that opencode itself wrote.
const textStartBytes = 200

func (p *part) setText(v []byte, m *message, secrets *draft.Secrets) {
	p.text = draft.DigestText(v)
	if m.role != "user" {
		return
	}
	s := jsonl.Text(v)
	p.head = secrets.Head(s, trace.UserHead)
	p.textStart = strings.Clone(s[:min(len(s), textStartBytes)])
}

// content reports whether the model said or did the part.
func (p *part) content() bool {
	switch p.kind {
	case "text", "reasoning":
		return p.text.Length > 0
	case "tool":
		return true
	}
	return false
}

func (t *conversation) damage(ref trace.Ref, why string) {
	ref.Key = draft.SessionID(ref.Key)
	t.damaged = append(t.damaged, trace.Damage{Ref: ref, Reason: why})
}
