package undo

import (
	"cmp"
	"path"
	"slices"
	"time"
)

// Owner is whose a change is.
type Owner int

// Owners of a change between two states.
const (
	Nobody  Owner = iota // there is none
	Agent                // the session
	Other                // surely somebody else
	Both                 // the session and somebody else
	Unknown              // nothing says whose
)

// onlyEdited is why a change is the session's that its edits explain from the first byte to the last.
const onlyEdited = "edited"

// Times are when a file changed, as the file system says: its content, and what is known of it.
type Times struct{ Content, Inode time.Time }

// Evidence is what owners are judged by.
type Evidence struct {
	Session string
	Root    string // of the worktree
	States  []*State
	Calls   []Call // of all sessions in the worktree, those that read only left out
	// Sum is the SHA-256 of a file in a state, as the worktree has it, "none" if there is no file, and "" if it isn't known.
	Sum func(state int, p string) string
	// Times are those of a path now; of a path that is gone those of the nearest folder above it. false if they can't be read.
	Times func(p string) (Times, bool)

	sorted bool
}

// last is the index of the state of now.
func (e *Evidence) last() int { return len(e.States) - 1 }

// Owner says who changed a path between state i-1 and state i, with a few words why.
func (e *Evidence) Owner(i int, p string) (Owner, string) {
	was, is := e.States[i-1].Files[p], e.States[i].Files[p]
	if was == is {
		return Nobody, ""
	}
	var edits, commands, foreign []*Call
	for n := range e.calls() {
		c := &e.Calls[n]
		if c.Failed && c.Path != "" || !c.Start.Before(e.States[i].Time) || !c.End.After(e.States[i-1].Time) {
			continue
		}
		switch {
		case c.Session != e.Session && (c.Path == p || c.Path == ""):
			foreign = append(foreign, c)
		case c.Session != e.Session:
		case c.Path == p:
			edits = append(edits, c)
		default:
			commands = append(commands, c) // also an edit of several files, which names one of them
		}
	}
	if theirs := slices.DeleteFunc(slices.Clone(foreign), func(c *Call) bool { return c.Path != p }); len(theirs) > 0 {
		if len(edits)+len(commands) > 0 && !e.explained(i, p, theirs) {
			return Both, "another session edited it too"
		}
		return Other, "another session edited it"
	}
	if len(edits) > 0 {
		return e.edited(i, p, edits, commands)
	}
	if len(commands) == 0 {
		return Other, "no call of the session ran"
	}
	return e.byCommand(i, p, commands, foreign)
}

func (e *Evidence) calls() []Call {
	if !e.sorted {
		slices.SortStableFunc(e.Calls, func(a, b Call) int { return a.Start.Compare(b.Start) })
		e.sorted = true
	}
	return e.Calls
}

// edited follows the content through the edits. A gap is somebody else's, also where a command of the session may explain it: nothing says what
// the command wrote, and what a person saved behind it would be lost.
func (e *Evidence) edited(i int, p string, edits, commands []*Call) (Owner, string) {
	now := e.Sum(i-1, p)
	for _, c := range edits {
		if now == "" || c.Was == "" || c.Was != now {
			return Both, "it was changed before the session's edit"
		}
		now = c.Sum
	}
	if is := e.Sum(i, p); now != "" && is == now {
		return Agent, onlyEdited
	}
	if t, ok := e.timesAt(i, p); ok && e.ranAt(commands, t.Content) != nil {
		return Agent, "edited, then changed while a command ran"
	}
	return Both, "it was changed after the session's edit"
}

// explained reports whether edits alone lead from one state of a path to the next.
func (e *Evidence) explained(i int, p string, edits []*Call) bool {
	now := e.Sum(i-1, p)
	for _, c := range edits {
		if now == "" || c.Was != now {
			return false
		}
		now = c.Sum
	}
	return now != "" && now == e.Sum(i, p)
}

// timesAt are the times of a path's state i, if it is still in that.
func (e *Evidence) timesAt(i int, p string) (Times, bool) {
	if e.States[i].Files[p] != e.States[e.last()].Files[p] {
		return Times{}, false
	}
	for n := i; n < e.last(); n++ {
		if e.States[n].Files[p] != e.States[n+1].Files[p] {
			return Times{}, false
		}
	}
	return e.Times(p)
}

// ranAt is a command that ran at a time.
func (e *Evidence) ranAt(commands []*Call, t time.Time) *Call {
	for _, c := range commands {
		if c.contains(t) {
			return c
		}
	}
	return nil
}

// byCommand judges a change that no edit explains, by the time at which the file changed.
func (e *Evidence) byCommand(i int, p string, commands, foreign []*Call) (Owner, string) {
	was, is := e.States[i-1].Files[p], e.States[i].Files[p]
	if !is.Exists() {
		if n := slices.IndexFunc(commands, func(c *Call) bool { return c.names(p, e.Root) }); n >= 0 {
			return Agent, "a command named it"
		}
	}
	times, ok := e.timesAt(i, p)
	if !ok {
		return Unknown, "it was changed again since, so nothing says when"
	}
	at := times.Content
	if was.Exists() && is.Exists() && was.ID == is.ID || !was.Exists() && e.moved(i, is) {
		at = times.Inode // a new mode or name leaves the content's time
	}
	c := e.ranAt(commands, at)
	switch {
	case c == nil && is.Exists() && !times.Content.Before(e.States[i-1].Time):
		return Other, "it changed while no command of the session ran"
	case c == nil:
		return Unknown, "it changed while no command of the session ran, as far as its time says"
	case len(foreign) > 0:
		return Unknown, "another session's commands ran in between too"
	case is.Exists() && !was.Exists() && e.ignoresDiffer(i):
		return Unknown, "git ignored other files before"
	}
	return Agent, cmp.Or(map[bool]string{true: "changed while a command ran that names it"}[c.names(p, e.Root)], "changed while a command ran")
}

// moved reports whether a file that went away in the same interval had the same content.
func (e *Evidence) moved(i int, f File) bool {
	for p, was := range e.States[i-1].Files {
		if was.ID == f.ID && !e.States[i].Files[p].Exists() {
			return true
		}
	}
	return false
}

// ignoresDiffer reports whether files that say what git ignores changed. A file that appears may then have been there.
func (e *Evidence) ignoresDiffer(i int) bool {
	differ := func(a, b *State) bool {
		for p, f := range a.Files {
			if path.Base(p) == ".gitignore" && b.Files[p] != f {
				return true
			}
		}
		return false
	}
	return differ(e.States[i-1], e.States[i]) || differ(e.States[i], e.States[i-1])
}
