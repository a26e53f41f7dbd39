// Package spend says what the current day, week and month cost so far, and how much of a budget that is. After an ingest
// it writes today's sum for status lines, and tells a person of a budget that is nearly or wholly used up.
package spend

import (
	"context"
	"errors"
	"time"

	"aburn/archive"
	"aburn/cmd/aburn/internal/bill"
	"aburn/cmd/aburn/internal/scope"
	"aburn/hooks"
	"aburn/insight/cost"
	"aburn/internal/agentcli"
	"aburn/internal/settings"
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

// slack is how much earlier than an answer its session may end, by clocks that disagree.
const slack = 24 * time.Hour

// sumUp sums up the answers of the day, and with long of the week and the month, in the time zone of c.Now. With blocks it
// also returns the recent answers of agents whose plans have windows of five hours.
func sumUp(ctx context.Context, c *scope.Caller, arch *archive.Archive, long, blocks bool) (now *Current, r recent, prices *cost.Prices, err error) {
	if prices, err = bill.PricesOf(c, ""); err != nil {
		return nil, nil, nil, err
	}
	now = &Current{Day: period(cost.ByDay, c.Now), Week: period(cost.ByWeek, c.Now), Month: period(cost.ByMonth, c.Now)}
	since := now.Day.From
	if long {
		since = now.Month.From
		if now.Week.From.Before(since) {
			since = now.Week.From
		}
	}
	from := since
	if back := c.Now.Add(-blocksFrom); blocks && back.Before(from) {
		from = back
	}
	list, err := arch.Outlines(ctx, archive.Filter{Since: from.Add(-slack)})
	if err != nil {
		return nil, nil, nil, err
	}
	units := make(map[int64]*archive.Outline, len(list))
	for i := range list {
		units[list[i].Key] = &list[i]
	}
	chosen := func(key int64) bool { return units[key] != nil }
	r = recent{}
	err = arch.EachAnswers(ctx, chosen, func(key int64, answers []archive.Answer) error {
		u := units[key]
		hides, windows := bill.HidesCacheWrites(u.Source, answers), blocks && agentcli.Of(u.Source).Traits.ShortWindows
		for i := range answers {
			at := answers[i].Time
			if at.Before(from) {
				continue
			}
			response := bill.ResponseOf(&answers[i], hides)
			if windows && !at.After(c.Now) {
				r[u.Source] = append(r[u.Source], cost.Use{Response: response, Agent: u.Source})
			}
			if !at.Before(since) {
				sum := prices.Price(response)
				now.Day.add(at, u.Project, &sum)
				now.Week.add(at, u.Project, &sum)
				now.Month.add(at, u.Project, &sum)
			}
		}
		return nil
	})
	return now, r, prices, err
}

// Update writes today's sum for status lines, and tells the person of budgets. Whoever has just brought the archive up to
// date calls it. An archive that is not there has nothing to say.
func Update(ctx context.Context, c *scope.Caller) error {
	made := time.Now()
	arch, err := archive.View(ctx, archive.Dir(c.Env))
	if none := (*archive.NotFound)(nil); errors.As(err, &none) {
		return nil
	}
	if err != nil {
		return err
	}
	defer arch.Close()
	set := settings.Load(nil, c.Env)
	limits := budgetsOf(&set.Cost)
	now, _, _, err := sumUp(ctx, c, arch, len(limits) > 0, false)
	if err != nil {
		return err
	}
	today := bill.Dollars(&now.Day.Sum)
	if now.Day.Amount == 0 {
		today = bill.AmountWords(&now.Day.Sum)
	}
	err = hooks.UpdateGlance(c.Env, func(g *hooks.Glance) {
		if g.Made.After(made) && !g.Made.After(time.Now()) {
			return // another process has summed up a newer archive
		}
		g.Made, g.Today, g.DayEnds = made, today, now.Day.Until
	})
	return errors.Join(err, tell(c, now, limits, &set.Notify))
}
