package overview

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/settings"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/trace"
	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// WorkerCost is what the sessions of a worker used up, sub-agents included, as far as they were read.
type WorkerCost struct {
	Sessions int          `json:"sessions"`
	Tokens   int64        `json:"tokens"`
	Fresh    int64        `json:"fresh_tokens"` // input and output: what a budget in tokens is about
	Cost     *bill.Priced `json:"cost,omitempty"`

	Sum *cost.Sum      `json:"-"`
	In  *bill.Currency `json:"-"` // the currency in which people read it
}

// Costs are what workers used up, by their names. A worker of which no session was read has none.
func Costs(ctx context.Context, o *projects.Project, c *workspace.Caller, members []*manager.Member) (map[string]*WorkerCost, error) {
	arch, err := archive.View(ctx, archive.Dir(c.Env))
	if none := (*archive.NotFound)(nil); errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	set := settings.Load(nil, c.Env)
	in, found := bill.CurrencyOf(&set.Cost), map[string]*WorkerCost{}
	for _, m := range members {
		if m.Err != nil || m.Request.Tree == "" || m.Request.Tree == m.Request.Repo || m.Request.Tree == o.Root {
			continue // in the person's own checkout its sessions are not apart from others
		}
		list, err := arch.Sessions(ctx, archive.Filter{Project: m.Request.Tree})
		if err != nil {
			return nil, err
		}
		w := &WorkerCost{Sum: &cost.Sum{}, In: in}
		usage := trace.Usage{}
		for i := range list {
			if list[i].Counts.Responses > 0 {
				w.Sessions++
				usage.Add(list[i].Usage)
			}
		}
		sums, err := bill.SessionCosts(ctx, c, arch, list)
		if err != nil {
			return nil, err
		}
		for _, s := range sums {
			w.Sum.Add(*s)
		}
		if w.Tokens, w.Fresh, w.Cost = usage.Total(), usage.Input+usage.CacheWrite+usage.Output, bill.PricedOf(w.Sum); w.Sessions > 0 {
			found[m.Name] = w
		}
	}
	return found, nil
}

// spent is what a worker used up, as a budget is compared with it.
func (w *WorkerCost) spent() worker.Spent {
	if w == nil {
		return worker.Spent{}
	}
	return worker.Spent{Picos: int64(w.Sum.Amount), AtLeast: w.Sum.Lower(), Unpriced: w.Sum.UnpricedTokens(), Fresh: w.Fresh}
}

// Says is the amount in words; money where there is a price, else tokens.
func (w *WorkerCost) Says() string {
	switch {
	case w == nil:
		return "-"
	case w.Sum.Amount == 0:
		return units.Tokens(w.Tokens) + " tok"
	}
	return w.In.Says(w.Sum)
}

// LimitText is the amount beside what it may be, "" without a budget.
func LimitText(m *manager.Member, w *WorkerCost) string {
	b := m.Limit()
	switch {
	case b.Cents > 0:
		money := &cost.Sum{}
		if w != nil {
			money = w.Sum
		}
		limit := fmt.Sprintf("$%d.%02d", b.Cents/100, b.Cents%100)
		if money.Amount == 0 && money.UnpricedTokens() > 0 {
			return "of " + limit + " an unknown part: " + bill.Dollars.Words(money)
		}
		return fmt.Sprintf("%s of %s (%d %%)", bill.Dollars.Words(money), limit, b.Percent(w.spent()))
	case b.Tokens > 0:
		return fmt.Sprintf("%s of %s fresh tokens (%d %%)", units.Tokens(w.spent().Fresh), units.Tokens(b.Tokens), b.Percent(w.spent()))
	}
	return ""
}

// SpentNow reads what is new of a worker's sessions, and says what they used up.
func SpentNow(ctx context.Context, o *projects.Project, env func(string) string, m *manager.Member) (worker.Spent, string, error) {
	c := workspace.Quiet(o.Root, env, time.Now())
	if err := lookup.Refresh(ctx, c, filepath.Clean(m.Request.Tree)); err != nil {
		return worker.Spent{}, "", err
	}
	all, err := Costs(ctx, o, c, []*manager.Member{m})
	if err != nil {
		return worker.Spent{}, "", err
	}
	w := all[m.Name]
	text := w.Says()
	if b := m.Limit(); w != nil && b.Tokens > 0 {
		text = units.Tokens(w.Fresh) + " fresh tokens"
	} else if w != nil {
		text = bill.Dollars.Words(w.Sum)
	}
	return w.spent(), text, nil
}
