// Package lookup finds the sessions of the archive that a question is about: by flags' words, by a name or a key, with the
// verdict on each. It reads what is new first where somebody waits. It prints no answer.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

// Caller is a workspace.Caller that asks about digests of sessions.
type Caller struct {
	*workspace.Caller
	// Load is digests.Load on the caller's archive, or a cache of it.
	Load func(context.Context, archive.Filter) ([]digests.Session, error)
}

// Digests are the digests of the sessions that f chooses, the newest first. It warns of those that cannot be read.
func (c *Caller) Digests(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	list, err := c.Load(ctx, f)
	if unread := (*digests.Unreadable)(nil); errors.As(err, &unread) {
		c.Warn("left out: "+unread.Error(), unread.Hint())
		return list, nil
	}
	if err != nil {
		return nil, viewError(err)
	}
	return list, nil
}

// progressAfter is how long a person waits before progress is shown.
const progressAfter = time.Second

// DigestProgress shows the progress of making digests; nil if out is no terminal.
func DigestProgress(out *term.Out) func(done, total int) {
	if !out.Terminal() {
		return nil
	}
	began := time.Now()
	return func(done, total int) {
		switch {
		case time.Since(began) < progressAfter:
		case done == total:
			fmt.Fprint(out, "\r\x1b[K")
		default:
			fmt.Fprintf(out, "\rreading sessions for the first time: %s of %s", plain.Count(int64(done)), plain.Count(int64(total)))
		}
	}
}
