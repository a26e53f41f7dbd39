package costs

import (
	"context"
	"os"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/history/commits"
	"aburn/history/why"
)

// committed says which commit each answer went into: the next one that its session made. A commit that was rewritten counts under its
// newest name, and a squash has the answers of all its parts.
type committed struct {
	made     map[string][]why.Made // by session
	subjects map[string]string     // by hash
}

// repositoryOf is the repository around the caller.
func repositoryOf(ctx context.Context, c *lookup.Caller) (*commits.Repo, error) {
	folder, err := c.Folder()
	if err != nil {
		return nil, err
	}
	return commits.Open(ctx, folder, os.Environ())
}

func committedIn(ctx context.Context, c *lookup.Caller, arch *archive.Archive, repo *commits.Repo) (*committed, error) {
	asker, err := why.New(ctx, c, arch, repo, nil)
	if err != nil {
		return nil, err
	}
	list := &committed{asker.Made(), map[string]string{}}
	for _, made := range list.made {
		for _, m := range made {
			list.subjects[m.Now] = m.Subject
		}
	}
	return list, nil
}

// of is the commit that an answer of a session went into, "" if the session made none after it. Git's times are whole seconds.
func (c *committed) of(session string, at time.Time) string {
	for _, m := range c.made[session] {
		if !at.Truncate(time.Second).After(m.Time) {
			return m.Now
		}
	}
	return ""
}
