package bill

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"

	"aburn/internal/lab/synth/home"
)

// Group is what a group of answers costs.
type Group struct {
	Cost
	// Tokens are input, cache read, written for 5 minutes, for an hour, for an unknown time, and output.
	Tokens    [6]int64
	Searches  int64
	Responses int
	Sessions  map[string]bool // with their sub-agents
}

// Key names a group. Agent is empty where groups are not of one agent.
type Key struct{ Name, Agent string }

// Groups groups answers as `aburn cost --by` does, and adds up all of them.
func Groups(p *Prices, answers []*home.Answer, by string, zone *time.Location) (groups map[Key]*Group, all *Group) {
	groups, all = map[Key]*Group{}, newGroup()
	keys := keysOf(answers, by, zone)
	for i, a := range answers {
		g := groups[keys[i]]
		if g == nil {
			g = newGroup()
			groups[keys[i]] = g
		}
		c := p.Of(a)
		g.add(a, c)
		all.add(a, c)
	}
	return groups, all
}

func newGroup() *Group { return &Group{Cost: Cost{USD: new(big.Rat)}, Sessions: map[string]bool{}} }

func (g *Group) add(a *home.Answer, c Cost) {
	g.USD.Add(g.USD, c.USD)
	g.AtLeast, g.Uncertain = g.AtLeast || c.AtLeast, g.Uncertain || c.Uncertain
	for model, n := range c.Unpriced {
		g.unpriced(model, n)
	}
	for i, n := range [...]int64{a.Input, a.CacheRead, a.Write5m, a.Write1h, a.Write, a.Output} {
		g.Tokens[i] += n
	}
	g.Searches += a.Searches
	g.Responses++
	g.Sessions[a.Root] = true
}

func keysOf(answers []*home.Answer, by string, zone *time.Location) []Key {
	if by == "block" {
		return blocks(answers)
	}
	keys := make([]Key, len(answers))
	for i, a := range answers {
		at := time.UnixMilli(a.Time).In(zone)
		switch by {
		case "day":
			keys[i].Name = at.Format("2006-01-02")
		case "week":
			keys[i].Name = week(at)
		case "month":
			keys[i].Name = at.Format("2006-01")
		case "project":
			keys[i].Name = a.Project
		case "model":
			keys[i].Name = a.Model
		case "agent":
			keys[i].Name = a.Agent
		case "branch":
			keys[i].Name = a.Branch
		case "session":
			keys[i].Name = a.Session
		default:
			panic("nobody groups by " + by)
		}
	}
	return keys
}

// week is the ISO week: it belongs to the year of its Thursday.
func week(at time.Time) string {
	thursday := time.Date(at.Year(), at.Month(), at.Day()+3-(int(at.Weekday())+6)%7, 12, 0, 0, 0, time.UTC)
	return fmt.Sprintf("%04d-W%02d", thursday.Year(), (thursday.YearDay()-1)/7+1)
}

// blocks are the windows of five hours of each agent, named for the full hour (UTC) of their first answer.
func blocks(answers []*home.Answer) []Key {
	const hour = 3600_000
	order := make([]int, len(answers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int { return cmp.Compare(answers[i].Time, answers[k].Time) })
	type window struct{ begin, last int64 }
	open, keys := map[string]*window{}, make([]Key, len(answers))
	for _, i := range order {
		a := answers[i]
		w := open[a.Agent]
		if w == nil || a.Time-w.begin > 5*hour || a.Time-w.last > 5*hour {
			w = &window{begin: a.Time / hour * hour}
			open[a.Agent] = w
		}
		w.last = a.Time
		keys[i] = Key{time.UnixMilli(w.begin).UTC().Format("2006-01-02T15:04:05Z"), a.Agent}
	}
	return keys
}
