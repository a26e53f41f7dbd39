package spend

import (
	"cmp"
	"context"
	"slices"
	"time"

	"aburn/archive"
	"aburn/hooks"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/workspace"
)

// From is who says how much of a window is used up.
type From string

const (
	InStore  From = "session file" // the agent wrote it into its own file
	InStatus From = "status line"  // the agent told aburn's status line
	Estimate From = "estimate"     // nobody says it: the window is aburn's guess, and its sum is at list prices
)

// Window is a current window of an agent's plan. An estimate has a Sum, others have Used and At.
type Window struct {
	Agent  string
	ID     string // the agent's name of the limit, if it has several
	Length time.Duration
	From   From
	Used   float64   // percent
	At     time.Time // when it was said
	Resets time.Time // when the next window begins; zero if nobody says
	Sum    *cost.Sum
}

// hours5 is the window that a plan with short windows has.
const hours5 = 5 * time.Hour

// over reports whether the window has ended, so that what was said of it says nothing of the current one.
func (w *Window) over(now time.Time) bool {
	if w.Resets.IsZero() {
		return now.Sub(w.At) > w.Length
	}
	return !now.Before(w.Resets)
}

// Says is the window in words: "codex week 84 % (as of 14:02)".
func (w *Window) Says(zone *time.Location, in *bill.Currency) string {
	name := plain.Line(w.Agent) + " " + hooks.Window{Length: w.Length}.Name()
	if w.From == Estimate {
		return name + " until " + w.Resets.In(zone).Format("15:04") + ": " + in.Says(w.Sum) + " so far (estimated)"
	}
	text := name + " " + percent(w.Used)
	if !w.Resets.IsZero() {
		text += " until " + clock(w.Resets.In(zone), w.Length)
	}
	return text + " (as of " + clock(w.At.In(zone), w.Length) + ")"
}

func percent(x float64) string { return plain.Count(int64(x)) + " %" }

// clock is a time of day, with the day where the window is longer than one.
func clock(at time.Time, length time.Duration) string {
	if length > 24*time.Hour {
		return at.Format("Mon 15:04")
	}
	return at.Format("15:04")
}

// stated are the windows that agents have stated, of each the newest statement.
func stated(c *workspace.Caller, arch *archive.Archive) ([]Window, error) {
	limits, err := arch.Limits(c.Now.AddDate(0, 0, -32))
	if err != nil {
		return nil, err
	}
	var list []Window
	for _, l := range limits {
		list = append(list, Window{Agent: l.Source, ID: l.ID, Length: time.Duration(l.WindowMinutes) * time.Minute, From: InStore, Used: l.UsedPercent, At: l.Time,
			Resets: l.Resets})
	}
	for _, a := range agentcli.All() {
		if !a.Settings.StatusLine {
			continue
		}
		kept := hooks.ReadLimits(a, c.Env)
		for _, w := range kept.Windows {
			list = append(list, Window{Agent: a.Name, Length: w.Length, From: InStatus, Used: w.Used, At: kept.At, Resets: w.Resets})
		}
	}
	list = slices.DeleteFunc(list, func(w Window) bool { return w.over(c.Now) })
	slices.SortStableFunc(list, func(a, b Window) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Length, b.Length), cmp.Compare(a.ID, b.ID), b.At.Compare(a.At))
	})
	return slices.CompactFunc(list, func(a, b Window) bool { return a.Agent == b.Agent && a.Length == b.Length && a.ID == b.ID }), nil
}

// blocksFrom is how far back the beginning of an estimated window is looked for. Without a pause of five hours since then,
// nobody can tell where the current one began.
const blocksFrom = 8 * 24 * time.Hour

// recent are an agent's answers by time, for estimates.
type recent map[string][]cost.Response

// estimates are the current blocks of agents whose plans have windows of five hours and which do not state them.
func (r recent) estimates(prices *cost.Prices, known []Window, now time.Time) (list []Window) {
	for agent, answers := range r {
		if slices.ContainsFunc(known, func(w Window) bool { return w.Agent == agent && w.Length == hours5 }) {
			continue
		}
		answers = slices.DeleteFunc(answers, func(a cost.Response) bool { return a.Time.After(now) })
		slices.SortFunc(answers, func(a, b cost.Response) int { return a.Time.Compare(b.Time) })
		from := -1 // the first answer after the last pause of which a block's beginning is known
		for i := range answers {
			if i == 0 && answers[0].Time.Sub(now.Add(-blocksFrom)) > hours5 || i > 0 && answers[i].Time.Sub(answers[i-1].Time) > hours5 {
				from = i
			}
		}
		if from < 0 {
			continue
		}
		t := cost.NewTally(prices, cost.ByBlock, time.UTC)
		for i := range answers[from:] {
			t.Add(&cost.Use{Response: answers[from+i], Agent: agent})
		}
		groups, _ := t.Groups()
		if n := len(groups); n > 0 && now.Before(groups[n-1].Until) {
			list = append(list, Window{Agent: agent, Length: hours5, From: Estimate, Resets: groups[n-1].Until, Sum: &groups[n-1].Sum})
		}
	}
	slices.SortFunc(list, func(a, b Window) int { return cmp.Compare(a.Agent, b.Agent) })
	return list
}

// State is what a person is told of the present beside the sums that they asked for.
type State struct {
	Budgets []Budget // the most used up first
	Windows []Window // those that agents state, then estimates
}

// State says how much of each budget is used up, and how near the limits of plans are, once all answers are added.
func (col *Collector) State(c *workspace.Caller, arch *archive.Archive) (s State, err error) {
	if s.Windows, err = stated(c, arch); err != nil {
		return s, err
	}
	s.Windows = append(s.Windows, col.recent.estimates(col.prices, s.Windows, c.Now)...)
	s.Budgets = col.now.used(col.budgets)
	slices.SortStableFunc(s.Budgets, func(a, b Budget) int { return cmp.Compare(b.Percent(), a.Percent()) })
	return s, nil
}

// Now is the State of an archive.
func Now(ctx context.Context, c *workspace.Caller, arch *archive.Archive) (s State, err error) {
	prices, err := bill.PricesOf(c, "")
	if err != nil {
		return s, err
	}
	col := NewCollector(c, bill.SettingsOf(c), prices, true)
	if err := col.AddAll(ctx, arch); err != nil {
		return s, err
	}
	return col.State(c, arch)
}
