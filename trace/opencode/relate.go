package opencode

import (
	"context"
	"fmt"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// unknownOrigin stands for the origin of a fork that the store no longer holds.
const unknownOrigin = "unknown"

// origin returns the session that this one was forked from, and the evidence; "" if it is no fork. OpenCode 2 says it. In the tables of
// opencode 1 nothing links the two: a fork copies messages under new ids but with their times, and calls with their ids. The
// session that shares most messages wins, the oldest among equals.
func (t *conversation) origin(ctx context.Context, sh otherSessions) (id, evidence string, err error) {
	copies, calls := map[turn]int{}, map[string]bool{}
	var first int64
	n := 0
	for _, m := range t.messages {
		if !m.copied {
			continue
		}
		if n++; n == 1 {
			first = m.created
		}
		copies[turn{m.created, m.role}]++
		for _, p := range m.parts {
			if p.tool != nil {
				calls[p.tool.call] = true
			}
		}
	}
	if t.session.fork != "" {
		return t.session.fork, "", nil
	}
	if n == 0 || t.session.parent != "" {
		return "", "", nil
	}
	holders, err := sh.originCandidates(ctx, t.session, first)
	if err != nil {
		return "", "", err
	}
	most, shared := 0, 0
	for _, holder := range holders {
		turns, theirs, err := sh.turnsOf(ctx, holder)
		if err != nil {
			return "", "", err
		}
		same, sameCalls := overlap(copies, turns), overlap(counts(calls), counts(theirs))
		if same > most && (sameCalls > 0 || len(calls) == 0) {
			id, most, shared = holder, same, sameCalls
		}
	}
	switch {
	case id != "":
		evidence = fmt.Sprintf("%d messages are older than the session, %d of them with time and role of one there, %d of %d calls with the same id",
			n, most, shared, len(calls))
	case strings.Contains(t.session.title, "(fork #"):
		id, evidence = unknownOrigin, fmt.Sprintf("%d messages are older than the session, whose title says that it is a fork; no session has them", n)
	}
	return id, evidence, nil
}

// overlap counts the elements of a that b holds, with multiplicity.
func overlap[K comparable](a, b map[K]int) int {
	n := 0
	for k, times := range a {
		n += min(times, b[k])
	}
	return n
}

func counts(set map[string]bool) map[string]int {
	m := make(map[string]int, len(set))
	for k := range set {
		m[k] = 1
	}
	return m
}

// relate adds the session's relationship. It runs before the trace has events.
func (s *traceBuilder) relate(parentCall, evidence string) {
	r := trace.SessionRelationship{Time: when(s.session.created), SourceVersion: s.session.version}
	switch {
	case s.session.parent != "":
		agent, title := agentOf(s.session)
		r.Kind, r.Related, r.Provenance = trace.Subagent, s.session.parent, trace.Explicit
		r.ParentCall, r.AgentType, r.Description = parentCall, agent, draft.Head(title, trace.UserHead)
	case s.session.fork != "":
		r.Kind, r.Related, r.Provenance = trace.Fork, s.session.fork, trace.Explicit
	case s.from != "":
		r.Kind, r.Related, r.Provenance, r.Evidence = trace.Fork, s.from, trace.Inferred, evidence
	default:
		return
	}
	s.b.Relate(r)
}

// agentOf returns the type of a sub-agent and its task. Its title is "DESCRIPTION (@TYPE subagent)".
func agentOf(s session) (agent, description string) {
	agent, description = s.agent, s.title
	if at := strings.LastIndex(s.title, " (@"); at >= 0 && strings.HasSuffix(s.title, " subagent)") {
		description = s.title[:at]
		if agent == "" {
			agent = strings.TrimSuffix(s.title[at+len(" (@"):], " subagent)")
		}
	}
	return agent, description
}
