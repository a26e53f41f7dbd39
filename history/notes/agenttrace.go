package notes

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// Trace is an Agent Trace record.
type Trace struct {
	Version   string      `json:"version"`
	ID        string      `json:"id"`
	Timestamp string      `json:"timestamp"`
	VCS       TraceVCS    `json:"vcs"`
	Tool      *TraceTool  `json:"tool,omitempty"`
	Files     []TraceFile `json:"files"`
}

// TraceVCS names the commit.
type TraceVCS struct {
	Type     string `json:"type"`
	Revision string `json:"revision"`
}

// TraceTool is what wrote the record.
type TraceTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// TraceFile is a file with the conversations that its lines are from.
type TraceFile struct {
	Path          string              `json:"path"`
	Conversations []TraceConversation `json:"conversations"`
}

// TraceConversation is one session.
type TraceConversation struct {
	Contributor TraceContributor `json:"contributor"`
	Ranges      []TraceRange     `json:"ranges"`
}

// TraceContributor is a model, or a person.
type TraceContributor struct {
	Type  string `json:"type"`
	Model string `json:"model_id,omitempty"`
}

// TraceRange is lines from 1.
type TraceRange struct {
	Start int `json:"start_line"`
	End   int `json:"end_line"`
}

// providers are the makers of models by the beginning of their names, as models.dev has them.
var providers = [][2]string{{"claude-", "anthropic"}, {"gpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"gemini-", "google"}}

// Trace is the note as an Agent Trace record of a commit. The id follows from the commit, so that the same commit gets the same record.
func (n *Note) Trace(commit string, at time.Time, tool TraceTool) Trace {
	t := Trace{Version: "1.0", ID: idOf(commit), Timestamp: at.UTC().Format("2006-01-02T15:04:05Z"), VCS: TraceVCS{"git", commit}, Files: []TraceFile{}}
	if tool.Version != "" {
		t.Tool = &tool
	}
	for _, f := range n.Files {
		file := TraceFile{Path: f.Path, Conversations: []TraceConversation{}}
		for _, e := range f.Entries {
			c := TraceConversation{Contributor: TraceContributor{Type: "ai", Model: modelOf(n.Authors[e.Author].Model)}}
			if n.Authors[e.Author].Person {
				c.Contributor = TraceContributor{Type: "human"}
			}
			for _, r := range e.Ranges {
				c.Ranges = append(c.Ranges, TraceRange{r.From, r.To})
			}
			file.Conversations = append(file.Conversations, c)
		}
		t.Files = append(t.Files, file)
	}
	return t
}

func modelOf(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, p := range providers {
		if strings.HasPrefix(name, p[0]) {
			return p[1] + "/" + name
		}
	}
	return name
}

// idOf is a version 8 UUID made of a commit's name.
func idOf(commit string) string {
	sum := sha256.Sum256([]byte("agent-trace " + commit))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
