// Package remedy says what once helped where a session went wrong, or that nothing is comparable. It is a cascade in which
// no answer can stand higher than its evidence, and it looks at digests alone: it opens, runs and asks nothing.
package remedy

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Tier is how far an answer can be relied on.
type Tier string

// The tiers, the highest first. Only KnownFix tells what to do; Medium and Low name sessions that came to their end with
// the same classes of errors, and what changed in them.
const (
	KnownFix Tier = "known_fix"
	Medium   Tier = "medium" // at least MediumFrom resolved siblings
	Low      Tier = "low"    // at least one
	None     Tier = "none"
)

// MediumFrom is how many resolved siblings it takes for Medium.
const MediumFrom = 3

// Reason is the gate at which the cascade stopped.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	RuleMatched       Reason = "rule_matched"        // known_fix
	NotFailing        Reason = "not_failing"         // none
	NoErrors          Reason = "no_errors"           // none: without errors there is no sub-signature to compare by
	Unclassified      Reason = "unclassified"        // none: errors of no known class make no sub-signature either
	NoResolvedSibling Reason = "no_resolved_sibling" // none
	ResolvedSiblings  Reason = "resolved_siblings"   // low, medium
)

// The bounds of an answer's lists.
const (
	MaxSiblings = 5
	MaxEvidence = 12 // changes of one sibling
)

// Answer is what is known about a failure.
type Answer struct {
	Subject Subject `json:"subject"`
	Tier    Tier    `json:"tier"`
	Reason  Reason  `json:"reason"`
	// Failed is how many failing sessions have the subject's sub-signature, the subject among them if it fails; 0 if the
	// subject does not fail and no rule matched. Resolved is how many completed ones have it. Live ones but the subject are in neither.
	Failed   int `json:"failed"`
	Resolved int `json:"resolved"`
	// Fix is there exactly if the tier is KnownFix.
	Fix *Fix `json:"known_fix,omitempty"`
	// Siblings are resolved ones, ranked; there are some exactly if the tier is Low or Medium. More is how many are left out.
	Siblings []Sibling `json:"siblings,omitempty"`
	More     int       `json:"more,omitempty"`
}

// Subject is what was asked about: a session, or the one that stands for all that have a key.
type Subject struct {
	// Key is the key that was asked for, Sessions how many sessions have it and Alike how many of them have the
	// sub-signature of the one that stands for them. They are empty where a session was asked for.
	Key      string `json:"key,omitempty"`
	Sessions int    `json:"sessions,omitempty"`
	Alike    int    `json:"alike,omitempty"`

	Source  string          `json:"source"`
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
	Verdict insight.Verdict `json:"verdict"`
	Live    bool            `json:"live"` // the verdict is how it stands so far
	// End is the time of the last event that was read of it.
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
	User    bool          `json:"user"` // of the user's own settings, not built in
	// Event and Count are the first error of the subject's session that matched, and how many did.
	Event  int      `json:"event"`
	Count  int      `json:"count"`
	Proved []string `json:"proved"` // what of the gate the data held
}

// Sibling is a completed session with the same sub-signature.
type Sibling struct {
	Source  string `json:"source"`
	Session string `json:"session"`
	Project string `json:"project,omitempty"`
	// Overlap is how many of the subject's different errors it has too.
	Overlap int `json:"overlap"`
	// Error is the Seq of its first error of those, else of its decisive error. Solved is the Seq at which the call that
	// failed there succeeded, 0 if it never did.
	Error  int `json:"error_event"`
	Solved int `json:"solved_event,omitempty"`
	// Known says whether its records tell of file changes at all; if not, what changed is unknown.
	Known bool `json:"changes_known"`
	// Changes are files that last changed after Error, without those that changed only once and after Solved; at most
	// MaxEvidence. More is how many are left out.
	Changes []insight.Change `json:"changes"`
	More    int              `json:"more,omitempty"`
}

// Rule is one entry of the registry of known fixes.
type Rule struct {
	Name    string        `json:"name"`
	Class   failure.Class `json:"class"`
	Gate    Gate          `json:"gate"`
	Text    string        `json:"text"`    // what to do, in one line
	Pointer string        `json:"pointer"` // the document or commit that it is from
	User    bool          `json:"user"`
}

// Gate is what an error has to prove beyond its class. All that is set has to hold, and something has to be set.
type Gate struct {
	// Words stand all in the error's text, each at the bounds of words; case does not count.
	Words  []string       `json:"words,omitempty"`
	Type   trace.ToolType `json:"type,omitempty"`
	Tool   string         `json:"tool,omitempty"`
	Agent  string         `json:"agent,omitempty"`
	Code   string         `json:"code,omitempty"`
	Exit   *int           `json:"exit,omitempty"`
	Status int            `json:"status,omitempty"`
}
