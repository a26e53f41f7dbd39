package claude

import (
	"os"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// agentFile identifies the sub-agent of a file: its id, and the path of its meta file.
type agentFile struct {
	id, meta string
}

// metaMax bounds how many bytes of a meta file are read.
const metaMax = 1 << 20

// idsOf derives the session and the sub-agent from a store's path. Either is empty if the path does not show it.
func idsOf(s trace.Store) (session string, agent agentFile) {
	name := strings.TrimSuffix(filepath.Base(s.Path), ".jsonl")
	id, isAgent := strings.CutPrefix(name, "agent-")
	if !isAgent {
		if isUUID(name) {
			return name, agentFile{}
		}
		return "", agentFile{} // a copy: its records name the session
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
			return "", agent // clients before 2.1 kept it beside the sessions
		}
	}
}

func metaOf(path string) string { return strings.TrimSuffix(path, transcriptEnd) + metaEnd }

const (
	transcriptEnd = ".jsonl"
	metaEnd       = ".meta.json"
)

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

// relate notes whose sub-agent the file belongs to.
func (t *transcript) relate(r *record) {
	rel := trace.SessionRelationship{Kind: trace.Subagent, AgentID: t.agent.id, Time: draft.Time(r.stamp),
		Provenance: trace.Explicit, SourceVersion: token(r.version)}
	if len(r.session) > 2 && jsonl.Text(r.session) != t.session {
		rel.SourceSession = token(r.session)
	}
	t.agent.readMeta(&rel, t.session)
	t.main.b.Relate(rel)
}

// readMeta copies the meta file into rel and reports whether anything changed. Without a meta file trace.Link finds
// the parent call.
func (a agentFile) readMeta(rel *trace.SessionRelationship, session string) bool {
	was := *rel
	rel.Related, rel.ParentCall, rel.AgentType, rel.Description, rel.Evidence = session, "", "", "", ""
	data := metaContent(a.meta)
	if !jsonl.Members(data, func(_, _ []byte) bool { return true }) {
		return *rel != was // missing, or still being written
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

func metaContent(path string) []byte {
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
