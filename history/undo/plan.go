package undo

import (
	"slices"
	"strings"
)

// Action is what an undo does with a file.
type Action string

const (
	Restore Action = "restore" // the old content, mode or link
	Return  Action = "return"  // a deleted file comes back
	Remove  Action = "remove"  // a file that the session created goes
	Merge   Action = "merge"   // the session's change goes, yours stays
	Leave   Action = "leave"
)

// Kinds of files that are left.
const (
	Conflict  = "conflict"  // the session and you changed the same lines, or the same turn
	WhoseKnow = "unknown"   // nothing says whose change it is
	Committed = "committed" // in a commit since
	Outside   = "outside"   // in no snapshot
)

// Step is what happens to one file.
type Step struct {
	Path   string `json:"path"`
	Change string `json:"change"` // of the session: changed, created, deleted
	Action Action `json:"action"`
	Reason string `json:"reason,omitempty"` // of a file that is left: conflict, unknown, committed, outside
	Why    string `json:"why,omitempty"`
	Yours  bool   `json:"yours"` // somebody else changed it too

	made int  // the interval in which a command created it; 0 if none did
	From File `json:"-"` // now
	To   File `json:"-"` // after the undo, if it isn't merged
	text []byte
}

// Side decides about conflicts.
type Side string

const (
	Ours   Side = "ours"   // the files stay as they are
	Theirs Side = "theirs" // the files get the old state
)

// Planner makes the steps.
type Planner struct {
	*Evidence
	Only      func(p string) bool // the files that the undo is about; nil: all
	Side      Side
	Committed map[string]bool // paths that differ between the commits of the first state and now
	// Merge takes the change from base to theirs out of ours. false is a conflict.
	Merge func(p string, ours []byte, base, theirs File) ([]byte, bool, error)
	// Bytes are the content of a file.
	Bytes func(p string, f File) ([]byte, error)
	// Hidden reports whether something stands at a path that is in no snapshot.
	Hidden func(p string) bool
}

// Steps are the files that the session changed since the first state, and those of which nobody knows, in the order of their paths.
func (pl *Planner) Steps() (steps []Step, err error) {
	seen := map[string]bool{}
	var paths []string
	for _, s := range pl.States {
		for p := range s.Files {
			if !seen[p] {
				seen[p] = true
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		if pl.Only != nil && !pl.Only(p) {
			continue
		}
		step, ok, err := pl.step(p)
		if err != nil {
			return nil, err
		}
		if ok {
			steps = append(steps, step)
		}
	}
	pl.keepMoved(paths, steps)
	return steps, nil
}

// keepMoved leaves files that a command created while another file went away that does not come back: they may hold its content.
func (pl *Planner) keepMoved(paths []string, steps []Step) {
	returns := map[string]bool{}
	for _, s := range steps {
		returns[s.Path] = s.Action != Leave
	}
	gone := map[int]string{}
	for _, p := range paths {
		for i := 1; i <= pl.last() && !returns[p]; i++ {
			if pl.States[i-1].Files[p].Exists() && !pl.States[i].Files[p].Exists() {
				gone[i] = p
			}
		}
	}
	for i := range steps {
		if from := gone[steps[i].made]; steps[i].Action == Remove && from != "" {
			steps[i] = left(steps[i], WhoseKnow, "it may hold what was in "+from)
		}
	}
}

// step walks from now back to the first state. false: the session did not change the path.
func (pl *Planner) step(p string) (s Step, ok bool, err error) {
	now := pl.States[pl.last()].Files[p]
	s = Step{Path: p, Action: Leave, From: now, To: now}
	if old := pl.States[0].Files[p]; (now.isRepository() || old.isRepository()) && now != old {
		s.Change = change(old, now)
		return left(s, Outside, "it is a repository of its own"), true, nil
	}
	first := -1 // the oldest interval of the session
	for i := pl.last(); i > 0; i-- {
		owner, why := pl.Owner(i, p)
		switch owner {
		case Agent:
			if first = i; s.Why == "" {
				s.Why = why
			}
			if !pl.States[i-1].Files[p].Exists() && why != onlyEdited {
				s.made = i
			}
		case Other:
			s.Yours = true
		case Both:
			return pl.stuck(s, Conflict, why)
		case Unknown:
			return pl.stuck(s, WhoseKnow, why)
		}
	}
	if first < 0 {
		return s, false, nil
	}
	s.Change = change(pl.States[first-1].Files[p], pl.States[first].Files[p])
	switch was := pl.States[first-1].Files[p]; {
	case was.isRepository() || now.isRepository():
		return left(s, Outside, "it is a repository of its own"), true, nil
	case pl.Committed[p]:
		return left(s, Committed, "it is in a commit since"), true, nil
	case !now.Exists() && pl.Hidden(p):
		return left(s, Outside, "what stands there is in no snapshot"), true, nil
	}
	s.Yours = false
	return pl.back(s)
}

func change(was, is File) string {
	switch {
	case !was.Exists():
		return "created"
	case !is.Exists():
		return "deleted"
	}
	return "changed"
}

func left(s Step, reason, why string) Step {
	s.Action, s.Reason, s.Why, s.To, s.text = Leave, reason, why, s.From, nil
	return s
}

// stuck is a path with an interval that can't be taken back.
func (pl *Planner) stuck(s Step, reason, why string) (Step, bool, error) {
	s.Change, s.Yours = change(pl.States[0].Files[s.Path], s.From), reason == Conflict
	if pl.Committed[s.Path] {
		return left(s, Committed, "it is in a commit since"), true, nil
	}
	old := pl.States[0].Files[s.Path]
	named := pl.Only != nil // a person named the file, or a folder above it
	if pl.Side == Theirs && (reason == Conflict || named) && !old.isRepository() && !s.From.isRepository() && !(pl.Hidden(s.Path) && !s.From.Exists()) {
		return settle(s, old), old != s.From, nil
	}
	return left(s, reason, why), old != s.From, nil
}

// settle makes a step out of a file's state after it.
func settle(s Step, to File) Step {
	s.To = to
	switch {
	case to == s.From:
		s.Action = Leave
	case !to.Exists():
		s.Action = Remove
	case !s.From.Exists():
		s.Action = Return
	default:
		s.Action = Restore
	}
	return s
}

// back takes the session's intervals back, the newest first.
func (pl *Planner) back(s Step) (Step, bool, error) {
	p, cur := s.Path, s.From
	var text []byte // of cur, once it is merged
	for i := pl.last(); i > 0; i-- {
		if owner, _ := pl.Owner(i, p); owner != Agent {
			continue
		}
		was, is := pl.States[i-1].Files[p], pl.States[i].Files[p]
		if text == nil && (cur == is || cur == was) { // was: somebody set it back already
			cur = was
			continue
		}
		s.Yours = true
		mode := cur.Mode
		if mode == is.Mode && was.isRegular() {
			mode = was.Mode
		}
		if text == nil && cur.isRegular() && was.isRegular() && is.isRegular() && (was.ID == is.ID || cur.ID == is.ID || cur.ID == was.ID) {
			if cur.Mode = mode; cur.ID == is.ID {
				cur.ID = was.ID
			}
			continue
		}
		if !cur.isRegular() || !was.isRegular() || !is.isRegular() {
			return pl.conflict(s, "you changed it since")
		}
		if text == nil {
			var err error
			if text, err = pl.Bytes(p, cur); err != nil {
				return s, false, err
			}
		}
		merged, clean, err := pl.Merge(p, text, is, was)
		if err != nil {
			return s, false, err
		}
		if !clean {
			return pl.conflict(s, "you changed the same lines since")
		}
		text, cur = merged, File{Mode: mode, ID: "merged"}
	}
	if text == nil {
		return settle(s, cur), cur != s.From, nil
	}
	s.Action, s.To, s.text = Merge, File{Mode: cur.Mode}, text
	return s, true, nil
}

// conflict is a file that the session and somebody else changed.
func (pl *Planner) conflict(s Step, why string) (Step, bool, error) {
	if pl.Side == Theirs {
		return settle(s, pl.States[0].Files[s.Path]), true, nil
	}
	return left(s, Conflict, why), true, nil
}

// Under reports whether a path is one of some paths or in one of these folders.
func Under(p string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return l == "." || p == l || strings.HasPrefix(p, l+"/") })
}
