// Package chosen reads from a command line which sessions of the archive a command is about, completes their names, and reads
// what is new of them first.
package chosen

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
)

// CallerOf is scope.CallerOf for questions about digests.
func CallerOf(a *kit.App, cmd *cli.Command) *lookup.Caller {
	c := &lookup.Caller{Caller: scope.CallerOf(a, cmd)}
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		a.PauseGC()
		return digests.Load(ctx, archive.Dir(a.Getenv), f, lookup.DigestProgress(c.Progress))
	}
	return c
}
