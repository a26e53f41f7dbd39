// Package costs is the commands about money: aburn cost, its check against agents' own counts, and aburn prices.
package costs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"

	_ "time/tzdata"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/cost/spend"
	"aburn/internal/fault"
	"aburn/trace"
)

// --timezone works on systems without zones of their own

// words are what ccusage calls its reports; users' fingers know them.
var words = map[string]cost.By{"daily": cost.ByDay, "weekly": cost.ByWeek, "monthly": cost.ByMonth, "session": cost.BySession, "blocks": cost.ByBlock}

func CostCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "cost",
		Usage:     "show what sessions cost at list prices",
		ArgsUsage: "[daily|weekly|monthly|session|blocks]",
		Description: "Prices every answer of a model that an archived session was billed for, each once: what a fork inherited is its parent's, and a " +
			"sub-agent's answers are\n" +
			"its own. An answer belongs to the local day on which it came. Prices are list prices, not your bill: a subscription costs what it costs.\n" +
			"The setting cost.billing says how you pay for an agent. An amount is a \"list price\" if you pay by use, else an \"API value\".\n" +
			"cost.currency shows amounts in another currency, at a rate that you write.\n\n" +
			"~ marks an amount that isn't exact: tokens have no price, the life of a cache write is unknown, or nobody saw the price at its vendor. `aburn prices`\n" +
			"and --json say which. Tokens without a price stand next to the amount, and never count as 0.\n\n" +
			"A block is five hours of one agent's answers, from the full hour of its first one. When a plan's past windows began is not known, so blocks are " +
			"estimated.\n\n" +
			"--check reads whole sessions, which takes seconds. It compares each session and its sub-agents with what Claude Code's cost records, or every " +
			"answer, state.",
		Flags: append(chosen.AnswerFlags(),
			&cli.StringFlag{Name: "by", Usage: "one line for each `WHAT`: " + strings.Join(fault.Strings(cost.Bys...), ", "), Value: string(cost.ByDay)},
			&cli.StringFlag{Name: "model", Usage: "only answers of models whose name contains `TEXT`"},
			&cli.StringFlag{Name: "timezone", Usage: "days of this `ZONE`: UTC, Europe/Berlin (default: the computer's)"},
			&cli.BoolFlag{Name: "breakdown", Usage: "also one line for each model"},
			&cli.StringFlag{Name: "prices", Usage: "also use the prices in `FILE`; they win", TakesFile: true},
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines: the latest, or the dearest; 0 for all (default " + strconv.Itoa(costRows) +
				", with --json and --csv all)"},
			&cli.BoolFlag{Name: "check", Usage: "compare with the costs that agents state in their own records"},
			&cli.BoolFlag{Name: "csv", Usage: "comma-separated values"},
			kit.JSONFlag(),
		),
		ArgValidator: costArguments,
		Metadata: kit.Examples(
			"aburn cost",
			"aburn cost monthly --breakdown",
			"aburn cost --by project --since 7d",
			"aburn cost --by model --json | jq '.rows[].usd'",
		),
		Action:        a.Action(runCost),
		ShellComplete: a.Completer(func(int) []string { return reports }),
	}
}

// reports are the words for --by that other tools have.
var reports = []string{"daily", "weekly", "monthly", "session", "blocks"}

func costArguments(_ context.Context, cmd *cli.Command) error {
	switch arg := cmd.Args().First(); {
	case cmd.NArg() > 1:
		return fault.Usage("only one report at a time", "aburn cost daily")
	case arg != "" && words[arg] == "":
		return fault.Usage("unknown report "+fault.Quote(arg), append(fault.DidYouMean(arg, reports), "aburn cost ["+strings.Join(reports, "|")+"]",
			"aburn cost --by project")...)
	case arg != "" && cmd.IsSet("by"):
		return fault.Usage("only one of "+arg+" and --by", "aburn cost "+arg)
	case cmd.Int("limit") < 0:
		return fault.Usage("--limit: must not be negative")
	case cmd.Bool("csv") && cmd.Bool("json"):
		return fault.Usage("only one of --csv and --json")
	}
	return checkArguments(cmd)
}

func runCost(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	a.PauseGC()
	q := CostQuery{Choice: chosen.ChoiceOf(cmd), By: cmp.Or(words[cmd.Args().First()], cost.By(cmd.String("by"))), Model: cmd.String("model"),
		Zone: cmd.String("timezone"), PriceFile: cmd.String("prices")}
	if err := chosen.CatchUp(ctx, a, cmd, q.Choice); err != nil {
		return err
	}
	if cmd.Bool("check") {
		return runCostCheck(ctx, a, cmd)
	}
	answer, err := CostOf(ctx, chosen.CallerOf(a, cmd), q)
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return a.PrintJSON(costJSON(answer, cmd.Bool("breakdown")))
	case cmd.Bool("csv"):
		return costCSV(a.Stdout, answer, cmd.Bool("breakdown"))
	case answer.None:
		chosen.NoteNone(ctx, a, answer.Archived, "session")
		return nil
	case len(answer.Groups) == 0:
		a.Note("no answer of a model matches")
		return nil
	}
	return showCost(a.Screen(cmd), answer, cmd.Bool("breakdown"), limit(cmd))
}

// costRows is the default of --limit.
const costRows = 60

func limit(cmd *cli.Command) int {
	if cmd.IsSet("limit") {
		return cmd.Int("limit")
	}
	return costRows
}

// CostQuery asks what sessions cost. Since and Until of the Choice bound the answers, not the sessions.
type CostQuery struct {
	lookup.Choice
	By        cost.By
	Model     string // a part of the model's name
	Zone      string // IANA name; empty is the caller's
	PriceFile string
}

// CostAnswer is what the chosen answers cost.
type CostAnswer struct {
	By           cost.By
	Zone         *time.Location
	Now          time.Time
	Since, Until time.Time
	Groups       []*cost.Group
	Total        *cost.Group
	Prices       *cost.Prices
	Billing      bill.Billing
	Currency     *bill.Currency
	Agents       []string // whose answers these are, by name
	None         bool     // no session was chosen
	Archived     int      // sessions in the archive; counted only if None
	// Failed is what of today's is in sessions that failed, if the groups are days.
	Failed FailedToday
	// Present is how much of budgets and of plans' windows is used up, whatever was chosen.
	Present spend.State
	every   bool // the sessions are all of the archive's
	// sessions are the chosen sessions by source/id, if the groups are sessions.
	sessions map[string]session
}

// session is what is said of a session beside its cost.
type session struct {
	Root, Short, Ask string
	Project          string
	End              time.Time
}

// CostOf answers a query.
func CostOf(ctx context.Context, c *lookup.Caller, q CostQuery) (*CostAnswer, error) {
	if _, err := lookup.CheckWord("by", string(q.By), fault.Strings(cost.Bys...)); err != nil {
		return nil, err
	}
	zone, err := ZoneNamed(q.Zone, c.Now.Location())
	if err != nil {
		return nil, err
	}
	prices, err := bill.PricesOf(c.Caller, q.PriceFile)
	if err != nil {
		return nil, err
	}
	c.Now = c.Now.In(zone) // so that a day of --since is a day of the zone
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	answer := &CostAnswer{By: q.By, Zone: zone, Now: c.Now, Since: filter.Since, Until: filter.Until, Prices: prices}
	filter.Until = time.Time{} // a session that ended later has earlier answers
	present, err := answer.collect(ctx, c, arch, q, prices)
	if err != nil {
		return nil, err
	}
	n, err := tally(ctx, c, arch, filter, q, answer, present)
	if err == nil {
		answer.Present, err = present.State(c.Caller, arch)
	}
	if err == nil && n == 0 {
		answer.None = true
		answer.Archived, err = lookup.CountArchived(ctx, arch)
	}
	return answer, err
}

// collect makes the collector of the present. Only where all sessions are chosen does the tally go through all answers, so
// that it can collect, too.
func (answer *CostAnswer) collect(ctx context.Context, c *lookup.Caller, arch *archive.Archive, q CostQuery, prices *cost.Prices) (col *spend.Collector,
	err error) {
	if q.PriceFile != "" { // budgets are told at the prices that always count
		if prices, err = bill.PricesOf(c.Caller, ""); err != nil {
			return nil, err
		}
	}
	set := bill.SettingsOf(c.Caller)
	answer.Billing, answer.Currency = set.Billing, bill.CurrencyOf(set)
	col = spend.NewCollector(c.Caller, set, prices, true)
	if answer.every = q.Choice == (lookup.Choice{}) && c.Within == ""; answer.every {
		return col, nil
	}
	return col, col.AddAll(ctx, arch)
}

// ZoneNamed is the zone of --timezone, local without one.
func ZoneNamed(name string, local *time.Location) (*time.Location, error) {
	if name == "" {
		return local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fault.Usage("--timezone: unknown time zone "+fault.Quote(name), "--timezone Europe/Berlin", "--timezone UTC")
	}
	return zone, nil
}

// tally prices the answers of the sessions that the filter chooses, and returns how many sessions that are.
func tally(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, q CostQuery, answer *CostAnswer,
	present *spend.Collector) (sessions int, err error) {
	units, err := unitsOf(ctx, c, arch, filter, q.By)
	if err != nil {
		return 0, err
	}
	if q.By == cost.BySession {
		if err := answer.nameSessions(ctx, arch, filter, units); err != nil {
			return 0, err
		}
	}
	agents := map[string]bool{}
	today := newToday(answer)
	t := cost.NewTally(answer.Prices, q.By, answer.Zone)
	chosen := func(key int64) bool { return units[key] != nil }
	err = arch.EachAnswers(ctx, chosen, func(key int64, list []archive.Answer) error {
		use, counts := units[key].use(), false
		hides := bill.HidesCacheWrites(use.Agent, list)
		for i := range list {
			a := &list[i]
			if answer.every && !a.Time.Before(present.From) {
				r := bill.ResponseOf(a, hides)
				present.Add(use.Agent, use.Project, &r)
			}
			if outside(a.Time, answer.Since, answer.Until) || !strings.Contains(a.Model, q.Model) {
				continue
			}
			use.Response, use.Branch = bill.ResponseOf(a, hides), a.Branch
			t.Add(&use)
			today.add(key, &use)
			counts = true
		}
		if counts {
			agents[use.Agent] = true
		}
		return nil
	})
	answer.Groups, answer.Total = t.Groups()
	answer.Agents = slices.Sorted(maps.Keys(agents))
	if err == nil {
		answer.Failed, err = today.failed(ctx, c, units)
	}
	return len(units), err
}

// outside reports whether a time is not within bounds. An unknown time is outside of any.
func outside(t, since, until time.Time) bool {
	return !since.IsZero() && t.Before(since) || !until.IsZero() && (t.IsZero() || !t.Before(until))
}

// unit is what the answers of a session are grouped by.
type unit struct{ session, root, agent, project, outcome string }

func (u *unit) use() cost.Use {
	return cost.Use{Session: u.session, Root: u.root, Agent: u.agent, Project: u.project, Outcome: u.outcome}
}

// unitsOf returns what the answers of each chosen session are grouped by, by the session's key.
func unitsOf(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, by cost.By) (map[int64]*unit, error) {
	list, err := arch.Outlines(ctx, filter)
	if err != nil {
		return nil, err
	}
	ties, err := arch.Ties(ctx)
	if err != nil {
		return nil, err
	}
	parents := map[int64]string{}
	for i := range ties {
		if r := &ties[i]; r.Kind == trace.Subagent && r.Related != "" {
			parents[r.Key] = r.Source + "/" + r.Related
		}
	}
	outcomes := map[int64]string{}
	if by == cost.ByOutcome {
		if outcomes, err = outcomesOf(ctx, c, filter); err != nil {
			return nil, err
		}
	}
	above, all, units := make(map[string]string, len(parents)), make([]unit, len(list)), make(map[int64]*unit, len(list))
	for i := range list {
		if parent := parents[list[i].Key]; parent != "" {
			above[list[i].Source+"/"+list[i].ID] = parent
		}
	}
	for i := range list {
		s := &list[i]
		name := s.Source + "/" + s.ID
		all[i] = unit{session: name, root: rootOf(name, above), agent: s.Source, project: s.Project, outcome: outcomes[s.Key]}
		units[s.Key] = &all[i]
	}
	return units, nil
}

// rootOf follows the parents of a session. A ring of parents, which only a damaged store has, ends at its first session.
func rootOf(name string, above map[string]string) string {
	for range len(above) + 1 {
		parent, ok := above[name]
		if !ok {
			break
		}
		name = parent
	}
	return name
}

func (answer *CostAnswer) nameSessions(ctx context.Context, arch *archive.Archive, filter archive.Filter, units map[int64]*unit) error {
	list, err := arch.Sessions(ctx, filter)
	if err != nil {
		return err
	}
	names, err := names.Read(ctx, arch)
	answer.sessions = make(map[string]session, len(list))
	for i := range list {
		s := &list[i]
		u := units[s.Key]
		answer.sessions[u.session] = session{Root: u.root, Short: names.Of(s.Source, s.ID), Ask: s.Ask, Project: s.Project.Key, End: s.End}
	}
	return err
}

func outcomesOf(ctx context.Context, c *lookup.Caller, filter archive.Filter) (map[int64]string, error) {
	list, err := c.Digests(ctx, filter)
	if err != nil {
		return nil, err
	}
	outcomes := make(map[int64]string, len(list))
	for i := range list {
		outcomes[list[i].Key] = string(list[i].Verdict.Outcome)
	}
	return outcomes, nil
}
