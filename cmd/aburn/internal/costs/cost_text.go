package costs

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/cost/spend"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/internal/units"
)

func showCost(out *term.Out, a *CostAnswer, breakdown bool, limit int) error {
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: string(a.By), Flex: true, Min: 8}, {Title: "asked", Flex: true, Min: 12, Spare: 7}, {Title: "agent", Spare: 1},
		{Title: "sessions", Right: true, Spare: 3}, {Title: "answers", Right: true, Spare: 5}, {Title: "input", Right: true, Spare: 4},
		{Title: "cache read", Right: true, Spare: 4}, {Title: "cache write", Right: true, Spare: 4}, {Title: "output", Right: true, Spare: 2},
		{Title: a.Billing.Name(a.Agents...), Right: true}, {Title: "with sub-agents", Right: true, Spare: 6}, {Title: ""},
	}}
	row := func(g *cost.Group, name string, style term.Style, with, note string) {
		t := &g.Tokens
		table.AddCells(term.Cell{Text: name, Style: style}, term.Cell{Text: a.sessions[g.Name].Ask, Style: term.Dim}, term.Cell{Text: g.Agent, Style: style},
			count(g.Sessions, style), count(g.Responses, style), tokens(t.Input, style), tokens(t.CacheRead, style),
			tokens(t.Write5m+t.Write1h+t.Write, style), tokens(t.Output, style), term.Cell{Text: a.Currency.Says(&g.Sum), Style: style},
			term.Cell{Text: with, Style: term.Dim}, term.Cell{Text: note, Style: term.Dim})
	}
	whole := a.withSubagents()
	shown := a.shown(limit)
	for _, g := range shown {
		row(g, a.label(g), 0, whole[g.Name], a.note(g))
		if breakdown && a.By != cost.ByModel {
			for _, m := range g.Models {
				row(m, "  "+modelName(m.Name), term.Dim, "", "")
			}
		}
	}
	if len(a.Groups) > 1 {
		row(a.Total, a.all(len(shown)), term.Bold, "", a.note(a.Total))
	}
	if err := table.Print(out, 0); err != nil {
		return err
	}
	return a.footer(out)
}

func count(n int, style term.Style) term.Cell {
	return term.Cell{Text: plain.Count(int64(n)), Style: style}
}

func tokens(n int64, style term.Style) term.Cell {
	return term.Cell{Text: units.Amount(n), Style: style}
}

func modelName(name string) string {
	if name == "" {
		return "unknown model"
	}
	return name
}

// shown are the groups that a table holds: the latest ones in time, else the dearest.
func (a *CostAnswer) shown(limit int) []*cost.Group {
	switch n := len(a.Groups); {
	case limit == 0 || n <= limit:
		return a.Groups
	case a.By.InTime():
		return a.Groups[n-limit:]
	}
	return a.Groups[:limit]
}

// all is the first column of the total, which counts groups that are not shown, too.
func (a *CostAnswer) all(shown int) string {
	if shown < len(a.Groups) {
		return "all " + plain.Count(int64(len(a.Groups)))
	}
	return "all"
}

// label is the first column of a group.
func (a *CostAnswer) label(g *cost.Group) string {
	switch {
	case a.By == cost.BySession:
		return a.sessions[g.Name].Short
	case a.By == cost.ByBlock && !g.From.IsZero():
		return g.From.In(a.Zone).Format("2006-01-02 15:04") + g.Until.In(a.Zone).Format("–15:04")
	case g.Name != "" && a.By == cost.ByProject:
		return filepath.Base(g.Name)
	case g.Name != "":
		return g.Name
	case a.By == cost.ByModel:
		return modelName("")
	case a.By.InTime():
		return "unknown time"
	}
	return "unknown"
}

// note says which tokens have no price, where some have, and marks the group that is not over.
func (a *CostAnswer) note(g *cost.Group) string {
	unpriced := ""
	if n := g.UnpricedTokens(); n > 0 && g.Amount > 0 {
		unpriced = units.Amount(n) + " tokens without a price"
	}
	return units.Join(a.current(g), unpriced)
}

func (a *CostAnswer) current(g *cost.Group) string {
	if g.From.IsZero() || a.Now.Before(g.From) || !a.Now.Before(g.Until) {
		return ""
	}
	switch a.By {
	case cost.ByDay:
		return "today"
	case cost.ByBlock:
		return "now"
	}
	return "this " + string(a.By)
}

// withSubagents is what a session cost with its sub-agents, where it has some.
func (a *CostAnswer) withSubagents() map[string]string {
	sums, parts := map[string]*cost.Sum{}, map[string]int{}
	for _, g := range a.Groups {
		root := a.sessions[g.Name].Root
		if sums[root] == nil {
			sums[root] = &cost.Sum{}
		}
		sums[root].Add(g.Sum)
		parts[root]++
	}
	texts := map[string]string{}
	for root, s := range sums {
		if root != "" && parts[root] > 1 {
			texts[root] = a.Currency.Says(s)
		}
	}
	return texts
}

// footer says what the amounts do not hold.
func (a *CostAnswer) footer(out *term.Out) error {
	var lines []string
	if f := &a.Failed; f.Sessions > 0 {
		lines = append(lines, fmt.Sprintf("%s of today's in %s that failed.", a.Currency.Words(&f.Sum), plain.Plural(int64(f.Sessions), "session")))
	}
	for i := range a.Present.Budgets {
		lines = append(lines, "Budget: "+a.Present.Budgets[i].Says()+".")
	}
	var windows []string
	for i := range a.Present.Windows {
		windows = append(windows, a.Present.Windows[i].Says(a.Zone, a.Currency))
	}
	if len(windows) > 0 {
		lines = append(lines, "Limits: "+strings.Join(windows, ", ")+".")
	}
	if models := a.Total.UnpricedModels(); len(models) > 0 {
		for i, m := range models {
			models[i] = modelName(m) + " (" + units.Amount(a.Total.Unpriced[m]) + ")"
		}
		if more := len(models) - fault.MaxListed; more > 0 {
			models = append(models[:fault.MaxListed], fmt.Sprintf("%d more", more))
		}
		lines = append(lines, fmt.Sprintf("%s tokens have no price: %s.", units.Amount(a.Total.UnpricedTokens()), strings.Join(models, ", ")))
	}
	if a.By == cost.ByBlock {
		lines = append(lines, "Windows of five hours are estimated: when a plan's past windows began is not known.")
	}
	lines = append(lines, a.Billing.Note(a.Prices.Made, a.Agents...)+".")
	if a.Total.Uncertain {
		lines[len(lines)-1] += " `aburn prices` says why an amount has a ~."
	}
	if note := a.Currency.Note(); note != "" {
		lines = append(lines, note+".")
	}
	fmt.Fprintln(out)
	term.Paragraph(out, 0, "", strings.Join(lines, " "))
	return nil
}

// CostReport is what `aburn cost --json` prints.
type CostReport struct {
	By       cost.By    `json:"by"`
	Timezone string     `json:"timezone"`
	Since    *time.Time `json:"since,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
	Currency string     `json:"currency"`
	Prices   cost.Day   `json:"prices"`
	// Billing is how the user pays for the agents of the answers, where their settings say it.
	Billing map[string]settings.Billing `json:"billing,omitempty"`
	Rows    []costRow                   `json:"rows"`
	// FailedToday is nil if no session with answers of today failed, or the rows are no days.
	FailedToday *failedToday `json:"failed_today,omitempty"`
	Budgets     []BudgetLine `json:"budgets,omitempty"`
	Limits      []limitLine  `json:"limits,omitempty"`
	Total       costRow      `json:"total"`
}

// limitLine is a current window of an agent's plan. An estimate has what it cost so far, others have the percentage.
type limitLine struct {
	Agent   string     `json:"agent"`
	ID      string     `json:"id,omitempty"`
	Minutes int64      `json:"window_minutes"`
	From    spend.From `json:"from"`
	Used    *float64   `json:"used_percent,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Resets  *time.Time `json:"resets,omitempty"`
	*bill.Priced
}

func limitsJSON(list []spend.Window) (lines []limitLine) {
	for i := range list {
		w := &list[i]
		line := limitLine{Agent: w.Agent, ID: w.ID, Minutes: int64(w.Length / time.Minute), From: w.From, At: units.OptionalTime(w.At),
			Resets: units.OptionalTime(w.Resets), Priced: bill.PricedOf(w.Sum)}
		if w.From != spend.Estimate {
			line.Used = &w.Used
		}
		lines = append(lines, line)
	}
	return lines
}

// BudgetLine is a budget of the user's settings, and how much of it is used up.
type BudgetLine struct {
	Period  cost.By `json:"period"`
	Name    string  `json:"name"`
	Project string  `json:"project,omitempty"`
	Budget  string  `json:"budget_usd"`
	Percent int64   `json:"percent"`
	bill.Priced
}

type failedToday struct {
	Sessions int `json:"sessions"`
	bill.Priced
}

type costRow struct {
	costPart
	Models []costPart `json:"models,omitempty"`
}

// costPart is what a group of answers cost, or the part of one model in it.
type costPart struct {
	Name      string      `json:"name"`
	Agent     string      `json:"agent,omitempty"`
	From      *time.Time  `json:"from,omitempty"`
	To        *time.Time  `json:"to,omitempty"`
	Sessions  int         `json:"sessions"`
	Responses int         `json:"responses"`
	Tokens    cost.Tokens `json:"tokens"`
	Searches  int64       `json:"web_searches"`
	bill.Priced
	Used []string `json:"price_rows"`
}

func costJSON(a *CostAnswer, breakdown bool) CostReport {
	r := CostReport{By: a.By, Timezone: a.zoneName(), Since: units.OptionalTime(a.Since), Until: units.OptionalTime(a.Until), Currency: "USD",
		Prices:  a.Prices.Made,
		Billing: bill.Billing{}, Rows: []costRow{}, Total: a.rowOf(a.Total, breakdown)}
	for _, agent := range a.Agents {
		if how := a.Billing[agent]; how != settings.BillingUnknown {
			r.Billing[agent] = how
		}
	}
	if f := &a.Failed; f.Sessions > 0 {
		r.FailedToday = &failedToday{f.Sessions, *bill.PricedOf(&f.Sum)}
	}
	r.Limits = limitsJSON(a.Present.Windows)
	for i := range a.Present.Budgets {
		b := &a.Present.Budgets[i]
		r.Budgets = append(r.Budgets, BudgetLine{b.By, b.Name, b.Project, b.Limit()[1:], b.Percent(), *bill.PricedOf(&b.Sum)})
	}
	for _, g := range a.Groups {
		r.Rows = append(r.Rows, a.rowOf(g, breakdown))
	}
	return r
}

// zoneName is the zone's IANA name; the computer's own zone may have none, and then it is its offset now.
func (a *CostAnswer) zoneName() string {
	if name := a.Zone.String(); name != "Local" {
		return name
	}
	return a.Now.Format("UTC-07:00")
}

func (a *CostAnswer) rowOf(g *cost.Group, breakdown bool) costRow {
	row := costRow{costPart: a.partOf(g)}
	if breakdown {
		for _, m := range g.Models {
			row.Models = append(row.Models, a.partOf(m))
		}
	}
	return row
}

func (a *CostAnswer) partOf(g *cost.Group) costPart {
	return costPart{Name: g.Name, Agent: g.Agent, From: units.OptionalTime(g.From), To: units.OptionalTime(g.Until), Sessions: g.Sessions, Responses: g.Responses,
		Tokens:   g.Tokens,
		Searches: g.Searches, Priced: *bill.PricedOf(&g.Sum), Used: g.UsedRows()}
}

// cell is a recorded name for a table of a spreadsheet. One that would begin a formula there gets a quote in front, which shows
// that it is a text: a repository chooses the names of its branches.
func cell(name string) string {
	name = plain.Line(name)
	if first := strings.TrimSpace(name); first != "" && strings.Contains("=+-@", first[:1]) {
		return "'" + name
	}
	return name
}

func costCSV(w io.Writer, a *CostAnswer, breakdown bool) error {
	out := csv.NewWriter(w)
	out.Write([]string{string(a.By), "agent", "model", "sessions", "responses", "input", "cache_read", "cache_write_5m", "cache_write_1h", "cache_write", "output",
		"web_searches", "usd", "at_least", "uncertain", "unpriced_tokens"})
	line := func(name, agent, model string, g *cost.Group) {
		n := func(n int64) string { return strconv.FormatInt(n, 10) }
		t := &g.Tokens
		out.Write([]string{cell(name), cell(agent), cell(model), n(int64(g.Sessions)), n(int64(g.Responses)), n(t.Input), n(t.CacheRead), n(t.Write5m), n(t.Write1h),
			n(t.Write), n(t.Output), n(g.Searches),
			g.Amount.Decimal(), strconv.FormatBool(g.Lower()), strconv.FormatBool(g.Uncertain), n(g.UnpricedTokens())})
	}
	for _, g := range a.Groups {
		if !breakdown {
			line(g.Name, g.Agent, "", g)
			continue
		}
		for _, m := range g.Models {
			line(g.Name, g.Agent, m.Name, m)
		}
	}
	out.Flush()
	return out.Error()
}
