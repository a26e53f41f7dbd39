package gemini

import (
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// message takes a record with an id: a new message, or one that is written again with more in it. made says that it
// stands in a history that was put in the place of another, and is new there: then the program wrote it.
func (s *session) message(r record, ref trace.Ref, made bool) {
	id := r.id.str()
	m := s.messages[id]
	if m == nil {
		m = &message{id: id, kind: r.kind.str()}
		s.messages[m.id] = m
		if m.kind == "user" || m.kind == "gemini" {
			s.live = append(s.live, m.id)
		}
	}
	before := len(s.b.Trace().Events)
	at := trace.Event{Time: when(r.time), Ref: ref, Record: draft.Token(m.id)}
	switch m.kind {
	case "user":
		s.user(m, r, at, made)
	case "gemini":
		s.answer(m, r, at, made)
	case "error":
		s.failed(m, r, at)
	case "info":
		s.notice(m, r, at)
	}
	for seq := before + 1; seq <= len(s.b.Trace().Events); seq++ {
		m.events = append(m.events, seq)
	}
}

// user takes a prompt. Messages of this type also hand results of tools to the model, which the calls have already told,
// and what the model should know of the folder.
func (s *session) user(m *message, r record, at trace.Event, made bool) {
	p := split(r.content)
	for _, response := range p.responses {
		s.response(response, at)
	}
	if len(p.responses) > 0 {
		s.setTail(results, made)
	}
	if isContext(p.text) {
		s.context(p.text)
		return
	}
	if p.text == "" && (!p.media || len(p.responses) > 0) {
		return
	}
	text := p.text
	if r.display.exists() {
		text = split(r.display).text // what the user wrote, before files were put in
	}
	body := &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: head(text, trace.UserHead), Command: command(text)}
	if body.Machine = s.machine(text, made); body.Machine != "" {
		at.By = "client"
	}
	if m.text > 0 {
		s.b.Trace().Events[m.text-1].Body = body
		return
	}
	at.Body = body
	m.text = s.b.Add(at)
	s.setTail(prompt, made)
}

// machine says what a text is that no person wrote, or "". The prompts of a sub-agent come from the model that called it.
func (s *session) machine(text string, made bool) string {
	switch {
	case isSummary(text):
		return "compact_summary"
	case strings.HasPrefix(text, "<hook_context>"):
		return "hook"
	case made:
		return "context"
	case s.child:
		return "other"
	}
	return ""
}

// isSummary says whether a text is what a history was compressed to.
func isSummary(text string) bool { return strings.Contains(text, "<state_snapshot>") }

// isContext says whether a text is what the program tells the model about the folder before all else.
func isContext(text string) bool { return strings.HasPrefix(text, "<session_context>") }

// context learns the project from a context, if its hash is the project's.
func (s *session) context(text string) {
	t := s.b.Trace()
	if t.Project.Path != "" {
		return
	}
	_, list, _ := strings.Cut(text, "Workspace Directories:**\n")
	var dirs []string
	for _, line := range strings.Split(list, "\n") {
		dir, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			break
		}
		dirs = append(dirs, strings.Clone(dir)) // not all of the context
	}
	t.Project.Path = verified(s.hash, dirs)
}

// command is the slash command that a prompt calls, or "".
func command(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if len(word) < 2 || len(word) > 60 || word[0] != '/' || strings.ContainsAny(word[1:], "/\n.") {
		return ""
	}
	return head(word, 60)
}

// answer takes what the model wrote and called.
func (s *session) answer(m *message, r record, at trace.Event, made bool) {
	p := split(r.content)
	if made && p.text+p.thought != "" && !r.tokens.isObject() && !r.model.exists() && !r.calls.isArray() {
		at.By = "client"
	}
	id := at.Record
	first := len(s.b.Trace().Events)
	s.think(m, r, p, at, id)
	if p.text != "" {
		body := &trace.AgentMessage{Digest: draft.Digest([]byte(p.text)), Response: id}
		switch {
		case m.text == 0:
			at.Body = body
			m.text = s.b.Add(at)
		case !made:
			s.b.Trace().Events[m.text-1].Body = body
		}
		s.setTail(answer, made)
	}
	s.callAll(r, p, at, id, made)
	s.respond(m, r, at, first)
}

// think takes the thoughts of a message that were not taken before.
func (s *session) think(m *message, r record, p parts, at trace.Event, id string) {
	n := 0
	add := func(text string, e trace.Event) {
		if n++; n <= m.thoughts || text == "" {
			return
		}
		e.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: true, Response: id}
		s.b.Add(e)
	}
	r.thoughts.each(func(v value) {
		e := at
		if t := when(v.get("timestamp")); !t.IsZero() {
			e.Time = t
		}
		text := v.get("description").str()
		if subject := v.get("subject").str(); subject != "" {
			text = subject + "\n" + text
		}
		add(text, e)
	})
	if n == 0 {
		add(p.thought, at)
	}
	m.thoughts = max(m.thoughts, n)
}

// respond notes the answer as one of the model's, once, with what it cost as its last record tells.
func (s *session) respond(m *message, r record, at trace.Event, first int) {
	t := s.b.Trace()
	if !r.tokens.isObject() && (at.By != "" || r.model.str() == "" || len(t.Events) == first && m.response == 0) {
		return
	}
	next := trace.Response{ID: at.Record, Model: token(r.model), Time: at.Time, Usage: usage(r.tokens), Ref: at.Ref, Event: first}
	if len(t.Events) > first {
		next.Event = first + 1
	}
	s.b.Response(next)
	if m.response == 0 {
		m.response = len(t.Responses)
	}
	if old := &t.Responses[m.response-1]; len(m.events) == 0 && len(t.Events) > first {
		old.Event = first + 1
	}
}

// usage is what an answer cost. Gemini counts cached tokens as input, and the model's thoughts beside its output.
func usage(v value) trace.Usage {
	var input, output, cached, thoughts, tool int64
	v.members(func(key []byte, x value) {
		n := max(x.int(), 0)
		switch string(key) {
		case "input":
			input = n
		case "output":
			output = n
		case "cached":
			cached = n
		case "thoughts":
			thoughts = n
		case "tool":
			tool = n
		}
	})
	return trace.Usage{Input: max(input-cached, 0) + tool, CacheRead: cached, Output: output + thoughts, Reasoning: thoughts}
}

// failed takes a failure that the program showed. It ends the turn if the turn was not answered.
func (s *session) failed(m *message, r record, at trace.Event) {
	text := split(r.content).text
	if m.text > 0 || text == "" {
		return
	}
	fatal := s.tail == prompt || s.tail == results || s.tail == calls
	at.Body = &trace.Error{Code: "error", Fatal: fatal, Digest: draft.Digest([]byte(text)), Head: head(text, trace.ErrorHead)}
	m.text = s.b.Add(at)
	if fatal {
		s.tail = failure
	}
}

// notice takes what the program showed; of that, only that the user stopped the turn is kept.
func (s *session) notice(m *message, r record, at trace.Event) {
	text := strings.TrimSpace(split(r.content).text)
	if m.text > 0 || text != "Request cancelled." && text != "User cancelled the request." {
		return
	}
	at.Body = &trace.Interrupt{Reason: strings.Clone(text)}
	m.text = s.b.Add(at)
	s.tail = stopped
}

// setTail says what the session now ends with. What a rewritten history repeats is not the end of anything.
func (s *session) setTail(t tail, made bool) {
	if !made {
		s.tail = t
	}
}
