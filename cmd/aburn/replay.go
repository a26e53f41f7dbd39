package main

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/replay"
	"aburn/trace"
)

func (a *app) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "open a shape of failure, or a session",
		ArgsUsage: "KEY|SESSION",
		Description: "The drill-down into the sessions that have a key of `aburn report` in common (f1-…, s1-…, e1-…, or 4 of its digits): their errors, tools and files, and how each\n" +
			"of the newest 10 began and first failed. Every claim names its session and event: `aburn show SESSION --raw EVENT` prints what it was read from. On a pipe it is\n" +
			"Markdown.\n\n" +
			"It reads what agents wrote to disk, and judges nothing. What the supervisor would have said to an old workflow log is `aburn supervisor backtest`.",
		Flags:         []cli.Flag{jsonFlag()},
		ArgValidator:  targetArgument,
		ShellComplete: a.completeTargets,
		Metadata: examples(
			"aburn replay e1-3fa9c41d20b7",
			"aburn replay 5b0c2f91 --json | jq '.errors[0]'",
		),
		Action: a.replay,
	}
}

func (a *app) replay(ctx context.Context, cmd *cli.Command) error {
	word := cmd.Args().First()
	r, err := replayOf(ctx, a.caller(cmd), word)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.printJSON(r)
	}
	out := a.screen(cmd)
	if err := showMarkdown(out, r.Markdown()); err != nil {
		return err
	}
	sayNext(out, "aburn remedy "+shellWord(cmp.Or(r.Key, word)))
	return nil
}

// replayOf opens what a word means: a key, or a session.
func replayOf(ctx context.Context, c *caller, word string) (*replay.Replay, error) {
	if word == "" {
		return nil, noTarget()
	}
	arch, err := viewArchive(ctx, c.Env)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	t, err := targetOf(ctx, arch, all, word)
	if err != nil {
		return nil, err
	}
	keys := map[*insight.Digest]int64{}
	for i := range all {
		keys[all[i].Digest] = all[i].Key
	}
	return replay.Make(t.key, t.members(all), func(d *insight.Digest) (*trace.SessionTrace, error) { return arch.Trace(ctx, keys[d]) }), nil
}
