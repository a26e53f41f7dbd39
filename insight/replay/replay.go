// Package replay drills down into the sessions that have a key in common: their files, tools and errors, and how each of
// the newest began and first failed. Every claim names the session and the event that it rests on. It judges nothing, and has
// nothing to do with the supervisor's replay of the workflow log.
package replay

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// The bounds of a replay: sessions that are opened, lines of each list, characters of each text.
const (
	MaxOpened = 10
	MaxList   = 10
	MaxText   = 200
)

// Replay is what sessions with the same key amount to.
type Replay struct {
	// Key is what was asked for; empty if that was one session.
	Key string `json:"key,omitempty"`
	// Shape is what the key stands for, in words.
	Shape     string `json:"shape"`
	Sessions  int    `json:"sessions"`
	Subagents int    `json:"subagents"`
	Live      int    `json:"live"` // of both, those that are going on
	// First and Last are when the first of them began and the last one ended.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`

	Errors []Error  `json:"errors"` // of all of them: most sessions first, then most errors
	Tools  []Tool   `json:"tools"`  // those that failed most first
	Files  []File   `json:"files"`  // changed in most sessions first
	Opened []Opened `json:"opened"` // the newest, at most MaxOpened
	// More is how many lines the lists leave out, with what the digests left out already.
	More More `json:"more,omitzero"`
}

// Ref is an event of a session: what `aburn show SOURCE/SESSION --raw EVENT` prints.
type Ref struct {
	Source  string `json:"source"`
	Session string `json:"session"`
	Event   int    `json:"event,omitempty"`
	// File, and Line in it or Row, are where the event was read; only of sessions that were opened.
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
	Row  string `json:"row,omitempty"` // "TABLE KEY"
}

// Error is equal errors of all sessions.
type Error struct {
	Class    failure.Class  `json:"class"`
	Type     trace.ToolType `json:"type,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Exit     *int           `json:"exit,omitempty"`
	Head     string         `json:"head"` // normalised
	Sessions int            `json:"sessions"`
	Count    int            `json:"count"`
	Solved   int            `json:"solved"` // sessions in which the same call succeeded later
	Ref      Ref            `json:"ref"`    // the first one of the newest session
}

// Tool is the calls of one type in all sessions.
type Tool struct {
	Type     trace.ToolType `json:"type"`
	Sessions int            `json:"sessions"`
	Calls    int            `json:"calls"`
	Ended    int            `json:"ended"`
	Failed   int            `json:"failed"`
	Retries  int            `json:"retries"`
	Ref      Ref            `json:"ref"` // the newest session with such a call that failed, else with such a call
}

// File is a file that changed in some of the sessions.
type File struct {
	Path     string `json:"path"`
	Project  string `json:"project,omitempty"`
	Sessions int    `json:"sessions"`
	Changes  int    `json:"changes"`
	Loops    int    `json:"loops"` // sessions in which it was changed again and again
	Ref      Ref    `json:"ref"`
}

// Opened is one session, with what only its trace has.
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
	Spawned  string          `json:"spawned_as,omitempty"` // of a sub-agent: its type and what its parent says of it
	Ask      *Quoted         `json:"ask"`                  // its first prompt; null if it has none
	Failure  *Quoted         `json:"failed_result"`        // its first result that failed, else its first error; null if there is none
	Unopened string          `json:"unopened,omitempty"`   // why its trace could not be read
}

// Quoted is a text of a session, at most MaxText characters, and where it stands.
type Quoted struct {
	Text string `json:"text"`
	Tool string `json:"tool,omitempty"` // whose result it is
	Code string `json:"code,omitempty"` // of an error that is no result: the agent's own word for it
	Exit *int   `json:"exit,omitempty"`
	Ref  Ref    `json:"ref"`
}

// More is what the lists leave out.
type More struct {
	Errors   int `json:"errors,omitempty"`
	Tools    int `json:"tools,omitempty"`
	Files    int `json:"files,omitempty"`
	Sessions int `json:"sessions,omitempty"`
}
