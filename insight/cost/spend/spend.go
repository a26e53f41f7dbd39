// Package spend says what the current day, week and month cost so far, and how much of a budget that is. After an ingest
// it writes today's sum for status lines, and tells a person of a budget that is nearly or wholly used up.
package spend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/hooks"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
)

// Current is what the day, the week and the month of a time cost so far.
type Current struct{ Day, Week, Month Period }

// Period is one of them. From and Until of the Group bound it; its Sum is that of all projects.
type Period struct {
	cost.Group
	Projects map[string]*cost.Sum // by the project's key
}

func period(by cost.By, at time.Time) Period {
	return Period{Group: cost.Period(by, at), Projects: map[string]*cost.Sum{}}
}

func (p *Period) add(at time.Time, project string, sum *cost.Sum) {
	if at.Before(p.From) || !at.Before(p.Until) {
		return
	}
	p.Sum.Add(*sum)
	if p.Projects[project] == nil {
		p.Projects[project] = &cost.Sum{}
	}
	p.Projects[project].Add(*sum)
}

// Collector sums up the answers of the present while somebody goes through answers. Every answer of the archive from its
// From on has to be added, whatever else is asked.
type Collector struct {
	// From is the time of the earliest answer that counts.
	From time.Time

	now     Current
	since   time.Time // of the earliest answer that is summed up
	prices  *cost.Prices
	budgets []limit
	recent  recent // nil: no estimates are wanted
}

// NewCollector makes a collector for the budgets of the user's settings, and with estimates for windows that no agent
// states. The zone of c.Now bounds the periods.
func NewCollector(c *workspace.Caller, set *settings.Cost, prices *cost.Prices, estimates bool) *Collector {
	col := &Collector{prices: prices, budgets: budgetsOf(set), now: Current{period(cost.ByDay, c.Now), period(cost.ByWeek, c.Now), period(cost.ByMonth, c.Now)}}
	col.since = col.now.Day.From
	if len(col.budgets) > 0 {
		col.since = earlier(col.now.Month.From, col.now.Week.From)
	}
	col.From = col.since
	if estimates {
		col.recent = recent{}
		col.From = earlier(col.From, c.Now.Add(-blocksFrom))
	}
	return col
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Add adds an answer of a session.
func (col *Collector) Add(agent, project string, r *cost.Response) {
	if r.Time.Before(col.From) {
		return
	}
	if col.recent != nil && agentcli.Of(agent).Traits.ShortWindows {
		col.recent[agent] = append(col.recent[agent], *r)
	}
	if r.Time.Before(col.since) {
		return
	}
	sum := col.prices.Price(*r)
	col.now.Day.add(r.Time, project, &sum)
	if len(col.budgets) > 0 {
		col.now.Week.add(r.Time, project, &sum)
		col.now.Month.add(r.Time, project, &sum)
	}
}

// slack is how much earlier than an answer its session may end, by clocks that disagree.
const slack = 24 * time.Hour

// AddAll adds the answers of an archive.
func (col *Collector) AddAll(ctx context.Context, arch *archive.Archive) error {
	list, err := arch.Outlines(ctx, archive.Filter{Since: col.From.Add(-slack)})
	if err != nil {
		return err
	}
	units := make(map[int64]*archive.Outline, len(list))
	for i := range list {
		units[list[i].Key] = &list[i]
	}
	chosen := func(key int64) bool { return units[key] != nil }
	return arch.EachAnswers(ctx, chosen, func(key int64, answers []archive.Answer) error {
		u := units[key]
		hides := bill.HidesCacheWrites(u.Source, answers)
		for i := range answers {
			if r := bill.ResponseOf(&answers[i], hides); !r.Time.Before(col.From) {
				col.Add(u.Source, u.Project, &r)
			}
		}
		return nil
	})
}

// settled is how much older than a sum a file has to be to be in it for sure, by the clock of file systems.
const settled = 50 * time.Millisecond

// current reports whether the sum of a glance is still the present one: the day is the same, and nothing that it was made
// from was written since. Most ingests find nothing new.
func current(c *workspace.Caller, g *hooks.Glance) bool {
	if g.Today == "" || !g.DayEnds.Equal(cost.Period(cost.ByDay, c.Now).Until) {
		return false
	}
	dir := archive.Dir(c.Env)
	files := []string{filepath.Join(dir, archive.Name), filepath.Join(dir, archive.Name+"-wal"), bill.PriceFile(c.Env)}
	if own := project.ConfigDir(c.Env); own != "" {
		files = append(files, filepath.Join(own, settings.File))
	}
	for _, name := range files {
		if st, err := os.Stat(name); err == nil && st.ModTime().After(g.Made.Add(-settled)) {
			return false
		}
	}
	return true
}

// Update writes today's sum for status lines, and tells the person of budgets. Whoever has just brought the archive up to
// date calls it. An archive that is not there has nothing to say.
func Update(ctx context.Context, c *workspace.Caller) error {
	made := time.Now()
	if g := hooks.ReadGlance(c.Env); current(c, &g) {
		return hooks.UpdateGlance(c.Env, func(g *hooks.Glance) {
			if g.Made.Before(made) {
				g.Made = made
			}
		})
	}
	arch, err := archive.View(ctx, archive.Dir(c.Env))
	if none := (*archive.NotFound)(nil); errors.As(err, &none) {
		return nil
	}
	if err != nil {
		return err
	}
	defer arch.Close()
	set := settings.Load(nil, c.Env)
	prices, err := bill.PricesOf(c, "")
	if err != nil {
		return err
	}
	col := NewCollector(c, &set.Cost, prices, false)
	if err := col.AddAll(ctx, arch); err != nil {
		return err
	}
	now := &col.now
	in, shown := bill.CurrencyOf(&set.Cost), hooks.Currency{}
	if in != nil {
		shown = hooks.Currency{Code: in.Code, PerDollar: in.Float(cost.Dollar), Digits: in.Digits}
	}
	today := in.Says(&now.Day.Sum)
	if now.Day.Amount == 0 {
		today = in.Words(&now.Day.Sum)
	}
	err = hooks.UpdateGlance(c.Env, func(g *hooks.Glance) {
		if g.Made.After(made) && !g.Made.After(time.Now()) {
			return // another process has summed up a newer archive
		}
		g.Dollars = float64(now.Day.Amount) / float64(cost.Dollar)
		g.Made, g.Today, g.DayEnds, g.In, g.Plans = made, today, now.Day.Until, shown, bill.Billing(set.Cost.Billing).Plans()
	})
	return errors.Join(err, tell(c, now, col.budgets, &set.Notify))
}
