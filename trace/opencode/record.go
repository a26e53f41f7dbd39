package opencode

import (
	"strconv"
	"strings"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// session is the row of a session, or its file.
type session struct {
	id, parent       string
	directory, title string
	version          string
	agent, model     string
	created, updated int64 // Unix milliseconds, as all times here
	revertTo         string
	revertPart       string
	ref              trace.Ref
}

// kind is what a record tells.
type kind int8

const (
	ofMessage kind = iota
	ofPart
	messageGone
	partGone
)

// record is one message or part in one state, or the end of one: a row of the event table, or the row of a message or part.
type record struct {
	kind kind
	// pos orders records. More than one has the same where the source has only the last state of a thing.
	pos         int64
	ref         trace.Ref
	id, message string // message is the part's
	at          int64  // when it was written
	data        []byte // the message or part as a JSON object, valid during the call
}

// errorInfo is an error that opencode wrote down.
type errorInfo struct {
	name, head string
	digest     trace.Digest
	status     int
}

// info is a message.
type info struct {
	role, parent       string
	agent, mode, model string
	summary            bool // the answer to a compaction
	created, completed int64
	finish             string
	err                *errorInfo
	usage              trace.Usage
}

// parseInfo reads a message; false if it is none.
func parseInfo(data []byte) (info, bool) {
	var m info
	ok := jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "role":
			m.role = jsonl.Text(v)
		case "parentID":
			m.parent = jsonl.Text(v)
		case "agent":
			m.agent = jsonl.Text(v)
		case "mode":
			m.mode = jsonl.Text(v)
		case "modelID":
			m.model = jsonl.Text(v)
		case "model":
			m.model = text(v, "modelID")
		case "summary": // of a user message it is an object that lists changes
			m.summary = string(v) == "true"
		case "time":
			m.created, m.completed = number(v, "created"), number(v, "completed")
		case "finish":
			m.finish = jsonl.Text(v)
		case "error":
			m.err = parseError(v)
		case "tokens":
			cost := m.usage.CostUSD
			m.usage = parseTokens(v)
			m.usage.CostUSD = cost
		case "cost":
			m.usage.CostUSD = float(v)
		}
		return true
	})
	return m, ok && (m.role == "user" || m.role == "assistant")
}

// parseError reads {name, data: {message, statusCode}}; nil if it is none.
func parseError(raw []byte) *errorInfo {
	data := member(raw, "data")
	said := member(data, "message")
	e := &errorInfo{name: text(raw, "name"), head: draft.Head(jsonl.Text(said), trace.ErrorHead), status: int(number(data, "statusCode"))}
	if e.name == "" && said == nil {
		return nil
	}
	e.digest = draft.DigestText(said)
	return e
}

// parseTokens reads {input, output, reasoning, cache: {read, write}, total}. Input is without what was cached. Output is
// without the reasoning, but for older versions, whose total shows that it is within.
func parseTokens(raw []byte) trace.Usage {
	var u trace.Usage
	var total int64
	jsonl.Members(raw, func(key, v []byte) bool {
		n := integer(v)
		switch string(key) {
		case "input":
			u.Input = n
		case "output":
			u.Output = n
		case "reasoning":
			u.Reasoning = n
		case "total":
			total = n
		case "cache":
			u.CacheRead, u.CacheWrite = number(v, "read"), number(v, "write")
		}
		return true
	})
	if total == 0 || total != u.Total() {
		u.Output += u.Reasoning
	}
	return u
}

// parseSession reads a session as events and files hold it.
func parseSession(data []byte) (session, bool) {
	var s session
	ok := jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "id":
			s.id = jsonl.Text(v)
		case "parentID":
			s.parent = jsonl.Text(v)
		case "directory":
			s.directory = jsonl.Text(v)
		case "title":
			s.title = jsonl.Text(v)
		case "version":
			s.version = jsonl.Text(v)
		case "time":
			s.created, s.updated = number(v, "created"), number(v, "updated")
		case "revert":
			s.revertTo, s.revertPart = text(v, "messageID"), text(v, "partID")
		}
		return true
	})
	return s, ok && s.id != ""
}

// member is the value of a member of the object obj, nil if it has none.
func member(obj []byte, name string) []byte {
	var found []byte
	jsonl.Members(obj, func(key, v []byte) bool {
		if string(key) == name {
			found = v
			return false
		}
		return true
	})
	return found
}

func text(obj []byte, name string) string { return jsonl.Text(member(obj, name)) }

func number(obj []byte, name string) int64 { return integer(member(obj, name)) }

// integer is the whole number that v is, also where JavaScript wrote it with a fraction or an exponent; 0 if it is none, or negative.
func integer(v []byte) int64 {
	n, ok := jsonl.Int(v)
	if !ok {
		n = int64(float(v))
	}
	return max(n, 0)
}

// float is the number that v is; 0 if it is none, negative, or nothing that can be added up.
func float(v []byte) float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f < 0 || f > 1e15 {
		return 0
	}
	return f
}

func isTrue(v []byte) bool { return string(v) == "true" }

// when is a time of opencode's; the zero time for 0, and for what no clock says.
func when(ms int64) time.Time {
	if ms <= 0 || ms > 1<<47 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// userRan is the text of the message that opencode writes before the result of a command that the user ran (!command).
const userRan = "The following tool was executed by the user"

// taskNotice begins the text by which opencode tells the model what became of a sub-agent in the background.
const taskNotice = "<task id="

// taskState is what a text of opencode's says about a sub-agent: its session, and completed, error or running.
func taskState(s string) (id, state string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), taskNotice+`"`)
	if !ok {
		return "", ""
	}
	id, rest, _ = strings.Cut(rest, `"`)
	if rest, ok = strings.CutPrefix(rest, ` state="`); ok {
		state, _, _ = strings.Cut(rest, `"`)
	}
	return id, state
}
