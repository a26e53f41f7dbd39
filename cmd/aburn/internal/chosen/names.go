package chosen

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/names"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/units"
)

// CompleteSessions completes the names of the sessions in the archive, the newest first.
func CompleteSessions(ctx context.Context, a *kit.App, cmd *cli.Command) {
	a.Completer(func(int) []string { return sessionCompletions(ctx, a.Getenv) })(ctx, cmd)
}

// sessionCompletions are the names of the newest sessions, each with its first prompt.
func sessionCompletions(ctx context.Context, env func(string) string) (list []string) {
	arch, err := archive.View(ctx, archive.Dir(env))
	if err != nil { // completion shows no error
		return nil
	}
	defer arch.Close()
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return nil
	}
	names := names.New(all)
	for i := range all[:min(len(all), 200)] {
		s := &all[i]
		if name := names.Of(s.Source, s.ID); !strings.ContainsAny(name, ":\n") {
			list = append(list, name+":"+plain.Cut(strings.ReplaceAll(plain.Line(units.Join(s.Source, s.Ask)), ":", " "), 60))
		}
	}
	return list
}
