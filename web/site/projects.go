package site

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"aburn/attention"
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
func (s *projectPages) page(_ context.Context, v *snapshot.View, _ url.Values, _ *http.Request) (*show.Page, error) {
	body := &pages.Projects{Amount: v.Amounts, Note: v.BillingNote}
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
	for _, root := range roots {
		f := snapshot.Filter{Project: root}
		list := v.Sessions(f)
		sum := snapshot.Total(v.Answers(f))
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
