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
	arch, err := a.viewArchive(ctx)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := a.digests(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	t, err := a.targetOf(ctx, arch, all, cmd.Args().First())
	if err != nil {
		return err
	}
	keys := map[*insight.Digest]int64{}
	for i := range all {
		keys[all[i].Digest] = all[i].Key
	}
	r := replay.Make(t.key, t.members(all), func(d *insight.Digest) (*trace.SessionTrace, error) { return arch.Trace(ctx, keys[d]) })
	if done, err := a.asJSON(cmd, r); done || err != nil {
		return err
	}
	out := a.screen(cmd)
	if err := showMarkdown(out, r.Markdown()); err != nil {
		return err
	}
	sayNext(out, "aburn remedy "+shellWord(cmp.Or(t.key, cmd.Args().First())))
	return nil
}
