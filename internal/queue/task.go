package queue

import (
	"time"

	"aburn/logfmt"
)

// Task is one piece of advice, or a message.
type Task struct {
	ID             string
	CreatedAt      time.Time
	Priority       Priority
	Source         string // who put it: aburn or another tool
	Kind           string // KindMessage, or "" for advice; others are never delivered
	Type           string // anomaly_type in the file: the type
	Prompt         string // the advice, as the agent receives it
	SuggestedAgent string
	Context        []byte // JSON of any kind, or nil
	Status         Status
	Attempts       int // number of claims
	Session        logfmt.SessionID
	Scope          string   // ScopeProject, or ""
	Evidence       []uint64 // numbers of the entries that prove it
	ExpiresAt      time.Time
	Signature      string // identifies the issue, so that it is not put twice
	HMAC           string // hex
	Lease          *Lease // while Executing
	DeliveredAt    time.Time
	SeenAt         time.Time
	TypedAt        time.Time       // of a message: since then its text may stand in the agent's input line
	Extra          []logfmt.Member // unknown members, and known ones of another type
}

// KindMessage is the kind of a message from a person or another agent to one session. It does not expire.
const KindMessage = "message"

// IsMessage reports whether t is a message and no advice.
func (t *Task) IsMessage() bool { return t.Kind == KindMessage }

// ScopeProject is the scope of a task for all sessions of the project.
const ScopeProject = "project"

// Lease says who holds a claimed task, and until when.
type Lease struct {
	PID      int
	Session  logfmt.SessionID
	PromptID string
	Until    time.Time
}

type Status string

// The statuses. Other tools may write others; such tasks are kept and never delivered.
const (
	Pending   Status = "pending"
	Executing Status = "executing" // claimed, perhaps printed; see the lease
	Completed Status = "completed" // printed: delivered_at, and seen_at when the agent's transcript shows it
	Failed    Status = "failed"    // claimed MaxAttempts times without a Receipt
)

// Priority orders tasks. The zero value, for a missing or unknown priority, comes last.
type Priority int

const (
	Low Priority = iota + 1
	Medium
	High
	Critical
)

// ParsePriority parses critical, high, medium or low.
func ParsePriority(s string) (Priority, bool) {
	for p := Low; p <= Critical; p++ {
		if p.String() == s {
			return p, true
		}
	}
	return 0, false
}

// String is the word in the file, or "" for the zero value.
func (p Priority) String() string {
	switch p {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Critical:
		return "critical"
	}
	return ""
}
