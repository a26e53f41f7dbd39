package opencode

import (
	"strconv"

	"aburn/trace"
)

// step is one answer of the model: what a message holds up to a step-finish, as a rule all of it.
type step struct {
	id     string
	finish *part // nil if it did not come to its end
	usage  trace.Usage
	event  int // the Seq of the first event of it
}

// settle works out what follows from the messages together. held is the messages that the store still has, nil if that is
// not known.
func (t *talk) settle(held map[string]bool) {
	reverted := false
	var before *message
	turns := map[string]*message{}
	for _, m := range t.messages {
		m.gone = m.gone || held != nil && !held[m.id]
		reverted = t.revert(m, reverted)
		m.copied = m.created > 0 && m.created < t.session.created
		if m.role != "assistant" {
			continue
		}
		asked := t.byID[m.parent]
		m.ran = asked != nil && asked.announcesRun()
		if m.ran {
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

// revert marks what was taken back, from the message or part on that the session was reverted to.
func (t *talk) revert(m *message, reverted bool) bool {
	if m.id == t.session.revertTo && t.session.revertPart == "" {
		reverted = true
	}
	m.gone = m.gone || reverted
	for _, p := range m.parts {
		if m.id == t.session.revertTo && p.id == t.session.revertPart {
			reverted = true
		}
		p.gone = p.gone || reverted || m.gone
	}
	return reverted
}

// announcesRun says whether a user's message only says that the user ran the tool of the next one.
func (m *message) announcesRun() bool {
	for _, p := range m.parts {
		if p.kind == "text" && p.synthetic && p.said == userRan {
			return true
		}
	}
	return false
}

// split finds the answers in a message. Its own tokens are those of the last one, so that they count only where no
// step-finish tells.
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

// stop is why the model stopped, as the message or its last step says; "" if it did not.
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

// wantsTools says whether the message ended with calls, behind which another answer is due.
func (m *message) wantsTools() bool { return m.stop() == "tool-calls" || m.stop() == "tool_use" }

// aborted says whether the message states that it was aborted.
func (m *message) aborted() bool { return m.err != nil && m.err.name == "MessageAbortedError" }

// open says whether nothing in the source ends the message.
func (m *message) open() bool { return m.completed == 0 && m.err == nil }

// empty says whether the message was closed without an answer: so does an abort while opencode waits to try again.
func (m *message) empty() bool {
	return m.completed > 0 && m.err == nil && m.stop() == "" && len(m.steps) == 0
}

// rejected is the call whose permission the user refused, if that was the end of the turn.
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

// hit is the call that an end of the message hit: one that was aborted, or has no end.
func (m *message) hit() string {
	for i := len(m.parts) - 1; i >= 0; i-- {
		if tool := m.parts[i].tool; tool != nil && (tool.aborted || !tool.ended()) {
			return tool.call
		}
	}
	return ""
}
