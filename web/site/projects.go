package site

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"aburn/attention"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// projectPages are the page Projects.
type projectPages struct {
	*snapshot.Scope
	projects *attention.Projects
	workers  Workers
	items    func(v *snapshot.View) []attention.Item
}

// page is all projects with what goes on in each: those where something waits first, then what is
// stuck, then what lives, then the others by their newest session.
func (s *projectPages) page(_ context.Context, v *snapshot.View, values url.Values, _ *http.Request) (*show.Page, error) {
	body := &pages.Projects{Note: v.BillingNote}
	waiting := map[string]int{}
	for _, w := range s.workers.Waits() {
		waiting[w.Root]++
	}
	items := s.items(v)
	stuck, living := map[string]int{}, map[string]int{}
	for i := range items {
		switch items[i].Group {
		case attention.Stuck:
			stuck[items[i].Root]++
		case attention.Living:
			living[items[i].Root]++
		}
	}
	newest := map[string]int64{}
	for _, r := range v.Rows {
		newest[r.Root] = max(newest[r.Root], snapshot.MillisOf(r))
	}
	roots := slices.Clone(v.Roots)
	slices.SortStableFunc(roots, func(a, b string) int {
		return cmp.Or(cmp.Compare(waiting[b], waiting[a]), cmp.Compare(stuck[b], stuck[a]), cmp.Compare(living[b], living[a]), cmp.Compare(newest[b], newest[a]))
	})
	sessions, sums := map[string][]*snapshot.Row{}, map[string]cost.Sum{}
	for _, root := range roots {
		sessions[root], sums[root] = v.Sessions(snapshot.Filter{Project: root}), snapshot.Total(v.Answers(snapshot.Filter{Project: root}))
	}
	body.Heads = arrange(roots, []column[string]{
		{name: "project", head: "project", class: "wide", text: snapshot.NameOf},
		{name: "now", head: "now", number: func(root string) (float64, bool) {
			return float64(waiting[root])*1e6 + float64(stuck[root])*1e3 + float64(living[root]), true
		}},
		{head: "workers", class: "some"},
		{name: "sessions", head: "sessions", class: "n some", number: func(root string) (float64, bool) { return float64(len(sessions[root])), true }},
		{name: "cost", head: v.Amounts, class: "n some few", number: func(root string) (float64, bool) {
			sum := sums[root]
			return float64(sum.Amount), sum.Tokens.Total() > 0
		}},
		{name: "last", head: "last active", class: "n some few", number: func(root string) (float64, bool) { return float64(newest[root]), newest[root] > 0 }},
	}, values.Get("sort"), "now", func(sort string) string { return snapshot.Filter{Sort: sort}.Address("/projects") })
	for _, root := range roots {
		f, list, sum := snapshot.Filter{Project: root}, sessions[root], sums[root]
		one := pages.ProjectRow{Name: snapshot.NameOf(root), Root: plain.Line(root), Href: f.Address("/sessions"), Waiting: waiting[root],
			Stuck:  stuck[root],
			Living: living[root], Workers: s.workers.Zones(root), Sessions: show.Count("sessions", len(list), f.Address("/sessions")),
			Money: v.SessionsMoney("", &sum, len(list), f.With("period", "all").Address("/cost"))}
		if len(list) > 0 {
			one.Last = show.Time(list[0].End, v.Made)
		} else {
			one.Last, one.Money = pages.Time{Text: "–"}, pages.Figure{Text: "–"}
		}
		if p, ok := s.projects.Get(root); ok && p.Gone {
			one.Problem = "its folder is gone"
		} else if ok && p.Err != nil {
			one.Problem = plain.Line(fault.Of(p.Err).Msg)
		}
		body.List = append(body.List, one)
	}
	return &show.Page{Frame: &pages.Frame{Title: "Projects", Page: "projects", Heading: "Projects", Sub: plain.Plural(int64(len(body.List)), "project"),
		Total: len(body.List)}, Body: body}, nil
}
