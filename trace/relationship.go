package trace

import "time"

// SessionRelationship is how a session stands to another. A session without any is not linked to others; every trace
// has at least one, and what nothing precedes is a root.
type SessionRelationship struct {
	V       int      `json:"v"`
	Kind    Relation `json:"kind"`
	Source  string   `json:"source"`
	Session string   `json:"session"`
	// Related is the session that it continues, was copied from, or was spawned by; empty for a root.
	Related string    `json:"related,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	// SourceSession is the session id inside the file where the file's own id differs from it, SourceVersion the agent's version.
	SourceSession string `json:"source_session,omitempty"`
	SourceVersion string `json:"source_version,omitempty"`
	ParentCall    string `json:"parent_call,omitempty"`
	AgentID       string `json:"agent_id,omitempty"`
	AgentType     string `json:"agent_type,omitempty"`
	Description   string `json:"description,omitempty"`
	// Provenance says whether the source states it; Evidence, what it was inferred from.
	Provenance Provenance `json:"provenance"`
	Evidence   string     `json:"evidence,omitempty"`
}

// Relation is a kind of relationship.
type Relation string

// The relations.
const (
	Root         Relation = "root"
	Continuation Relation = "continuation"
	Fork         Relation = "fork"
	Subagent     Relation = "subagent"
)

// Provenance is how a relationship is known.
type Provenance string

// The provenances.
const (
	Explicit Provenance = "explicit"
	Inferred Provenance = "inferred"
)
