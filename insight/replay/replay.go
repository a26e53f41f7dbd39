// Package replay drills down into the sessions that share a key: their files, tools and errors,
// and how each of the newest began and first failed. It is pure: the caller opens the traces.
// Every claim names its session and event. It judges nothing: a verdict reads as insight/remedy
// words it. The supervisor's replay of the workflow log is something else.
package replay

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// The bounds of a replay: opened sessions, entries of each list, characters of each text.
const (
	MaxOpened = 10
	MaxList   = 10
	MaxText   = 200
)

// Replay sums up the sessions that share a key.
type Replay struct {
	// Key is the key asked for; empty if a session was asked for.
	Key string `json:"key,omitempty"`
	// Shape describes the key in words.
	Shape     string `json:"shape"`
	Sessions  int    `json:"sessions"`
	Subagents int    `json:"subagents"`
	Live      int    `json:"live"` // of both, those still running
	// First is when the earliest of them began, Last when the latest ended.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`

	Errors []Error  `json:"errors"` // of all sessions, by number of sessions, then by number of errors
	Tools  []Tool   `json:"tools"`  // most failures first
	Files  []File   `json:"files"`  // most sessions first
	Opened []Opened `json:"opened"` // the newest, at most MaxOpened
	// More counts what the lists leave out, including what the digests had left out.
	More More `json:"more,omitzero"`
}

// Ref is an event of a session, as `aburn show SOURCE/SESSION --raw EVENT` prints it.
type Ref struct {
	Source  string `json:"source"`
	Session string `json:"session"`
	Event   int    `json:"event,omitempty"`
	// File with Line or Row is where the event was read; only set for opened sessions.
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
	Row  string `json:"row,omitempty"` // "TABLE KEY"
}

// Error is a group of equal errors across sessions.
type Error struct {
	Class    failure.Class  `json:"class"`
	Type     trace.ToolType `json:"type,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Exit     *int           `json:"exit,omitempty"`
	Head     string         `json:"head"` // normalised
	Sessions int            `json:"sessions"`
	Count    int            `json:"count"`
	Solved   int            `json:"solved"` // sessions in which the same call succeeded later
	Ref      Ref            `json:"ref"`    // the first such error of the newest session
}

// Tool sums up the calls of one type in all sessions.
type Tool struct {
	Type     trace.ToolType `json:"type"`
	Sessions int            `json:"sessions"`
	Calls    int            `json:"calls"`
	Ended    int            `json:"ended"`
	Failed   int            `json:"failed"`
	Retries  int            `json:"retries"`
	Ref      Ref            `json:"ref"` // the newest session with a failed call of this type, or else with any
}

// File is a file that changed in some of the sessions.
type File struct {
	Path     string `json:"path"`
	Project  string `json:"project,omitempty"`
	Sessions int    `json:"sessions"`
	Changes  int    `json:"changes"`
	Loops    int    `json:"loops"` // sessions in which it was edited repeatedly
	Ref      Ref    `json:"ref"`
}

// Opened is one session with what only its trace contains.
type Opened struct {
	Ref
	Agent    trace.Agent     `json:"agent"`
	Project  string          `json:"project,omitempty"`
	Relation trace.Relation  `json:"relation"`
	Start    time.Time       `json:"start,omitzero"`
	End      time.Time       `json:"end,omitzero"`
	Live     bool            `json:"live"`
	Inferred insight.Verdict `json:"inferred"`
	Keys     insight.Keys    `json:"keys"`
	Calls    int             `json:"calls"`
	Failed   int             `json:"failed"`
	Spawned  string          `json:"spawned_as,omitempty"` // of a sub-agent: its type and its parent's description
	Ask      *Quoted         `json:"ask"`                  // the first prompt; null without one
	Failure  *Quoted         `json:"failed_result"`        // the first failed result, or else the first error; null without one
	Unopened string          `json:"unopened,omitempty"`   // why its trace could not be read
}

// Quoted is a text of a session, at most MaxText characters, with its place.
type Quoted struct {
	Text string `json:"text"`
	Tool string `json:"tool,omitempty"` // the tool whose result this is
	Code string `json:"code,omitempty"` // of an error event: the agent's own word
	Exit *int   `json:"exit,omitempty"`
	Ref  Ref    `json:"ref"`
}

// More counts what the lists leave out.
type More struct {
	Errors   int `json:"errors,omitempty"`
	Tools    int `json:"tools,omitempty"`
	Files    int `json:"files,omitempty"`
	Sessions int `json:"sessions,omitempty"`
}
