package viewer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/aburn/internal/bill"
	"aburn/cmd/aburn/internal/scope"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/failure"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/web/pages"
)

// view is what pages show of the archive, worked out once for each state of it. Nobody changes it.
type view struct {
	of        archiveState
	made      time.Time
	weekSpans []cost.Group // the last weeks up to now, the earliest first
	today     string
	rows      []*row // of vouched projects, the newest first
	byName    map[string]*row
	bySource  map[string]map[string]*archive.Session
	verdicts  map[int64]insight.Verdict
	names     *scope.SessionNames
	byKey     map[int64]*row
	ties      []archive.Relation // between sessions that are shown
	cells     []cell
	prices    *cost.Prices
	roots     []string // of the vouched projects
	hidden    int      // sessions of others
	live      bool     // some session is going on, so that mere time changes the view
	damage    []archive.Damage
	damaged   map[string]int
	problem   error // why there is nothing to show

	todayOnce sync.Once
	todayPage pages.Now // what Now says of today
	todayCost func() cost.Sum
}

// todaySum is what today's answers cost, which every page says.
func (v *view) todaySum() cost.Sum { return v.todayCost() }

// row is a session or sub-agent with what is known of it beside the archive.
type row struct {
	archive.Session
	root    string // of the vouched project
	verdict insight.Verdict
	keys    insight.Keys
	shape   string
	main    *insight.ErrorGroup // its main error, nil without one
	ended   int                 // calls that have an end
	failed  int                 // of ended
	spent   int64               // tokens in failed calls
	parent  *row
	head    *row // the session at the head of its sub-agents, which is itself if it is none
	below   []*row
	own     cost.Sum
	family  cost.Sum // with its sub-agents
	days    []string // on which it, without its sub-agents, had answers
}

// cell is what the answers of one session on one day, of one model on one branch, cost.
type cell struct {
	row           *row
	day           string // of the zone; "" is unknown
	model, branch string
	sum           cost.Sum // without Unpriced: a map for each cell takes megabytes, and adding maps most of a page's time
	unpriced      int64    // tokens of model without a price
}

// summing adds cells up. The cells of a session stand together, so the model is mostly that of the cell before.
type summing struct {
	all      cost.Sum
	model    string
	unpriced int64 // of model, and not in all yet
}

func (s *summing) add(c *cell) {
	s.all.Add(c.sum)
	if c.unpriced == 0 {
		return
	}
	if c.model != s.model {
		s.sum()
		s.model = c.model
	}
	s.unpriced += c.unpriced
}

// sum is what the cells so far cost.
func (s *summing) sum() cost.Sum {
	if s.unpriced > 0 {
		if s.all.Unpriced == nil {
			s.all.Unpriced = map[string]int64{}
		}
		s.all.Unpriced[s.model] += s.unpriced
		s.unpriced = 0
	}
	return s.all
}

func (r *row) name() string   { return r.Source + "/" + r.ID }
func (r *row) subagent() bool { return r.head != r }

// over reports whether the session is not going on.
func (r *row) over() bool { return !r.Live }

func (r *row) failing() bool { return r.over() && r.verdict.Failing() }

// archiveState changes with every write to the archive: it is size and time of its file and of the write-ahead log.
type archiveState [2]struct {
	size     int64
	modified time.Time
}

func stateOf(dir string) (state archiveState) {
	for i, name := range []string{archive.Name, archive.Name + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			state[i].size, state[i].modified = info.Size(), info.ModTime()
		}
	}
	return state
}

// makeView reads the archive.
func (s *Site) makeView(ctx context.Context) *view {
	now := s.now()
	v := &view{of: stateOf(s.dir), made: now, today: now.Format(time.DateOnly), byName: map[string]*row{}, bySource: map[string]map[string]*archive.Session{},
		verdicts: map[int64]insight.Verdict{}, names: scope.NewNames(nil), prices: cost.Shipped(), roots: project.Marked(s.env)}
	slices.Sort(v.roots)
	for i := weeksShown - 1; i >= 0; i-- {
		v.weekSpans = append(v.weekSpans, cost.Period(cost.ByWeek, now.AddDate(0, 0, -7*i)))
	}
	v.todayCost = sync.OnceValue(func() cost.Sum { return total(v.answers(filter{day: v.today})) })
	v.problem = v.read(ctx, s)
	return v
}

func (v *view) read(ctx context.Context, s *Site) error {
	c := s.caller("")
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
	v.names = scope.NewNames(all)
	v.choose(all, s)
	if !s.costsOnly {
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
func (v *view) choose(all []archive.Session, s *Site) {
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
		r.head = r
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
// belongs to the vouched project around it.
func (v *view) vouchedRoot(dir string, env func(string) string) string {
	if dir == "" {
		return ""
	}
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		p, err := project.Find(dir, env)
		if err != nil || !p.Marked {
			return ""
		}
		return p.Root
	}
	found := ""
	for _, root := range v.roots {
		if (dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))) && len(root) > len(found) {
			found = root
		}
	}
	return found
}

// judge adds what digests say.
func (v *view) judge(ctx context.Context, s *Site) error {
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
		r.verdict, r.keys, r.Live = ownVerdict(d.Judged()), insight.Keys{Coarse: strings.Clone(d.Keys.Coarse), Sub: "", Fine: strings.Clone(d.Keys.Fine)}, d.Live
		r.spent = d.Spent.Failed
		for i := range d.Tools {
			r.ended += d.Tools[i].Ended
			r.failed += d.Tools[i].Failed
		}
		if d.Decisive >= 0 && d.Decisive < len(d.Errors) {
			r.main = ownError(&d.Errors[d.Decisive])
		}
		if r.failing() {
			r.shape = shapeWords(d)
		}
		v.verdicts[r.Key] = r.verdict
	}
	return nil
}

// The texts of a digest share one memory. What is kept of it here must not keep all of it.
func ownVerdict(v insight.Verdict) insight.Verdict {
	v.Outcome, v.Rule, v.Refined, v.Reason = insight.Outcome(strings.Clone(string(v.Outcome))), strings.Clone(v.Rule), "", strings.Clone(v.Reason)
	return v
}

func ownError(e *insight.ErrorGroup) *insight.ErrorGroup {
	return &insight.ErrorGroup{Class: failure.Class(strings.Clone(string(e.Class))), Tool: strings.Clone(e.Tool), Text: strings.Clone(e.Text), Count: e.Count, First: e.First, Solved: e.Solved}
}

// shapeWords says what the sessions of a failure group have in common.
func shapeWords(d *insight.Digest) string {
	return insight.ShapeWords(d.Shape(), func(string) string { return agentTitle(d.Source) })
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
			r.head.below = append(r.head.below, r)
		}
	}
	return nil
}

// price prices every answer once, into cells.
func (v *view) price(ctx context.Context, arch *archive.Archive, zone *time.Location) error {
	days := dayNamer{zone: zone}
	err := arch.EachAnswers(ctx, func(key int64) bool { return v.byKey[key] != nil }, func(key int64, list []archive.Answer) error {
		v.addAnswers(v.byKey[key], list, &days)
		return nil
	})
	for _, r := range v.rows {
		if len(r.below) == 0 {
			r.family = r.own // nobody adds to either any more
			continue
		}
		r.family.Add(r.own)
		for _, sub := range r.below {
			r.family.Add(sub.own)
		}
	}
	return err
}

func (v *view) addAnswers(r *row, list []archive.Answer, days *dayNamer) {
	hides := bill.HidesCacheWrites(r.Source, list)
	first := len(v.cells)
	for i := range list {
		a := &list[i]
		day := days.of(a.Time)
		at := slices.IndexFunc(v.cells[first:], func(c cell) bool { return c.day == day && c.model == a.Model && c.branch == a.Branch })
		if at < 0 {
			at = len(v.cells) - first
			v.cells = append(v.cells, cell{row: r, day: day, model: a.Model, branch: a.Branch})
			if !slices.Contains(r.days, day) {
				r.days = append(r.days, day)
			}
		}
		one := v.prices.Price(bill.ResponseOf(a, hides))
		v.cells[first+at].unpriced += one.UnpricedTokens()
		one.Rows, one.Unpriced = nil, nil // no page asks which prices were used
		v.cells[first+at].sum.Add(one)
	}
	own := summing{all: r.own}
	for i := first; i < len(v.cells); i++ {
		own.add(&v.cells[i])
	}
	r.own = own.sum()
}

// dayNamer names days of a zone. Answers of a session are near each other, so it keeps the last day.
type dayNamer struct {
	zone *time.Location
	last cost.Group
}

func (d *dayNamer) of(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Before(d.last.From) || !t.Before(d.last.Until):
		d.last = cost.Period(cost.ByDay, t.In(d.zone))
	}
	return d.last.Name
}

// agentTitle is an agent's product name, or the name of the source.
func agentTitle(source string) string { return cmp.Or(agentcli.Of(source).Title, source) }

// agent is the product name of the session's agent, also where only hooks recorded it.
func (r *row) agent() string {
	if agentcli.Of(r.Source).Traits.Recorded {
		return plain.Line(agentTitle(r.Agent.Name)) + ", by hooks"
	}
	return agentTitle(r.Source)
}
