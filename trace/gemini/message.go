package gemini

import (
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/genai"
)

// message adds a record with an id: a new message, or a known one with more in it. made says that it is new in a
// rewritten history, so that the program wrote it.
func (s *session) message(r record, ref trace.Ref, made bool) {
	id := r.id.Str()
	m := s.messages[id]
	if m == nil {
		m = &message{id: id, kind: r.kind.Str()}
		s.messages[m.id] = m
		if m.kind == "user" || m.kind == "gemini" {
			s.live = append(s.live, m.id)
		}
	}
	before := len(s.b.Trace().Events)
	at := trace.Event{Time: draft.TimeMS(r.time), Ref: ref, Record: draft.Token(m.id)}
	switch m.kind {
	case "user":
		s.userMessage(m, r, at, made)
	case "gemini":
		s.addAnswer(m, r, at, made)
	case "error":
		s.addError(m, r, at)
	case "info":
		s.addInterrupt(m, r, at)
	}
	for seq := before + 1; seq <= len(s.b.Trace().Events); seq++ {
		m.events = append(m.events, seq)
	}
}

// userMessage adds a prompt. Messages of this type also hand the model results of tools, which the calls already hold,
// and facts about the folder.
func (s *session) userMessage(m *message, r record, at trace.Event, made bool) {
	p := genai.Split(r.content)
	for _, response := range p.Responses {
		s.addResponseOf(response, at)
	}
	if len(p.Responses) > 0 {
		s.setTail(results, made)
	}
	if isContext(p.Text) {
		s.context(p.Text)
		return
	}
	if p.Text == "" && (!p.Media || len(p.Responses) > 0) {
		return
	}
	text := p.Text
	if r.display.Exists() {
		text = genai.Split(r.display).Text // the user's text, before files were inserted
	}
	body := &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead),
		Command: head(genai.Command(text), 60)}
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

// machine classifies a text that no person wrote; "" if a person did. The prompts of a sub-agent come from the model
// that called it.
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

// isSummary reports whether a text is the summary of a compressed history.
func isSummary(text string) bool { return strings.Contains(text, "<state_snapshot>") }

// isContext reports whether a text is what the program tells the model about the folder first.
func isContext(text string) bool { return strings.HasPrefix(text, "<session_context>") }

// context takes the project from a context, if its hash is the project's.
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
		dirs = append(dirs, strings.Clone(dir)) // a copy, which does not keep the context in memory
	}
	t.Project.Path = verified(s.hash, dirs)
}

// addAnswer adds what the model wrote and called.
func (s *session) addAnswer(m *message, r record, at trace.Event, made bool) {
	p := genai.Split(r.content)
	if made && p.Text+p.Thought != "" && !r.tokens.IsObject() && !r.model.Exists() && !r.calls.IsArray() {
		at.By = "client"
	}
	id := at.Record
	first := len(s.b.Trace().Events)
	s.addThoughts(m, r, p, at, id)
	if p.Text != "" {
		body := &trace.AgentMessage{Digest: draft.Digest([]byte(p.Text)), Response: id}
		switch {
		case m.text == 0:
			at.Body = body
			m.text = s.b.Add(at)
		case !made:
			s.b.Trace().Events[m.text-1].Body = body
		}
		s.setTail(answer, made)
	}
	s.addCalls(r, p, at, id, made)
	s.addResponse(m, r, at, first)
}

// addThoughts adds the thoughts of a message that are new.
func (s *session) addThoughts(m *message, r record, p genai.Parts, at trace.Event, id string) {
	n := 0
	add := func(text string, e trace.Event) {
		if n++; n <= m.thoughts || text == "" {
			return
		}
		e.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: true, Response: id}
		s.b.Add(e)
	}
	r.thoughts.Each(func(v value) {
		e := at
		if t := draft.TimeMS(v.Get("timestamp")); !t.IsZero() {
			e.Time = t
		}
		text := v.Get("description").Str()
		if subject := v.Get("subject").Str(); subject != "" {
			text = subject + "\n" + text
		}
		add(text, e)
	})
	if n == 0 {
		add(p.Thought, at)
	}
	m.thoughts = max(m.thoughts, n)
}

// addResponse adds the answer as a response, once, with the costs in its last record.
func (s *session) addResponse(m *message, r record, at trace.Event, first int) {
	t := s.b.Trace()
	if !r.tokens.IsObject() && (at.By != "" || r.model.Str() == "" || len(t.Events) == first && m.response == 0) {
		return
	}
	next := trace.Response{ID: at.Record, Model: draft.Token(r.model.ID()), Time: at.Time, Usage: usage(r.tokens), Ref: at.Ref,
		Event: first}
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

// usage maps an answer's costs. Gemini counts cached tokens as input, and thoughts apart from output.
func usage(v value) trace.Usage {
	var input, output, cached, thoughts, tool int64
	v.Members(func(key []byte, x value) {
		n := x.Count()
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
	return trace.Usage{Input: max(input-cached, 0) + tool, CacheRead: cached, Output: output + thoughts,
		Reasoning: thoughts}
}

// addError adds a failure that the program showed. It ends the turn if the turn has no answer.
func (s *session) addError(m *message, r record, at trace.Event) {
	text := genai.Split(r.content).Text
	if m.text > 0 || text == "" {
		return
	}
	fatal := s.tail == prompt || s.tail == results || s.tail == calls
	at.Body = &trace.Error{Code: "error", Fatal: fatal, Digest: draft.Digest([]byte(text)),
		Head: s.head(text, trace.ErrorHead)}
	m.text = s.b.Add(at)
	if fatal {
		s.tail = failure
	}
}

// addInterrupt adds a notice of the program that the user stopped the turn. Other notices are dropped.
func (s *session) addInterrupt(m *message, r record, at trace.Event) {
	text := strings.TrimSpace(genai.Split(r.content).Text)
	if m.text > 0 || text != "Request cancelled." && text != "User cancelled the request." {
		return
	}
	at.Body = &trace.Interrupt{Reason: strings.Clone(text)}
	m.text = s.b.Add(at)
	s.tail = stopped
}

// setTail notes what the session now ends with. Repetitions in a rewritten history are not the end of anything.
func (s *session) setTail(t tail, made bool) {
	if !made {
		s.tail = t
	}
}
