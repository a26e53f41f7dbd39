package trace

import (
	"cmp"
	"strings"
)

// Link works out what only several sessions together tell, and returns the traces that it changed, which are those of
// family themselves. A family is at least all sessions that share a Lineage.Root, and their sub-agents; more than one of
// them, and traces of other sources, may be given at once.
//
// Sessions that share a root are copies of one another up to where they part: the records of the one that had them first
// stay, and are marked Copied in the others, which become forks of the session that they took the last of them from. Who
// had them first, the source says (an explicit fork), or what it wrote among them shows (Lineage.MayCopy), or the times do.
//
// A sub-agent whose own files do not tell its call gets it from the spawn that names it, and a spawn that does not name its
// sub-agent from the sub-agent that names the call.
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

// linkAgents makes the spawns and the sub-agents of a family name one another.
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

// StartedBy notes that the spawn s in the session parent started the sub-agent, whose own files did not tell.
func (r *SessionRelationship) StartedBy(parent string, s *SubagentSpawn) {
	r.ParentCall, r.Related = s.Call, parent
	r.AgentType, r.Description = cmp.Or(r.AgentType, s.AgentType), cmp.Or(r.Description, s.Description)
	r.Evidence = "the subagent_spawn in " + r.Related
}

// spawns is the spawns of a family that were not copied, by the session and the agent that they name, and by their call.
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

// agentKey names a sub-agent of the session that t is, or is a sub-agent of.
func agentKey(t *SessionTrace, agent string) string {
	session, _, _ := strings.Cut(t.ID, "/")
	return t.Source + "/" + session + "/" + agent
}

// spawned sets the sub-agent's session on the results of its call, and says whether that is new.
func (t *SessionTrace) spawned(s *SubagentSpawn) bool {
	changed := false
	for i := range t.Results {
		if r := &t.Results[i]; r.Call == s.Call && r.Spawned != s.Session {
			r.Spawned, changed = s.Session, true
		}
	}
	return changed
}
