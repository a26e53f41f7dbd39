package claude

import (
	"bytes"
	"unicode/utf8"

	"aburn/internal/jsonl"
	"aburn/trace/draft"
)

// record is one line of a transcript. Its members are raw JSON within the line, named after the members they hold.
type record struct {
	kind, subtype                                    []byte
	uuid, parent, logicalParent                      []byte
	id                                               string // the text of uuid, set by record()
	ids                                              *ids
	session, agent, prompt, stamp                    []byte
	cwd, version                                     []byte
	sidechain, meta, summary, aborted, turnCompanion bool
	message                                          message
	result                                           toolUseResult
	attachment                                       []byte
	content, compact, data, parentCall               []byte
	denial, decision                                 []byte
	beforeRun                                        bool
	promptSource, turnOrigin, origin                 []byte
	forkedFrom, requestSession, request              []byte
	apiError                                         bool
	code, status                                     []byte
	operation, cost, caller, branch                  []byte
}

// message is the message of a user or assistant record. Its content is a text or blocks.
type message struct {
	id, model, stop, usage []byte
	text                   []byte
	blocks                 []block
	there                  bool // it has a content, which may be empty
}

type block struct {
	kind, text, id, name, input, content []byte
	failed                               []byte // is_error
}

// parse splits a line in one pass. It returns false if the line is no object.
func (r *record) parse(line []byte) bool {
	*r = record{ids: r.ids, message: message{blocks: r.message.blocks[:0]}}
	n := jsonl.Object(line, func(key, rest []byte) int {
		switch string(key) {
		case "message":
			return r.message.parse(rest)
		case "toolUseResult":
			return r.result.parse(rest)
		}
		n := jsonl.Value(rest)
		if n < 0 {
			return n
		}
		switch v := rest[:n]; string(key) {
		case "type":
			r.kind = v
		case "subtype":
			r.subtype = v
		case "uuid":
			r.uuid = v
			if r.attachment != nil && !r.wantsMore() {
				return jsonl.Stop
			}
		case "parentUuid":
			r.parent = v
		case "logicalParentUuid":
			r.logicalParent = v
		case "isSidechain":
			r.sidechain = isTrue(v)
		case "sessionId":
			r.session = v
		case "agentId":
			r.agent = v
		case "promptId":
			r.prompt = v
		case "timestamp":
			r.stamp = v
		case "cwd":
			r.cwd = v
		case "version":
			r.version = v
		case "attachment":
			r.attachment = v
		case "content":
			r.content = v
		default:
			r.rare(key, v)
		}
		return n
	})
	return n == jsonl.Stop || n == len(line)
}

// record returns the record's own id.
func (r *record) record() string {
	if r.id == "" && r.uuid != nil {
		r.id = r.ids.token(r.uuid)
	}
	return r.id
}

// parse splits a message and returns its length in bytes, 0 if it is not an object.
func (m *message) parse(text []byte) int {
	if len(text) > 0 && text[0] != '{' {
		return 0
	}
	return jsonl.Object(text, func(key, rest []byte) int {
		m.there = m.there || string(key) == "content"
		if string(key) == "content" && len(rest) > 0 && rest[0] == '[' {
			return jsonl.Array(rest, func(rest []byte) int {
				m.blocks = append(m.blocks, block{})
				return m.blocks[len(m.blocks)-1].parse(rest)
			})
		}
		n := jsonl.Value(rest)
		if n < 0 {
			return n
		}
		switch v := rest[:n]; string(key) {
		case "id":
			m.id = v
		case "model":
			m.model = v
		case "content":
			m.text = v
		case "stop_reason":
			m.stop = v
		case "usage":
			m.usage = v
		}
		return n
	})
}

// parse splits a block and returns its length in bytes, 0 if it is not an object.
func (b *block) parse(text []byte) int {
	if len(text) > 0 && text[0] != '{' {
		return 0
	}
	return jsonl.Object(text, func(key, rest []byte) int {
		n := jsonl.Value(rest)
		if n < 0 {
			return n
		}
		switch v := rest[:n]; string(key) {
		case "type":
			b.kind = v
		case "text", "thinking":
			b.text = v
		case "id", "tool_use_id":
			b.id = v
		case "name":
			b.name = v
		case "input":
			b.input = v
		case "content":
			b.content = v
		case "is_error":
			b.failed = v
		}
		return n
	})
}

// isResults reports whether the message holds results of calls.
func (m *message) isResults() bool { return len(m.blocks) > 0 && is(m.blocks[0].kind, "tool_result") }

// words returns the first text of the message that the client did not put before the user's own words.
func (m *message) words() (text []byte) {
	if m.text != nil {
		return m.text
	}
	for i := range m.blocks {
		if b := &m.blocks[i]; is(b.kind, "text") && (text == nil || isContext(text)) {
			text = b.text
		}
	}
	return text
}

// rare keeps the members that few records have.
func (r *record) rare(key, v []byte) {
	switch string(key) {
	case "gitBranch":
		r.branch = v
	case "isMeta":
		r.meta = isTrue(v)
	case "turnCompanion":
		r.turnCompanion = isTrue(v)
	case "isCompactSummary":
		r.summary = isTrue(v)
	case "isAbortedMidStream":
		r.aborted = isTrue(v)
	case "compactMetadata":
		r.compact = v
	case "toolDenialKind":
		r.denial = v
	case "toolDenialBeforeRun":
		r.beforeRun = isTrue(v)
	case "permissionDecision":
		r.decision = v
	case "promptSource":
		r.promptSource = v
	case "turnOrigin":
		r.turnOrigin = v
	case "origin":
		r.origin = v
	case "forkedFrom":
		r.forkedFrom = v
	case "requestSessionId":
		r.requestSession = v
	case "requestId":
		r.request = v
	case "isApiErrorMessage":
		r.apiError = isTrue(v)
	case "error":
		r.code = v
	case "apiErrorStatus":
		r.status = v
	case "operation":
		r.operation = v
	case "totalCostUSD", "costUSD":
		r.cost = v
	case "data":
		r.data = v
	case "parentToolUseID":
		r.parentCall = v
	case "sourceToolAssistantUUID":
		r.caller = v
	}
}

// wantsMore reports whether an attachment is read beyond its place in the chain. Attachments are most of a
// transcript's bytes.
func (r *record) wantsMore() bool {
	return bytes.HasPrefix(r.attachment, []byte(`{"type":"queued_command"`)) ||
		bytes.HasPrefix(r.attachment, []byte(`{"type":"max_turns_reached"`))
}

// kindOf returns the type of a line that begins with it. All lines beside the conversation do.
func kindOf(line []byte) []byte {
	const begin = `{"type":"`
	if !bytes.HasPrefix(line, []byte(begin)) {
		return nil
	}
	rest := line[len(begin):]
	if i := bytes.IndexByte(rest[:min(len(rest), 40)], '"'); i >= 0 {
		return rest[:i]
	}
	return nil
}

// inside returns what stands between the quotes of the JSON string v, which must have no escapes.
func inside(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

func isTrue(v []byte) bool { return string(v) == "true" }

// is reports whether the JSON string v is word, which must have no escapes.
func is(v []byte, word string) bool {
	return len(v) == len(word)+2 && v[0] == '"' && string(v[1:len(v)-1]) == word
}

// has reports whether the JSON string v begins with text, which must have no escapes.
func has(v []byte, text string) bool {
	return len(v) > len(text)+1 && v[0] == '"' && string(v[1:1+len(text)]) == text
}

// tokenMax bounds ids and codes, in bytes.
const tokenMax = 200

// token returns an id or code of the client's as a trace keeps it. What looks like neither is treated as text.
func token(v []byte) string { return tokenOf(jsonl.Text(v)) }

func tokenOf(s string) string {
	if len(s) <= tokenMax && isWord(s) {
		return draft.Token(s)
	}
	return draft.Head(s, tokenMax)
}

// ids caches the tokens of a transcript, because most recur.
type ids struct{ memo draft.Memo }

func (x *ids) token(v []byte) string {
	if known := x.memo.Find(v); known != "" {
		return known
	}
	return x.memo.Keep(v, tokenOf(x.memo.Text(v)))
}

// isWord reports whether s has only the characters of ids and names.
func isWord(s string) bool {
	for i := range len(s) {
		if !inWord(s[i]) {
			return false
		}
	}
	return true
}

// The characters of ids and names, as bits: below 64 the digits and -./: and from 64 on the letters and @_
const (
	wordLow  = (1<<14 - 1) << '-'
	wordHigh = 1<<('@'-64) | 1<<('_'-64) | (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)
)

func inWord(b byte) bool {
	bits := uint64(wordLow)
	if b >= 64 {
		bits = wordHigh
	}
	return b < utf8.RuneSelf && bits>>(b&63)&1 != 0
}

// headWindow is how many bytes of JSON are read for a head: more than draft.Head looks at.
const headWindow = 24 << 10

// head returns the first max bytes of the text in the JSON string v, scrubbed.
func head(v []byte, max int) string { return draft.Head(window(v), max) }

// head is the function head, which also hides what other texts of the conversation gave away.
func (m *conversation) head(v []byte, max int) string { return m.b.Head(window(v), max) }

// window is the beginning of the text in the JSON string v, as far as a head needs it.
func window(v []byte) string {
	if len(v) > headWindow {
		v = v[:headWindow]
		if i := bytes.LastIndexByte(v[len(v)-12:], '\\'); i >= 0 { // never cut an escape or a surrogate pair
			v = v[:len(v)-12+i]
		}
		v = append(bytes.Clone(v), '"')
	}
	return jsonl.Text(v)
}

// member returns one member of the object v, nil if it is missing.
func member(v []byte, name string) (found []byte) {
	jsonl.Members(v, func(key, value []byte) bool {
		if string(key) == name {
			found = value
			return false
		}
		return true
	})
	return found
}
