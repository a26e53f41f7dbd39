package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// caller is who asks a question, as far as the answer depends on it: a command that a person runs, or an agent's question to
// `aburn mcp`. Answers are worked out from a query and a caller, and printed by somebody else.
type caller struct {
	Dir      string // the folder that the question is about
	Env      func(string) string
	Now      time.Time
	Warn     warner
	Progress *term.Out // shows how far long work is, if it is a terminal
	// Load is digests.Load of the caller's archive, or what remembers it.
	Load func(context.Context, archive.Filter) ([]digests.Session, error)
}

// warner takes what went wrong beside an answer, and what can be done about it.
type warner func(msg string, hints ...string)

// caller is this command as the caller of the function that answers it.
func (a *app) caller(cmd *cli.Command) *caller {
	c := &caller{Dir: cmd.String("C"), Env: a.env, Now: time.Now(), Warn: a.warn, Progress: term.New(a.err, a.env, true)}
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		a.leaveGarbage()
		return digests.Load(ctx, archive.Dir(a.env), f, digestProgress(c.Progress))
	}
	return c
}

// folder is the absolute path of the folder that the question is about.
func (c *caller) folder() (string, error) { return existingFolder(c.Dir) }

// digests are the digests of the sessions that f chooses, the newest first. Those that cannot be read are a warning.
func (c *caller) digests(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
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

// digestProgress shows on a terminal how far a long first look is; nil where nobody sees it.
func digestProgress(out *term.Out) func(done, total int) {
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
			fmt.Fprintf(out, "\rlooking at sessions for the first time: %s of %s", plain.Count(int64(done)), plain.Count(int64(total)))
		}
	}
}
