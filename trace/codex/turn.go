package codex

import (
	"aburn/trace"
	"aburn/trace/draft"
)

// turns is what is known of the turns so far.
type turns struct {
	Turn string `json:"turn,omitempty"`
	// Open says that the turn has begun and not ended, N counts them. Trigger is what started the last one of them.
	Open    bool   `json:"open,omitempty"`
	N       int    `json:"n,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	// Ended and EndedBy are the outcome of the last turn that ended, and what says so.
	Ended   trace.Outcome `json:"ended,omitempty"`
	EndedBy string        `json:"ended_by,omitempty"`
	// Hit is the last call of the turn that was aborted.
	Hit string `json:"hit,omitempty"`
}

// outcome is how the session ended, as far as the rollout goes.
func (t *turns) outcome() (trace.Outcome, string) {
	switch {
	case t.Open:
		return trace.Killed, "the rollout stops inside a turn"
	case t.Ended == "":
		return trace.Unknown, ""
	}
	return t.Ended, t.EndedBy
}

// event takes an event_msg.
func (s *session) event(p object) {
	switch string(p.word("type")) {
	case "task_started", "turn_started":
		s.started(p)
	case "task_complete", "turn_complete":
		s.ended(p)
	case "turn_aborted":
		s.aborted(p)
	case "item_completed":
		if s.Paginated {
			s.completed(p)
		}
	case "token_count":
		s.counted(p)
	default:
		if !s.Paginated {
			s.legacy(p)
		}
	}
}

// started takes the start of a turn. A process of exec makes one turn, and a turn without an end has lost its process: what
// begins after that was resumed. The terminal interface leaves no sign of it.
func (s *session) started(p object) {
	from := p.object("turn_attribution")
	if s.Paginated && !s.Child && from.text("parent_turn_id") != "" {
		return // of a review, which has a rollout of its own
	}
	lost, trigger := s.Open, from.text("turn_trigger")
	s.open(s.id(p, "turn_id"))
	e := s.at("")
	switch {
	case s.N == 1 || s.Child:
	case lost:
		e.Inferred = "the turn before it has no end"
	case trigger == "exec", trigger == "" && s.Exec:
		e.Inferred = "codex exec makes one turn a process"
	case trigger != "" && s.Trigger != "" && trigger != s.Trigger:
		e.Inferred = "another kind of client began the turn"
	}
	if e.Inferred != "" {
		e.Body = &trace.Session{Marker: trace.Resumed}
		s.Add(e)
	}
	if trigger != "" {
		s.Trigger = trigger
	}
}

// open begins a turn.
func (s *session) open(turn string) {
	s.Turn, s.Open, s.Hit = turn, true, ""
	s.N++
}

// ended takes the end of a turn, which can be an error.
func (s *session) ended(p object) {
	if turn := s.id(p, "turn_id"); turn != "" {
		s.Turn = turn
	}
	s.Open = false
	failed := p.object("error")
	if len(failed) == 0 {
		s.mark(trace.Session{Marker: trace.Stopped})
		s.Ended, s.EndedBy = trace.Completed, "task_complete"
		if !s.Paginated && p.raw("last_agent_message") == nil {
			s.Ended, s.EndedBy = "", "" // the legacy layout ends a failed turn so, too
		}
		return
	}
	code, status := errorCode(failed.raw("codex_error_info"))
	message := failed.raw("message")
	s.add("", &trace.Error{Code: code, Status: status, Fatal: true,
		Head: draft.Head(start(message, trace.ErrorHead), trace.ErrorHead), Digest: draft.DigestText(message)})
	s.mark(trace.Session{Marker: trace.Stopped, Detail: "error"})
	s.Ended, s.EndedBy = trace.Errored, "task_complete: error"
	if code != "" {
		s.EndedBy += " " + code
	}
}

// errorCode is the word for an error, and its HTTP status if it tells one: "other", or {"word": {"http_status_code": 500}}.
func errorCode(info []byte) (code string, status int) {
	var kinds object
	if !kinds.parse(info) || len(kinds) == 0 {
		return token(info), 0
	}
	kind := kinds[0]
	return token(append(append([]byte{'"'}, kind.key...), '"')), int(kinds.object(string(kind.key)).int("http_status_code"))
}

// aborted takes the end of a turn that was stopped. A fork of a session that was killed, or still works, begins with the end of a
// turn that is not its own and that nobody stopped: the client closes what it took over.
func (s *session) aborted(p object) {
	if s.Paginated && s.N == 0 {
		return
	}
	if turn := s.id(p, "turn_id"); turn != "" {
		s.Turn = turn
	}
	reason := p.text("reason")
	s.Open = false
	s.add("", &trace.Interrupt{Call: s.hit(), Reason: reason})
	s.mark(trace.Session{Marker: trace.Stopped, Detail: reason})
	s.Ended, s.EndedBy = trace.Interrupted, "turn_aborted: "+reason
}

// hit is the call that an interruption of the turn hit: the last one that says so, or else that has no end.
func (s *session) hit() string {
	if s.Hit != "" {
		return s.Hit
	}
	events := s.Trace().Events
	for i := len(events) - 1; i >= 0 && events[i].Turn == s.Turn; i-- {
		if c, ok := events[i].Body.(*trace.ToolCall); ok && c.Parent == "" && !s.ends[c.Call].final {
			return c.Call
		}
	}
	return ""
}

// context takes the settings of a turn.
func (s *session) context(p object) {
	model := s.id(p, "model")
	if model != "" && s.Model != "" && model != s.Model {
		s.mark(trace.Session{Marker: trace.ModelChanged, Model: model})
	}
	if model != "" {
		s.Model = model
	}
}

// compacted takes a compaction of the history, which two records tell of: this one, and an item or event.
func (s *session) compacted(p object) {
	if s.Compacted != "item" {
		s.mark(trace.Session{Marker: trace.Compacted})
	}
	s.Compacted = "record"
	if summary := p.raw("message"); summary != nil {
		s.said("", contentOf(summary), "compact_summary")
	}
}

// compactedItem takes the other record of a compaction.
func (s *session) compactedItem(id string) {
	if s.Compacted != "record" {
		s.add(id, &trace.Session{Marker: trace.Compacted})
		s.Compacted = "item"
		return
	}
	s.Compacted = ""
}

// said takes a text that stands in a prompt's place; machine is what it is if no person wrote it.
func (s *session) said(id string, text content, machine string) {
	e := s.at(id)
	if machine != "" {
		e.By = "client"
	}
	e.Body = &trace.UserMessage{Digest: text.digest(), Head: text.head(trace.UserHead), Machine: machine}
	s.Add(e)
}
