package why

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/history"
	"aburn/history/commits"
	"aburn/internal/term"
	"aburn/internal/units"
)

// ListQuery chooses commits.
type ListQuery struct {
	Revision string // "" is HEAD
	Since    time.Time
	Session  string // only those of this session, by its id or the beginning of it
	Agent    string // only those of this agent
	Limit    int
	Survival bool // say how many of their lines survive
}

// List is commits with their sessions.
type List struct {
	Commits    []Listed `json:"commits"`
	More       bool     `json:"more"`
	Looked     Looked   `json:"looked"`
	Repository string   `json:"repository"`
	Unread     int      `json:"-"` // sessions that could not be read

	short    *names.Sessions
	now      time.Time
	survival bool
}

// Listed is a commit of a list.
type Listed struct {
	Commit
	// Added is how many lines it added, and Survives how many of them git still blames on it some days later; only if asked for.
	Added    int        `json:"added,omitempty"`
	Survives []Survival `json:"survives,omitempty"`
}

// Survival is how many lines of a commit were left some days after it. Days 0 is now.
type Survival struct {
	Days  int `json:"days"`
	Lines int `json:"lines"`
}

// survivalDays are the days after a commit, and now.
var survivalDays = []int{1, 7, 30, 0}

// ListOf lists commits of the caller's repository. catchUp brings the archive up to date. environ is what git gets.
func ListOf(ctx context.Context, c *lookup.Caller, environ []string, q ListQuery, catchUp func() error) (*List, error) {
	folder, err := c.Folder()
	if err != nil {
		return nil, err
	}
	repo, err := commits.Open(ctx, folder, environ)
	if err != nil {
		return nil, err
	}
	revision, most := cmp.Or(q.Revision, "HEAD"), q.Limit
	if q.Session+q.Agent != "" {
		most = max(most, mostListed) // of these the filter leaves some
	}
	hashes, more, err := repo.Log(ctx, revision, q.Since, most)
	if err != nil {
		return nil, err
	}
	if err := catchUp(); err != nil {
		return nil, err
	}
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	asker, err := New(ctx, c, arch, repo, hashes)
	if err != nil {
		return nil, err
	}
	l := &List{Commits: []Listed{}, More: more, Looked: asker.Looked(), Repository: repo.Root, now: c.Now, survival: q.Survival}
	for _, hash := range hashes {
		if len(l.Commits) == q.Limit {
			l.More = true
			break
		}
		if one := (Listed{Commit: asker.Commit(ctx, hash, "")}); q.matches(&one.Commit) {
			if q.Survival {
				if err := one.survive(ctx, repo, branchOf(revision), c.Now); err != nil {
					return nil, err
				}
			}
			l.Commits = append(l.Commits, one)
		}
	}
	l.Unread = asker.Unreadable()
	l.short, err = names.Read(ctx, arch)
	return l, err
}

// mostListed bounds the commits that a filter goes through.
const mostListed = 1000

// branchOf is the end of a range.
func branchOf(revision string) string {
	if _, end, isRange := strings.Cut(revision, ".."); isRange {
		return cmp.Or(strings.TrimPrefix(end, "."), "HEAD")
	}
	return revision
}

func (q *ListQuery) matches(c *Commit) bool {
	if q.Session+q.Agent == "" {
		return true
	}
	return slices.ContainsFunc(c.Sessions, func(s Session) bool {
		return strings.HasPrefix(s.Session, q.Session) && (q.Agent == "" || s.Source == q.Agent)
	})
}

// survive counts the lines that are left. The branch is as it was on each day.
func (l *Listed) survive(ctx context.Context, repo *commits.Repo, branch string, now time.Time) error {
	added, err := repo.Added(ctx, l.Hash)
	if err != nil {
		return err
	}
	for _, n := range added {
		l.Added += n
	}
	for _, days := range survivalDays {
		at := l.Time.AddDate(0, 0, days)
		if days == 0 {
			at = now
		}
		if at.After(now) {
			continue
		}
		tip, err := repo.TipAt(ctx, branch, at)
		if err != nil {
			return err
		}
		s := Survival{Days: days}
		for path := range added {
			if tip == "" {
				break
			}
			n, err := repo.Alive(ctx, l.Hash, tip, path)
			if err != nil {
				return err
			}
			s.Lines += n
		}
		l.Survives = append(l.Survives, s)
	}
	return nil
}

// Print prints the list for people.
func (l *List) Print(out *term.Out) error {
	text := func(f func(*Listed) string) func(*Listed) term.Cell {
		return func(c *Listed) term.Cell { return term.Cell{Text: f(c)} }
	}
	first := func(f func(*Session) string) func(*Listed) term.Cell {
		return text(func(c *Listed) string {
			if len(c.Sessions) == 0 {
				return ""
			}
			return f(&c.Sessions[0])
		})
	}
	fields := []term.Field[*Listed]{
		{Column: term.Column{Title: "commit"}, Cell: text(func(c *Listed) string { return c.Hash[:10] })},
		{Column: term.Column{Title: "when"}, Cell: text(func(c *Listed) string { return c.Time.Local().Format(units.DateLayout(false, c.Time, l.now)) })},
		{Column: term.Column{Title: "by"}, Cell: func(c *Listed) term.Cell { return degreeCell(c.Degree) }},
		{Column: term.Column{Title: "session"}, Cell: text(l.sessionsOf)},
		{Column: term.Column{Title: "checks"}, Cell: first(checkWords)},
		{Column: term.Column{Title: "turn", Right: true}, Cell: first(func(s *Session) string { return s.Cost })},
	}
	if l.survival {
		for _, days := range survivalDays {
			title := "now"
			if days > 0 {
				title = strconv.Itoa(days) + "d"
			}
			left := text(func(c *Listed) string { return c.left(days) })
			fields = append(fields, term.Field[*Listed]{Column: term.Column{Title: title, Right: true}, Cell: left})
		}
	}
	subject := text(func(c *Listed) string { return c.Subject })
	fields = append(fields, term.Field[*Listed]{Column: term.Column{Title: "subject", Flex: true, Min: 16}, Cell: subject})
	rows := make([]*Listed, len(l.Commits))
	for i := range rows {
		rows[i] = &l.Commits[i]
	}
	return term.TableOf(fields, rows).Print(out, 0)
}

// left is the share of its lines that survived, "–" if that isn't known yet.
func (l *Listed) left(days int) string {
	for _, s := range l.Survives {
		if s.Days == days && l.Added > 0 {
			return strconv.Itoa(s.Lines*100/l.Added) + " %"
		}
	}
	return "–"
}

func (l *List) sessionsOf(c *Listed) string {
	var list []string
	for i := range c.Sessions {
		list = append(list, l.short.Of(c.Sessions[i].Source, c.Sessions[i].Session))
	}
	return strings.Join(list, " ")
}

func degreeCell(d history.Degree) term.Cell {
	switch d {
	case history.Made:
		return term.Cell{Text: "made", Style: term.Green}
	case history.None, history.Merge:
		return term.Cell{Text: "–", Style: term.Dim}
	}
	return term.Cell{Text: string(d)}
}

// checkWords sums up the checks of a turn.
func checkWords(s *Session) string {
	failed := 0
	for _, c := range s.Checks {
		if c.Result == "failed" {
			failed++
		}
	}
	switch {
	case len(s.Checks) == 0:
		return "none seen"
	case failed > 0:
		return strconv.Itoa(failed) + " of " + strconv.Itoa(len(s.Checks)) + " failed"
	case slices.ContainsFunc(s.Checks, func(c Check) bool { return c.Result == "unknown" }):
		return "unknown"
	}
	return "passed"
}
