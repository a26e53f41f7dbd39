package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aburn/internal/units"
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
	// ByCommit groups the answers of a session by the next commit that the session made.
	ByCommit By = "commit"
	// ByBlock groups each agent's responses in windows of five hours. A window begins at the full hour (UTC) of its
	// first response. The next one begins with the first response more than five hours after that hour, or after
	// the response before it. When a plan's past windows began is not known: these are estimated.
	ByBlock By = "block"
)

// Bys lists all ways of grouping, the most used first.
var Bys = []By{ByDay, ByWeek, ByMonth, ByProject, ByModel, ByAgent, ByBranch, BySession, ByCommit, ByBlock, ByOutcome}

// InTime reports whether groups follow each other in time.
func (b By) InTime() bool { return b == ByDay || b == ByWeek || b == ByMonth || b == ByBlock }

// Use is a response, with what it can be grouped by. An empty text is unknown.
type Use struct {
	Response
	// Session is the session that was billed; Root is the session at the head of its sub-agents, which is itself if
	// it is none.
	Session, Root                           string
	Agent, Project, Branch, Outcome, Commit string
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

	// roots are numbers of Roots, not each once before Groups.
	roots  []int32
	models map[string]*Group
	// rows are those of a part's model, unpriced are tokens that Groups adds to Unpriced.
	rows     []*Row
	looked   bool // rows are known, and none if there are none
	unpriced int64
	// lastModel is the part that was added to last: the answers of a session are mostly of one model.
	lastModel *Group
}

// Tally groups responses.
type Tally struct {
	prices *Prices
	by     By
	zone   *time.Location
	groups map[groupKey]*Group
	period *Group // the latest group in time: responses of a session are near each other
	uses   []Use  // for blocks, which need them in order

	// numbers numbers the Roots, which costs one hash a session instead of several an answer.
	numbers    map[string]int32
	root       string
	rootNumber int32
}

type groupKey struct{ name, agent string }

// NewTally groups responses by their local time in zone.
func NewTally(p *Prices, by By, zone *time.Location) *Tally {
	return &Tally{prices: p, by: by, zone: zone, groups: map[groupKey]*Group{}, period: &Group{}, numbers: map[string]int32{}}
}

// Add adds a response.
func (t *Tally) Add(u *Use) {
	if t.by == ByBlock {
		t.uses = append(t.uses, *u)
		return
	}
	t.add(t.groupOf(u), u)
}

// add adds to the group's part of a model. Groups adds the parts up.
func (t *Tally) add(g *Group, u *Use) {
	if u.Root != t.root || len(t.numbers) == 0 {
		n, known := t.numbers[u.Root]
		if !known {
			n = int32(len(t.numbers))
			t.numbers[u.Root] = n
		}
		t.root, t.rootNumber = u.Root, n
	}
	m := g.model(u.Model)
	if !m.looked {
		m.rows, m.looked = t.prices.rowsOf(u.Model), true
	}
	c := t.prices.chargeBy(rowAt(m.rows, u.Time), &u.Response)
	m.unpriced += c.unpriced
	c.unpriced = 0
	m.Sum.add(&u.Response, c)
	if n := len(m.roots); n == 0 || m.roots[n-1] != t.rootNumber {
		m.roots = append(m.roots, t.rootNumber)
	}
}

// close adds up the parts.
func (g *Group) close() {
	g.Sum, g.roots = Sum{}, nil
	for _, m := range g.models {
		m.countRoots()
		m.Sum.unpriced(m.Name, m.unpriced)
		m.unpriced = 0
		g.Sum.Add(m.Sum)
		g.roots = append(g.roots, m.roots...)
	}
	g.countRoots()
	g.Models = slices.SortedFunc(maps.Values(g.models), bySize)
}

func (g *Group) countRoots() {
	slices.Sort(g.roots)
	g.roots = slices.Compact(g.roots)
	g.Sessions = len(g.roots)
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
	case ByCommit:
		return t.group(u.Commit, "")
	}
	return t.inTime(u.Time)
}

// inTime is the group of a time, in days, weeks or months of the zone.
func (t *Tally) inTime(at time.Time) *Group {
	if at.IsZero() {
		return t.group("", "")
	}
	if at.Before(t.period.From) || !at.Before(t.period.Until) {
		p := Period(t.by, at.In(t.zone))
		t.period = t.group(p.Name, "")
		t.period.From, t.period.Until = p.From, p.Until
	}
	return t.period
}

// Period is the day, week or month of a time, in the time's zone.
func Period(by By, at time.Time) Group {
	switch by {
	case ByWeek:
		year, week := at.ISOWeek()
		monday := units.WeekStart(at)
		return Group{Name: fmt.Sprintf("%d-W%02d", year, week), From: monday, Until: monday.AddDate(0, 0, 7)}
	case ByMonth:
		first := units.MonthStart(at)
		return Group{Name: at.Format("2006-01"), From: first, Until: first.AddDate(0, 1, 0)}
	}
	midnight := units.DayStart(at)
	return Group{Name: at.Format(time.DateOnly), From: midnight, Until: midnight.AddDate(0, 0, 1)}
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
	total = &Group{}
	for _, g := range t.groups {
		g.close()
		for name, m := range g.models {
			part := total.model(name)
			part.Sum.Add(m.Sum)
			part.roots = append(part.roots, m.roots...)
		}
	}
	total.close()
	groups = slices.SortedFunc(maps.Values(t.groups), func(a, b *Group) int {
		if t.by.InTime() {
			return cmp.Or(a.From.Compare(b.From), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Name, b.Name))
		}
		return bySize(a, b)
	})
	return groups, total
}

// Merge joins groups that name gives the same name. The one with the highest amount is the first.
func Merge(groups []*Group, name func(*Group) string) []*Group {
	merged := map[string]*Group{}
	for _, g := range groups {
		to := merged[name(g)]
		if to == nil {
			to = &Group{Name: name(g)}
			merged[to.Name] = to
		}
		for _, m := range g.Models {
			part := to.model(m.Name)
			part.Sum.Add(m.Sum)
			part.roots = append(part.roots, m.roots...)
		}
	}
	for _, g := range merged {
		g.close()
	}
	return slices.SortedFunc(maps.Values(merged), bySize)
}

func bySize(a, b *Group) int {
	return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(b.Tokens.Total(), a.Tokens.Total()), strings.Compare(a.Name, b.Name))
}
