// Package costs is the commands about money: aburn cost, its check against agents' own counts, and aburn cost prices.
package costs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/history/commits"

	_ "time/tzdata"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/cost/spend"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/trace"
)

// --timezone works on systems without zones of their own

func CostCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "cost",
		Usage:     "show what sessions cost at list prices",
		UsageText: "aburn cost [options] [today|week|month|sessions|projects|models]",
		Description: "Shows the cost of each day, or of each session, project or model. today lists the sessions of today, week and month the days of\n" +
			"this week and of this month. A session includes its sub-agents. --wide shows the tokens by kind.\n\n" +
			"Costs are at the vendors' list prices. They aren't your bill: a subscription has its own price. ~ marks an\n" +
			"amount that isn't exact: tokens have no price, or a price is in doubt. `aburn cost prices` and --json say which.\n\n" +
			"Each answer of a model counts once, on the local day on which it came. Answers that a fork inherited count for its parent.\n" +
			"The setting cost.billing says how you pay for an agent. cost.currency shows another currency, at a rate that you write.\n\n" +
			"A block is five hours of one agent's answers, from the full hour of the first one. Blocks are estimated, because agents don't say when\n" +
			"a past window of a plan began. --check compares each session with the costs that agents state in their own records.",
		Commands: []*cli.Command{pricesCommand(a)},
		Flags: kit.OwnFlags(append(chosen.AnswerFlags(),
			&cli.StringFlag{Name: "by", Usage: "one line for each `WHAT`: " + strings.Join(fault.Strings(cost.Bys...), ", "), Value: string(cost.ByDay)},
			&cli.StringFlag{Name: "relationship", Usage: "only sessions that are a `KIND`: " + strings.Join(lookup.Relations(), ", ")},
			&cli.StringFlag{Name: "model", Usage: "only answers of models whose name contains `TEXT`"},
			&cli.StringFlag{Name: "timezone", Usage: "days of this `ZONE`: UTC, Europe/Berlin (default: the computer's)"},
			&cli.BoolFlag{Name: "breakdown", Usage: "also one line for each model"},
			&cli.BoolFlag{Name: "wide", Aliases: []string{"w"}, Usage: "all columns: agents, answers, tokens by kind"},
			&cli.StringFlag{Name: "prices", Usage: "also use the prices in `FILE`, before all others", TakesFile: true},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "only `N` lines: the latest, or the dearest; 0 for all (default " + strconv.Itoa(costRows) +
				", with --json and --csv all)"},
			&cli.BoolFlag{Name: "check", Usage: "compare with the costs that agents state in their own records"},
			&cli.BoolFlag{Name: "csv", Usage: "comma-separated values"},
			kit.JSONFlag(),
		)),
		ArgValidator: costArguments,
		Metadata: kit.Examples(
			"aburn cost today",
			"aburn cost sessions --since 'last week'",
			"aburn cost sessions --relationship subagent --limit 1  # the sub-agent that cost most",
			"aburn cost projects --wide",
			"aburn cost monthly --breakdown",
			"aburn cost --by model --json | jq '.rows[].usd'",
		),
		Action: a.Action(runCost),
		ShellComplete: a.Completer(func(n int) []string {
			if n > 0 {
				return nil
			}
			return reports()
		}, kit.FlagCandidates{"by": func() []string { return fault.Strings(cost.Bys...) }, "relationship": lookup.Relations}),
	}
}

func runCost(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	a.PauseGC()
	q := queryOf(cmd)
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
	case answer.None && (answer.Archived == 0 || !isPeriod(cmd)):
		chosen.NoteNone(ctx, a, answer.Archived, "session")
		return nil
	case len(answer.Groups) == 0 && isPeriod(cmd):
		a.Note("nothing was spent " + thisPeriod(cmd))
		a.Hint("aburn cost  # the days that cost something")
		return nil
	case len(answer.Groups) == 0:
		a.Note("no answer of a model matches")
		return nil
	}
	v := costView{CostAnswer: answer, out: a.Screen(cmd), wide: cmd.Bool("wide"), breakdown: cmd.Bool("breakdown")}
	hidden, err := v.show(limit(cmd))
	if err == nil && hidden > 0 {
		a.Note(fmt.Sprintf("%s not shown: --limit 0 shows all", plain.Plural(int64(hidden), "more line is", "more lines are")))
	}
	return err
}

// costRows is the default of --limit: they fit on a screen.
const costRows = 30

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
	apart   bool // only sub-agents are chosen: each has a line of its own
	// sessions are the archive's sessions by source/id, if the groups are sessions.
	sessions map[string]session
	commits  *committed // if the groups are commits
}

// session is what is known of a session apart from its cost. Root is the source/id of the session at the head of its sub-agents.
type session struct {
	Root, Short, Ask string
	Parent           string // the source/id of the session that started it, "" if it is no sub-agent
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
	var repo *commits.Repo
	if q.By == cost.ByCommit {
		if repo, err = repositoryOf(ctx, c); err != nil {
			return nil, err
		}
		if q.Project == "" {
			q.Project = repo.Main()
		}
	}
	c.Now = c.Now.In(zone) // so that a day of --since is a day of the zone
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	answer := &CostAnswer{apart: filter.Relation == trace.Subagent, By: q.By, Zone: zone, Now: c.Now, Since: filter.Since, Until: filter.Until, Prices: prices}
	if repo != nil {
		if answer.commits, err = committedIn(ctx, c, arch, repo); err != nil {
			return nil, err
		}
	}
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
		if err := answer.nameSessions(ctx, arch, units); err != nil {
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
			if answer.commits != nil {
				use.Commit = answer.commits.of(use.Root, a.Time)
			}
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
type unit struct{ session, root, parent, agent, project, outcome string }

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
		all[i] = unit{session: name, root: rootOf(name, above), parent: above[name], agent: s.Source, project: s.Project, outcome: outcomes[s.Key]}
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

// nameSessions names all sessions of the archive: the head of a chosen sub-agent need not be chosen.
func (answer *CostAnswer) nameSessions(ctx context.Context, arch *archive.Archive, units map[int64]*unit) error {
	list, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	short := names.New(list)
	answer.sessions = make(map[string]session, len(list))
	for i := range list {
		s := &list[i]
		name := s.Source + "/" + s.ID
		known := session{Root: name, Short: short.Of(s.Source, s.ID), Ask: s.Ask, Project: s.Project.Key, End: s.End}
		if u := units[s.Key]; u != nil {
			known.Root, known.Parent = u.root, u.parent
		}
		answer.sessions[name] = known
	}
	return nil
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
