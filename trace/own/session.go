package own

import (
	"path/filepath"
	"strings"

	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// session makes the trace of one session, or of a sub-agent of it. All that it knows of the entries before is in the trace.
type session struct {
	*draft.Builder
	heard int             // when, counted in entries of the reading
	seen  map[string]bool // the ids of the entries in it: a copy of one says nothing new
}

// newSession begins the trace with this id at the entry e of the log at path.
func newSession(id, path string, e *logfmt.Entry) *session {
	s := &session{Builder: draft.New(Name, id, agentName(e), path), seen: map[string]bool{}}
	s.Trace().Project.Path = worktree(path, e.Wt)
	return s
}

// resumed goes on with a trace.
func resumed(before *trace.SessionTrace) *session {
	s := &session{Builder: draft.Resume(before), seen: map[string]bool{}}
	for i := range before.Events {
		s.seen[before.Events[i].Record] = true
	}
	return s
}

// agentName is who an entry is about. What prompts and aburn itself write does not say which agent runs them.
func agentName(e *logfmt.Entry) string {
	if e.Source == "" {
		return "unknown"
	}
	return draft.Word(e.Source)
}

// byHook says whether an entry's source is an agent.
func byHook(e *logfmt.Entry) bool {
	return e.Source != "prompt" && e.Source != "aburn" && e.Source != ""
}

// worktree is the root of the work tree that an entry of the log at path is of.
func worktree(path, wt string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(path)), filepath.FromSlash(wt))
}

// childID is the id of a sub-agent's trace. An id of 32 and more letters, as Codex gives its threads, is its alone; a
// shorter one is so within its session.
func childID(session, agent string) string {
	if len(agent) >= 32 {
		return draft.SessionID(agent)
	}
	return draft.SessionID(session + "/" + agent)
}

// ids are the session that an entry is of and, where it belongs to a sub-agent, that one's id.
func ids(e *logfmt.Entry) (session, child string) {
	session = draft.SessionID(string(e.Session))
	if e.Agent != nil && e.Agent.ID != "" {
		child = childID(session, e.Agent.ID)
	}
	return session, child
}

// met notes what every entry tells about its session.
func (s *session) met(e *logfmt.Entry, parent string) {
	t := s.Trace()
	if byHook(e) && (t.Agent.Name == "prompt" || t.Agent.Name == "aburn" || t.Agent.Name == "unknown") {
		t.Agent.Name = agentName(e)
		t.Project.Path = worktree(s.Trace().Sources[0].Path, e.Wt)
	}
	if parent != "" && len(t.Relationships) == 0 {
		s.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: parent, Time: e.Time, AgentID: e.Agent.ID,
			AgentType: strings.TrimSuffix(e.Agent.Type, "…"), Provenance: trace.Explicit})
	}
}

// finish settles the outcome and validates the trace.
func (s *session) finish() (*trace.SessionTrace, error) {
	t := s.Trace()
	t.Outcome, t.OutcomeFrom = outcome(t)
	return s.Finish()
}

// last is the last event, or nil.
func (s *session) last() *trace.Event {
	events := s.Trace().Events
	if len(events) == 0 {
		return nil
	}
	return &events[len(events)-1]
}
