package costs

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/chosen"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

// reportWord is a report that a word asks for: what is on a line, and since when answers count; "" for all.
type reportWord struct {
	word  string
	by    cost.By
	since string
}

// reportWords are the reports of aburn cost. A period is one that is still running. Users of ccusage know daily, weekly, monthly,
// session and blocks.
func reportWords() []reportWord {
	return []reportWord{
		{"today", cost.BySession, "today"}, {"week", cost.ByDay, "this week"}, {"month", cost.ByDay, "this month"},
		{"sessions", cost.BySession, ""}, {"projects", cost.ByProject, ""}, {"models", cost.ByModel, ""}, {"agents", cost.ByAgent, ""},
		{"branches", cost.ByBranch, ""}, {"commits", cost.ByCommit, ""}, {"outcomes", cost.ByOutcome, ""},
		{"daily", cost.ByDay, ""}, {"weekly", cost.ByWeek, ""}, {"monthly", cost.ByMonth, ""}, {"session", cost.BySession, ""}, {"blocks", cost.ByBlock, ""},
	}
}

func reports() (words []string) {
	for _, r := range reportWords() {
		words = append(words, r.word)
	}
	return words
}

// reportOf is the report that the command line asks for, the empty one if it names none.
func reportOf(cmd *cli.Command) reportWord {
	for _, r := range reportWords() {
		if r.word == cmd.Args().First() {
			return r
		}
	}
	return reportWord{}
}

func isPeriod(cmd *cli.Command) bool { return reportOf(cmd).since != "" }

func thisPeriod(cmd *cli.Command) string { return reportOf(cmd).since }

func costArguments(_ context.Context, cmd *cli.Command) error {
	switch arg, r := cmd.Args().First(), reportOf(cmd); {
	case cmd.NArg() > 1:
		return fault.Usage("only one report at a time", "aburn cost daily")
	case arg != "" && r.word == "":
		hint := "aburn cost [" + strings.Join(reports(), "|") + "]"
		if near := plain.Nearest(arg, reports()); near != "" {
			hint = "did you mean aburn cost " + near + "?"
		}
		return fault.Usage("unknown report "+fault.Quote(arg), hint)
	case arg != "" && r.since == "" && cmd.IsSet("by"):
		return fault.Usage("only one of "+arg+" and --by", "aburn cost "+arg)
	case r.since != "" && (cmd.IsSet("since") || cmd.IsSet("until")):
		return fault.Usage(arg+" takes neither --since nor --until", "aburn cost --since 'last week'")
	case cmd.Int("limit") < 0:
		return fault.Usage("--limit: must not be negative")
	case cmd.Bool("csv") && cmd.Bool("json"):
		return fault.Usage("only one of --csv and --json")
	}
	return checkArguments(cmd)
}

// queryOf is what the command line asks.
func queryOf(cmd *cli.Command) CostQuery {
	q := CostQuery{Choice: chosen.ChoiceOf(cmd), By: cost.By(cmd.String("by")), Model: cmd.String("model"), Zone: cmd.String("timezone"),
		PriceFile: cmd.String("prices")}
	if r := reportOf(cmd); r.word != "" {
		q.Since = cmp.Or(r.since, q.Since)
		if !cmd.IsSet("by") {
			q.By = r.by
		}
	}
	return q
}
