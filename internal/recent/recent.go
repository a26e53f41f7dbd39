// Package recent tells from the last lines of a log what is going on in one session: the active
// command, the open calls, the process that runs it. Hooks and aburn log share it.
//
// Every function takes the lines as journal.Tail gives them: JSON lines, newest first. What came
// before the tail is unknown, never assumed.
package recent

import (
	"bytes"
	"iter"

	"github.com/tidwall/gjson"

	"aburn/logfmt"
)

// Lines are the JSON lines of a log's end, newest first.
type Lines = iter.Seq[[]byte]

// Who identifies one line of work: a session, or one of its sub-agents.
type Who struct {
	Session logfmt.SessionID
	AgentID string // "" for the session itself
}

// State is what is active in one line of work.
type State struct {
	Cmd       string // logfmt.SessionCmd without an active command
	Phase     string
	ParentCmd string // of a sub-agent: from its newest entry
	Known     bool   // the tail holds an entry of this session and agent
}

// Active returns what the newest entry of the session and agent left active. Entries that aburn
// itself wrote do not count. A COMPLETE or FAILED without a phase ends the command, one with a
// phase ends the phase.
//
// A carried line counts only if the tail has no own entry of the session and agent, because a
// block of carried lines may follow newer entries.
func Active(lines Lines, who Who) State {
	copied, carried := State{Cmd: logfmt.SessionCmd}, false
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		switch {
		case ok && string(h.Event) == string(logfmt.Checkpoint):
			c, _ := logfmt.ParseCheckpoint([]byte(gjson.GetBytes(line, "data").Raw))
			carried = c.Closing
		case !ok || !who.wrote(line, &h) || gjson.GetBytes(line, "source").Str == "aburn":
		case !carried:
			return after(&h, parentCmd(line, &h))
		case !copied.Known:
			copied = after(&h, parentCmd(line, &h))
		}
	}
	return copied
}

func parentCmd(line []byte, h *logfmt.Header) string {
	if !h.Agent {
		return ""
	}
	return gjson.GetBytes(line, "agent.parent_cmd").Str
}

// After is the state that e leaves in its own line of work.
func After(e *logfmt.Entry) State {
	h := logfmt.Header{Cmd: []byte(e.Cmd), Phase: []byte(e.Phase), Event: []byte(e.Event)}
	parent := ""
	if e.Agent != nil {
		parent = e.Agent.ParentCmd
	}
	return after(&h, parent)
}

func after(h *logfmt.Header, parent string) State {
	s := State{Cmd: string(h.Cmd), Phase: string(h.Phase), ParentCmd: parent, Known: true}
	switch h.Meaning() {
	case logfmt.PhaseComplete:
		s.Phase = ""
	case logfmt.Complete, logfmt.Failed:
		if s.Phase == "" {
			s.Cmd = logfmt.SessionCmd
		}
		s.Phase = ""
	}
	return s
}

// Hooked reports whether an agent's hook wrote an entry of the session. Then its hooks run here,
// and one of them will read what a sandboxed `aburn log` prints.
func Hooked(lines Lines, session logfmt.SessionID) bool {
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if !ok || string(h.Session) != string(session) {
			continue
		}
		switch gjson.GetBytes(line, "source").Str {
		case "", "prompt", "aburn":
			continue
		}
		return true
	}
	return false
}

// Newest is the event of the session's newest entry, "" if there is none. Entries that aburn itself
// wrote do not count.
func Newest(lines Lines, session logfmt.SessionID) logfmt.Event {
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if ok && string(h.Session) == string(session) && gjson.GetBytes(line, "source").Str != "aburn" {
			return logfmt.Event(h.Event)
		}
	}
	return ""
}

// SessionOf returns the session under which the log has a sub-agent; "" if the lines have none.
func SessionOf(lines Lines, agentID string) logfmt.SessionID {
	if agentID == "" {
		return ""
	}
	id := []byte(agentID)
	for line := range lines {
		if !bytes.Contains(line, id) {
			continue
		}
		if h, ok := logfmt.ParseHeader(line); ok && h.Agent && gjson.GetBytes(line, "agent.id").Str == agentID {
			return logfmt.SessionID(h.Session)
		}
	}
	return ""
}

// Knows reports whether the lines hold any entry of the session.
func Knows(lines Lines, session logfmt.SessionID) bool {
	for line := range lines {
		if h, ok := logfmt.ParseHeader(line); ok && string(h.Session) == string(session) {
			return true
		}
	}
	return false
}
