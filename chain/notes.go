package chain

import (
	"time"

	"aburn/internal/quote"
	"aburn/logfmt"
)

// NoteKind is the reason for a Note.
type NoteKind string

const (
	OtherWorktree         NoteKind = "other_worktree"         // made in another worktree than the caller's
	OtherBranch           NoteKind = "other_branch"           // made on another branch than the current one
	OutputGone            NoteKind = "output_gone"            // an output no longer exists
	OutputChanged         NoteKind = "output_changed"         // its size or hash differs
	FailedLater           NoteKind = "failed_later"           // a newer FAILED of the same command
	StartedAgain          NoteKind = "started_again"          // a newer START of the same command, without an end
	LeftUnfinished        NoteKind = "left"                   // the session of that START has ended
	PredecessorAgain      NoteKind = "predecessor_again"      // the command before it completed again later
	PredecessorFailed     NoteKind = "predecessor_failed"     // the command before it had failed
	PredecessorUnfinished NoteKind = "predecessor_unfinished" // … had started but not completed
	PredecessorMissing    NoteKind = "predecessor_missing"    // … is missing from the log before it
	Edited                NoteKind = "edited"                 // its line in the log was edited
)

// stale reports whether the world has moved on since. The other kinds are about the entry's
// origin.
func (k NoteKind) stale() bool {
	switch k {
	case OtherBranch, OutputGone, OutputChanged, FailedLater, StartedAgain, LeftUnfinished, PredecessorAgain:
		return true
	}
	return false
}

type Note struct {
	Kind NoteKind
	Text string    // one clean line without a full stop
	At   time.Time // of the entry that the note is about; zero if none
}

// notes judges the COMPLETE at index hit.
func (s *search) notes(r *Result, hit int) []Note {
	var notes []Note
	add := func(kind NoteKind, at time.Time, text string) { notes = append(notes, Note{kind, text, at}) }
	e := &r.Entry
	cmd := quote.Text(r.Cmd, logfmt.MaxCmd)
	if r.Elsewhere {
		add(OtherWorktree, time.Time{}, "made in "+quote.Worktree(e.Wt)+", you are in "+quote.Worktree(s.log.Worktree()))
	}
	if now := s.log.Branch(); e.Branch != "" && now != "" && e.Branch != now && !isCleaned(e.Branch) {
		add(OtherBranch, time.Time{}, "made on "+quote.Text(e.Branch, quote.MaxName)+", you are on "+quote.Text(now, quote.MaxName))
	}
	for _, o := range r.Outputs {
		switch o.State {
		case Gone:
			add(OutputGone, time.Time{}, quote.Text(o.Path, quote.MaxPath)+" no longer exists")
		case Changed:
			add(OutputChanged, time.Time{}, quote.Text(o.Path, quote.MaxPath)+" has changed since")
		}
	}
	switch r.State {
	case Failed:
		add(FailedLater, r.Since, cmd+" failed after this")
	case Running, Left:
		add(StartedAgain, r.Since, cmd+" isn't done: it was started again after this")
	}
	notes = append(notes, s.predecessorNotes(r.Cmd, hit)...)
	if e.Edited {
		add(Edited, time.Time{}, "its line in the log was edited after it was written")
	}
	return notes
}

// predecessorNotes says what the command before cmd did before and after cmd's COMPLETE at index
// hit.
func (s *search) predecessorNotes(cmd string, hit int) []Note {
	p := predecessor(s.q.Model, cmd)
	if p == "" {
		return nil
	}
	var notes []Note
	name, this := quote.Text(p, logfmt.MaxCmd), quote.Text(cmd, logfmt.MaxCmd)
	if m := s.again(p, hit); m != nil {
		notes = append(notes, Note{PredecessorAgain, name + " completed again after this", m.entry.Time})
	}
	before := s.before(p, hit)
	if before < 0 {
		if !s.bounded && !s.anywhere(p, hit) {
			notes = append(notes, Note{Kind: PredecessorMissing, Text: name + " had not completed before " + this})
		}
		return notes
	}
	switch m := &s.moments[before]; m.event {
	case logfmt.Failed:
		notes = append(notes, Note{PredecessorFailed, name + " had failed before " + this + " completed", m.entry.Time})
	case logfmt.Start:
		notes = append(notes, Note{PredecessorUnfinished, name + " had been started and had not completed when " + this + " did", m.entry.Time})
	}
	return notes
}

// again is the newest COMPLETE of cmd in the worktree of the moment at index i, if it is newer
// than that moment; or nil.
func (s *search) again(cmd string, i int) *moment {
	for k := range s.moments[:i] {
		if m := &s.moments[k]; m.cmd == cmd && m.wt == s.moments[i].wt && m.event == logfmt.Complete {
			return m
		}
	}
	return nil
}

// anywhere reports whether cmd completed in any worktree before the moment at index i. A plan
// made in the main checkout and built in another is no broken chain.
func (s *search) anywhere(cmd string, i int) bool {
	for _, m := range s.moments[i+1:] {
		if m.cmd == cmd && m.event == logfmt.Complete {
			return true
		}
	}
	return false
}
