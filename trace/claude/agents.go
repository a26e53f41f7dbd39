package claude

import (
	"os"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// agentFile is what names a sub-agent's file: its id, and where more is told of it.
type agentFile struct {
	id, meta string
}

// metaMax bounds what is read of a sub-agent's meta file, in bytes.
const metaMax = 1 << 20

// names is the session that a store belongs to, as its path tells, and its sub-agent.
func names(s trace.Store) (session string, agent agentFile) {
	name := strings.TrimSuffix(filepath.Base(s.Path), ".jsonl")
	id, isAgent := strings.CutPrefix(name, "agent-")
	if !isAgent {
		if isUUID(name) {
			return name, agentFile{}
		}
		return "", agentFile{} // some copy: its records say whose
	}
	agent = agentFile{id: draft.Head(id, tokenMax), meta: metaOf(s.Path)}
	for dir := filepath.Dir(s.Path); ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "subagents" {
			if session = filepath.Base(filepath.Dir(dir)); isUUID(session) {
				return session, agent
			}
			return "", agent
		}
		if dir == filepath.Dir(dir) {
			return "", agent // beside the sessions, as clients before 2.1 had it
		}
	}
}

// metaOf is the meta file of a sub-agent's transcript.
func metaOf(path string) string { return strings.TrimSuffix(path, transcriptEnd) + metaEnd }

// How the files' names end.
const (
	transcriptEnd = ".jsonl"
	metaEnd       = ".meta.json"
)

// isUUID is whether s looks like the id of a session.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

// relate notes whose sub-agent the file is.
func (t *transcript) relate(r *record) {
	rel := trace.SessionRelationship{Kind: trace.Subagent, AgentID: t.agent.id, Time: draft.Time(r.stamp), Provenance: trace.Explicit, SourceVersion: token(r.version)}
	if len(r.session) > 2 && jsonl.Text(r.session) != t.session {
		rel.SourceSession = token(r.session)
	}
	t.agent.tell(&rel, t.session)
	t.main.b.Relate(rel)
}

// tell sets what the meta file tells of a sub-agent, and says whether that is new. What it does not tell, because there is
// none, trace.Link finds out.
func (a agentFile) tell(rel *trace.SessionRelationship, session string) bool {
	was := *rel
	rel.Related, rel.ParentCall, rel.AgentType, rel.Description, rel.Evidence = session, "", "", "", ""
	data := readMeta(a.meta)
	if !jsonl.Members(data, func(_, _ []byte) bool { return true }) {
		return *rel != was // it is not there, or being written
	}
	jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "agentType":
			rel.AgentType = token(v)
		case "description":
			rel.Description = head(v, trace.UserHead)
		case "toolUseId":
			rel.ParentCall = token(v)
		case "parentAgentId":
			if parent := token(v); parent != "" {
				rel.Related = session + "/" + parent
			}
		}
		return true
	})
	return *rel != was
}

// readMeta is the content of a meta file, which is small; nil if there is none.
func readMeta(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > metaMax {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
