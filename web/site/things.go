package site

import (
	"context"

	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
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

// Recent is a session that is not running.
type Recent struct{ Ended, Project, Agent, Title, Cost string }

// Newest are the newest sessions that are not running and no sub-agents.
func (s *Site) Newest(ctx context.Context, most int) (list []Recent) {
	v := s.views.Current(ctx)
	items, _ := s.now.items(v)
	shown := s.now.living(items)
	for _, r := range v.Rows {
		if len(list) == most {
			break
		}
		if r.IsSubagent() || shown[r.Root+"\x00"+r.ID] {
			continue
		}
		one := Recent{Ended: show.Time(r.End, v.Made).Text, Project: snapshot.NameOf(r.Root), Title: r.Title(), Cost: "–",
			Agent: plain.Line(agentcli.CalledShort(r.Source, r.Agent.Name))}
		if r.FamilyCost.Tokens.Total() > 0 {
			one.Cost = v.Currency.Says(r.FamilyCost)
		}
		list = append(list, one)
	}
	return list
}

// Missing are sentences about sessions that are not shown. looked is where aburn looked if no agent has saved one.
func (s *Site) Missing(ctx context.Context) (notes []pages.Note, looked string) {
	v := s.views.Current(ctx)
	if v.Problem == nil && len(v.Rows)+v.Untrusted+v.Hidden == 0 && !s.anyRecorded() {
		looked = lookup.LookedIn(ctx, s.Env)
	}
	if looked != "" {
		return nil, looked
	}
	return s.emptyNotes(v), ""
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
		if r.FamilyCost.Tokens.Total() > 0 {
			one.Cost = r.FamilyCost
		}
		if list := resumeCopy(r, item); len(list) > 0 {
			one.Resume = list[0].Text
		}
	}
	return one
}
