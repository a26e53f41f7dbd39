// Package lesson finds what went wrong in the same way in more than one session. It is pure: it
// reads digests and changes nothing, and quotes what it found for models through internal/plain.
package lesson

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Kind is the kind of thing that recurs.
type Kind string

const (
	EqualError Kind = "error"     // the same error: class, type of tool and normalised head
	EditLoop   Kind = "edit_loop" // the same file of the same project, edited repeatedly
	Phase      Kind = "phase"     // the same phase of a command in the same project failed
)

// MinSessions is how many sessions a shape needs to be a lesson.
const MinSessions = 2

// MaxEvidence is how many of its sessions a lesson names.
const MaxEvidence = 5

// HalfLife is the age, measured from the newest session, at which a session counts half in the
// ranking.
const HalfLife = 30 * 24 * time.Hour

// Lessons is a ranked list of what recurs.
type Lessons struct {
	Sessions  int      `json:"sessions"` // examined
	Subagents int      `json:"subagents"`
	Total     int      `json:"total"` // lessons, including those left out
	Lessons   []Lesson `json:"lessons"`
}

type Lesson struct {
	Kind Kind `json:"kind"`
	// Set for errors:
	Class failure.Class  `json:"class,omitempty"`
	Type  trace.ToolType `json:"type,omitempty"`
	Head  string         `json:"head,omitempty"` // normalised
	// Set for the other kinds:
	Project string `json:"project,omitempty"`
	Path    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"`
	Phase   string `json:"phase,omitempty"`

	Sessions int `json:"sessions"` // sessions that have it
	Times    int `json:"times"`    // occurrences in all of them: errors, edits, failures of the phase
	// Failed and Completed count those sessions by outcome. The others were interrupted, still
	// run, or ended in an unknown way.
	Failed    int `json:"failed"`
	Completed int `json:"completed"`
	// Solved counts the sessions in which the same call succeeded later; only for errors.
	Solved int       `json:"solved"`
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
	// Weight ranks the lessons: each session counts 1, and half as much for each HalfLife that it
	// is older than the newest one.
	Weight   float64    `json:"weight"`
	Evidence []Evidence `json:"evidence"` // the newest, at most MaxEvidence

	subagents         bool            // some of Sessions are sub-agents
	counted, solvedIn *insight.Digest // the last session counted, and the last one counted as solved
}

// Evidence is one session of a lesson.
type Evidence struct {
	Source  string    `json:"source"`
	Session string    `json:"session"`
	End     time.Time `json:"end,omitzero"`
	Times   int       `json:"times"`
	Event   int       `json:"event"` // Seq of the first occurrence
}
