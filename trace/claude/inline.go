package claude

import (
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// inline is the sub-agents whose records stand within the file of their session, as old clients wrote them: each a chain
// of its own, marked isSidechain, that begins with the prompt of the call that it came of.
type inline struct {
	talks []*talk
	of    map[string]*talk // by record and by agent id
}

func (x *inline) all() []*talk {
	if x == nil {
		return nil
	}
	return x.talks
}

// side brings a record of an inline sub-agent into its trace.
func (t *transcript) side(ref trace.Ref, r *record) error {
	if t.inline == nil {
		if t.at.Offset > 0 {
			return errAgain // the calls that it can have come of are not known
		}
		t.inline = &inline{of: map[string]*talk{}}
	}
	id := r.record()
	agent := token(r.agent)
	m := t.inline.of[jsonl.Text(r.parent)]
	if m == nil && agent != "" {
		m = t.inline.of[agent]
	}
	if m == nil {
		m = t.sideTalk(r, id, agent)
	}
	t.inline.of[id] = m
	if why := m.take(ref, r); why != "" {
		t.damage(ref, why)
	}
	return nil
}

// sideTalk begins the trace of an inline sub-agent.
func (t *transcript) sideTalk(r *record, id, agent string) *talk {
	name := agent
	if name == "" {
		name = id
	} else {
		t.inline.of[agent] = nil
	}
	m := newTalk(t.session+"/"+name, t)
	m.agent = name
	if agent != "" {
		t.inline.of[agent] = m
	}
	t.inline.talks = append(t.inline.talks, m)
	rel := trace.SessionRelationship{Kind: trace.Subagent, Related: t.session, AgentID: agent, Time: draft.Time(r.stamp), Provenance: trace.Explicit, SourceVersion: token(r.version)}
	if call := t.main.asked(draft.DigestText(r.message.words())); call != "" {
		s := t.main.b.Trace().Events[t.main.spawns[call]].Body.(*trace.SubagentSpawn)
		s.Session, s.AgentID = m.b.Trace().ID, agent
		rel.ParentCall, rel.AgentType, rel.Description = call, s.AgentType, s.Description
		rel.Provenance, rel.Evidence = trace.Inferred, "its first message is the prompt of the call"
	}
	m.b.Relate(rel)
	return m
}

// asked is the call of a sub-agent with this prompt of which none came yet.
func (m *talk) asked(prompt trace.Digest) string {
	for _, e := range m.b.Trace().Events {
		s, ok := e.Body.(*trace.SubagentSpawn)
		if ok && s.Session == "" && m.prompts[s.Call] == prompt {
			return s.Call
		}
	}
	return ""
}
