package costs

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/cost/spend"
	"aburn/internal/plain"
	"aburn/internal/settings"
	"aburn/internal/units"
)

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
	Root   string     `json:"root,omitempty"` // source/id of the session at the head of a session's sub-agents: itself if it is none
	Parent string     `json:"parent,omitempty"`
	Ask    string     `json:"ask,omitempty"` // the session's first prompt
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

func (a *CostAnswer) rowOf(g *cost.Group, breakdown bool) costRow {
	of := a.sessions[g.Name] // the empty one if the groups are no sessions
	row := costRow{costPart: a.partOf(g), Root: of.Root, Parent: of.Parent, Ask: of.Ask}
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
