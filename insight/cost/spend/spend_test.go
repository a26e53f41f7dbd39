package spend

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"aburn/insight/cost"
	"aburn/internal/settings"
)

// The current window is estimated from recent answers only, and is the one that all answers give.
func TestEstimateIsTheCurrentBlock(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 30, 0, 0, time.UTC)
	found, none := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		pause := []time.Duration{20 * time.Minute, 3 * time.Hour, 7 * time.Hour}[seed%3]
		all := cost.NewTally(cost.Shipped(), cost.ByBlock, time.UTC)
		few := recent{}
		at := now.Add(-20 * 24 * time.Hour)
		for ; at.Before(now.Add(time.Hour)); at = at.Add(time.Duration(r.Int64N(int64(2 * pause)))) {
			u := cost.Use{Agent: "claude", Response: cost.Response{Time: at, Model: "claude-opus-5-5", Tokens: cost.Tokens{Output: r.Int64N(1000)}}}
			if at.After(now) {
				few["claude"] = append(few["claude"], u.Response) // a clock that is ahead
				continue
			}
			all.Add(&u)
			if at.After(now.Add(-blocksFrom)) {
				few["claude"] = append(few["claude"], u.Response)
			}
		}
		groups, _ := all.Groups()
		last := groups[len(groups)-1]
		got := few.estimates(cost.Shipped(), nil, now)
		if len(got) == 0 {
			if now.Before(last.Until) && pause > 5*time.Hour {
				t.Errorf("seed %d: no estimate, and the block until %v is current", seed, last.Until)
			}
			none++
			continue
		}
		found++
		if w := got[0]; !w.Resets.Equal(last.Until) || w.Sum.Amount != last.Amount || w.From != Estimate {
			t.Errorf("seed %d: until %v, %s; want until %v, %s", seed, w.Resets, w.Sum.Amount.Decimal(), last.Until, last.Amount.Decimal())
		}
		if len(few.estimates(cost.Shipped(), []Window{{Agent: "claude", Length: hours5}}, now)) != 0 {
			t.Errorf("seed %d: estimated although it is stated", seed)
		}
	}
	if found < 50 || none < 50 {
		t.Errorf("%d estimates, %d none", found, none)
	}
}

// A budget's periods are those of the present, and a project is known by its name or its path.
func TestBudgets(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 30, 0, 0, time.UTC) // a Sunday
	set := &settings.Cost{Budget: settings.Budget{Day: 1000, Week: 10000, Month: 33333}, Projects: []settings.ProjectBudget{
		{Project: "shop", Budget: settings.Budget{Day: 100}}, {Project: "/src/pay", Budget: settings.Budget{Month: 50}},
		{Project: "none", Budget: settings.Budget{Day: 1}},
	}}
	col := &Collector{prices: cost.Shipped(), budgets: budgetsOf(set), now: Current{period(cost.ByDay, now), period(cost.ByWeek, now), period(cost.ByMonth, now)}}
	col.since, col.From = col.now.Month.From, col.now.Month.From
	add := func(day int, project string, cents int64) { // an answer of 500 tokens costs a cent
		r := cost.Response{Time: time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC), Model: "claude-opus-5-5", Tokens: cost.Tokens{Output: 500 * cents}}
		col.Add("claude", project, &r)
	}
	add(22, "/src/shop", 90)
	add(22, "/other/shop", 5)
	add(16, "/src/pay", 40) // Monday of this week
	add(15, "/src/pay", 1)
	add(1, "/x/pay", 1000)
	var got []string
	for _, b := range col.now.used(col.budgets) {
		got = append(got, b.Says())
	}
	want := `$0.95 of $10 for today (9 %)
$1.35 of $100 for this week (1 %)
$11.36 of $333.33 for this month (3 %)
$0.95 of $1 for today in shop (95 %)
$0.41 of $0.50 for this month in pay (82 %)
$0.00 of $0.01 for today in none (0 %)`
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
