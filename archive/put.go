package archive

import (
	"cmp"
	"slices"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// fate says what put did with a trace.
type fate int

const (
	isNew fate = iota
	isUpdated
	isSame
	isOutdone
)

// stored is a session that the archive has.
type stored struct {
	key, store, sum, ended, events int64
	path                           string
}

func (a *Archive) stored(source, id string) (k stored, err error) {
	err = a.each("SELECT key, store, sum, ended, events, path FROM sessions WHERE source = ? AND id = ?",
		func(s *sqlite.Row) error {
			k = stored{s.Int64(0), s.Int64(1), s.Int64(2), s.Int64(3), s.Int64(4),
				s.Text(5)}
			return nil
		}, source, id)
	return k, err
}

// put writes a trace and sets its key. store is the store it was read from, 0 if its source is gone.
func (a *Archive) put(p *Packed, store int64) (fate, error) {
	k, err := a.stored(p.session.Source, p.session.ID)
	if err != nil {
		return 0, err
	}
	p.session.Key = k.key
	switch {
	case k.key == 0:
		return isNew, a.insertUnlinked(p, store)
	case k.store != 0 && k.store != store && !p.replaces(k):
		return isOutdone, nil
	case k.sum == p.sum:
		return isSame, a.run("UPDATE sessions SET store = ? WHERE key = ? AND store <> ?", store, k.key, store)
	}
	if k.store != 0 && k.store != store {
		if err := a.unlist("VALUES (?)", k.store); err != nil {
			return 0, err
		}
		if err := a.run("UPDATE cursors SET outdone = outdone + 1, sessions = sessions - 1, whole = 1 WHERE store = ?", k.store); err != nil {
			return 0, err
		}
	}
	return isUpdated, a.insertUnlinked(p, store)
}

// insertUnlinked inserts a trace and notes which groups are to be linked.
func (a *Archive) insertUnlinked(p *Packed, store int64) error {
	if err := a.linkSubagents(p); err != nil {
		return err
	}
	if p.root != "" {
		if err := a.noteUnlinked(family, p.session.Source+"/"+p.root); err != nil {
			return err
		}
	}
	waits, err := a.awaitsLinking(p)
	if err != nil {
		return err
	}
	if waits {
		if err := a.noteUnlinked(agents, p.session.Source+"/"+p.group); err != nil {
			return err
		}
	}
	return a.insert(p, store)
}

// awaitsLinking reports whether linking p's group may find a sub-agent's call that neither p nor earlier traces of the
// group name.
func (a *Archive) awaitsLinking(p *Packed) (bool, error) {
	if slices.ContainsFunc(p.spawns, func(s spawn) bool { return s.open }) {
		return true, nil
	}
	found, source := int64(0), p.session.Source
	var err error
	for _, r := range p.relations {
		switch {
		case found > 0 || err != nil || r.Kind != trace.Subagent:
		case callOpen(r):
			found, err = a.number(anyOfGroup, source, p.group)
		default:
			found, err = a.number(awaitedChild, source, r.Related, r.ParentCall)
		}
	}
	if found == 0 && err == nil && len(p.spawns) > 0 {
		found, err = a.number(awaitedParent, source, p.group)
	}
	return found > 0, err
}

// Queries about a source (?1): whether it has a session of a group (?2); whether a session (?2) has an open spawn by a
// call (?3); whether a sub-agent of a group (?2) does not know its call.
const (
	anyOfGroup = `SELECT 1 FROM sessions WHERE source = ?1 AND id = ?2
		UNION ALL SELECT 1 FROM sessions WHERE source = ?1 AND id > ?2 || '/' AND id < ?2 || '0' LIMIT 1`
	awaitedChild  = "SELECT 1 FROM spawns WHERE open AND call = ?3 AND session = (SELECT key FROM sessions WHERE source = ?1 AND id = ?2) LIMIT 1"
	awaitedParent = `SELECT 1 FROM (
		SELECT session FROM relations INDEXED BY relations_open WHERE related = ?2 AND kind = 'subagent' AND parent_call = ''
		UNION ALL SELECT session FROM relations INDEXED BY relations_open
			WHERE related > ?2 || '/' AND related < ?2 || '0' AND kind = 'subagent' AND parent_call = '') r
		CROSS JOIN sessions s ON s.key = r.session WHERE s.source = ?1 LIMIT 1`
)

func (a *Archive) noteUnlinked(kind, name string) error {
	return a.run("INSERT OR IGNORE INTO unlinked (kind, name) VALUES (?,?)", kind, name)
}

// replaces reports whether p is kept instead of k, another store's trace of the session. The one that continues longer
// is; of one file the later reading, which may know more: a sub-agent's file is a store of its own only until its
// parent's exists.
func (p *Packed) replaces(k stored) bool {
	return cmp.Or(
		cmp.Compare(millis(p.session.End), k.ended),
		cmp.Compare(int64(p.session.Counts.Events), k.events),
		cmp.Compare(k.path, p.session.Path),
	) >= 0
}

// insert writes a trace and its derived rows, replacing what is stored under its key.
func (a *Archive) insert(p *Packed, store int64) error {
	if p.session.Key != 0 {
		if err := a.remove(p.session.Key); err != nil {
			return err
		}
	}
	if err := a.insertSession(p, store); err != nil {
		return err
	}
	key := p.session.Key
	if err := a.run("INSERT INTO traces (key, body) VALUES (?,?)", key, p.body); err != nil {
		return err
	}
	if p.calls != nil {
		if err := a.run("INSERT INTO calls (session, rows) VALUES (?,?)", key, p.calls); err != nil {
			return err
		}
	}
	if p.answers != nil {
		if err := a.run("INSERT INTO answers (session, rows) VALUES (?,?)", key, p.answers); err != nil {
			return err
		}
	}
	for i, l := range p.limits {
		if err := a.run("INSERT INTO limits (session, number, id, minutes, used, resets, time) VALUES (?,?,?,?,?,?,?)",
			key, i, l.ID, l.WindowMinutes, l.UsedPercent, l.Resets, l.Time); err != nil {
			return err
		}
	}
	for i, r := range p.relations {
		if err := a.run(`INSERT INTO relations (session, number, kind, related, time, source_session, source_version, parent_call,
			agent_id, agent_type, description, provenance, evidence) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			key, i, string(r.Kind), r.Related, r.Time, r.SourceSession, r.SourceVersion, r.ParentCall,
			r.AgentID, r.AgentType, r.Description, string(r.Provenance), r.Evidence); err != nil {
			return err
		}
	}
	for _, s := range p.spawns {
		if err := a.run("INSERT INTO spawns (session, seq, child, call, agent_id, agent_type, description, open) VALUES (?,?,?,?,?,?,?,?)",
			key, s.seq, s.child, s.call, s.agentID, s.agentType, s.description, s.open); err != nil {
			return err
		}
	}
	return a.dropDigests(key)
}

// remove deletes a session and all its rows.
func (a *Archive) remove(key int64) error {
	if err := a.dropDigests(key); err != nil {
		return err
	}
	for _, query := range [...]string{
		"DELETE FROM calls WHERE session = ?", "DELETE FROM answers WHERE session = ?", "DELETE FROM limits WHERE session = ?",
		"DELETE FROM relations WHERE session = ?", "DELETE FROM spawns WHERE session = ?",
		"DELETE FROM traces WHERE key = ?", "DELETE FROM sessions WHERE key = ?",
	} {
		if err := a.run(query, key); err != nil {
			return err
		}
	}
	return nil
}
