// Package history finds the session of an agent that made a commit. It compares what git recorded of its branches (Move) with the calls and
// turns of sessions (Session), and says how sure the answer is (Degree). A wrong "made" is worse than a missing one: what two causes explain
// equally well is not called made.
//
// # Where to begin
//
// The package is pure: git and the sessions are given to it. Begin with Linker.Of. Package history/commits reads a repository, history/why
// puts both together with the archive.
package history

import "time"

// Degree says how a commit and a session are related.
type Degree string

const (
	// Made: a call of the session made the commit.
	Made Degree = "made"
	// Rewritten: the commit has the same patch as one that was made, after a rebase, an amended message, a cherry-pick or a squash.
	Rewritten Degree = "rewritten"
	// Stated: nothing shows who made it, but its message names a session or an agent as co-author.
	Stated Degree = "stated"
	// During: somebody made it in the session's worktree while the session worked on a turn.
	During Degree = "during"
	// None: no known session made it.
	None Degree = "none"
	// Merge: it is a merge, which is nobody's.
	Merge Degree = "merge"
)

// Commit is one of a repository's commits.
type Commit struct {
	Hash      string
	Parents   []string
	Author    string // name and address
	Authored  time.Time
	Committed time.Time
	Subject   string
	Stated    []Statement
}

// Move is an entry of a reflog: what a HEAD or a branch named before and after.
type Move struct {
	Was, Now string
	Time     time.Time // whole seconds
	Action   string    // "commit", "commit (amend)", "rebase (pick)", …
	Worktree string    // its root; "" for a branch's own reflog
}

// Session is what linking needs of an agent's session.
type Session struct {
	Key        int64 // in the archive
	Source, ID string
	Dir        string // the root of the worktree that it worked in
	Calls      []Call // of shells, by the agent
	Turns      []Turn
}

// Call is a command line that an agent ran.
type Call struct {
	Event      int // its number in the trace
	Start, End time.Time
	Head       string // the beginning of the command line, where the whole one can't be read
	Failed     bool
}

// Turn is the time from a prompt to the last event before the next one.
type Turn struct{ Start, End time.Time }

// Texts are those of a call; Whole says that they are complete.
type Texts struct {
	Command, Output string
	Whole           bool
}
