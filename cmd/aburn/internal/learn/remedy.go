package learn

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/queries"
	"aburn/insight/remedy"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func RemedyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "remedy",
		Usage:     "show what fixed a comparable failure before",
		ArgsUsage: "[KEY|SESSION]",
		Description: "Shows a known fix if an error of the session matches a rule. Otherwise it shows sessions that completed with the same classes of\n" +
			"errors, and what changed in them. That isn't a fix (medium confidence from 3 sessions on, low below). If nothing is comparable,\n" +
			"it says so. Numbers are counts of sessions. Evidence is paths, actions, line counts and hashes. KEY is a key of `aburn report`,\n" +
			"whole or 4 of its digits. On a pipe it is Markdown.\n\n" +
			"--applied records that you tried something against the failure with this key. From then on `aburn report` shows how often the\n" +
			"failure came before and after.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "current", Usage: "use the session that asks, else the newest running one here"},
			&cli.StringFlag{Name: "applied", Usage: "record that a remedy was tried against the failure with this `KEY`"},
			&cli.StringFlag{Name: "note", Usage: "what was tried: a line of `TEXT`, with --applied"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator:  remedyArguments,
		ShellComplete: a.Completion(chosen.CompleteTargets),
		Metadata: kit.Examples(
			"aburn remedy 5b0c2f91",
			"aburn remedy --current --json | jq .tier",
			"aburn remedy --applied e1-3fa9 --note \"pinned node 22\"",
		),
		Action: a.Action(runRemedy),
	}
}

func remedyArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("applied") && (cmd.NArg() > 0 || cmd.Bool("current")):
		return fault.Usage("--applied takes a key, and neither a session nor --current")
	case cmd.IsSet("applied") && strings.TrimSpace(cmd.String("note")) == "":
		return fault.Usage("--applied needs a note of what was tried", "aburn remedy --applied "+cmd.String("applied")+` --note "pinned node 22"`)
	case cmd.IsSet("note") && !cmd.IsSet("applied"):
		return fault.Usage("--note goes with --applied")
	case cmd.Bool("current") && cmd.NArg() > 0:
		return fault.Usage("--current takes no session")
	case cmd.IsSet("applied") || cmd.Bool("current"):
		return nil
	case cmd.NArg() == 0:
		return fault.Usage("name one key or session", "aburn remedy --current", "aburn report")
	}
	return chosen.TargetArgument(ctx, cmd)
}

func runRemedy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	if cmd.IsSet("applied") {
		return runApplyRemedy(ctx, a, cmd)
	}
	answer, err := queries.RemedyOf(ctx, chosen.CallerOf(a, cmd), queries.RemedyQuery{Target: cmd.Args().First(), Current: cmd.Bool("current")})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(answer)
	}
	out := a.Screen(cmd)
	if err := term.ShowMarkdown(out, answer.Markdown()); err != nil {
		return err
	}
	term.PrintNextSteps(out, remedySteps(&answer.Subject)...)
	return nil
}

// remedySteps are the next commands about a failure: look at it, note what was tried.
func remedySteps(s *remedy.Subject) []string {
	key := cmp.Or(s.Key, s.Fine, s.Coarse)
	if !s.Verdict.Failing() || s.Live || key == "" {
		return nil
	}
	return []string{"aburn replay " + key, "aburn remedy --applied " + key + ` --note "what you tried"`}
}

func runApplyRemedy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	r, err := queries.RecordRemedy(ctx, chosen.CallerOf(a, cmd), cmd.String("applied"), cmd.String("note"))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	return term.ShowMarkdown(a.Screen(cmd), "Recorded that a remedy was tried against "+r.Key+", which "+
		plain.Plural(int64(r.Failing), "failed session has", "failed sessions have")+
		". From now on `aburn report` shows how often it came before and after.\n")
}
