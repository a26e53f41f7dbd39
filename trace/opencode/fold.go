package opencode

import (
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// talk is what a session's records say, folded: each message and part in its last state, and where it began and ended.
// It holds no content.
type talk struct {
	session  session
	messages []*message // in the order in which they began
	byID     map[string]*message
	parts    map[string]*part
	damaged  []trace.Damage
}

// message is a message.
type message struct {
	id         string
	pos, endAt int64 // of the record with which it began, and of the one that completed it
	ref, end   trace.Ref
	info
	parts []*part // in the order in which they began
	gone  bool    // taken out again, with the part of the conversation that it belongs to

	// What settle finds out.
	copied bool
	ran    bool // it is no answer: the user ran its tool
	steps  []*step
	next   *message // the next answer, of whatever turn
	last   bool     // no other answer in its turn comes behind it
}

// part is a part of a message.
type part struct {
	id         string
	pos, endAt int64
	ref, end   trace.Ref
	kind       string
	gone       bool

	text       trace.Digest
	head, said string // of a user's text: for the trace, and the beginning as it stands
	synthetic  bool
	start, fin int64
	tool       *tool
	usage      trace.Usage // of a step-finish
	reason     string
	files      []string // of a patch
	auto       bool     // of a compaction
	err        *errorInfo
	step       *step
}

func newTalk(s session) *talk {
	return &talk{session: s, byID: map[string]*message{}, parts: map[string]*part{}}
}

// take folds one more record.
func (t *talk) take(r record) {
	switch r.kind {
	case ofMessage:
		t.takeMessage(r)
	case ofPart:
		t.takePart(r)
	case messageGone:
		if m := t.byID[r.id]; m != nil {
			m.gone = true
		}
	case partGone:
		if p := t.parts[r.id]; p != nil {
			p.gone = true
		}
	}
}

func (t *talk) takeMessage(r record) {
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
	m.info, m.gone = in, false
}

func (t *talk) takePart(r record) {
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
	p.kind, p.gone = kind, false
	if p.tool != nil && p.tool.ended() {
		return // what changes then is that its output is dropped to save room
	}
	p.endAt, p.end = r.pos, r.ref
	p.take(r.data, m, t.session.directory)
}

// take reads a state of the part.
func (p *part) take(data []byte, m *message, dir string) {
	if p.kind == "tool" {
		if p.tool == nil {
			p.tool = &tool{}
		}
		given := p.tool.given
		p.tool.take(data, dir)
		if !given {
			p.ref = p.end // a call is to be seen with its input
		}
		return
	}
	jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "text", "prompt":
			p.takeText(v, m)
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

// saidBytes is how much of a user's text is kept for telling what opencode itself wrote.
const saidBytes = 200

func (p *part) takeText(v []byte, m *message) {
	p.text = draft.DigestText(v)
	if m.role != "user" {
		return
	}
	s := jsonl.Text(v)
	p.head = draft.Head(s, trace.UserHead)
	p.said = strings.Clone(s[:min(len(s), saidBytes)])
}

// content says whether the part is something that the model said or did.
func (p *part) content() bool {
	switch p.kind {
	case "text", "reasoning":
		return p.text.Length > 0
	case "tool":
		return true
	}
	return false
}

func (t *talk) damage(ref trace.Ref, why string) {
	ref.Key = draft.SessionID(ref.Key)
	t.damaged = append(t.damaged, trace.Damage{Ref: ref, Reason: why})
}
