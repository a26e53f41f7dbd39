package trace

import (
	"cmp"
	"strings"
)

// Link finds what only several sessions together show. It changes traces of family in place, and returns those that it
// changed. A family is at least all sessions that share a Lineage.Root, and their sub-agents; it may hold several such
// groups, and traces of other sources.
//
// Sessions that share a root are copies of one another up to where they diverge. The session that had the records
// first keeps them; in the others they are marked Copied, and those become forks of the session that they took the
// last record from. The first is the one that the source names (an explicit fork), or that what it wrote between the
// records shows (Lineage.MayCopy), or the earliest.
//
// A sub-agent whose files do not name its call gets it from the spawn that names the sub-agent, and a spawn that does
// not name its sub-agent from the sub-agent that names the call.
//
// Linking again, with or without more sessions, starts from what the source said, so that the order does not matter.
func Link(family []*SessionTrace) []*SessionTrace {
	changed := make([]bool, len(family))
	roots := map[string][]int{}
	var order []string
	for i, t := range family {
		if t.Lineage.Root != "" {
			key := t.Source + "/" + t.Lineage.Root
			if roots[key] == nil {
				order = append(order, key)
			}
			roots[key] = append(roots[key], i)
		}
	}
	for _, key := range order {
		if len(roots[key]) > 1 {
			linkForks(family, roots[key], changed)
		}
	}
	linkAgents(family, changed)
	var all []*SessionTrace
	for i, t := range family {
		if changed[i] {
			all = append(all, t)
		}
	}
	return all
}

// place is a spawn in a trace of the family.
type place struct {
	trace int
	spawn *SubagentSpawn
}

func linkAgents(family []*SessionTrace, changed []bool) {
	byAgent, byCall := spawns(family)
	for i, t := range family {
		for j := range t.Relationships {
			r := &t.Relationships[j]
			if r.Kind != Subagent {
				continue
			}
			p, ok := byAgent[t.Source+"/"+t.ID]
			if !ok {
				p, ok = byAgent[agentKey(t, r.AgentID)]
			}
			if ok && r.ParentCall == "" {
				r.StartedBy(family[p.trace].ID, p.spawn)
				changed[i] = true
			}
			p, ok = byCall[t.Source+"/"+r.Related+"/"+r.ParentCall]
			if !ok {
				continue
			}
			if p.spawn.Session == "" {
				p.spawn.Session, p.spawn.AgentID, p.spawn.NotStarted = t.ID, cmp.Or(p.spawn.AgentID, r.AgentID), false
				changed[p.trace] = true
			}
			if family[p.trace].spawned(p.spawn) {
				changed[p.trace] = true
			}
		}
	}
}

// StartedBy sets the spawn s in the session parent as the sub-agent's start. The sub-agent's own files did not name
// it.
func (r *SessionRelationship) StartedBy(parent string, s *SubagentSpawn) {
	r.ParentCall, r.Related = s.Call, parent
	r.AgentType, r.Description = cmp.Or(r.AgentType, s.AgentType), cmp.Or(r.Description, s.Description)
	r.Evidence = "the subagent_spawn in " + r.Related
}

// spawns returns the family's own spawns, by the session and agent that they name, and by their call.
func spawns(family []*SessionTrace) (byAgent, byCall map[string]place) {
	byAgent, byCall = map[string]place{}, map[string]place{}
	for i, t := range family {
		for j := range t.Events {
			s, ok := t.Events[j].Body.(*SubagentSpawn)
			if !ok || t.Events[j].Copied != "" {
				continue
			}
			if s.Session != "" {
				byAgent[t.Source+"/"+s.Session] = place{i, s}
			}
			if s.AgentID != "" {
				byAgent[agentKey(t, s.AgentID)] = place{i, s}
			}
			if s.Session != "" {
				byAgent[t.Source+"/"+s.Session] = place{i, s}
			}
			byCall[t.Source+"/"+t.ID+"/"+s.Call] = place{i, s}
		}
	}
	return byAgent, byCall
}

// agentKey is the key of a sub-agent of t's session, or of the session that t is a sub-agent of.
func agentKey(t *SessionTrace, agent string) string {
	session, _, _ := strings.Cut(t.ID, "/")
	return t.Source + "/" + session + "/" + agent
}

// spawned sets the sub-agent's session on the results of its call, and reports whether that changed any.
func (t *SessionTrace) spawned(s *SubagentSpawn) bool {
	changed := false
	for i := range t.Results {
		if r := &t.Results[i]; r.Call == s.Call && r.Spawned != s.Session {
			r.Spawned, changed = s.Session, true
		}
	}
	return changed
}
