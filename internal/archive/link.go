package archive

import (
	"context"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// Link finds out how sessions of different files belong together, for those that were written since the last time:
// whose copy one is, and which call of a parent started a sub-agent. It returns how many traces that changed.
func (a *Archive) Link(ctx context.Context) (changed int, err error) {
	return a.linkAgents(ctx)
}

// pair is a sub-agent and the event of its parent that started it, of which one does not name the other.
type pair struct {
	child, parent  int64
	childID        string
	number, seq    int // of the child's relationship and the parent's event
	call           string
	childKnowsCall bool
	parentKnows    bool
}

// linkAgents completes sub-agents and their parents from one another.
func (a *Archive) linkAgents(ctx context.Context) (changed int, err error) {
	todo, err := a.number("SELECT count(*) FROM unlinked WHERE kind = 'agents'")
	if err != nil || todo == 0 {
		return 0, err
	}
	var pairs []pair
	err = a.each(`SELECT r.session, sp.session, c.id, r.number, sp.seq, sp.call, r.parent_call <> '' OR sp.call = '', sp.child <> ''
		FROM relations r JOIN sessions c ON c.key = r.session JOIN sessions p ON p.source = c.source AND p.id = r.related
		JOIN spawns sp ON sp.session = p.key AND (sp.child = c.id OR sp.child = '' AND sp.agent_id <> '' AND sp.agent_id = r.agent_id
			OR sp.child = '' AND sp.call <> '' AND sp.call = r.parent_call)
		WHERE r.kind = 'subagent' AND (r.parent_call = '' AND sp.call <> '' OR sp.child = '')`, func(s *sqlite.Stmt) error {
		pairs = append(pairs, pair{
			child: s.ColumnInt64(0), parent: s.ColumnInt64(1), childID: s.ColumnText(2), number: s.ColumnInt(3), seq: s.ColumnInt(4),
			call: s.ColumnText(5), childKnowsCall: s.ColumnBool(6), parentKnows: s.ColumnBool(7),
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	touched := map[int64]bool{}
	for _, p := range pairs {
		if err := a.linkPair(ctx, p, touched); err != nil {
			return len(touched), err
		}
	}
	return len(touched), a.run("DELETE FROM unlinked WHERE kind = 'agents'")
}

func (a *Archive) linkPair(ctx context.Context, p pair, touched map[int64]bool) error {
	if !p.childKnowsCall {
		touched[p.child] = true
		err := a.change(ctx, p.child, func(t *trace.SessionTrace) error {
			t.Relationships[p.number].ParentCall = p.call
			return t.Validate()
		})
		if err != nil {
			return err
		}
	}
	if p.parentKnows {
		return nil
	}
	touched[p.parent] = true
	return a.change(ctx, p.parent, func(t *trace.SessionTrace) error {
		t.Events[p.seq-1].Body.(*trace.SubagentSpawn).Session = p.childID
		for i := range t.Results {
			if r := &t.Results[i]; p.call != "" && r.Call == p.call && r.Spawned == "" {
				r.Spawned = p.childID
			}
		}
		return t.Validate()
	})
}
