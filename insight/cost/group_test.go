package cost_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"aburn/insight/cost"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestPeriods groups drawn responses a second time, each by its own formatted time.
func TestPeriods(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	responses := drawn(random, 3000)
	for _, name := range []string{"UTC", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Apia"} {
		in := zone(t, name)
		for by, label := range map[cost.By]func(time.Time) string{
			cost.ByDay:   func(at time.Time) string { return at.Format(time.DateOnly) },
			cost.ByMonth: func(at time.Time) string { return at.Format("2006-01") },
			cost.ByWeek: func(at time.Time) string {
				y, w := at.ISOWeek()
				return fmt.Sprintf("%d-W%02d", y, w)
			},
		} {
			tally, want := cost.NewTally(cost.Shipped(), by, in), map[string]cost.Sum{}
			for i, r := range responses {
				tally.Add(&cost.Use{Response: r, Root: fmt.Sprint(i % 50)})
				name := label(r.Time.In(in))
				s := want[name]
				s.Add(cost.Shipped().Price(r))
				want[name] = s
			}
			groups, total := tally.Groups()
			if len(groups) != len(want) || total.Responses != len(responses) || total.Sessions != 50 {
				t.Errorf("%s by %s: %d groups, want %d; %d responses in %d sessions", name, by, len(groups), len(want), total.Responses, total.Sessions)
			}
			for i, g := range groups {
				if show(g.Sum) != show(want[g.Name]) || g.Tokens != want[g.Name].Tokens {
					t.Errorf("%s, %s: %s, want %s", name, g.Name, show(g.Sum), show(want[g.Name]))
				}
				if i > 0 && !groups[i-1].Until.Equal(g.From) && !groups[i-1].Until.Before(g.From) {
					t.Errorf("%s: %s begins at %s, before %s ends", name, g.Name, g.From, groups[i-1].Name)
				}
			}
		}
	}
}

// TestDaysOfOddLength: days on which clocks are put forward or back have 23 or 25 hours.
func TestDaysOfOddLength(t *testing.T) {
	in := zone(t, "Europe/Berlin")
	for day, hours := range map[string]float64{"2026-03-29": 23, "2026-10-25": 25, "2026-10-26": 24} {
		at, _ := time.ParseInLocation(time.DateOnly, day, in)
		g := cost.Period(cost.ByDay, at.Add(90*time.Minute))
		if g.Name != day || g.Until.Sub(g.From).Hours() != hours {
			t.Errorf("%s: %s, %s", day, g.Name, g.Until.Sub(g.From))
		}
	}
}

func TestGroups(t *testing.T) {
	p := table(t, split, one)
	uses := []cost.Use{
		// $2
		{Response: cost.Response{Model: "m-1", Tokens: cost.Tokens{Output: 1e5}}, Session: "a", Root: "a", Agent: "x", Project: "/shop", Branch: "main",
			Outcome: "failed"},
		{Response: cost.Response{Model: "one", Tokens: cost.Tokens{Output: 1e5}}, Session: "a/1", Root: "a", Agent: "x", Project: "/shop", Branch: "fix"}, // $1
		{Response: cost.Response{Model: "one", Tokens: cost.Tokens{Output: 5e5}}, Session: "b", Root: "b", Agent: "y", Project: "/docs"},                  // $5
		{Response: cost.Response{Model: "who", Tokens: cost.Tokens{Output: 3}}, Session: "c", Root: "c", Agent: "y"},
	}
	for by, want := range map[cost.By]string{
		cost.ByModel:   "one 6 2, m-1 2 1, who 0 ≥ who:3 1",
		cost.ByAgent:   "y 5 ≥ who:3 2, x 3 1",
		cost.ByProject: "/docs 5 1, /shop 3 1,  0 ≥ who:3 1",
		cost.ByBranch:  " 5 ≥ who:3 2, main 2 1, fix 1 1",
		cost.BySession: "b 5 1, a 2 1, a/1 1 1, c 0 ≥ who:3 1",
		cost.ByOutcome: " 6 ≥ who:3 3, failed 2 1",
	} {
		tally := cost.NewTally(p, by, time.UTC)
		for _, u := range uses {
			u.Time = october()
			tally.Add(&u)
		}
		groups, total := tally.Groups()
		var got []string
		for _, g := range groups {
			got = append(got, fmt.Sprintf("%s %s %d", g.Name, show(g.Sum), g.Sessions))
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("by %s: %s, want %s", by, all, want)
		}
		if show(total.Sum) != "8 ≥ who:3" || total.Sessions != 3 || len(total.Models) != 3 {
			t.Errorf("by %s: %s in all, %d sessions, %d models", by, show(total.Sum), total.Sessions, len(total.Models))
		}
	}
}

func TestBlocks(t *testing.T) {
	p := table(t, split)
	at := func(clock string) time.Time {
		day, _ := time.Parse("2006-01-02 15:04", "2026-10-20 "+clock)
		return day
	}
	tally := cost.NewTally(p, cost.ByBlock, time.UTC)
	for _, r := range []struct{ agent, clock string }{
		{"x", "09:59"}, {"x", "13:58"}, {"x", "14:00"}, // the last one just within five hours of 09:00
		{"x", "14:01"}, // the next window
		{"y", "10:30"}, // another agent's
		{"x", "19:02"}, {"x", "23:59"},
	} {
		tally.Add(&cost.Use{Response: cost.Response{Time: at(r.clock), Model: "m-1", Tokens: cost.Tokens{Output: 1e6}}, Root: r.clock, Agent: r.agent})
	}
	groups, _ := tally.Groups()
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s %s-%s %s", g.Agent, g.From.Format("15:04"), g.Until.Format("15:04"), g.Amount.Decimal()))
	}
	want := "x 09:00-14:00 60, y 10:00-15:00 20, x 14:00-19:00 20, x 19:00-00:00 40"
	if all := strings.Join(got, ", "); all != want {
		t.Errorf("got %s, want %s", all, want)
	}
}

func BenchmarkTally(b *testing.B) {
	responses := drawn(rand.New(rand.NewPCG(7, 8)), 140_000)
	for i := range responses { // sessions of 14 responses, which share a model and are near each other
		first := responses[i-i%14]
		responses[i].Model, responses[i].Time = first.Model, first.Time.Add(time.Duration(i%14)*time.Minute)
	}
	for b.Loop() {
		tally := cost.NewTally(cost.Shipped(), cost.ByDay, time.UTC)
		for i := range responses {
			tally.Add(&cost.Use{Response: responses[i], Root: "a"})
		}
		tally.Groups()
	}
}
