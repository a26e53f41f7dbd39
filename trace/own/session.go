package own

import (
	"path/filepath"
	"strings"

	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// session makes the trace of one session or sub-agent. All that it knows of earlier entries is in the trace.
type session struct {
	*draft.Builder
	seen map[string]bool // ids of its entries: a copy of one says nothing new
}

// newSession begins the trace with this id at the entry e of the log at path.
func newSession(id, path string, e *logfmt.Entry) *session {
	s := &session{Builder: draft.New(Name, id, agentName(e), path), seen: map[string]bool{}}
	s.Trace().Project.Path = worktree(path, e.Wt)
	return s
}

// resumed continues a trace.
func resumed(before *trace.SessionTrace) *session {
	s := &session{Builder: draft.Resume(before), seen: map[string]bool{}}
	for i := range before.Events {
		s.seen[before.Events[i].Record] = true
	}
	return s
}

// agentName returns the agent of an entry. Entries of prompts and of aburn itself do not name the agent that runs
// them.
func agentName(e *logfmt.Entry) string {
	if e.Source == "" {
		return "unknown"
	}
	return draft.Word(e.Source)
}

// byHook reports whether an agent's hook wrote the entry.
func byHook(e *logfmt.Entry) bool {
	return e.Source != "prompt" && e.Source != "aburn" && e.Source != ""
}

// worktree returns the root of an entry's work tree; path is the log.
func worktree(path, wt string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(path)), filepath.FromSlash(wt))
}

// ownThread is from how many letters on a sub-agent's id is globally unique, like those of Codex's threads.
const ownThread = 32

// childID returns the id of a sub-agent's trace. A short id is unique within its session.
func childID(session, agent string) string {
	if len(agent) >= ownThread {
		return draft.SessionID(agent)
	}
	return draft.SessionID(session + "/" + agent)
}

// ids returns an entry's session, and the sub-agent's id if the entry belongs to one.
func ids(e *logfmt.Entry) (session, child string) {
	session = draft.SessionID(string(e.Session))
	if e.Agent != nil && e.Agent.ID != "" {
		child = childID(session, e.Agent.ID)
	}
	return session, child
}

// noteSession updates the session from the members that every entry has.
func (s *session) noteSession(e *logfmt.Entry, parent string) {
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

func (s *session) last() *trace.Event {
	events := s.Trace().Events
	if len(events) == 0 {
		return nil
	}
	return &events[len(events)-1]
}

// outcome says how the last turn ended according to the log, and the evidence.
func outcome(t *trace.SessionTrace) (trace.Outcome, string) {
	ended := false // a SESSION_END follows
	for i := len(t.Events) - 1; i >= 0; i-- {
		switch b := t.Events[i].Body.(type) {
		case *trace.Interrupt:
			return trace.Interrupted, "INTERRUPT"
		case *trace.Error:
			if b.Fatal {
				return trace.Errored, "TURN_FAILED"
			}
		case *trace.Session:
			switch b.Marker {
			case trace.Stopped:
				if b.Detail == "failed" {
					return trace.Errored, "AGENT_COMPLETE failed"
				}
				return trace.Completed, "STOP"
			case trace.Ended:
				ended = true
			case trace.Started, trace.Resumed:
				if len(t.Relationships) > 0 && t.Relationships[0].Kind == trace.Subagent {
					return openOutcome(t, ended)
				}
			}
		case *trace.UserMessage, *trace.ToolCall, *trace.ToolResult, *trace.SubagentSpawn:
			return openOutcome(t, ended)
		}
	}
	return trace.Unknown, ""
}

// openOutcome is the outcome of a turn that no entry ends. A session that ended within one need not have been
// interrupted: a client can end turns of its own kinds without an entry.
func openOutcome(t *trace.SessionTrace, ended bool) (trace.Outcome, string) {
	if !ended {
		return trace.Killed, "the log has nothing behind the turn's beginning"
	}
	calls := t.Calls()
	if n := len(calls); n > 0 && calls[n-1].Last() == nil {
		return trace.Interrupted, "SESSION_END within a call"
	}
	return trace.Unknown, ""
}
