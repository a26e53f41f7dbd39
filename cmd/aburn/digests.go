package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/internal/term"
)

// forAgent is what a command has to do with under `aburn mcp`, beside the texts that it prints.
type forAgent struct {
	data any // what --json would have printed
	kept *kept
}

// digests are the digests of the sessions that f chooses, the newest first. That some could not be read is a warning.
func (a *app) digests(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	a.leaveGarbage()
	load := func() ([]digests.Session, error) { return digests.Load(ctx, archive.Dir(a.env), f, a.digestProgress()) }
	if a.agent != nil {
		load = func() ([]digests.Session, error) { return a.agent.kept.load(ctx, archive.Dir(a.env), f) }
	}
	list, err := load()
	if unread := (*digests.Unreadable)(nil); errors.As(err, &unread) {
		a.warn("left out: "+unread.Error(), unread.Hint())
		return list, nil
	}
	if err != nil {
		return nil, viewError(err)
	}
	return list, nil
}

// untilTold is how long it may take until a person is told why.
const untilTold = time.Second

// digestProgress tells a person at a terminal how far a long first look is; nil for everybody else.
func (a *app) digestProgress() func(done, total int) {
	out := term.New(a.err, a.env, false)
	if !out.Terminal() {
		return nil
	}
	began := time.Now()
	return func(done, total int) {
		switch {
		case time.Since(began) < untilTold:
		case done == total:
			fmt.Fprint(out, "\r\x1b[K")
		default:
			fmt.Fprintf(out, "\rlooking at sessions for the first time: %s of %s", term.Count(int64(done)), term.Count(int64(total)))
		}
	}
}
