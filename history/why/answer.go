// Package why answers who made a commit or a line, and why: the session, the prompt before it, the checks after it and what the turn cost. It
// puts together the repository (history/commits), the archive's sessions and their texts. It prints nothing.
package why

import (
	"time"

	"aburn/history"
	"aburn/insight/cost/bill"
)

// Commit is the answer about a commit.
type Commit struct {
	Hash     string         `json:"hash"`
	Subject  string         `json:"subject"`
	Author   string         `json:"author"`
	Time     time.Time      `json:"time"`
	Degree   history.Degree `json:"degree"`
	Sessions []Session      `json:"sessions"`
	// Stated are the trailers of its message that name a session or an agent.
	Stated []string `json:"stated,omitempty"`
}

// Session is a session that a commit or a line is from.
type Session struct {
	Source  string `json:"source"`
	Session string `json:"session"`
	Agent   string `json:"agent"`           // its name for people
	Model   string `json:"model,omitempty"` // of the turn
	// Subagent is true of a sub-agent's session; Parent is then the session that started it, if known.
	Subagent bool   `json:"subagent,omitempty"`
	Parent   string `json:"parent,omitempty"`
	// Event is the call's number in the session, 0 if no call is known. Evidence says why it is known.
	Event    int    `json:"event,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	// Original is the commit that the session made, where it was rewritten.
	Original string `json:"original,omitempty"`
	// Prompt is the beginning of the prompt before the call.
	Prompt      string `json:"prompt,omitempty"`
	PromptEvent int    `json:"prompt_event,omitempty"`
	// Edit is the number of the session's last change of the file before the commit, where a file was asked for; 0 if it recorded none.
	Edit int `json:"edit,omitempty"`
	// Checks are the last of each kind in the session since the turn began.
	Checks []Check `json:"checks,omitempty"`
	// Turn is what the turn's answers cost, without sub-agents; nil if unknown.
	Turn *bill.Priced `json:"turn,omitempty"`
	// Cost is Turn in words.
	Cost string `json:"-"`
}

// Check is a test runner, linter, type checker or build that a session ran.
type Check struct {
	Command string    `json:"command"` // its words: "go test"
	Event   int       `json:"event"`
	Time    time.Time `json:"time"`
	// Result is passed, failed or unknown; After says that it ran after the commit was made.
	Result string `json:"result"`
	After  bool   `json:"after"`
}

// Lines are lines of a file that came with one commit, or that are not committed yet.
type Lines struct {
	From int `json:"from"`
	To   int `json:"to"`
	// Commit is the answer's index in File.Commits, -1 for lines that aren't committed.
	Commit int `json:"commit"`
}

// File is the answer about a file's lines.
type File struct {
	Path    string   `json:"path"`
	Lines   []Lines  `json:"lines"`
	Commits []Commit `json:"commits"`
	// Open are the sessions that changed the file since it was committed, the newest first, where some lines aren't committed.
	Open []Session `json:"uncommitted,omitempty"`
}

// Looked says what an answer rests on.
type Looked struct {
	Sessions int `json:"sessions"` // of this repository
	Moves    int `json:"reflog_entries"`
}
