package claude

import (
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// inline holds the sub-agents whose records stand within the file of their session, as old clients wrote them. Each is
// a chain of its own, marked isSidechain, that begins with the prompt of the call that started it.
type inline struct {
	conversations []*conversation
	of            map[string]*conversation // by record id and by agent id
}

func (x *inline) all() []*conversation {
	if x == nil {
		return nil
	}
	return x.conversations
}

func (t *transcript) inlineRecord(ref trace.Ref, r *record) error {
	if t.inline == nil {
		if t.at.Offset > 0 {
			return errAgain // the calls before the cursor are not known
		}
		t.inline = &inline{of: map[string]*conversation{}}
	}
	id := r.record()
	agent := token(r.agent)
	m := t.inline.of[jsonl.Text(r.parent)]
	if m == nil && agent != "" {
		m = t.inline.of[agent]
	}
	if m == nil {
		m = t.startInline(r, id, agent)
	}
	t.inline.of[id] = m
	if why := m.record(ref, r); why != "" {
		t.damage(ref, why)
	}
	return nil
}

func (t *transcript) startInline(r *record, id, agent string) *conversation {
	name := agent
	if name == "" {
		name = id
	} else {
		t.inline.of[agent] = nil
	}
	m := newConversation(t.session+"/"+name, t)
	m.agent = name
	if agent != "" {
		t.inline.of[agent] = m
	}
	t.inline.conversations = append(t.inline.conversations, m)
	rel := trace.SessionRelationship{Kind: trace.Subagent, Related: t.session, AgentID: agent,
		Time: draft.Time(r.stamp), Provenance: trace.Explicit, SourceVersion: token(r.version)}
	if call := t.main.callWithPrompt(draft.DigestText(r.message.words())); call != "" {
		s := t.main.b.Trace().Events[t.main.spawns[call]].Body.(*trace.SubagentSpawn)
		s.Session, s.AgentID = m.b.Trace().ID, agent
		rel.ParentCall, rel.AgentType, rel.Description = call, s.AgentType, s.Description
		rel.Provenance, rel.Evidence = trace.Inferred, "its first message is the prompt of the call"
	}
	m.b.Relate(rel)
	return m
}

// callWithPrompt finds the call with this prompt that has no sub-agent yet.
func (m *conversation) callWithPrompt(prompt trace.Digest) string {
	for _, e := range m.b.Trace().Events {
		s, ok := e.Body.(*trace.SubagentSpawn)
		if ok && s.Session == "" && m.prompts[s.Call] == prompt {
			return s.Call
		}
	}
	return ""
}
