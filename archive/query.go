package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// recently compares a time with the one from which on an event makes a session live. An event more than a day after that
// came from a wrong clock, and would make the session live for ever.
const recently = ` - ? BETWEEN 1 AND 86400000`

// listed selects the sessions with their derived columns. live does not know of a recorded end (goesOn). It goes by the
// times of events, those that hooks recorded included, and not by those of files: a copied store is no running session. Both
// parameters are the time from which on an event makes a session live.
const listed = `(SELECT s.*,
	s.store <> 0 AND (s.ended` + recently + ` OR EXISTS (SELECT 1 FROM sessions o WHERE o.id = s.id AND o.source = 'own' AND
		o.ended` + recently + `)) AS live, ` + hasTwin + `
	FROM sessions s)`

// listedAll is listed for reading most sessions: it asks once, not per session, what hooks recorded.
const listedAll = `(SELECT s.*,
	s.store <> 0 AND (s.ended` + recently + ` OR s.id IN (SELECT id FROM sessions WHERE source = 'own' AND ended` + recently + `)) AS live,
	CASE s.source WHEN 'own' THEN EXISTS (SELECT 1 FROM sessions t WHERE t.id = s.id AND t.source <> 'own')
		WHEN 'worker' THEN s.project <> '' AND s.project IN (SELECT project FROM sessions WHERE source <> 'worker')
		ELSE s.id IN (SELECT id FROM sessions WHERE source = 'own') END AS twin
	FROM sessions s)`

// hasTwin says whether both hooks and their agent's store have the session; of a worker's ledger, whether a session is known
// that worked in its tree.
const hasTwin = `CASE s.source WHEN 'worker' THEN s.project <> '' AND EXISTS (SELECT 1 FROM sessions t WHERE t.project = s.project AND t.source <> 'worker')
	ELSE EXISTS (SELECT 1 FROM sessions t WHERE t.id = s.id AND (t.source = 'own') <> (s.source = 'own')) END AS twin`

// recordOnly is the condition that a session of listed, named s, is aburn's record of one that its agent's store has too.
const recordOnly = "s.source IN ('own', 'worker') AND s.twin"

// newestFirst orders sessions, called s. Their keys do not: two archives of the same stores may have read them in another order.
const newestFirst = " ORDER BY s.ended DESC, s.source, s.id"

// Sessions is the sessions that f chooses, the newest first.
func (a *Archive) Sessions(ctx context.Context, f Filter) ([]Session, error) {
	where, args := a.where(f)
	from, limit := listedAll, ""
	if f.Limit > 0 {
		from, limit = listed, " LIMIT ?"
		args = append(args, f.Limit)
	}
	all := int64(0) // the number of sessions, if all are chosen
	if f == (Filter{Own: f.Own}) {
		var err error
		if all, err = a.number("SELECT count(*) FROM sessions"); err != nil {
			return nil, err
		}
	}
	return a.sessionsInto(make([]Session, 0, all), "SELECT "+sessionColumns()+" FROM "+from+" s WHERE "+where+newestFirst+limit, args...)
}

// Outlines returns project and time of the sessions that f chooses (without its Limit), in no order. It takes a fraction of
// the time of Sessions.
func (a *Archive) Outlines(ctx context.Context, f Filter) ([]Outline, error) {
	all, err := a.number("SELECT count(*) FROM sessions")
	if err != nil {
		return nil, err
	}
	live := millis(a.now().Add(-LiveFor))
	where, args := a.where(f)
	list, texts := make([]Outline, 0, all), texts{}
	err = a.each("SELECT s.key, s.source, s.id, s.project_key, s.start, s.ended FROM "+listedAll+" s WHERE "+where,
		func(s *sqlite.Row) error {
			list = append(list, Outline{Key: s.Int64(0), Source: texts.word(s, 1), ID: texts.column(s, 2),
				Project: texts.word(s, 3), Start: instant(s.Int64(4)), End: instant(s.Int64(5))})
			return nil
		}, append([]any{live, live}, args...)...)
	return list, err
}

// SessionsOf returns the existing sessions with these keys, in no order. For many keys Sessions is quicker.
func (a *Archive) SessionsOf(ctx context.Context, keys []int64) (list []Session, err error) {
	for _, key := range keys {
		some, err := a.sessions("SELECT "+sessionColumns()+" FROM "+listed+" s WHERE s.key = ?", key)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// Stamps returns a number for each session that changes when its trace does.
func (a *Archive) Stamps() (map[int64]int64, error) {
	all := map[int64]int64{}
	err := a.each("SELECT key, sum, scrub, events FROM sessions", func(s *sqlite.Row) error {
		all[s.Int64(0)] = s.Int64(1)*31 + s.Int64(2)<<32 + s.Int64(3)
		return nil
	})
	return all, err
}

// Keys returns the keys of the sessions that f chooses (without its Limit), in no order.
func (a *Archive) Keys(f Filter) ([]int64, error) {
	live := millis(a.now().Add(-LiveFor))
	where, args := a.where(f)
	return a.keys("SELECT s.key FROM "+listedAll+" s WHERE "+where, append([]any{live, live}, args...)...)
}

// sessions runs a query of sessionColumns from listed.
func (a *Archive) sessions(query string, args ...any) ([]Session, error) {
	return a.sessionsInto(nil, query, args...)
}

func (a *Archive) sessionsInto(list []Session, query string, args ...any) ([]Session, error) {
	live := millis(a.now().Add(-LiveFor))
	var texts texts
	err := a.each(query, func(s *sqlite.Row) error {
		list = append(list, Session{})
		scanSession(&list[len(list)-1], s, &texts)
		return nil
	}, append([]any{live, live}, args...)...)
	for i := range list {
		if s := &list[i]; s.Live && err == nil {
			s.Live, err = a.goesOn(s.Key)
		}
	}
	return list, err
}

// where returns f as a condition on listed, named s.
func (f Filter) where() (string, []any) {
	conditions, args := []string{"1"}, []any{}
	add := func(set bool, condition string, values ...any) {
		if set {
			conditions = append(conditions, condition)
			args = append(args, values...)
		}
	}
	add(!f.Own, "NOT ("+recordOnly+")")
	add(!f.Since.IsZero(), "s.ended >= ?", f.Since)
	add(!f.Until.IsZero(), "s.ended <> 0 AND s.ended < ?", f.Until)
	add(f.Source != "", "s.source = ?", f.Source)
	if f.Project != "" {
		condition, values := inProject(f.Project)
		add(true, condition, values...)
	}
	add(f.Relation != "", "EXISTS (SELECT 1 FROM relations r WHERE r.session = s.key AND r.kind = ?)",
		string(f.Relation))
	return strings.Join(conditions, " AND "), args
}

// where returns f as a condition on listed, named s, for the sessions that a shows.
func (a *Archive) where(f Filter) (string, []any) {
	where, args := f.where()
	if a.within == "" {
		return where, args
	}
	condition, values := inProject(a.within)
	return where + " AND " + condition, append(args, values...)
}

// inProject is the condition that a session of listed, named s, is of the project with this key or path, or in a folder of it.
func inProject(project string) (string, []any) {
	below := strings.TrimSuffix(project, "/") + "/"
	return "(s.project_key = ? OR s.project = ? OR substr(s.project, 1, ?) = ? OR substr(s.project_key, 1, ?) = ?)",
		[]any{project, project, runes(below), below, runes(below), below}
}

// runes returns the length of s as SQLite's substr counts it.
func runes(s string) int { return len([]rune(s)) }

// shortest is how many bytes of an id suffice to name it, if no other id has them.
const shortest = 4

// Lookup returns the sessions that name can mean, newest first. It tries these forms in order and stops at the first
// that finds something:
//
//  1. an id, or "source/id";
//  2. the part of a sub-agent's id behind the session's, whole;
//  3. the first or last bytes, at least four, of an id, or of the part behind the session's of a sub-agent's; or of
//     both, "session/agent"; or, of those of one source, "source/part". A part of a session's id does not mean its
//     sub-agents.
//
// The hooks' record of a session that its agent's store has too counts only if nothing else is found.
func (a *Archive) Lookup(ctx context.Context, name string) ([]Session, error) {
	if name == "" {
		return nil, nil
	}
	for _, own := range [...]string{"NOT (" + recordOnly + ")", recordOnly} {
		for _, way := range ways(name) {
			within, args := a.where(Filter{Own: true})
			list, err := a.sessions("SELECT "+sessionColumns()+" FROM "+listed+" s WHERE ("+way.where+") AND "+own+" AND "+within+newestFirst,
				append(slices.Clone(way.args), args...)...)
			if err != nil || len(list) > 0 {
				return list, err
			}
		}
	}
	return nil, nil
}

// way is one form in which a name can mean a session.
type way struct {
	where string
	args  []any
}

// The parts of an id: lastPart is what stands behind the slash of a sub-agent's id, else all of it; firstPart is what
// stands before the slash.
const (
	lastPart  = "substr(s.id, instr(s.id, '/') + 1)"
	firstPart = "substr(s.id, 1, instr(s.id, '/') - 1)"
)

func ways(name string) []way {
	list := []way{{"s.id = ?", []any{name}}}
	first, last, both := strings.Cut(name, "/")
	if both {
		list = append(list, way{"s.source = ? AND s.id = ?", []any{first, last}})
	}
	list = append(list, way{lastPart + " = ?", []any{name}})
	if len(name) >= shortest && !both {
		list = append(list, begins(lastPart, name))
	}
	if both && len(last) >= shortest {
		x := begins(lastPart, last)
		list = append(list, way{"s.source = ? AND " + x.where, append([]any{first}, x.args...)})
	}
	if len(first) >= shortest && len(last) >= shortest {
		x, y := begins(firstPart, first), begins(lastPart, last)
		list = append(list, way{x.where + " AND " + y.where, append(x.args, y.args...)})
	}
	return list
}

// begins is the condition that part begins or ends with name.
func begins(part, name string) way {
	n := runes(name)
	return way{"(substr(" + part + ", 1, ?) = ? OR substr(" + part + ", -?) = ?)", []any{n, name, n, name}}
}

// Trace returns a session's trace, with what was linked across files.
func (a *Archive) Trace(ctx context.Context, key int64) (*trace.SessionTrace, error) {
	var body []byte
	err := a.each("SELECT body FROM traces WHERE key = ?", func(s *sqlite.Row) error {
		body = columnBytes(s, 0)
		return nil
	}, key)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, fmt.Errorf("%s: no session has the key %d", a.path, key)
	}
	t, err := unpack(body)
	if err != nil {
		return nil, err
	}
	return t, a.applyLinks(key, t)
}

// Previous returns the trace of a session, nil if there is none.
func (a *Archive) Previous(ctx context.Context, source, id string) (*trace.SessionTrace, error) {
	k, err := a.stored(source, id)
	if err != nil || k.key == 0 {
		return nil, err
	}
	return a.Trace(ctx, k.key)
}

// Relations is all relationships between sessions, by session and number.
func (a *Archive) Relations(ctx context.Context) ([]Relation, error) {
	return a.relations("1 ORDER BY s.source, s.id, r.number")
}

// Ties is those of all relationships that tie a session to another one: all but those that say that it is a root. Those of
// one session come together, by number.
func (a *Archive) Ties(ctx context.Context) ([]Relation, error) {
	return a.relations("r.kind <> 'root' ORDER BY r.session, r.number")
}

func (a *Archive) relations(which string) ([]Relation, error) {
	var list []Relation
	err := a.each(`SELECT r.session, coalesce(o.key, 0), r.kind, s.source, s.id, r.related, r.time, r.source_session, r.source_version,
		r.parent_call, r.agent_id, r.agent_type, r.description, r.provenance, r.evidence
		FROM relations r JOIN sessions s ON s.key = r.session
		LEFT JOIN sessions o ON r.related <> '' AND o.source = s.source AND o.id = r.related WHERE `+which, func(s *sqlite.Row) error {
		list = append(list, Relation{Key: s.Int64(0), RelatedKey: s.Int64(1), SessionRelationship: trace.SessionRelationship{
			V: trace.Version, Kind: trace.Relation(s.Text(2)), Source: s.Text(3), Session: s.Text(4), Related: s.Text(5),
			Time: instant(s.Int64(6)), SourceSession: s.Text(7), SourceVersion: s.Text(8), ParentCall: s.Text(9),
			AgentID: s.Text(10), AgentType: s.Text(11), Description: s.Text(12),
			Provenance: trace.Provenance(s.Text(13)), Evidence: s.Text(14),
		}})
		return nil
	})
	return list, err
}
