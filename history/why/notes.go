package why

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"aburn/archive/lookup"
	"aburn/history"
	"aburn/history/commits"
	"aburn/history/notes"
	"aburn/internal/plain"
	"aburn/trace"
)

// NoteState says what became of a commit's note.
type NoteState string

// The states of notes.
const (
	NoteWritten NoteState = "written"
	NoteWould   NoteState = "would_write" // without --dry-run
	NoteThere   NoteState = "there"       // a note was there, and stays
	NoteNoOne   NoteState = "no_session"  // no session that aburn knows made the commit
	NoteNoProof NoteState = "no_lines"    // of no line it is proved
)

// Noted is a commit with the note that was or would be written.
type Noted struct {
	Hash    string    `json:"hash"`
	Subject string    `json:"subject"`
	State   NoteState `json:"state"`
	// Lines of these Files are proved to be a session's, of Added lines.
	Files int          `json:"files"`
	Lines int          `json:"lines"`
	Added int          `json:"added"`
	Trace *notes.Trace `json:"agent_trace,omitempty"` // if asked for
}

// NotesQuery chooses commits.
type NotesQuery struct {
	Revision string // "" is HEAD alone
	DryRun   bool
	Trace    bool // make Agent Trace records and write no notes
	Tool     notes.TraceTool
	Limit    int
}

// WriteNotes writes a Git AI note for each commit whose lines are proved to be a session's: the commit is made or rewritten, and the file in it
// has exactly the bytes that the session left.
func WriteNotes(ctx context.Context, c *lookup.Caller, environ []string, q NotesQuery, catchUp func() error) (list []Noted, err error) {
	folder, err := c.Folder()
	if err != nil {
		return nil, err
	}
	repo, err := commits.Open(ctx, folder, environ)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if q.Revision == "" {
		limit = 1
	}
	hashes, _, err := repo.Log(ctx, cmp.Or(q.Revision, "HEAD"), time.Time{}, limit)
	if err != nil {
		return nil, err
	}
	if err := catchUp(); err != nil {
		return nil, err
	}
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	asker, err := New(ctx, c, arch, repo, hashes)
	if err != nil {
		return nil, err
	}
	list = []Noted{}
	for _, hash := range hashes {
		one, note, err := asker.note(ctx, hash)
		if err != nil {
			return nil, err
		}
		switch {
		case one.State != NoteWould:
		case q.Trace:
			record := note.Trace(hash, asker.linker.Commits[hash].Committed, q.Tool)
			one.Trace = &record
		case !q.DryRun:
			text, err := note.Format(hash)
			if err == nil {
				err = repo.AddNote(ctx, hash, text)
			}
			if one.State = NoteWritten; errors.Is(err, commits.ErrNoted) {
				one.State = NoteThere
			} else if err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// note is what is proved of a commit's lines.
func (a *Asker) note(ctx context.Context, hash string) (one Noted, note *notes.Note, err error) {
	c := a.linker.Commits[hash]
	one = Noted{Hash: hash, State: NoteNoOne}
	if c == nil {
		return one, nil, nil
	}
	one.Subject = plain.Line(c.Subject)
	found := a.linker.Of(hash)
	if found.Degree != history.Made && found.Degree != history.Rewritten {
		return one, nil, nil
	}
	lines, err := a.repo.AddedLines(ctx, hash)
	if err != nil {
		return one, nil, err
	}
	note = &notes.Note{Authors: map[string]notes.Author{}}
	for path, ranges := range lines {
		for _, r := range ranges {
			one.Added += r.To - r.From + 1
		}
		for i := range found.Makers {
			m := &found.Makers[i]
			proved, err := a.left(ctx, m, cmp.Or(m.Original, hash), path)
			if err != nil {
				return one, nil, err
			}
			if proved {
				key := notes.Key(m.Session.Source, m.Session.ID)
				note.Authors[key] = notes.Author{Tool: m.Session.Source, Session: m.Session.ID, Model: a.modelAt(m)}
				note.Files = append(note.Files, notes.File{Path: path, Entries: []notes.Entry{{Author: key, Ranges: ranges}}})
				break
			}
		}
	}
	slices.SortFunc(note.Files, func(x, y notes.File) int { return cmp.Compare(x.Path, y.Path) })
	one.Files, one.Lines, one.State = len(note.Files), note.Lines(), NoteWould
	if one.Lines == 0 {
		one.State = NoteNoProof
	}
	return one, note, nil
}

// left reports whether a file in a commit has the bytes that the session left before the call that made it.
func (a *Asker) left(ctx context.Context, m *history.Maker, hash, path string) (bool, error) {
	s := a.sessions[m.Session.Key]
	if s == nil || m.Call == nil || a.read(ctx, s) != nil {
		return false, nil
	}
	edit := lastEdit(s.trace, m.Call.Event, a.namesOf(path, s))
	if edit == 0 {
		return false, nil
	}
	change := s.trace.Events[edit-1].Body.(*trace.FileChange)
	if change.Hash == "" {
		return false, nil
	}
	content, err := a.repo.ContentHash(ctx, hash, path)
	return err == nil && content == change.Hash, err
}

// modelAt is the model that answered last before the commit.
func (a *Asker) modelAt(m *history.Maker) (model string) {
	t := a.sessions[m.Session.Key].trace
	for i := range t.Responses {
		if r := &t.Responses[i]; r.Event <= m.Call.Event && r.Model != "" {
			model = r.Model
		}
	}
	return model
}
