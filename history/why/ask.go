package why

import (
	"context"
	"time"

	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/history"
	"aburn/history/commits"
	"aburn/internal/plain"
)

// Limit is how many commits of a range or branch are answered, unless the question says otherwise.
const Limit = 20

// Answer is the answer about a file with its lines, or about commits.
type Answer struct {
	*File      `json:",omitempty"`
	Commits    []Commit `json:"commits"`
	More       bool     `json:"more"`
	Looked     Looked   `json:"looked"`
	Repository string   `json:"repository"`

	Unread int `json:"-"` // sessions that could not be read

	short   *names.Sessions
	shallow string // a commit at which the history of a shallow clone begins
	now     time.Time
}

// Ask answers about a file, line, commit, range or branch of the caller's repository. catchUp brings the archive up to date, once it is
// clear that the question makes sense. environ is what git gets.
func Ask(ctx context.Context, c *lookup.Caller, environ []string, word string, limit int, catchUp func() error) (*Answer, error) {
	folder, err := c.Folder()
	if err != nil {
		return nil, err
	}
	repo, err := commits.Open(ctx, folder, environ)
	if err != nil {
		return nil, err
	}
	target, err := repo.Target(ctx, folder, word, limit)
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
	hashes, blamed := target.Commits, []commits.Blamed(nil)
	if target.Path != "" {
		if blamed, err = repo.Blame(ctx, target.Path, target.From, target.To); err != nil {
			return nil, err
		}
		for _, b := range blamed {
			if b.Commit != "" {
				hashes = append(hashes, b.Commit)
			}
		}
	}
	asker, err := New(ctx, c, arch, repo, hashes)
	if err != nil {
		return nil, err
	}
	w := &Answer{Looked: asker.Looked(), Repository: repo.Root, More: target.More, Commits: []Commit{}, now: c.Now}
	if target.Path != "" {
		w.File = asker.File(ctx, target.Path, blamed)
		w.Commits = w.File.Commits
	} else {
		for _, hash := range hashes {
			w.Commits = append(w.Commits, asker.Commit(ctx, hash, ""))
		}
	}
	w.Unread = asker.Unreadable()
	for _, commit := range w.Commits {
		if repo.Shallow(commit.Hash) {
			w.shallow = commit.Hash
		}
	}
	w.short, err = names.Read(ctx, arch)
	return w, err
}

// Notes say what an answer can't know.
func (r *Answer) Notes() (list []string) {
	if r.shallow != "" {
		list = append(list, "the history of this clone begins at "+r.shallow[:10]+": older lines seem to come from it. git fetch --unshallow gets the rest")
	}
	if r.More {
		list = append(list, "stopped after "+plain.Plural(int64(len(r.Commits)), "commit")+": --limit shows more")
	}
	return list
}

// Found reports whether a session was found for anything.
func (r *Answer) Found() bool {
	if r.File != nil && len(r.File.Open) > 0 {
		return true
	}
	for i := range r.Commits {
		if len(r.Commits[i].Sessions) > 0 || r.Commits[i].Degree == history.Stated {
			return true
		}
	}
	return false
}
