package claude

import (
	"bytes"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// lineage notes the session that a record was copied from. A fork begins with the records of the conversation it
// continues, under their own ids. /branch says so on each record (forkedFrom). --fork-session says it only on
// responses (requestSessionId); what stands before a copied response was copied too. Very old clients began a new file
// on resume and copied the records unchanged: those name another session than the file.
func (m *conversation) lineage(r *record) {
	tr, st := m.b.Trace(), &m.st
	if tr.Lineage.Root == "" && is(r.kind, "user") {
		tr.Lineage.Root = r.record()
	}
	if !st.Own && len(r.prompt) > 2 {
		if st.Copies == "" {
			st.Copies = st.Turn
		}
		if st.Turn != st.Copies {
			m.endOfCopies()
		}
	}
	was := st.Foreign
	st.Foreign = ""
	switch {
	case r.forkedFrom != nil:
		st.Foreign = token(member(r.forkedFrom, "sessionId"))
		m.continues(trace.Fork, st.Foreign)
	case r.requestSession != nil && !m.isOwn(r.requestSession):
		st.Foreign = token(r.requestSession)
		m.continues(trace.Fork, st.Foreign)
		m.copied(st.Foreign)
	case r.session != nil && !m.isOwn(r.session):
		st.Foreign = token(r.session)
		m.continues(trace.Continuation, st.Foreign)
	case was != "" && m.resultOfCopy(r):
		st.Foreign = was
	}
}

// endOfCopies notes that later records cannot be copies. All copies share one promptId, and the client writes nothing
// between them.
func (m *conversation) endOfCopies() {
	if !m.st.Own {
		m.st.Own = true
		m.b.Trace().Lineage.MayCopy = len(m.b.Trace().Events)
	}
}

func (m *conversation) isOwn(id []byte) bool { return string(bytes.Trim(id, `"`)) == m.session }

// continues relates the session to the one it continues. Of several the last one is the direct ancestor.
func (m *conversation) continues(kind trace.Relation, session string) {
	tr := m.b.Trace()
	for i := range tr.Relationships {
		if r := &tr.Relationships[i]; r.Kind == kind {
			r.Related = session
			return
		}
	}
	m.b.Relate(trace.SessionRelationship{Kind: kind, Related: session, Provenance: trace.Explicit,
		SourceVersion: tr.Agent.Version})
}

// copied marks the events and responses so far that have no mark yet.
func (m *conversation) copied(from string) {
	tr := m.b.Trace()
	for i := len(tr.Events) - 1; i >= 0 && tr.Events[i].Copied == ""; i-- {
		tr.Events[i].Copied = from
	}
	for i := len(tr.Responses) - 1; i >= 0 && tr.Responses[i].Copied == ""; i-- {
		tr.Responses[i].Copied = from
	}
}

func (m *conversation) resultOfCopy(r *record) bool {
	if !r.message.isResults() {
		return false
	}
	e, _ := m.b.Lookup(jsonl.Text(r.message.blocks[0].id))
	return e != nil && e.Copied != ""
}
