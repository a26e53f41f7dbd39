package opencode

import (
	"strconv"

	"aburn/trace"
	"aburn/trace/draft"
)

// step is one answer of the model: the part of a message up to a step-finish, mostly all of it.
type step struct {
	id     string
	finish *part // nil if the answer has no end
	usage  trace.Usage
	event  int // the Seq of its first event
}

// settle derives what only the messages together show. held is the set of messages that the store still has, nil if
// unknown.
func (t *conversation) settle(held map[string]bool) {
	reverted := false
	var before *message
	turns := map[string]*message{}
	for _, m := range t.messages {
		m.removed = m.removed || held != nil && !held[m.id]
		reverted = t.revert(m, reverted)
		m.copied = m.created > 0 && m.created < t.session.created
		if m.role != "assistant" {
			continue
		}
		asked := t.byID[m.parent]
		m.byUser = asked != nil && asked.announcesRun()
		if m.byUser {
			continue
		}
		m.split()
		if before != nil {
			before.next = m
		}
		before = m
		if other := turns[m.parent]; other != nil {
			other.last = false
		}
		turns[m.parent], m.last = m, true
	}
}

// revert marks what the user took back: all from the message or part on that the session was reverted to.
func (t *conversation) revert(m *message, reverted bool) bool {
	if m.id == t.session.revertTo && t.session.revertPart == "" {
		reverted = true
	}
	m.removed = m.removed || reverted
	for _, p := range m.parts {
		if m.id == t.session.revertTo && p.id == t.session.revertPart {
			reverted = true
		}
		p.removed = p.removed || reverted || m.removed
	}
	return reverted
}

// announcesRun reports whether a user's message only says that the user ran the tool of the next one.
func (m *message) announcesRun() bool {
	for _, p := range m.parts {
		if p.kind == "text" && p.synthetic && p.textStart == userRan {
			return true
		}
	}
	return false
}

// split divides a message into answers. The message's own token counts are those of its last answer, so they count
// only if no step-finish has any.
func (m *message) split() {
	var at *step
	for _, p := range m.parts {
		if !p.content() && p.kind != "step-finish" {
			continue
		}
		if at == nil {
			at = &step{id: m.id}
			if n := len(m.steps); n > 0 {
				at.id += "#" + strconv.Itoa(n+1)
			}
			m.steps = append(m.steps, at)
		}
		p.step = at
		if p.kind == "step-finish" {
			at.finish, at.usage = p, p.usage
			at = nil
		}
	}
	for _, s := range m.steps {
		if s.finish != nil {
			return
		}
	}
	if m.usage != (trace.Usage{}) && len(m.steps) == 0 {
		m.steps = append(m.steps, &step{id: m.id})
	}
	if n := len(m.steps); n > 0 {
		m.steps[n-1].usage = m.usage
	}
}

// stop says why the model stopped, from the message or its last step; "" if it did not.
func (m *message) stop() string {
	if m.finish != "" {
		return m.finish
	}
	for i := len(m.steps) - 1; i >= 0; i-- {
		if f := m.steps[i].finish; f != nil {
			if f.reason != "" {
				return f.reason
			}
			return "stop"
		}
	}
	return ""
}

// wantsTools reports whether the message ended with calls, after which another answer is due.
func (m *message) wantsTools() bool { return m.stop() == "tool-calls" || m.stop() == "tool_use" }

func (m *message) aborted() bool { return m.err != nil && m.err.name == abortedV1 }

// open reports whether nothing in the source ends the message.
func (m *message) open() bool { return m.completed == 0 && m.err == nil }

// empty reports whether the message was closed without an answer. An abort does that while opencode waits to retry.
func (m *message) empty() bool {
	return m.completed > 0 && m.err == nil && m.stop() == "" && len(m.steps) == 0
}

// rejected returns the call that the user refused, if that ended the turn.
func (m *message) rejected() *tool {
	if !m.last || m.err != nil || m.open() {
		return nil
	}
	for _, p := range m.parts {
		if p.tool != nil && p.tool.denied == "user" {
			return p.tool
		}
	}
	return nil
}

// interruptedCall returns the last call that was aborted or has no end.
func (m *message) interruptedCall() string {
	for i := len(m.parts) - 1; i >= 0; i-- {
		if tool := m.parts[i].tool; tool != nil && (tool.aborted || !tool.ended()) {
			return tool.call
		}
	}
	return ""
}

// outcome says how the last turn of the session ended, and the evidence. Copied turns belong to the other session, and
// reverted ones do not count.
func (s *traceBuilder) outcome() (trace.Outcome, string) {
	var asked, answer *message
	for _, m := range s.messages {
		switch {
		case m.removed || m.copied || m.byUser || m.role == "user" && m.announcesRun():
		case m.role == "user":
			if len(m.parts) > 0 {
				asked = m
			}
		default:
			answer = m
		}
	}
	switch {
	case asked == nil && answer == nil:
		return trace.Unknown, ""
	case answer == nil || asked != nil && asked.pos > answer.pos:
		return trace.Killed, "the last prompt has no answer"
	}
	return answer.outcome()
}

// outcome says how the turn ended whose last answer is m.
func (m *message) outcome() (trace.Outcome, string) {
	switch {
	case m.aborted():
		return trace.Interrupted, "message.error " + draft.Word(m.err.name)
	case m.err != nil:
		return trace.Errored, "message.error " + draft.Word(m.err.name)
	case m.open() && m.interruptedCall() != "":
		return trace.Killed, "the source stops inside a call, which has no end"
	case m.open():
		return trace.Killed, "the source stops inside an answer, which has no end"
	case m.rejected() != nil:
		return trace.Interrupted, "the turn ends with a call that the user refused"
	case m.empty():
		return trace.Interrupted, "the last answer was closed without content, finish or error"
	case m.wantsTools():
		return trace.Killed, "the source stops behind the results of calls, before an answer"
	case m.stop() != "":
		return trace.Completed, "message.finish " + draft.Word(m.stop())
	}
	return trace.Unknown, ""
}
