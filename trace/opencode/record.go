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
	created, updated int64 // in Unix milliseconds, like all times here
	revertTo         string
	revertPart       string
	fork             string // the session that this one was forked from, if the store says so
	v2               bool   // it is in the tables of OpenCode 2
	ref              trace.Ref
}

// kind says what a record holds.
type kind int8

const (
	ofMessage kind = iota
	ofPart
	messageGone
	partGone
)

// record is one state of a message or part, or its removal: a row of the event table, or the row of a message or part.
type record struct {
	kind kind
	// pos orders records. Several share one where the source keeps only the last state.
	pos         int64
	ref         trace.Ref
	id, message string // message is the part's message
	at          int64  // when it was written
	data        []byte // the message or part as a JSON object, valid during the call
}

type errorInfo struct {
	name, head string
	digest     trace.Digest
	status     int
}

// info is the content of a message.
type info struct {
	role, parent       string
	agent, mode, model string
	summary            bool // the answer to a compaction
	created, completed int64
	finish             string
	err                *errorInfo
	usage              trace.Usage
}

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
		case "summary": // in a user message this is an object that lists changes
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

// parseError reads {name, data: {message, statusCode}}; nil if raw is none.
func parseError(raw []byte) *errorInfo {
	data := member(raw, "data")
	said := member(data, "message")
	e := &errorInfo{name: text(raw, "name"), head: draft.Head(jsonl.Text(said), trace.ErrorHead),
		status: int(number(data, "statusCode"))}
	if e.name == "" && said == nil {
		return nil
	}
	e.digest = draft.DigestText(said)
	return e
}

// parseTokens reads {input, output, reasoning, cache: {read, write}, total}. Input excludes cached tokens. Output
// excludes reasoning, except in older versions, whose total reveals that it is included.
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

// member returns the value of a member of the object obj, nil if it is missing.
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

// integer parses a whole number, in any form that JavaScript writes. It returns 0 for anything else, and for negative
// numbers.
func integer(v []byte) int64 {
	n, ok := jsonl.Int(v)
	if !ok {
		n = int64(float(v))
	}
	return max(n, 0)
}

// float parses a number. It returns 0 for anything else, for negative numbers and for infinities.
func float(v []byte) float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f < 0 || f > 1e15 {
		return 0
	}
	return f
}

func isTrue(v []byte) bool { return string(v) == "true" }

// when converts a time of opencode's. 0 and impossible times give the zero time.
func when(ms int64) time.Time {
	if ms <= 0 || ms > 1<<47 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// userRan is the text of the message that opencode writes before the result of a command that the user ran (!command).
const userRan = "The following tool was executed by the user"

// taskNotice begins the text by which opencode tells the model how a background sub-agent ended.
const taskNotice = "<task id="

// taskState reads a text of opencode's about a sub-agent: its session, and completed, error or running.
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
