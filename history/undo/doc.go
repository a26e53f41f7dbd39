// Package undo takes back what a session's calls changed in a worktree, and nothing else.
//
// # Promise
//
// After an undo, whatever a person or another session wrote is still there. What is not known to be the session's stays, and is named. Before
// the first file is written, the state of now and the whole plan are in git, so that a redo gives each file back byte by byte.
//
// # Data flow
//
// Snapshots around the turns give the states of each path (State), the log gives the calls with their times (Call). Owner says for each interval
// between two states who changed a path. Walking back from now, Plan takes the session's intervals back: where nobody changed the file since,
// it gets the old state, else the change is merged out of it (git merge-file). Apply writes.
//
// # What can fail
//
//   - A crash while files are written: the plan stays under a ref (pending). Each file is written as a whole, and a file that is neither in the
//     state before nor in the state after is left alone. So finishing or taking back can be tried as often as one likes.
//   - A file changes between plan and write: it is compared with the plan right before it is replaced, and left.
//   - A link in place of a folder: nothing is written through links.
//
// # Where it ends
//
// A change by a command is known only by its time: it was made while a command of the session ran that may write, and no other session's. What a
// person saved in the same turn to the same file before that command ran is in the same interval, unless a snapshot stands in between
// (prompts+risky). It is in the snapshot of the state before the undo.
package undo

import (
	"path"
	"strings"
	"time"
)

// File is a path's state: a mode as git has it and an object. The zero File is none.
type File struct {
	Mode string `json:"mode,omitempty"`
	ID   string `json:"id,omitempty"`
}

// Exists reports whether there is a file.
func (f File) Exists() bool { return f.ID != "" }

// isRegular reports whether it is a file and neither a link nor a repository.
func (f File) isRegular() bool { return f.Mode == "100644" || f.Mode == "100755" }

func (f File) isRepository() bool { return f.Mode == "160000" }

// State is a worktree at a time: the files by path.
type State struct {
	Ref    string
	Commit string
	Time   time.Time
	Files  map[string]File
}

// Call is a call of a tool that may write.
type Call struct {
	Session    string
	Start, End time.Time // End is far in the future where the call may still run
	Command    string    // of a shell, or its beginning
	Path       string    // of an edit, relative to the worktree
	Was, Sum   string    // SHA-256 of the file before and after an edit; "none" is no file, "" not known
	Failed     bool
}

// tick is how much earlier than the clock the time of a file may be.
const tick = 12 * time.Millisecond

// contains reports whether the call ran at a time.
func (c *Call) contains(t time.Time) bool {
	return !t.Before(c.Start.Add(-tick)) && !t.After(c.End)
}

// names reports whether the call's command names a path or a folder above it.
func (c *Call) names(p, root string) bool {
	for _, word := range strings.FieldsFunc(c.Command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"`=", r) }) {
		word = strings.TrimPrefix(path.Clean(strings.TrimPrefix(word, root+"/")), "./")
		if word != "" && word != "." && (word == p || strings.HasPrefix(p, word+"/")) {
			return true
		}
	}
	return false
}
