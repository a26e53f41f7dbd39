// Package remedy says what once helped against a failure, or that nothing is comparable. It is a
// cascade over digests, in which no answer ranks higher than its evidence. It is pure: it opens,
// runs and asks nothing, and quotes recorded data for models through internal/plain.
package remedy

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Tier says how far an answer can be relied on.
type Tier string

// The tiers, highest first. Only KnownFix says what to do. Medium and Low name sessions with the
// same error that completed, and what changed in them.
const (
	KnownFix Tier = "known_fix"
	Medium   Tier = "medium" // at least MediumFrom resolved siblings that share an error
	Low      Tier = "low"    // at least one
	None     Tier = "none"
)

const MediumFrom = 3

// Reason is the gate at which the cascade stopped.
type Reason string

// The reasons, in the order in which they are tried.
const (
	RuleMatched       Reason = "rule_matched"        // known_fix
	NotFailing        Reason = "not_failing"         // none
	NoErrors          Reason = "no_errors"           // none: no errors, so no sub-signature to compare by
	Unclassified      Reason = "unclassified"        // none: only errors of class other, so no sub-signature either
	NoResolvedSibling Reason = "no_resolved_sibling" // none
	NoSharedError     Reason = "no_shared_error"     // none: siblings completed, but had other errors of the same classes
	ResolvedSiblings  Reason = "resolved_siblings"   // low, medium
)

// The bounds of an answer's lists.
const (
	MaxSiblings = 5
	MaxEvidence = 12 // changes per sibling
)

// Answer is what is known about a failure.
type Answer struct {
	Subject Subject `json:"subject"`
	Tier    Tier    `json:"tier"`
	Reason  Reason  `json:"reason"`
	// Failed counts the failing sessions with the subject's sub-signature, including a failing
	// subject. It is 0 if the subject does not fail and no rule matched. Resolved counts the
	// completed ones. Other live sessions are in neither. Shared counts those of Resolved that had an error of the subject, and is
	// counted only for a subject that fails and has no known fix.
	Failed   int `json:"failed"`
	Resolved int `json:"resolved"`
	Shared   int `json:"shared"`
	// Fix is set if and only if the tier is KnownFix.
	Fix *Fix `json:"known_fix,omitempty"`
	// Siblings are ranked resolved sessions, present if and only if the tier is Low or Medium.
	// More counts those left out.
	Siblings []Sibling `json:"siblings,omitempty"`
	More     int       `json:"more,omitempty"`
}

// Subject is the session asked about, or the one that represents a key.
type Subject struct {
	// Key is the key asked for. Sessions counts the sessions that have it, Alike those of them
	// with the representative's sub-signature. All three are empty if a session was asked for.
	Key      string `json:"key,omitempty"`
	Sessions int    `json:"sessions,omitempty"`
	Alike    int    `json:"alike,omitempty"`

	Source  string          `json:"source"`
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
	Verdict insight.Verdict `json:"verdict"`
	Live    bool            `json:"live"` // the verdict is provisional
	// End is the time of the last event read.
	End time.Time `json:"end,omitzero"`
	insight.Keys
	Classes []insight.ClassCount `json:"classes"`
}

// Fix is a rule that matched, and the error that proved its gate.
type Fix struct {
	Rule    string        `json:"rule"`
	Class   failure.Class `json:"class"`
	Text    string        `json:"text"`
	Pointer string        `json:"pointer"`
	User    bool          `json:"user"` // from the user's own settings, not built in
	// Event is the Seq of the session's first matching error, Count the number of matching
	// errors.
	Event  int      `json:"event"`
	Count  int      `json:"count"`
	Proved []string `json:"proved"` // the parts of the gate that the data satisfied
}

// Sibling is a completed session with the same sub-signature and an error of the subject.
type Sibling struct {
	Source  string `json:"source"`
	Session string `json:"session"`
	Project string `json:"project,omitempty"`
	// Overlap counts the subject's distinct errors that this session had too.
	Overlap int `json:"overlap"`
	// Error is the Seq of its first such error. Solved is the Seq at which the call that failed there succeeded, or 0.
	Error  int `json:"error_event"`
	Solved int `json:"solved_event,omitempty"`
	// Known says that its records contain file changes. If not, what changed is unknown.
	Known bool `json:"changes_known"`
	// Changes are files that last changed after Error, at most MaxEvidence. Files that changed
	// only once, after Solved, are left out. More counts what the bound left out.
	Changes []insight.Change `json:"changes"`
	More    int              `json:"more,omitempty"`
}

// Rule is one entry of the registry of known fixes.
type Rule struct {
	Name    string        `json:"name"`
	Class   failure.Class `json:"class"`
	Gate    Gate          `json:"gate"`
	Text    string        `json:"text"`    // what to do, in one line
	Pointer string        `json:"pointer"` // the document or commit it is taken from
	User    bool          `json:"user"`
}

// Gate is what an error must prove beyond its class. Every set field must hold, and at least one
// must be set.
type Gate struct {
	// Words must all stand in the error's text as whole words; case does not count.
	Words  []string       `json:"words,omitempty"`
	Type   trace.ToolType `json:"type,omitempty"`
	Tool   string         `json:"tool,omitempty"`
	Agent  string         `json:"agent,omitempty"`
	Code   string         `json:"code,omitempty"`
	Exit   *int           `json:"exit,omitempty"`
	Status int            `json:"status,omitempty"`
}
