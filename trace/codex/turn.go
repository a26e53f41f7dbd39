package codex

import (
	"aburn/trace"
	"aburn/trace/draft"
)

// turns is what is known of the turns so far.
type turns struct {
	Turn string `json:"turn,omitempty"`
	// Open says that the current turn has not ended; N counts the turns. Trigger is what started the last turn that
	// names a trigger.
	Open    bool   `json:"open,omitempty"`
	N       int    `json:"n,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	// Ended is the outcome of the last turn that ended, EndedBy its evidence.
	Ended   trace.Outcome `json:"ended,omitempty"`
	EndedBy string        `json:"ended_by,omitempty"`
	// LastCancelled is the last aborted call of the turn.
	LastCancelled string `json:"hit,omitempty"`
}

// outcome says how the session ended as far as the rollout goes, and the evidence.
func (t *turns) outcome() (trace.Outcome, string) {
	switch {
	case t.Open:
		return trace.Killed, "the rollout stops inside a turn"
	case t.Ended == "":
		return trace.Unknown, ""
	}
	return t.Ended, t.EndedBy
}

func (s *session) event(p object) {
	switch string(p.word("type")) {
	case "task_started", "turn_started":
		s.turnStarted(p)
	case "task_complete", "turn_complete":
		s.turnEnded(p)
	case "turn_aborted":
		s.turnAborted(p)
	case "item_completed":
		if s.Paginated {
			s.itemCompleted(p)
		}
	case "token_count":
		s.tokenCount(p)
	default:
		if !s.Paginated {
			s.legacy(p)
		}
	}
}

// turnStarted begins a turn. A process of exec makes one turn, and a turn without an end lost its process: what begins
// after either was resumed. The terminal interface leaves no sign of a resume.
func (s *session) turnStarted(p object) {
	from := p.object("turn_attribution")
	if s.Paginated && !s.Child && from.text("parent_turn_id") != "" {
		return // a review's turn, which has a rollout of its own
	}
	lost, trigger := s.Open, from.text("turn_trigger")
	s.open(s.id(p, "turn_id"))
	e := s.newEvent("")
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

func (s *session) open(turn string) {
	s.Turn, s.Open, s.LastCancelled = turn, true, ""
	s.N++
}

// turnEnded ends a turn, perhaps with an error.
func (s *session) turnEnded(p object) {
	if turn := s.id(p, "turn_id"); turn != "" {
		s.Turn = turn
	}
	s.Open = false
	failed := p.object("error")
	if len(failed) == 0 {
		s.mark(trace.Session{Marker: trace.Stopped})
		s.Ended, s.EndedBy = trace.Completed, "task_complete"
		if !s.Paginated && p.raw("last_agent_message") == nil {
			s.Ended, s.EndedBy = "", "" // the legacy layout also ends failed turns like this
		}
		return
	}
	code, status := errorCode(failed.raw("codex_error_info"))
	message := failed.raw("message")
	s.add("", &trace.Error{Code: code, Status: status, Fatal: true,
		Head: s.Head(start(message, trace.ErrorHead), trace.ErrorHead), Digest: draft.DigestText(message)})
	s.mark(trace.Session{Marker: trace.Stopped, Detail: "error"})
	s.Ended, s.EndedBy = trace.Errored, "task_complete: error"
	if code != "" {
		s.EndedBy += " " + code
	}
}

// errorCode returns the word for an error and its HTTP status if given: "other", or {"word": {"http_status_code":
// 500}}.
func errorCode(info []byte) (code string, status int) {
	var kinds object
	if !kinds.parse(info) || len(kinds) == 0 {
		return token(info), 0
	}
	kind := kinds[0]
	return token(append(append([]byte{'"'}, kind.key...), '"')),
		int(kinds.object(string(kind.key)).int("http_status_code"))
}

// turnAborted ends a turn that was stopped. A fork of a session that was killed, or still works, begins with the end
// of a turn that nobody stopped: the client closes what it took over. That one does not count.
func (s *session) turnAborted(p object) {
	if s.Paginated && s.N == 0 {
		return
	}
	if turn := s.id(p, "turn_id"); turn != "" {
		s.Turn = turn
	}
	reason := p.text("reason")
	s.Open = false
	s.add("", &trace.Interrupt{Call: s.interruptedCall(), Reason: reason})
	s.mark(trace.Session{Marker: trace.Stopped, Detail: reason})
	s.Ended, s.EndedBy = trace.Interrupted, "turn_aborted: "+reason
}

// interruptedCall returns the call that an interruption hit: the last one that says so, or else the last one without
// an end.
func (s *session) interruptedCall() string {
	if s.LastCancelled != "" {
		return s.LastCancelled
	}
	events := s.Trace().Events
	for i := len(events) - 1; i >= 0 && events[i].Turn == s.Turn; i-- {
		if c, ok := events[i].Body.(*trace.ToolCall); ok && c.Parent == "" && !s.ends[c.Call].final {
			return c.Call
		}
	}
	return ""
}

func (s *session) turnContext(p object) {
	model := s.id(p, "model")
	if model != "" && s.Model != "" && model != s.Model {
		s.mark(trace.Session{Marker: trace.ModelChanged, Model: model})
	}
	if model != "" {
		s.Model = model
	}
}

// compacted adds a compaction of the history. Two records tell of each: this one, and an item or event.
func (s *session) compacted(p object) {
	if s.Compacted != "item" {
		s.mark(trace.Session{Marker: trace.Compacted})
	}
	s.Compacted = "record"
	if summary := p.raw("message"); summary != nil {
		s.addUserText("", contentOf(summary), "compact_summary")
	}
}

// compactedItem handles the other record of a compaction.
func (s *session) compactedItem(id string) {
	if s.Compacted != "record" {
		s.add(id, &trace.Session{Marker: trace.Compacted})
		s.Compacted = "item"
		return
	}
	s.Compacted = ""
}

// addUserText adds a text that stands in a prompt's place. machine says what it is if no person wrote it.
func (s *session) addUserText(id string, text content, machine string) {
	e := s.newEvent(id)
	if machine != "" {
		e.By = "client"
	}
	e.Body = &trace.UserMessage{Digest: text.digest(), Head: s.head(text, trace.UserHead), Machine: machine}
	s.Add(e)
}
