package dashboard

import (
	"context"
	"net/http"
	"net/url"

	"aburn/attention"
	"aburn/cmd/aburn/internal/eyes/workers"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site"
	"aburn/worker/board"
	"aburn/worker/launch"
)

// withWorkers follows the workers of all projects, with their board and their pages.
type withWorkers struct {
	*workers.Pages
	board *board.Board
}

// WorkersOf makes what the pages show of workers.
func WorkersOf(a *kit.App) func(site.Surroundings) site.Workers {
	return func(s site.Surroundings) site.Workers {
		b := board.New(a.Getenv, board.Options{Restart: launch.Restart, Shown: s.Shown, Asked: s.Asked, Changed: s.Changed, Recorded: s.Recorded})
		return withWorkers{workers.New(workers.Options{Board: b, Projects: s.Projects, Act: s.Act, Now: s.Now, Life: s.Life, Sessions: s.Sessions,
			Changed: s.Changed}), b}
	}
}

func (w withWorkers) Follow(ctx context.Context) { w.board.Run(ctx) }

func (w withWorkers) Refresh(ctx context.Context, everything bool) bool {
	return w.board.Refresh(ctx, everything)
}

func known(k site.Known) workers.Known {
	return workers.Known{Items: k.Items, Money: k.Money, Cost: func(s *board.Standing) (cost.Sum, string, bool) { return k.Cost(s.Agent, s.Sessions) }}
}

func (w withWorkers) Waits() (list []site.Wait) {
	for _, one := range w.Pages.Waits() {
		list = append(list, site.Wait(one))
	}
	return list
}

func (w withWorkers) Board(k site.Known, items []attention.Item, query url.Values) (pages.Board, []attention.Item) {
	return w.Pages.Board(known(k), items, query)
}

func (w withWorkers) List(k site.Known, items []attention.Item) (list []site.Listed) {
	for _, one := range w.Pages.List(known(k), items) {
		list = append(list, site.Listed(one))
	}
	return list
}

// Routes are the pages of one worker, by pattern.
func (w withWorkers) Routes() map[string]site.WorkerPage {
	list := map[string]site.WorkerPage{}
	for pattern, page := range map[string]func(context.Context, workers.Known, url.Values, *http.Request) (*show.Page, error){
		"/w/{project}/{name}": w.Page, "/w/{project}/{name}/diff": w.Diff, "/w/{project}/{name}/terminal": w.Terminal,
	} {
		list[pattern] = func(ctx context.Context, k site.Known, values url.Values, r *http.Request) (*show.Page, error) {
			return page(ctx, known(k), values, r)
		}
	}
	return list
}
