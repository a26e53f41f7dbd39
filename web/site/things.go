package site

import (
	"aburn/attention"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/web/pages"
	"aburn/web/site/snapshot"
)

// Thing is something that waits, is stuck or lives, with what the archive knows of its session. A worker is one, too.
type Thing struct {
	attention.Item
	Title  string
	Cost   *cost.Sum // with sub-agents; nil where the archive has no answers of it
	Resume string    // the command that takes its session up again, "" where its process can be gone to
}

// Things is what the page Now shows, for a screen of another kind.
type Things struct {
	List     []Thing // in the order of the page: of each group the workers first
	Projects []attention.Project
	Notes    []pages.Note // of what cannot be seen
	Waiting  int
	Today    cost.Sum
	In       *bill.Currency
	Problem  error // why amounts are unknown
}

func (s *nowPages) things(v *snapshot.View) *Things {
	items, projects := s.items(v)
	all := &Things{Projects: projects, Notes: s.workers.Notes(), Waiting: len(s.workers.Waits()), Today: v.TodaySum(), In: v.Currency, Problem: v.Problem}
	for _, one := range s.workers.List(s.known(v), items) {
		thing := Thing{Item: one.Item, Cost: one.Cost}
		if one.Worker != nil {
			thing.Title = one.Worker.Name
		} else {
			thing = thingOf(v, &one.Item)
		}
		all.List = append(all.List, thing)
	}
	return all
}

func thingOf(v *snapshot.View, item *attention.Item) Thing {
	one := Thing{Item: *item, Title: cardTitle(item)}
	if r := rowOf(v, item); r != nil {
		one.Title = titleOf(r, item)
		if r.FamilyCost.Responses > 0 {
			one.Cost = r.FamilyCost
		}
		if list := resumeCopy(r, item); len(list) > 0 {
			one.Resume = list[0].Text
		}
	}
	return one
}
