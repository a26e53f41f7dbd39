package site

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"aburn/archive/story"
	"aburn/attention"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// nowPages are the first page, and what waits, is stuck and runs on others.
type nowPages struct {
	*snapshot.Scope
	projects *attention.Projects
	workers  Workers
	lists    *lists
	wholes   attention.Wholes
	today    today
}

// items are what waits, is stuck and lives in the projects that are shown, in the order in which people are shown it. Sessions that no
// hook recorded are known from the archive only.
func (s *nowPages) items(v *snapshot.View) (list []attention.Item, projects []attention.Project) {
	projects = s.projects.List()
	known := map[string]bool{}
	for i := range projects {
		for k := range projects[i].Report.Sessions {
			known[string(projects[i].Report.Sessions[k].Session)] = true
		}
	}
	var unhooked []attention.Item
	for _, r := range v.Rows {
		if r.Live && !r.IsSubagent() && !agentcli.Of(r.Source).Traits.Recorded && !known[r.ID] {
			unhooked = append(unhooked, attention.Item{Root: r.Root, Source: r.Source, Session: logfmt.SessionID(r.ID), Heard: r.End})
		}
	}
	list = attention.Items(projects, unhooked, s.Now())
	for i := range list {
		if r := rowOf(v, &list[i]); r != nil {
			list[i].Whole = s.wholes.Of(r.Path, &list[i])
		}
	}
	return list, projects
}

func (s *nowPages) page(_ context.Context, v *snapshot.View, query url.Values, _ *http.Request) (*show.Page, error) {
	body := &pages.Now{Hooked: len(s.projects.Followed()) > 0}
	items, projects := s.items(v)
	var notes []pages.Note
	for i := range projects {
		if err := projects[i].Err; err != nil {
			f := fault.Of(err)
			notes = append(notes, show.Note(filepath.Base(projects[i].Root)+": "+f.Msg, f.Hints...))
		}
	}
	living := s.living(items)
	body.Board, items = s.workers.Board(s.known(v), items, query)
	ids := map[string]bool{}
	for i := range items {
		card := s.card(v, &items[i])
		for ids[card.ID] {
			card.ID += "x"
		}
		ids[card.ID] = true
		switch items[i].Group {
		case attention.Waiting:
			body.Waiting = append(body.Waiting, card)
		case attention.Stuck:
			body.Stuck = append(body.Stuck, card)
		default:
			body.Living = append(body.Living, card)
		}
	}
	of := s.today.of(v)
	of.addTo(body)
	s.addEnded(v, body, of.last, living)
	frame := &pages.Frame{Title: "Now", Page: "now", Heading: "Now", Sub: units.Join(s.ProjectsWord(snapshot.Filter{}), v.Made.Format("Monday 2 January 2006")),
		Notes: notes, Total: len(s.workers.Waits())}
	return &show.Page{Frame: frame, Body: body}, nil
}

// endedShown is how many sessions that ended today are listed.
const endedShown = 20

// living are the sessions that have not ended, by project and id, whatever the archive last read of them: those that live or wait, and
// those of workers whose agent runs.
func (s *nowPages) living(items []attention.Item) map[string]bool {
	living := s.workers.Living()
	for i := range items {
		if items[i].Group == attention.Living || items[i].Group == attention.Waiting {
			living[items[i].Root+"\x00"+string(items[i].Session)] = true
		}
	}
	return living
}

// addEnded lists the sessions of today that have ended. To the archive a session has when its files rest; an agent that waits for its
// next prompt still lives.
func (s *nowPages) addEnded(v *snapshot.View, body *pages.Now, last []*snapshot.Row, living map[string]bool) {
	list := ended(last, living)
	today := snapshot.Filter{Ended: v.Today}
	body.Ended = s.lists.few(v, list, endedShown, today)
	if len(list) > endedShown {
		body.MoreEnded = pages.Link{Text: "all " + plain.Count(int64(len(last))) + " at rest", Href: today.Address("/sessions")}
	}
}

// ended are the rows without those of sessions that live.
func ended(list []*snapshot.Row, living map[string]bool) []*snapshot.Row {
	return slices.DeleteFunc(slices.Clone(list), func(r *snapshot.Row) bool { return living[r.Root+"\x00"+r.ID] })
}

// cardClass is how a card looks.
func cardClass(item *attention.Item) string {
	switch {
	case item.Group == attention.Waiting:
		return "asks"
	case item.Group == attention.Stuck:
		return "stuck"
	case item.Kind == attention.Working:
		return "works"
	}
	return "idle"
}

// card is a card with what the archive knows of its session.
func (s *nowPages) card(v *snapshot.View, item *attention.Item) pages.Card {
	card := pages.Card{ID: item.ID(), Title: cardTitle(item), Class: cardClass(item), Mark: item.Mark(), Says: item.Says(),
		What: item.What, Quoted: cmp.Or(item.Whole, item.Quoted), Also: item.Also}
	if item.Group == attention.Stuck && !item.Since.IsZero() { // the words stand before the time
		card.Says += ","
	}
	agent := show.Agent(item.Source)
	if r := rowOf(v, item); r != nil {
		card.Title, card.Href, agent = titleOf(r, item), r.Address(), r.AgentTitle()
		if r.FamilyCost.Tokens.Total() > 0 {
			card.Cost = v.Money(" with sub-agents", r.FamilyCost, snapshot.Filter{Family: r.Head.Name()}.Address("/cost"))
		}
		card.Copy = resumeCopy(r, item)
	}
	card.Copy = append(ways(item), card.Copy...)
	card.Where = plain.Line(units.Join(snapshot.NameOf(item.Root), item.Branch, agent))
	switch {
	case item.Group == attention.Living && item.Last != "":
		card.Proof, card.Quoted = units.Join("last entry "+item.Last+", "+show.Time(item.Heard, v.Made).Text, item.Quoted), ""
	case item.Group != attention.Living:
		card.Proof = units.Join(item.ProofWords(), attention.WayTo(item).Where)
	}
	card.Turn = turn(item.Calls, s.Zone)
	if !item.Since.IsZero() {
		card.Since, card.SinceMS = show.Time(item.Since, s.Now()).Text, item.Since.UnixMilli()
	}
	return card
}

// cardTitle names a thing of which the archive knows nothing.
func cardTitle(item *attention.Item) string {
	if item.Session == "" {
		return snapshot.NameOf(item.Root)
	}
	short, _, _ := strings.Cut(string(item.Session), "-")
	if len(short) < units.ShortID {
		short = string(item.Session)
	}
	return plain.Line(strings.TrimSpace(show.Agent(item.Source) + " " + short))
}

// titleOf names a thing whose session the archive has. Where the archive has no prompt of it yet, the session's name says more than that.
func titleOf(r *snapshot.Row, item *attention.Item) string {
	if strings.TrimSpace(r.Ask) == "" {
		return cardTitle(item)
	}
	return r.Title()
}

// rowOf is the archive's row of a thing's session, nil without one.
func rowOf(v *snapshot.View, item *attention.Item) *snapshot.Row {
	if item.Session == "" {
		return nil
	}
	if r := v.ByName[item.Source+"/"+string(item.Session)]; r != nil {
		return r
	}
	return v.Find(string(item.Session))
}

// ways are the commands that lead to where a thing is settled.
func ways(item *attention.Item) (list []pages.Copy) {
	there := "cd " + shell.Quote(item.Log) + " && "
	if way := attention.WayTo(item); way.Command != "" {
		list = append(list, pages.Copy{Label: "Copy way to " + way.Where, Text: way.Command})
	}
	switch {
	case item.Kind == attention.Foreign:
		list = append(list, pages.Copy{Label: "Copy command", Text: there + "aburn queue list"})
	case item.Kind == attention.Issue:
		list = append(list, pages.Copy{Label: "Copy explain command", Text: there + "aburn supervisor --explain " + shell.Quote(item.Type)})
	}
	return list
}

// resumeCopy is the command that takes a session up again. A process that runs asks in its own terminal.
func resumeCopy(r *snapshot.Row, item *attention.Item) []pages.Copy {
	resume := story.ContinueCommand(r.Source, r.ID, r.Project.Path)
	if resume == "" || attention.WayTo(item).Where != "" {
		return nil
	}
	return []pages.Copy{{Label: "Copy resume command", Text: resume}}
}

// known is what pages of workers take from a view.
func (s *nowPages) known(v *snapshot.View) Known {
	items := func() []attention.Item {
		list, _ := s.items(v)
		return list
	}
	return Known{Items: items, Cost: v.CostOf, Money: v.Money}
}
