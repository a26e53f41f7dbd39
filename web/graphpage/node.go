// Package graphpage shows trees of sessions outside of a terminal: as JSON, as a Mermaid diagram,
// and as one self-contained HTML page (package web). It reads no archive: callers pass the trees.
package graphpage

import (
	"time"

	"aburn/trace"
	"aburn/trace/graph"
)

// Node is a session in its tree. A list of nodes has parents before their children.
type Node struct {
	// Node counts from 1. Parent is the node above, 0 for a root.
	Node   int `json:"node"`
	Parent int `json:"parent,omitempty"`
	Depth  int `json:"depth"`
	// Name is the short id that commands accept.
	Name    string      `json:"name"`
	Source  string      `json:"source"`
	Session string      `json:"session"`
	Agent   trace.Agent `json:"agent"`
	Project string      `json:"project,omitempty"`
	// Relation is how the session relates to its parent, or root.
	Relation    trace.Relation   `json:"relation"`
	Related     string           `json:"related,omitempty"`
	Provenance  trace.Provenance `json:"provenance,omitempty"`
	Evidence    string           `json:"evidence,omitempty"`
	AgentType   string           `json:"agent_type,omitempty"`
	Description string           `json:"description,omitempty"`
	ParentCall  string           `json:"parent_call,omitempty"`
	// Missing says that others name this session but it is not there. Loop says that
	// relationships formed a circle, which was cut here.
	Missing bool `json:"missing,omitempty"`
	Loop    bool `json:"loop,omitempty"`
	// Outcome is the verdict on the session, Rule and Reason say why.
	Outcome string     `json:"outcome,omitempty"`
	Rule    string     `json:"rule,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Start   *time.Time `json:"start,omitempty"`
	End     *time.Time `json:"end,omitempty"`
	Ask     string     `json:"ask,omitempty"`
	Others  []Other    `json:"others,omitempty"`
	Own     Sums       `json:"own"`
	Whole   Sums       `json:"whole"`
}

type Other struct {
	Relation   trace.Relation   `json:"relation"`
	Related    string           `json:"related,omitempty"`
	Provenance trace.Provenance `json:"provenance"`
}

// Sums are the totals of a session, or of a session with everything below it.
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
	Tokens     int64   `json:"tokens"` // the sum of the next four
	Input      int64   `json:"input"`
	CacheRead  int64   `json:"cache_read"`
	CacheWrite int64   `json:"cache_write"`
	Output     int64   `json:"output"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	ActiveMS   int64   `json:"active_ms"`
	SpanMS     int64   `json:"span_ms"`
}

func SumsOf(t graph.Totals) Sums {
	return Sums{
		Sessions: t.Sessions, Prompts: t.Counts.Prompts, Calls: t.Counts.Calls, Failed: t.Counts.Failed, Denied: t.Counts.Denied,
		NoResult: t.Counts.NoResult, Changes: t.Counts.Changes, Errors: t.Counts.Errors, Interrupts: t.Counts.Interrupts,
		Tokens: t.Usage.Total(), Input: t.Usage.Input, CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite, Output: t.Usage.Output,
		CostUSD: t.Usage.CostUSD, ActiveMS: t.ActiveMS, SpanMS: t.SpanMS,
	}
}

// Label describes a node in a few words: its first prompt, or as what it was spawned.
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
