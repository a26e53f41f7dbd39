package claude

import (
	"bytes"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// lineage keeps what a record tells of the session that it was copied from. A fork begins with the records of the
// conversation that it goes on from, under their own ids. /branch says so on each (forkedFrom); --fork-session says it
// only of responses (requestSessionId), and what stands before one that was copied was copied too. Very old clients
// began a new file on resume, with the records as they were: those name another session than the file.
func (m *talk) lineage(r *record) {
	tr, st := m.b.Trace(), &m.st
	if tr.Lineage.Root == "" && is(r.kind, "user") {
		tr.Lineage.Root = r.record()
	}
	if !st.Own && len(r.prompt) > 2 {
		if st.Copies == "" {
			st.Copies = st.Turn
		}
		if st.Turn != st.Copies {
			m.own()
		}
	}
	was := st.Foreign
	st.Foreign = ""
	switch {
	case r.forkedFrom != nil:
		st.Foreign = token(member(r.forkedFrom, "sessionId"))
		m.from(trace.Fork, st.Foreign)
	case r.requestSession != nil && !m.isOwn(r.requestSession):
		st.Foreign = token(r.requestSession)
		m.from(trace.Fork, st.Foreign)
		m.copied(st.Foreign)
	case r.session != nil && !m.isOwn(r.session):
		st.Foreign = token(r.session)
		m.from(trace.Continuation, st.Foreign)
	case was != "" && m.resultOfCopy(r):
		st.Foreign = was
	}
}

// own notes that what comes cannot be a copy: all copies share a prompt's id, and the client writes nothing between them.
func (m *talk) own() {
	if !m.st.Own {
		m.st.Own = true
		m.b.Trace().Lineage.MayCopy = len(m.b.Trace().Events)
	}
}

// isOwn is whether a session's id is that of the file.
func (m *talk) isOwn(id []byte) bool { return string(bytes.Trim(id, `"`)) == m.session }

// from notes that the session goes on from another one. Of several the last is the one that it was made from.
func (m *talk) from(kind trace.Relation, session string) {
	tr := m.b.Trace()
	for i := range tr.Relationships {
		if r := &tr.Relationships[i]; r.Kind == kind {
			r.Related = session
			return
		}
	}
	m.b.Relate(trace.SessionRelationship{Kind: kind, Related: session, Provenance: trace.Explicit, SourceVersion: tr.Agent.Version})
}

// copied marks what has no mark yet as a copy.
func (m *talk) copied(from string) {
	tr := m.b.Trace()
	for i := len(tr.Events) - 1; i >= 0 && tr.Events[i].Copied == ""; i-- {
		tr.Events[i].Copied = from
	}
	for i := len(tr.Responses) - 1; i >= 0 && tr.Responses[i].Copied == ""; i-- {
		tr.Responses[i].Copied = from
	}
}

// resultOfCopy is whether a record is the result of a call that was copied.
func (m *talk) resultOfCopy(r *record) bool {
	if !r.message.isResults() {
		return false
	}
	e, _ := m.b.Lookup(jsonl.Text(r.message.blocks[0].id))
	return e != nil && e.Copied != ""
}
