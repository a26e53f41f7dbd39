package chosen

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
)

// TargetArgument requires exactly one argument, a key or session.
func TargetArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return lookup.NoTarget()
	}
	return nil
}

// CompleteTargets completes the keys of failing sessions, the most frequent first, then sessions.
func CompleteTargets(ctx context.Context, a *kit.App, cmd *cli.Command) {
	keys := func() []string { return keyCompletions(ctx, a.Getenv) }
	a.Completer(func(int) []string { return append(keys(), sessionCompletions(ctx, a.Getenv)...) }, kit.FlagCandidates{"applied": keys})(ctx, cmd)
}

// keyPatience is how long completion waits for digests to be made.
const keyPatience = time.Second

func keyCompletions(ctx context.Context, env func(string) string) (list []string) {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	all, err := digests.Load(ctx, archive.Dir(env), archive.Filter{}, nil)
	if err != nil { // completion shows no error
		return nil
	}
	count := map[string]int{}
	for i := range all {
		if !all[i].Verdict.Failing() || all[i].Live {
			continue
		}
		k := &all[i].Keys
		for _, key := range [...]string{k.Coarse, k.Sub, k.Fine} {
			if key != "" {
				count[key]++
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x, y)) })
	for _, key := range keys[:min(len(keys), 50)] {
		list = append(list, key+":"+plain.Plural(int64(count[key]), "failing session"))
	}
	return list
}
