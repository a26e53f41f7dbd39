package costs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// CostCheck compares costs with what agents state in their own records.
type CostCheck struct {
	// Sessions were billed, or have a cost stated; each with its sub-agents.
	Sessions int `json:"sessions"`
	Compared int `json:"compared"`
	Equal    int `json:"equal"`
	// More and Less count sessions of which the agent states more or less than the price table says.
	More int `json:"more"`
	Less int `json:"less"`
	// Below counts sessions of which only a lower bound is known, and of which the agent states no less.
	Below int `json:"lower_bound"`
	// Unstated counts sessions by agent whose records state no cost.
	Unstated    map[string]int   `json:"unstated"`
	Differences []costDifference `json:"differences"` // the largest first

	archived int // sessions in the archive
}

type costDifference struct {
	Name    string  `json:"name"` // source/id
	Short   string  `json:"session"`
	USD     string  `json:"usd"`
	AtLeast bool    `json:"at_least"`
	Stated  float64 `json:"stated_usd"`

	sum    cost.Sum
	beyond float64 // how much more is stated
}

// checkConflicts are flags that ask how `aburn cost` groups and prints.
var checkConflicts = []string{"by", "model", "breakdown", "csv", "timezone"}

func checkArguments(cmd *cli.Command) error {
	if !cmd.Bool("check") {
		return nil
	}
	for _, flag := range checkConflicts {
		if cmd.IsSet(flag) {
			return fault.Usage("--check takes no --"+flag, "aburn cost --check --json")
		}
	}
	if cmd.NArg() > 0 {
		return fault.Usage("--check takes no "+cmd.Args().First(), "aburn cost --check")
	}
	return nil
}

func runCostCheck(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := chosen.CallerOf(a, cmd)
	check, err := checkCosts(ctx, c, chosen.ChoiceOf(cmd), cmd.String("prices"))
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return a.PrintJSON(check)
	case check.Sessions == 0 && check.archived == 0:
		chosen.NoteNone(ctx, a, 0, "session")
		return nil
	}
	return check.show(a.Screen(cmd), limit(cmd))
}

// checkCosts reads the traces of the chosen sessions: only they hold what a source states of a whole session.
func checkCosts(ctx context.Context, c *lookup.Caller, choice lookup.Choice, priceFile string) (*CostCheck, error) {
	prices, err := bill.PricesOf(c.Caller, priceFile)
	if err != nil {
		return nil, err
	}
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	units, err := unitsOf(ctx, c, arch, archive.Filter{}, cost.ByAgent)
	if err != nil {
		return nil, err
	}
	sums, err := sumsByHead(ctx, arch, units, prices)
	if err != nil {
		return nil, err
	}
	names, err := names.Read(ctx, arch)
	if err != nil {
		return nil, err
	}
	list, err := arch.Outlines(ctx, filter)
	check := &CostCheck{Unstated: map[string]int{}, Differences: []costDifference{}, archived: len(units)}
	for i := range list {
		s := &list[i]
		if u := units[s.Key]; u == nil || u.root != u.session {
			continue
		}
		t, err := arch.Trace(ctx, s.Key)
		if err != nil {
			c.Warn("not compared: "+s.Source+"/"+s.ID+": "+err.Error(), "aburn ingest --check")
			continue
		}
		head := sums[units[s.Key].session]
		if head == nil {
			head = &headCost{}
		}
		stated, ok := t.StatedCost()
		if !ok {
			stated, ok = head.stated, head.Responses > 0 && head.unstated == 0
		}
		check.add(costDifference{Name: s.Source + "/" + s.ID, Short: names.Of(s.Source, s.ID), Stated: stated, sum: head.Sum}, s.Source, ok)
	}
	slices.SortStableFunc(check.Differences, func(a, b costDifference) int {
		return cmp.Or(cmp.Compare(math.Abs(b.beyond), math.Abs(a.beyond)), strings.Compare(a.Name, b.Name))
	})
	return check, err
}

// headCost is what a session was billed for with its sub-agents.
type headCost struct {
	cost.Sum
	stated   float64 // dollars that its answers state
	unstated int     // answers that state none
}

func sumsByHead(ctx context.Context, arch *archive.Archive, units map[int64]*unit, prices *cost.Prices) (map[string]*headCost, error) {
	sums := map[string]*headCost{}
	chosen := func(key int64) bool { return units[key] != nil }
	return sums, arch.EachAnswers(ctx, chosen, func(key int64, list []archive.Answer) error {
		u := units[key]
		head := sums[u.root]
		if head == nil {
			head = &headCost{}
			sums[u.root] = head
		}
		hides := bill.HidesCacheWrites(u.agent, list)
		for i := range list {
			head.Sum.Add(prices.Price(bill.ResponseOf(&list[i], hides)))
			if usd := list[i].Usage.CostUSD; usd > 0 {
				head.stated += usd
			} else {
				head.unstated++
			}
		}
		return nil
	})
}

// add compares one session.
func (c *CostCheck) add(d costDifference, agent string, stated bool) {
	if d.sum.Responses == 0 && !stated {
		return
	}
	c.Sessions++
	if !stated {
		c.Unstated[agent]++
		return
	}
	c.Compared++
	d.USD, d.AtLeast = d.sum.Amount.Decimal(), d.sum.Lower()
	ours, _ := strconv.ParseFloat(d.USD, 64)
	d.beyond = d.Stated - ours
	// Agents add floats: what is below a millionth of a cent is their rounding.
	const rounding = 1e-8
	switch {
	case d.AtLeast && d.beyond >= -rounding:
		c.Below++
		return
	case math.Abs(d.beyond) < rounding:
		c.Equal++
		return
	case d.beyond > 0:
		c.More++
	default:
		c.Less++
	}
	c.Differences = append(c.Differences, d)
}

func (c *CostCheck) show(out *term.Out, limit int) error {
	fmt.Fprintf(out, "compared %s of %s with what their agents state\n", plain.Count(int64(c.Compared)), plain.Plural(int64(c.Sessions), "session"))
	line := func(n int, text string) {
		if n > 0 {
			fmt.Fprintf(out, "%8s  %s\n", plain.Count(int64(n)), text)
		}
	}
	line(c.Equal, "equal")
	line(c.Below, "state at least our lower bound")
	line(c.More, "state more: agents also count what a fork inherited, and answers that they do not write down")
	line(c.Less, "state less")
	unstated, agents := 0, []string{}
	for agent, n := range c.Unstated {
		unstated += n
		agents = append(agents, agent+" "+plain.Count(int64(n)))
	}
	slices.Sort(agents)
	line(unstated, "state nothing: "+strings.Join(agents, ", "))
	if len(c.Differences) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "session"}, {Title: "by aburn", Right: true}, {Title: "stated", Right: true}}}
	for i := range c.Differences {
		if i == limit && limit > 0 {
			break
		}
		d := &c.Differences[i]
		table.AddCells(term.Cell{Text: d.Short}, term.Cell{Text: exact(d)}, term.Cell{Text: fmt.Sprintf("$%.6f", d.Stated)})
	}
	return table.Print(out, 0)
}

// exact is an amount with as many places as a difference may need.
func exact(d *costDifference) string {
	ours, _ := strconv.ParseFloat(d.USD, 64)
	text := fmt.Sprintf("$%.6f", ours)
	if d.sum.Uncertain || d.AtLeast {
		text = bill.Inexact + text
	}
	return text
}
