package snapshot

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// View is what pages show of the archive, worked out once for each state of it. Nobody changes it.
type View struct {
	archiveState archive.State
	Made         time.Time
	WeekSpans    []cost.Group // the last weeks up to now, the earliest first
	Today        string
	Rows         []*Row // the newest first
	ByName       map[string]*Row
	BySource     map[string]map[string]*archive.Session
	Verdicts     map[int64]insight.Verdict
	Names        *names.Sessions
	ByKey        map[int64]*Row
	Ties         []archive.Relation // between sessions that are shown
	Cells        []Cell
	Prices       *cost.Prices
	Amounts      string // what they are called (bill.Billing), and what is said of them once a page
	BillingNote  string
	Currency     *bill.Currency
	Roots        []string // of the projects that are shown, in order
	Trusted      []string // of the projects that the user trusts
	marked       []string // the same, and the clones for workers of these projects
	Untrusted    int      // sessions that only the log of a project says that the user has not trusted: they are left out
	Hidden       int      // sessions that the user's settings hide
	live         bool     // some session is going on, so that mere time changes the view
	Damage       []archive.Damage
	Damaged      map[string]int
	Problem      error // why there is nothing to show
	todayCost    func() cost.Sum
}

// Money is an amount, and of what it is one. It is unknown where no session has been read.
func (v *View) Money(of string, sum *cost.Sum, href string) pages.Figure {
	one := Money(v.Currency, v.Amounts+of, sum, href)
	if sum.Tokens.Total() == 0 && (v.Problem != nil || len(v.Rows) == 0) {
		one.Text = "–"
	}
	return one
}

// SessionsMoney is Money of n sessions. It is unknown if none of them has token data.
func (v *View) SessionsMoney(of string, sum *cost.Sum, n int, href string) pages.Figure {
	if n > 0 && sum.Tokens.Total() == 0 {
		return pages.Figure{Name: v.Amounts + of, Text: "–"}
	}
	return v.Money(of, sum, href)
}

// TodaySum is what today's answers cost, which every page says.
func (v *View) TodaySum() cost.Sum { return v.todayCost() }

// Row is a session or sub-agent with what is known of it beside the archive.
type Row struct {
	archive.Session
	Root        string // of its project: the trusted one, else its repository or folder; "" if it is unknown
	Verdict     insight.Verdict
	Keys        insight.Keys
	Shape       string
	MainError   *insight.ErrorGroup // its main error, nil without one
	EndedCalls  int                 // calls that have an end
	FailedCalls int                 // of ended
	SpentFailed int64               // tokens in failed calls
	Parent      *Row
	Head        *Row // the session at the head of its sub-agents, which is itself if it is none
	Subagents   []*Row
	Cost        cost.Sum
	FamilyCost  *cost.Sum // with its sub-agents; own without any
	days        []string  // on which it, without its sub-agents, had answers
}

func (r *Row) Name() string     { return r.Source + "/" + r.ID }
func (r *Row) IsSubagent() bool { return r.Head != r }

// Over reports whether the session is not going on.
func (r *Row) Over() bool { return !r.Live }

func (r *Row) Failing() bool { return r.Over() && r.Verdict.Failing() }

// WeeksShown is how many weeks a plot of weeks has.
const WeeksShown = 12

// makeView reads the archive.
func makeView(ctx context.Context, s *Scope, costsOnly bool) *View {
	now := s.Now()
	v := &View{archiveState: archive.StateOf(s.Dir), Made: now, Today: now.Format(time.DateOnly), ByName: map[string]*Row{},
		BySource: map[string]map[string]*archive.Session{},
		Verdicts: map[int64]insight.Verdict{}, Names: names.New(nil), Prices: cost.Shipped(), Amounts: bill.Title, marked: project.Marked(s.Env)}
	slices.Sort(v.marked)
	v.Trusted = slices.DeleteFunc(slices.Clone(v.marked), func(root string) bool { return project.Original(root, s.Env) != root })
	for i := WeeksShown - 1; i >= 0; i-- {
		v.WeekSpans = append(v.WeekSpans, cost.Period(cost.ByWeek, now.AddDate(0, 0, -7*i)))
	}
	v.todayCost = sync.OnceValue(func() cost.Sum { return Total(v.Answers(Filter{Day: v.Today})) })
	v.listRoots(s) // without an archive too: workers and logs need none
	v.Problem = v.read(ctx, s, costsOnly)
	return v
}

func (v *View) read(ctx context.Context, s *Scope, costsOnly bool) error {
	c := s.Caller("")
	prices, err := bill.PricesOf(c, "")
	if err != nil {
		return err
	}
	v.Prices = prices
	arch, err := archive.View(ctx, s.Dir)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	v.Names = names.New(all)
	v.choose(all, s)
	set, agents := bill.SettingsOf(c), slices.Sorted(maps.Keys(v.BySource))
	billing := bill.Billing(set.Billing)
	v.Amounts, v.BillingNote, v.Currency = bill.Title, billing.Note(prices.Made, agents...)+".", bill.CurrencyOf(set)
	if note := v.Currency.Note(); note != "" {
		v.BillingNote += " " + note + "."
	}
	if !costsOnly {
		if err := v.judge(ctx, s); err != nil {
			return err
		}
	}
	if err := v.relate(ctx, arch); err != nil {
		return err
	}
	if v.Damage, v.Damaged, err = arch.Damage(mostDamage); err != nil {
		return err
	}
	return v.price(ctx, arch, s.Zone)
}

// mostDamage is how many unreadable places are listed.
const mostDamage = 50

// choose keeps the sessions that agents saved, and those in the logs of trusted projects: a repository can ship a log. --project and the user's
// settings narrow both.
func (v *View) choose(all []archive.Session, s *Scope) {
	roots, hidden := map[string]string{}, map[string]bool{}
	v.Rows = make([]*Row, 0, len(all))
	for i := range all {
		one := &all[i]
		at := cmp.Or(one.Project.Key, one.Project.Path)
		trusted, known := roots[at]
		if !known {
			trusted = v.trustedRoot(at, s.Env)
			roots[at] = trusted
		}
		root := cmp.Or(trusted, at)
		if s.Project != "" && root != s.Project {
			continue
		}
		if _, known := hidden[root]; !known {
			hidden[root] = s.Hides(root)
		}
		if hidden[root] {
			v.Hidden++
			continue
		}
		if trusted == "" && inLog(one) {
			v.Untrusted++
			continue
		}
		r := &Row{Session: *one, Root: root}
		r.Head, r.FamilyCost = r, &r.Cost
		v.Rows = append(v.Rows, r)
		v.ByName[r.Name()] = r
		if v.BySource[r.Source] == nil {
			v.BySource[r.Source] = map[string]*archive.Session{}
		}
		v.BySource[r.Source][r.ID] = &r.Session
		v.live = v.live || r.Live
	}
	v.listRoots(s)
}

// inLog reports whether a session is known from a project's log only.
func inLog(one *archive.Session) bool { return filepath.Base(filepath.Dir(one.Path)) == project.OssDir }

// listRoots lists the trusted projects, and those of sessions once they are read.
func (v *View) listRoots(s *Scope) {
	for _, root := range v.Trusted {
		if !s.Hides(root) && (s.Project == "" || s.Project == root) {
			v.Roots = append(v.Roots, root)
		}
	}
	for _, r := range v.Rows {
		if r.Root != "" {
			v.Roots = append(v.Roots, r.Root)
		}
	}
	slices.Sort(v.Roots)
	v.Roots = slices.Compact(v.Roots)
}

// trustedRoot is the root of the trusted project that a folder is in, "" if it is in none. A folder that is gone is in the trusted project
// around it, and a worker's worktree that was removed in the worker's project.
func (v *View) trustedRoot(dir string, env func(string) string) string {
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
	for _, root := range v.Trusted {
		if (dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))) && len(root) > len(found) {
			found = root
		}
	}
	return found
}

// judge adds what digests say.
func (v *View) judge(ctx context.Context, s *Scope) error {
	list, err := digests.Load(ctx, s.Dir, archive.Filter{Own: true}, nil)
	if unread := (*digests.Unreadable)(nil); err != nil && !errors.As(err, &unread) {
		return err
	}
	byKey := make(map[int64]*insight.Digest, len(list))
	for i := range list {
		byKey[list[i].Key] = list[i].Digest
	}
	for _, r := range v.Rows {
		d := byKey[r.Key]
		if d == nil {
			r.Verdict = insight.Verdict{Outcome: insight.Unknown, Rule: insight.RuleNothing, Reason: "its trace cannot be read"}
			continue
		}
		r.Verdict, r.Keys, r.Live = detachedVerdict(d.Judged()), insight.Keys{Coarse: strings.Clone(d.Keys.Coarse), Sub: "", Fine: strings.Clone(d.Keys.Fine)}, d.Live
		r.SpentFailed = d.Spent.Failed
		for i := range d.Tools {
			r.EndedCalls += d.Tools[i].Ended
			r.FailedCalls += d.Tools[i].Failed
		}
		if d.Decisive >= 0 && d.Decisive < len(d.Errors) {
			r.MainError = detachedError(&d.Errors[d.Decisive])
		}
		if r.Failing() {
			r.Shape = shapeWords(d)
		}
		v.Verdicts[r.Key] = r.Verdict
	}
	return nil
}

// The texts of a digest share one memory. What is kept of it here must not keep all of it.
func detachedVerdict(v insight.Verdict) insight.Verdict {
	v.Outcome, v.Rule, v.Refined, v.Reason = insight.Outcome(detached(string(v.Outcome))), detached(v.Rule), "", strings.Clone(v.Reason)
	return v
}

func detachedError(e *insight.ErrorGroup) *insight.ErrorGroup {
	return &insight.ErrorGroup{Class: failure.Class(detached(string(e.Class))), Tool: detached(e.Tool), Text: strings.Clone(e.Text), Count: e.Count,
		First:  e.First,
		Solved: e.Solved}
}

// shapeWords says what the sessions of a failure group have in common.
func shapeWords(d *insight.Digest) string {
	return insight.ShapeWords(d.Shape(), func(string) string { return show.Agent(d.Source) })
}

// relate finds the session at the head of each sub-agent.
func (v *View) relate(ctx context.Context, arch *archive.Archive) error {
	ties, err := arch.Ties(ctx)
	if err != nil {
		return err
	}
	v.ByKey = make(map[int64]*Row, len(v.Rows))
	for _, r := range v.Rows {
		v.ByKey[r.Key] = r
	}
	for i := range ties {
		tie := &ties[i]
		r, parent := v.ByKey[tie.Key], v.ByKey[tie.RelatedKey]
		if r != nil && parent != nil && tie.Kind != trace.Subagent {
			v.Ties = append(v.Ties, *tie)
		}
		if tie.Kind != trace.Subagent || r == nil {
			continue
		}
		if r.Ask == "" {
			r.Ask = strings.TrimSpace(tie.AgentType + " " + tie.Description)
		}
		if parent != nil && parent != r && r.Parent == nil {
			r.Parent = parent
		}
	}
	for _, r := range v.Rows {
		for range len(v.Rows) { // a ring of parents, which only a damaged store has, ends
			if r.Head.Parent == nil || r.Head.Parent == r {
				break
			}
			r.Head = r.Head.Parent
		}
		if r.Head != r {
			r.Head.Subagents = append(r.Head.Subagents, r)
		}
	}
	return nil
}

// AgentTitle is the product name of the session's agent, also where only hooks recorded it.
func (r *Row) AgentTitle() string {
	return plain.Line(agentcli.Called(r.Source, r.Agent.Name))
}

// Money is a sum in a currency, with the answers that it counts. Its Value is in dollars.
func Money(in *bill.Currency, name string, sum *cost.Sum, href string) pages.Figure {
	return pages.Figure{Name: name, Text: in.Says(sum), Value: sum.Amount.Decimal(), Href: href}
}

// Sources are the agents of the sessions.
func (v *View) Sources() (list []string) {
	for source := range v.BySource {
		list = append(list, source)
	}
	slices.Sort(list)
	return list
}

// Find is the session with this id, of whichever agent.
func (v *View) Find(id string) *Row {
	for _, source := range v.Sources() {
		if r := v.ByName[source+"/"+id]; r != nil && !r.IsSubagent() {
			return r
		}
	}
	return nil
}

// CostOf is the cost of some sessions of an agent as far as the archive has them, and the page that shows it.
func (v *View) CostOf(agent string, sessions []string) (sum cost.Sum, href string, ok bool) {
	n := 0
	for _, id := range sessions {
		r := v.ByName[agent+"/"+id]
		if r == nil || r.FamilyCost.Responses == 0 {
			continue
		}
		if n++; n == 1 {
			sum, href = *r.FamilyCost, Filter{Family: r.Head.Name()}.Address("/cost")
			continue
		}
		both := cost.Sum{}
		both.Add(sum)
		both.Add(*r.FamilyCost)
		sum, href = both, ""
	}
	return sum, href, n > 0
}

// RawAt is the page of an event with all of its texts.
func (r *Row) RawAt(n int) string { return r.Address() + RawPart + strconv.Itoa(n) }
