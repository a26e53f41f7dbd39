package viewer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/names"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/failure"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/web/pages"
	"aburn/web/show"
)

// view is what pages show of the archive, worked out once for each state of it. Nobody changes it.
type view struct {
	archiveState archive.State
	made         time.Time
	weekSpans    []cost.Group // the last weeks up to now, the earliest first
	today        string
	rows         []*row // of vouched projects, the newest first
	byName       map[string]*row
	bySource     map[string]map[string]*archive.Session
	verdicts     map[int64]insight.Verdict
	names        *names.Sessions
	byKey        map[int64]*row
	ties         []archive.Relation // between sessions that are shown
	cells        []cell
	prices       *cost.Prices
	amounts      string // what they are called (bill.Billing), and what is said of them once a page
	billingNote  string
	currency     *bill.Currency
	roots        []string // of the vouched projects
	trusted      []string // roots, and the clones for workers of these projects
	hidden       int      // sessions of others
	live         bool     // some session is going on, so that mere time changes the view
	damage       []archive.Damage
	damaged      map[string]int
	problem      error // why there is nothing to show
	todayCost    func() cost.Sum
}

// money is an amount, and of what it is one.
func (v *view) money(of string, sum *cost.Sum, href string) pages.Figure {
	return Money(v.currency, v.amounts+of, sum, href)
}

// todaySum is what today's answers cost, which every page says.
func (v *view) todaySum() cost.Sum { return v.todayCost() }

// row is a session or sub-agent with what is known of it beside the archive.
type row struct {
	archive.Session
	root        string // of the vouched project
	verdict     insight.Verdict
	keys        insight.Keys
	shape       string
	mainError   *insight.ErrorGroup // its main error, nil without one
	endedCalls  int                 // calls that have an end
	failedCalls int                 // of ended
	spentFailed int64               // tokens in failed calls
	parent      *row
	head        *row // the session at the head of its sub-agents, which is itself if it is none
	subagents   []*row
	cost        cost.Sum
	familyCost  *cost.Sum // with its sub-agents; own without any
	days        []string  // on which it, without its sub-agents, had answers
}

func (r *row) name() string     { return r.Source + "/" + r.ID }
func (r *row) isSubagent() bool { return r.head != r }

// over reports whether the session is not going on.
func (r *row) over() bool { return !r.Live }

func (r *row) failing() bool { return r.over() && r.verdict.Failing() }

// makeView reads the archive.
func makeView(ctx context.Context, s *scope, costsOnly bool) *view {
	now := s.Now()
	v := &view{archiveState: archive.StateOf(s.dir), made: now, today: now.Format(time.DateOnly), byName: map[string]*row{},
		bySource: map[string]map[string]*archive.Session{},
		verdicts: map[int64]insight.Verdict{}, names: names.New(nil), prices: cost.Shipped(), amounts: bill.APIValue, trusted: project.Marked(s.env)}
	slices.Sort(v.trusted)
	v.roots = slices.DeleteFunc(slices.Clone(v.trusted), func(root string) bool { return project.Original(root, s.env) != root })
	for i := weeksShown - 1; i >= 0; i-- {
		v.weekSpans = append(v.weekSpans, cost.Period(cost.ByWeek, now.AddDate(0, 0, -7*i)))
	}
	v.todayCost = sync.OnceValue(func() cost.Sum { return total(v.answers(filter{day: v.today})) })
	v.problem = v.read(ctx, s, costsOnly)
	return v
}

func (v *view) read(ctx context.Context, s *scope, costsOnly bool) error {
	c := s.Caller("")
	prices, err := bill.PricesOf(c, "")
	if err != nil {
		return err
	}
	v.prices = prices
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	v.names = names.New(all)
	v.choose(all, s)
	set, agents := bill.SettingsOf(c), slices.Sorted(maps.Keys(v.bySource))
	billing := bill.Billing(set.Billing)
	v.amounts, v.billingNote, v.currency = billing.Name(agents...), billing.Note(prices.Made, agents...)+".", bill.CurrencyOf(set)
	if note := v.currency.Note(); note != "" {
		v.billingNote += " " + note + "."
	}
	if !costsOnly {
		if err := v.judge(ctx, s); err != nil {
			return err
		}
	}
	if err := v.relate(ctx, arch); err != nil {
		return err
	}
	if v.damage, v.damaged, err = arch.Damage(mostDamage); err != nil {
		return err
	}
	return v.price(ctx, arch, s.zone)
}

// mostDamage is how many unreadable places are listed.
const mostDamage = 50

// choose keeps the sessions of projects that the user has vouched for, and of the one that --project names.
func (v *view) choose(all []archive.Session, s *scope) {
	roots := map[string]string{}
	v.rows = make([]*row, 0, len(all))
	for i := range all {
		one := &all[i]
		at := cmp.Or(one.Project.Key, one.Project.Path)
		root, known := roots[at]
		if !known {
			root = v.vouchedRoot(at, s.env)
			roots[at] = root
		}
		if root == "" {
			v.hidden++
			continue
		}
		if s.project != "" && root != s.project {
			continue
		}
		r := &row{Session: *one, root: root}
		r.head, r.familyCost = r, &r.cost
		v.rows = append(v.rows, r)
		v.byName[r.name()] = r
		if v.bySource[r.Source] == nil {
			v.bySource[r.Source] = map[string]*archive.Session{}
		}
		v.bySource[r.Source][r.ID] = &r.Session
		v.live = v.live || r.Live
	}
}

// vouchedRoot is the root of the vouched project that a folder belongs to, "" if it is somebody else's. A folder that is gone
// belongs to the vouched project around it, and a worker's tree that was removed to the worker's project.
func (v *view) vouchedRoot(dir string, env func(string) string) string {
	if dir == "" {
		return ""
	}
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		p, err := project.Find(dir, env)
		if err != nil || !p.Marked {
			return ""
		}
		return project.Original(p.Root, env)
	}
	found := project.OfTree(dir, env)
	for _, root := range v.roots {
		if (dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))) && len(root) > len(found) {
			found = root
		}
	}
	return found
}

// judge adds what digests say.
func (v *view) judge(ctx context.Context, s *scope) error {
	list, err := digests.Load(ctx, s.dir, archive.Filter{Own: true}, nil)
	if unread := (*digests.Unreadable)(nil); err != nil && !errors.As(err, &unread) {
		return err
	}
	byKey := make(map[int64]*insight.Digest, len(list))
	for i := range list {
		byKey[list[i].Key] = list[i].Digest
	}
	for _, r := range v.rows {
		d := byKey[r.Key]
		if d == nil {
			r.verdict = insight.Verdict{Outcome: insight.Unknown, Rule: insight.RuleNothing, Reason: "its trace cannot be read"}
			continue
		}
		r.verdict, r.keys, r.Live = detachedVerdict(d.Judged()), insight.Keys{Coarse: strings.Clone(d.Keys.Coarse), Sub: "", Fine: strings.Clone(d.Keys.Fine)}, d.Live
		r.spentFailed = d.Spent.Failed
		for i := range d.Tools {
			r.endedCalls += d.Tools[i].Ended
			r.failedCalls += d.Tools[i].Failed
		}
		if d.Decisive >= 0 && d.Decisive < len(d.Errors) {
			r.mainError = detachedError(&d.Errors[d.Decisive])
		}
		if r.failing() {
			r.shape = shapeWords(d)
		}
		v.verdicts[r.Key] = r.verdict
	}
	return nil
}

// The texts of a digest share one memory. What is kept of it here must not keep all of it.
func detachedVerdict(v insight.Verdict) insight.Verdict {
	v.Outcome, v.Rule, v.Refined, v.Reason = insight.Outcome(detached(string(v.Outcome))), detached(v.Rule), "", strings.Clone(v.Reason)
	return v
}

func detachedError(e *insight.ErrorGroup) *insight.ErrorGroup {
	return &insight.ErrorGroup{Class: failure.Class(detached(string(e.Class))), Tool: detached(e.Tool), Text: strings.Clone(e.Text), Count: e.Count, First: e.First,
		Solved: e.Solved}
}

// shapeWords says what the sessions of a failure group have in common.
func shapeWords(d *insight.Digest) string {
	return insight.ShapeWords(d.Shape(), func(string) string { return show.Agent(d.Source) })
}

// relate finds the session at the head of each sub-agent.
func (v *view) relate(ctx context.Context, arch *archive.Archive) error {
	ties, err := arch.Ties(ctx)
	if err != nil {
		return err
	}
	v.byKey = make(map[int64]*row, len(v.rows))
	for _, r := range v.rows {
		v.byKey[r.Key] = r
	}
	for i := range ties {
		tie := &ties[i]
		r, parent := v.byKey[tie.Key], v.byKey[tie.RelatedKey]
		if r != nil && parent != nil && tie.Kind != trace.Subagent {
			v.ties = append(v.ties, *tie)
		}
		if tie.Kind != trace.Subagent || r == nil {
			continue
		}
		if r.Ask == "" {
			r.Ask = strings.TrimSpace(tie.AgentType + " " + tie.Description)
		}
		if parent != nil && parent != r && r.parent == nil {
			r.parent = parent
		}
	}
	for _, r := range v.rows {
		for range len(v.rows) { // a ring of parents, which only a damaged store has, ends
			if r.head.parent == nil || r.head.parent == r {
				break
			}
			r.head = r.head.parent
		}
		if r.head != r {
			r.head.subagents = append(r.head.subagents, r)
		}
	}
	return nil
}

// agentTitle is the product name of the session's agent, also where only hooks recorded it.
func (r *row) agentTitle() string {
	if agentcli.Of(r.Source).Traits.Recorded {
		return plain.Line(show.Agent(r.Agent.Name)) + ", by hooks"
	}
	return show.Agent(r.Source)
}

// Money is a sum in a currency, with the answers that it counts. Its Value is in dollars.
func Money(in *bill.Currency, name string, sum *cost.Sum, href string) pages.Figure {
	return pages.Figure{Name: name, Text: in.Says(sum), Value: sum.Amount.Decimal(), Href: href}
}
