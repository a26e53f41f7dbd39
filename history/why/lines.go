package why

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/history/commits"
	"aburn/trace"
)

// The bounds of the search for sessions that changed a file since its last commit.
const (
	mostOpen     = 3
	mostSearched = 60
)

// File answers about lines of a file, as git blames them.
func (a *Asker) File(ctx context.Context, path string, blamed []commits.Blamed) *File {
	f := &File{Path: path, Lines: []Lines{}, Commits: []Commit{}}
	index := map[string]int{}
	uncommitted := false
	for _, b := range blamed {
		n, known := index[b.Commit]
		switch {
		case b.Commit == "":
			n, uncommitted = -1, true
		case !known:
			n = len(f.Commits)
			index[b.Commit] = n
			f.Commits = append(f.Commits, a.Commit(ctx, b.Commit, b.Path))
		}
		f.Lines = append(f.Lines, Lines{From: b.From, To: b.To, Commit: n})
	}
	if uncommitted {
		f.Open = a.open(ctx, path)
	}
	return f
}

// open are the sessions that changed a file last.
func (a *Asker) open(ctx context.Context, path string) (list []Session) {
	all := make([]*session, 0, len(a.sessions))
	for _, s := range a.sessions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y *session) int { return y.End.Compare(x.End) })
	committed := a.lastCommit(path)
	text, err := os.ReadFile(filepath.Join(a.repo.Root, filepath.FromSlash(path)))
	sum := sha256.Sum256(text)
	for _, s := range all[:min(len(all), mostSearched)] {
		if s.End.Before(committed) || len(list) == mostOpen {
			break
		}
		if a.read(ctx, s) != nil {
			a.unreadable++
			continue
		}
		edit := lastEdit(s.trace, len(s.trace.Events), a.namesOf(path, s))
		if edit == 0 || s.trace.Events[edit-1].Time.Before(committed) {
			continue
		}
		d := a.session(ctx, s, nil, s.trace.Events[edit-1].Time, path)
		d.Edit = edit
		switch change := s.trace.Events[edit-1].Body.(*trace.FileChange); {
		case err == nil && change.Hash == hex.EncodeToString(sum[:]):
			d.Evidence = "the file is as the session left it"
		case change.Hash != "":
			d.Evidence = "the session changed the file, which was changed again since"
		default:
			d.Evidence = "the session changed the file"
		}
		list = append(list, d)
	}
	return list
}

// lastCommit is when the file was last committed, of the commits that reflogs name; the zero time if in none.
func (a *Asker) lastCommit(path string) (t time.Time) {
	for hash, c := range a.linker.Commits {
		if c.Committed.After(t) && slices.Contains(a.repo.Files(hash), path) {
			t = c.Committed
		}
	}
	return t
}

// namesOf are the names that a session may have for a file of the repository.
func (a *Asker) namesOf(path string, s *session) (names []string) {
	local := filepath.FromSlash(path)
	names = []string{path, filepath.Join(s.work.Dir, local), filepath.Join(s.Project.Path, local)}
	for _, root := range a.repo.Worktrees() {
		names = append(names, filepath.Join(root, local))
	}
	return names
}
