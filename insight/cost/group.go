package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// By is what responses are grouped by.
type By string

const (
	ByDay     By = "day"
	ByWeek    By = "week" // ISO: from Monday
	ByMonth   By = "month"
	ByProject By = "project"
	ByModel   By = "model"
	ByAgent   By = "agent"
	ByBranch  By = "branch"
	BySession By = "session"
	ByOutcome By = "outcome"
	// ByBlock groups each agent's responses in windows of five hours. A window begins at the full hour (UTC) of its
	// first response. The next one begins with the first response more than five hours after that hour, or after
	// the response before it. No agent's file states the real windows: these are estimated.
	ByBlock By = "block"
)

// Bys lists all ways of grouping, the most used first.
var Bys = []By{ByDay, ByWeek, ByMonth, ByProject, ByModel, ByAgent, ByBranch, BySession, ByBlock, ByOutcome}

// InTime reports whether groups follow each other in time.
func (b By) InTime() bool { return b == ByDay || b == ByWeek || b == ByMonth || b == ByBlock }

// Use is a response, with what it can be grouped by. An empty text is unknown.
type Use struct {
	Response
	// Session is the session that was billed; Root is the session at the head of its sub-agents, which is itself if
	// it is none.
	Session, Root                   string
	Agent, Project, Branch, Outcome string
}

// Group is what a group of responses cost.
type Group struct {
	// Name is the day (2026-11-22), the week (2026-W47), the month (2026-11), or what By names. Empty is unknown.
	Name string
	// Agent is whose window a block is.
	Agent string
	// From and Until bound a group in time.
	From, Until time.Time
	Sum
	// Sessions counts sessions with their sub-agents.
	Sessions int
	// Models are the group's parts by model, most tokens first.
	Models []*Group

	roots    map[string]bool
	lastRoot string
	models   map[string]*Group
	// lastModel is the part that was added to last: the answers of a session are mostly of one model.
	lastModel *Group
}

// Tally groups responses.
type Tally struct {
	prices *Prices
	by     By
	zone   *time.Location
	groups map[groupKey]*Group
	all    Group
	period Group // the latest group in time: responses of a session are near each other
	uses   []Use // for blocks, which need them in order
}

type groupKey struct{ name, agent string }

// NewTally groups responses by their local time in zone.
func NewTally(p *Prices, by By, zone *time.Location) *Tally {
	return &Tally{prices: p, by: by, zone: zone, groups: map[groupKey]*Group{}}
}

// Add adds a response.
func (t *Tally) Add(u *Use) {
	if t.by == ByBlock {
		t.uses = append(t.uses, *u)
		return
	}
	t.add(t.groupOf(u), u)
}

func (t *Tally) add(g *Group, u *Use) {
	c := t.prices.charge(&u.Response)
	g.add(u, c)
	g.model(u.Model).add(u, c)
}

// merge adds the answers of another group.
func (g *Group) merge(o *Group) {
	g.Sum.Add(o.Sum)
	if g.roots == nil {
		g.roots = make(map[string]bool, len(o.roots))
	}
	maps.Copy(g.roots, o.roots)
	for name, m := range o.models {
		g.model(name).merge(m)
	}
}

// model is the group's part of a model.
func (g *Group) model(name string) *Group {
	if g.lastModel != nil && g.lastModel.Name == name {
		return g.lastModel
	}
	if g.models == nil {
		g.models = map[string]*Group{}
	}
	m := g.models[name]
	if m == nil {
		m = &Group{Name: name}
		g.models[name] = m
	}
	g.lastModel = m
	return m
}

func (g *Group) add(u *Use, c charge) {
	g.Sum.add(&u.Response, c)
	if u.Root == g.lastRoot && g.roots != nil {
		return
	}
	if g.roots == nil {
		g.roots = map[string]bool{}
	}
	g.roots[u.Root] = true
	g.lastRoot = u.Root
}

func (t *Tally) group(name, agent string) *Group {
	key := groupKey{name, agent}
	g := t.groups[key]
	if g == nil {
		g = &Group{Name: name, Agent: agent}
		t.groups[key] = g
	}
	return g
}

func (t *Tally) groupOf(u *Use) *Group {
	switch t.by {
	case ByProject:
		return t.group(u.Project, "")
	case ByModel:
		return t.group(u.Model, "")
	case ByAgent:
		return t.group(u.Agent, "")
	case ByBranch:
		return t.group(u.Branch, "")
	case BySession:
		return t.group(u.Session, "")
	case ByOutcome:
		return t.group(u.Outcome, "")
	}
	return t.inTime(u.Time)
}

// inTime is the group of a time, in days, weeks or months of the zone.
func (t *Tally) inTime(at time.Time) *Group {
	if at.IsZero() {
		return t.group("", "")
	}
	if at.Before(t.period.From) || !at.Before(t.period.Until) {
		t.period = Period(t.by, at.In(t.zone))
	}
	g := t.group(t.period.Name, "")
	g.From, g.Until = t.period.From, t.period.Until
	return g
}

// Period is the day, week or month of a time, in the time's zone.
func Period(by By, at time.Time) Group {
	y, m, d := at.Date()
	start := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, at.Location()) }
	switch by {
	case ByWeek:
		year, week := at.ISOWeek()
		monday := d - (int(at.Weekday())+6)%7
		return Group{Name: fmt.Sprintf("%d-W%02d", year, week), From: start(y, m, monday), Until: start(y, m, monday+7)}
	case ByMonth:
		return Group{Name: at.Format("2006-01"), From: start(y, m, 1), Until: start(y, m+1, 1)}
	}
	return Group{Name: at.Format(time.DateOnly), From: start(y, m, d), Until: start(y, m, d+1)}
}

// blockLength is how long a window of a subscription lasts.
const blockLength = 5 * time.Hour

// blocks puts the uses into windows.
func (t *Tally) blocks() {
	slices.SortStableFunc(t.uses, func(a, b Use) int { return a.Time.Compare(b.Time) })
	open := map[string]*Group{}
	last := map[string]time.Time{}
	for i := range t.uses {
		u := &t.uses[i]
		if u.Time.IsZero() {
			t.add(t.group("", u.Agent), u)
			continue
		}
		g := open[u.Agent]
		if g == nil || u.Time.Sub(g.From) > blockLength || u.Time.Sub(last[u.Agent]) > blockLength {
			from := u.Time.Truncate(time.Hour)
			g = t.group(from.UTC().Format(time.RFC3339), u.Agent)
			g.From, g.Until = from, from.Add(blockLength)
			open[u.Agent] = g
		}
		last[u.Agent] = u.Time
		t.add(g, u)
	}
	t.uses = nil
}

// Groups returns the groups and their total. Groups in time are in their order, others begin with the highest amount.
func (t *Tally) Groups() (groups []*Group, total *Group) {
	t.blocks()
	groups = slices.SortedFunc(maps.Values(t.groups), func(a, b *Group) int {
		if t.by.InTime() {
			return cmp.Or(a.From.Compare(b.From), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Name, b.Name))
		}
		return bySize(a, b)
	})
	t.all = Group{}
	for _, g := range groups {
		t.all.merge(g)
	}
	for _, g := range append(slices.Clone(groups), &t.all) {
		g.Sessions = len(g.roots)
		g.Models = slices.SortedFunc(maps.Values(g.models), bySize)
		for _, m := range g.Models {
			m.Sessions = len(m.roots)
		}
	}
	return groups, &t.all
}

func bySize(a, b *Group) int {
	return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(b.Tokens.Total(), a.Tokens.Total()), strings.Compare(a.Name, b.Name))
}
