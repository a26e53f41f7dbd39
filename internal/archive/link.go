package archive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// The kinds of what is to be linked, in unlinked.kind.
const (
	family = "family" // sessions that begin with the same record
	agents = "agents" // a session and its sub-agents
)

// agentGroup is the session that started the sub-agents of t's group, "" if t has none and is none, and whether t leaves open
// which call, or which result of one, started which of them.
func agentGroup(t *trace.SessionTrace) (session string, loose bool) {
	for i := range t.Relationships {
		if r := &t.Relationships[i]; r.Kind == trace.Subagent {
			session, loose = cmp.Or(r.Related, t.ID), loose || r.ParentCall == ""
		}
	}
	for i := range t.Events {
		if s, ok := t.Events[i].Body.(*trace.SubagentSpawn); ok && t.Events[i].Copied == "" {
			session, loose = cmp.Or(session, t.ID), loose || s.Session == "" || slices.ContainsFunc(t.Results, func(r trace.ToolResultEvent) bool {
				return r.Call == s.Call && r.Spawned != s.Session
			})
		}
	}
	session, _, _ = strings.Cut(session, "/")
	return session, loose
}

// Link finds out how sessions of different files belong together, for those that were written since the last time: whose
// copy one is, and which call of a parent started a sub-agent (trace.Link). It returns how many traces that changed.
func (a *Archive) Link(ctx context.Context) (changed int, err error) {
	for _, way := range [...]struct {
		kind    string
		members string // the keys, for the parameters source and name
	}{
		{family, "SELECT key FROM sessions WHERE source = ?1 AND root = ?2 AND root <> '' ORDER BY key"},
		{agents, `SELECT key FROM sessions WHERE source = ?1 AND id = ?2
			UNION SELECT key FROM sessions WHERE source = ?1 AND id > ?2 || '/' AND id < ?2 || '0'
			UNION SELECT r.session FROM relations r INDEXED BY relations_related CROSS JOIN sessions s ON s.key = r.session
				WHERE r.related = ?2 AND r.related <> '' AND s.source = ?1 ORDER BY 1`},
	} {
		n, err := a.linkAll(ctx, way.kind, way.members)
		changed += n
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// linkAll links all that is noted of one kind.
func (a *Archive) linkAll(ctx context.Context, kind, members string) (changed int, err error) {
	var names []string
	err = a.each("SELECT name FROM unlinked WHERE kind = ?", func(s *sqlite.Stmt) error {
		names = append(names, s.ColumnText(0))
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

// linkedAtOnce is how many groups of sessions are linked in one transaction.
const linkedAtOnce = 50

// link links the sessions of one group, which name gives as SOURCE/NAME.
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
