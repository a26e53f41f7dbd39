package history

import (
	"slices"
	"strings"
	"time"
)

// Linker answers for the commits of one repository.
type Linker struct {
	Commits map[string]*Commit // that Moves name, and those asked for
	Moves   []Move
	// Active are the sessions that worked at a time. The same session must be the same pointer each time.
	Active func(t time.Time) []*Session
	Texts  func(*Session, *Call) Texts
	// Files are the paths that a commit changed against its first parent. Patch is the stable patch id of all changes from a commit to
	// another; "" if there are none or they aren't known.
	Files func(hash string) []string
	Patch func(from, to string) string

	made map[string][]Maker
}

// Answer says whose a commit is.
type Answer struct {
	Degree Degree
	Makers []Maker
}

// Maker is a session that a commit is from.
type Maker struct {
	Session  *Session
	Call     *Call  // nil of a commit made during a session
	Original string // the commit that was made, of a rewritten one
	Evidence string // a few words
}

// Of says whose a commit is.
func (l *Linker) Of(hash string) Answer {
	c := l.Commits[hash]
	switch {
	case c == nil:
		return Answer{Degree: None}
	case len(c.Parents) > 1:
		return Answer{Degree: Merge}
	}
	if makers := l.makers(c); len(makers) > 0 {
		return Answer{Made, makers}
	}
	if makers := l.originals(c); len(makers) > 0 {
		return Answer{Rewritten, makers}
	}
	if len(c.Stated) > 0 {
		return Answer{Degree: Stated}
	}
	if makers := l.during(c); len(makers) > 0 {
		return Answer{During, makers}
	}
	return Answer{Degree: None}
}

// copies reports whether a move's commit is a copy of another one, whose author and date it has.
func (m *Move) copies() bool {
	return strings.HasPrefix(m.Action, "rebase") || strings.HasPrefix(m.Action, "cherry-pick") || m.Action == "am" || strings.HasPrefix(m.Action, "pull")
}

// makes reports whether a move is the making of its commit.
func (m *Move) makes() bool { return strings.HasPrefix(m.Action, "commit") || m.Action == "revert" }

// movesTo are the moves that made or copied a commit. A branch's reflog repeats what HEAD's has.
func (l *Linker) movesTo(hash string) (list []Move) {
	for _, m := range l.Moves {
		if m.Now != hash || !m.makes() && !m.copies() {
			continue
		}
		if i := slices.IndexFunc(list, func(o Move) bool { return o.Time.Equal(m.Time) && o.Was == m.Was }); i < 0 {
			list = append(list, m)
		} else if list[i].Worktree == "" {
			list[i] = m
		}
	}
	return list
}

// makers are the sessions with the call that made a commit. Of several that may have, none is called the maker, unless the output of one
// alone names the commit.
func (l *Linker) makers(c *Commit) []Maker {
	if makers, known := l.made[c.Hash]; known {
		return makers
	}
	if l.made == nil {
		l.made = map[string][]Maker{}
	}
	l.made[c.Hash] = nil // an amended commit asks for the one before it
	var strong, weak []Maker
	moves := l.movesTo(c.Hash)
	for _, m := range moves {
		if m.copies() || l.onlyReworded(&m, c) {
			continue
		}
		for _, s := range l.Active(m.Time) {
			for i := range s.Calls {
				if call := &s.Calls[i]; contains(call, m.Time) {
					switch evidence, named := l.evidence(s, call, &m, c); {
					case named:
						strong = append(strong, Maker{Session: s, Call: call, Evidence: evidence})
					case evidence != "":
						weak = append(weak, Maker{Session: s, Call: call, Evidence: evidence})
					}
				}
			}
		}
	}
	if len(moves) == 0 {
		strong = l.naming(c.Hash, c.Committed, nil) // the reflog is gone, and only an output that names the commit is enough
	}
	makers := strong
	if len(makers) == 0 {
		makers = weak
	}
	if len(makers) > 1 {
		makers = nil
	}
	l.made[c.Hash] = makers
	return makers
}

// contains reports whether a call ran at a move's second.
func contains(c *Call, second time.Time) bool {
	return !c.Start.IsZero() && !c.End.IsZero() && !c.Start.Truncate(time.Second).After(second) && !c.End.Before(second)
}

// onlyReworded reports whether a move amended a commit without changing what it does.
func (l *Linker) onlyReworded(m *Move, c *Commit) bool {
	if m.Action != "commit (amend)" {
		return false
	}
	was := l.Commits[m.Was]
	return was != nil && slices.Equal(was.Parents, c.Parents) && l.patch(was) == l.patch(c)
}

// evidence says why a call that ran when a commit was made is what made it, "" if nothing says so. named is true if its output names the commit.
func (l *Linker) evidence(s *Session, call *Call, m *Move, c *Commit) (words string, isNamed bool) {
	texts := l.Texts(s, call)
	names := named(texts.Output)
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(c.Hash, n) }) {
		return "its output names the commit", true
	}
	command := texts.Command
	if command == "" {
		command = call.Head
	}
	in := intentOf(command)
	subject := c.Subject != "" && strings.Contains(command, c.Subject)
	switch {
	case in.commits == 0:
		return "", false
	case mentions(texts.Output, c.Hash):
		return "it ran git commit, and its output names the commit", true
	case max(len(names), l.mentioned(call, &texts, m)) >= in.commits && !in.many:
		return "", false // it made others
	case m.Action == "commit (amend)" && !in.amends:
		return "", false
	case subject:
		return "it ran git commit with this message at that time", false
	case !texts.Whole || in.messages || call.Failed || !in.many && l.madeWithin(call, m.Worktree) > in.commits:
		return "", false // it gave other messages, may have made nothing, or somebody else committed too
	}
	return "it ran git commit at that time", false
}

// madeWithin counts the commits that were made in a worktree while a call ran, without those that the output of another call names.
func (l *Linker) madeWithin(call *Call, worktree string) int {
	made := map[string]bool{}
	for _, m := range l.Moves {
		if m.makes() && m.Worktree == worktree && contains(call, m.Time) && len(l.naming(m.Now, m.Time, call)) == 0 {
			made[m.Now] = true
		}
	}
	return len(made)
}

// mentioned counts the commits that were made while a call ran and that its output holds.
func (l *Linker) mentioned(call *Call, texts *Texts, made *Move) int {
	found := map[string]bool{}
	for _, m := range l.Moves {
		if m.makes() && m.Worktree == made.Worktree && contains(call, m.Time) && mentions(texts.Output, m.Now) {
			found[m.Now] = true
		}
	}
	return len(found)
}

// naming are the calls at a time whose output names a commit, without one of them.
func (l *Linker) naming(hash string, at time.Time, without *Call) (makers []Maker) {
	for _, s := range l.Active(at) {
		for i := range s.Calls {
			call := &s.Calls[i]
			if call != without && contains(call, at) && slices.ContainsFunc(named(l.Texts(s, call).Output), func(n string) bool {
				return strings.HasPrefix(hash, n)
			}) {
				makers = append(makers, Maker{Session: s, Call: call, Evidence: "its output names the commit"})
			}
		}
	}
	return makers
}

// during are the sessions that worked on a turn in the worktree where a commit was made, when it was.
func (l *Linker) during(c *Commit) (makers []Maker) {
	for _, m := range l.movesTo(c.Hash) {
		if m.Worktree == "" {
			continue
		}
		for _, s := range l.Active(m.Time) {
			if s.Dir == m.Worktree && slices.ContainsFunc(s.Turns, func(t Turn) bool {
				return !t.Start.Truncate(time.Second).After(m.Time) && !t.End.Before(m.Time)
			}) && !slices.ContainsFunc(makers, func(o Maker) bool { return o.Session == s }) {
				makers = append(makers, Maker{Session: s, Evidence: "it was made while the session worked, maybe by somebody else"})
			}
		}
	}
	return makers
}
