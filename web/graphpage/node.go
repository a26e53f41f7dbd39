// Package graphpage shows trees of sessions outside of a terminal: as members of JSON, as a Mermaid diagram, and as one
// self-contained HTML page that loads nothing and runs no script but its own.
package graphpage

import (
	"time"

	"aburn/trace"
	"aburn/trace/graph"
)

// Node is a session in its tree. Nodes stand in lists so that parents come before their children.
type Node struct {
	// Node counts from 1; Parent is that of the node above, 0 of a root.
	Node   int `json:"node"`
	Parent int `json:"parent,omitempty"`
	Depth  int `json:"depth"`
	// Name is the short id that commands take.
	Name    string      `json:"name"`
	Source  string      `json:"source"`
	Session string      `json:"session"`
	Agent   trace.Agent `json:"agent"`
	Project string      `json:"project,omitempty"`
	// Relation is how it hangs under its parent; root where it does not.
	Relation    trace.Relation   `json:"relation"`
	Related     string           `json:"related,omitempty"`
	Provenance  trace.Provenance `json:"provenance,omitempty"`
	Evidence    string           `json:"evidence,omitempty"`
	AgentType   string           `json:"agent_type,omitempty"`
	Description string           `json:"description,omitempty"`
	ParentCall  string           `json:"parent_call,omitempty"`
	// Missing says that others name this session and nobody has it, Loop that relationships ran in a circle, which was cut here.
	Missing     bool          `json:"missing,omitempty"`
	Loop        bool          `json:"loop,omitempty"`
	Outcome     trace.Outcome `json:"outcome,omitempty"`
	OutcomeFrom string        `json:"outcome_from,omitempty"`
	Start       *time.Time    `json:"start,omitempty"`
	End         *time.Time    `json:"end,omitempty"`
	Ask         string        `json:"ask,omitempty"`
	Others      []Other       `json:"others,omitempty"`
	Own         Sums          `json:"own"`
	Whole       Sums          `json:"whole"`
}

// Other is a relationship that the tree does not show.
type Other struct {
	Relation   trace.Relation   `json:"relation"`
	Related    string           `json:"related,omitempty"`
	Provenance trace.Provenance `json:"provenance"`
}

// Sums is what a session, or a session with all below it, adds up to.
type Sums struct {
	Sessions   int     `json:"sessions"`
	Prompts    int     `json:"prompts"`
	Calls      int     `json:"calls"`
	Failed     int     `json:"failed"`
	Denied     int     `json:"denied"`
	NoResult   int     `json:"no_result"`
	Changes    int     `json:"changes"`
	Errors     int     `json:"errors"`
	Interrupts int     `json:"interrupts"`
	Tokens     int64   `json:"tokens"` // all of the following four
	Input      int64   `json:"input"`
	CacheRead  int64   `json:"cache_read"`
	CacheWrite int64   `json:"cache_write"`
	Output     int64   `json:"output"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	ActiveMS   int64   `json:"active_ms"`
	SpanMS     int64   `json:"span_ms"`
}

// SumsOf puts totals into their JSON form.
func SumsOf(t graph.Totals) Sums {
	return Sums{
		Sessions: t.Sessions, Prompts: t.Counts.Prompts, Calls: t.Counts.Calls, Failed: t.Counts.Failed, Denied: t.Counts.Denied,
		NoResult: t.Counts.NoResult, Changes: t.Counts.Changes, Errors: t.Counts.Errors, Interrupts: t.Counts.Interrupts,
		Tokens: t.Usage.Total(), Input: t.Usage.Input, CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite, Output: t.Usage.Output,
		CostUSD: t.Usage.CostUSD, ActiveMS: t.ActiveMS, SpanMS: t.SpanMS,
	}
}

// Label is what a node is about, in a few words: what it was asked, or as what it was spawned.
func (n *Node) Label() string {
	switch {
	case n.Missing:
		return "not in the archive"
	case n.Relation == trace.Subagent && n.Description != "" && n.AgentType != "":
		return n.AgentType + ": " + n.Description
	case n.Relation == trace.Subagent && n.Description+n.AgentType != "":
		return n.AgentType + n.Description
	}
	return n.Ask
}
