// Package lesson finds what went wrong in the same way in more than one session. It reads digests and changes nothing.
package lesson

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Kind is what a lesson is about.
type Kind string

// The kinds.
const (
	EqualError Kind = "error"     // the same error: class, type of tool and normalised head
	EditLoop   Kind = "edit_loop" // the same file of the same project, changed again and again
	Phase      Kind = "phase"     // the same phase of a command failed, in the same project
)

// MinSessions is in how many sessions a shape has to have been seen to be a lesson.
const MinSessions = 2

// MaxEvidence is how many of its sessions a lesson names.
const MaxEvidence = 5

// HalfLife is how much older a session has to be than the newest one to count half as much in the ranking.
const HalfLife = 30 * 24 * time.Hour

// Lessons is what recurs.
type Lessons struct {
	Sessions  int      `json:"sessions"` // looked at
	Subagents int      `json:"subagents"`
	Total     int      `json:"total"` // lessons, those left out too
	Lessons   []Lesson `json:"lessons"`
}

// Lesson is one shape that recurs.
type Lesson struct {
	Kind Kind `json:"kind"`
	// Of an error:
	Class failure.Class  `json:"class,omitempty"`
	Type  trace.ToolType `json:"type,omitempty"`
	Head  string         `json:"head,omitempty"` // normalised
	// Of the others:
	Project string `json:"project,omitempty"`
	Path    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"`
	Phase   string `json:"phase,omitempty"`

	Sessions int `json:"sessions"` // in how many
	Times    int `json:"times"`    // in all of them together: errors, changes, failures of the phase
	// Failed and Completed are how those sessions ended; the others were interrupted, are going on, or it is unknown.
	Failed    int `json:"failed"`
	Completed int `json:"completed"`
	// Solved is in how many of them the same call succeeded later; only of errors.
	Solved int       `json:"solved"`
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
	// Weight is what it is ranked by: each session counts 1, half as much for each HalfLife that it is older than the newest of all,
	// which is no newer than now.
	Weight   float64    `json:"weight"`
	Evidence []Evidence `json:"evidence"` // the newest, at most MaxEvidence

	subagents         bool            // of Sessions some are sub-agents
	counted, solvedIn *insight.Digest // the session that was counted last, and that counted last as solved
}

// Evidence is one session that a lesson is from.
type Evidence struct {
	Source  string    `json:"source"`
	Session string    `json:"session"`
	End     time.Time `json:"end,omitzero"`
	Times   int       `json:"times"`
	Event   int       `json:"event"` // the first
}
