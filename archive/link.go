package archive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// The kinds of groups to be linked, in unlinked.kind.
const (
	family = "family" // sessions that begin with the same record
	agents = "agents" // a session and its sub-agents
)

// agentGroup returns the session at the head of p's group of sub-agents, "" if p is in none.
func agentGroup(p *Packed) string {
	session := ""
	for _, r := range p.relations {
		if r.Kind == trace.Subagent {
			session = cmp.Or(r.Related, p.session.ID)
		}
	}
	if len(p.spawns) > 0 {
		session = cmp.Or(session, p.session.ID)
	}
	session, _, _ = strings.Cut(session, "/")
	return session
}

// callOpen reports whether a sub-agent's own files leave open which call started it.
func callOpen(r trace.SessionRelationship) bool {
	return r.Kind == trace.Subagent && r.ParentCall == ""
}

// linkSubagents finds the call that started p, if p is a sub-agent, and the sub-agents that p's spawns name. Link
// would find the same by reading and writing whole traces. The result stands in the rows of relations alone, and Trace
// puts it into the trace. Only Link knows which of several copies of a spawn was the first.
func (a *Archive) linkSubagents(p *Packed) error {
	if p.root != "" {
		return nil
	}
	for i := range p.relations {
		r := &p.relations[i]
		if !callOpen(*r) {
			continue
		}
		err := a.each(`SELECT s.id, w.call, w.agent_type, w.description FROM spawns w INDEXED BY spawns_child CROSS JOIN sessions s ON s.key = w.session
			WHERE w.child = ?2 AND w.child <> '' AND s.source = ?1 AND s.root = '' ORDER BY w.session DESC, w.seq DESC LIMIT 1`, func(s *sqlite.Row) error {
			r.StartedBy(s.Text(0), &trace.SubagentSpawn{Call: s.Text(1), AgentType: s.Text(2),
				Description: s.Text(3)})
			return nil
		}, p.session.Source, p.session.ID)
		if err != nil {
			return err
		}
	}
	for _, s := range p.spawns {
		if s.child == "" || s.call == "" {
			continue
		}
		var r trace.SessionRelationship
		r.StartedBy(p.session.ID, &trace.SubagentSpawn{Call: s.call, AgentType: s.agentType,
			Description: s.description})
		if err := a.run(`UPDATE relations SET related = ?3, parent_call = ?4, evidence = ?5,
			agent_type = iif(agent_type = '', ?6, agent_type), description = iif(description = '', ?7, description)
			WHERE session = (SELECT key FROM sessions WHERE source = ?1 AND id = ?2) AND kind = 'subagent' AND parent_call = ''`,
			p.session.Source, s.child, r.Related, r.ParentCall, r.Evidence, r.AgentType, r.Description); err != nil {
			return err
		}
	}
	return nil
}

// applyLinks puts into t what linkSubagents found.
func (a *Archive) applyLinks(key int64, t *trace.SessionTrace) error {
	for i := range t.Relationships {
		r := &t.Relationships[i]
		if !callOpen(*r) {
			continue
		}
		err := a.each("SELECT related, parent_call, agent_type, description, evidence FROM relations WHERE session = ? AND number = ?", func(s *sqlite.Row) error {
			r.Related, r.ParentCall, r.AgentType, r.Description = s.Text(0), s.Text(1), s.Text(2), s.Text(3)
			r.Evidence = s.Text(4)
			return nil
		}, key, i)
		if err != nil {
			return err
		}
	}
	return nil
}

// Link relates sessions of different files (trace.Link), for those written since the last call: whose copy a session
// is, and which call of a parent started a sub-agent. It returns how many traces changed.
func (a *Archive) Link(ctx context.Context) (changed int, err error) {
	for _, way := range [...]struct {
		kind    string
		members string // the keys, for the parameters source and name
	}{
		{family, "SELECT key FROM sessions WHERE source = ?1 AND root = ?2 AND root <> '' ORDER BY key"},
		{agents, agentMembers},
	} {
		n, err := a.linkAll(ctx, way.kind, way.members)
		changed += n
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// agentMembers selects the members of a group for which linking may find something: all, if some sub-agent does not
// know its call; else those with an open spawn, and their sub-agents.
const agentMembers = `
	WITH all_of AS (SELECT key, id FROM sessions WHERE source = ?1 AND id = ?2
		UNION SELECT key, id FROM sessions WHERE source = ?1 AND id > ?2 || '/' AND id < ?2 || '0'
		UNION SELECT s.key, s.id FROM relations r INDEXED BY relations_related CROSS JOIN sessions s ON s.key = r.session
			WHERE r.related = ?2 AND r.related <> '' AND s.source = ?1),
	parents AS (SELECT key, id FROM all_of WHERE EXISTS (SELECT 1 FROM spawns WHERE session = key AND open))
	SELECT key FROM all_of WHERE EXISTS (SELECT 1 FROM all_of CROSS JOIN relations r ON r.session = key WHERE kind = 'subagent' AND parent_call = '')
	UNION SELECT key FROM parents
	UNION SELECT r.session FROM parents p CROSS JOIN relations r INDEXED BY relations_related ON r.related = p.id
		CROSS JOIN sessions s ON s.key = r.session WHERE r.related <> '' AND s.source = ?1 ORDER BY 1`

func (a *Archive) linkAll(ctx context.Context, kind, members string) (changed int, err error) {
	var names []string
	err = a.each("SELECT name FROM unlinked WHERE kind = ?", func(s *sqlite.Row) error {
		names = append(names, s.Text(0))
		return nil
	}, kind)
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(names, linkedAtOnce) {
		err := a.transaction(func() error {
			for _, name := range batch {
				if err := ctx.Err(); err != nil {
					return err
				}
				n, err := a.link(ctx, members, name)
				if err != nil {
					return err
				}
				changed += n
				if err := a.run("DELETE FROM unlinked WHERE kind = ? AND name = ?", kind, name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// linkedAtOnce is how many groups are linked in one transaction.
const linkedAtOnce = 50

// link links one group, whose name is SOURCE/NAME.
func (a *Archive) link(ctx context.Context, members, name string) (changed int, err error) {
	source, name, _ := strings.Cut(name, "/")
	keys, err := a.keys(members, source, name)
	if err != nil || len(keys) < 2 {
		return 0, err
	}
	group := make([]*trace.SessionTrace, 0, len(keys))
	key := map[*trace.SessionTrace]int64{}
	for _, k := range keys {
		t, err := a.Trace(ctx, k)
		if err != nil {
			return 0, err
		}
		group = append(group, t)
		key[t] = k
	}
	for _, t := range trace.Link(group) {
		if err := a.replace(key[t], t); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}
