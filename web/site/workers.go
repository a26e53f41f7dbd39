package site

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"aburn/attention"
	"aburn/insight/cost"
	"aburn/logfmt"
	"aburn/web/pages"
	"aburn/web/show"
)

// Workers is what the pages show of workers. Who makes it knows how workers are run; the pages do not.
type Workers interface {
	// Follow keeps what is known of workers up to date until ctx ends.
	Follow(ctx context.Context)
	// Refresh brings it up to date once, and reports whether anything may have changed.
	Refresh(ctx context.Context, everything bool) (looked bool)

	// Waits are the things that wait for the user: workers, and what sessions ask. A worker's question counts once.
	Waits() []Wait
	// Living are the sessions of workers whose agent runs, by root, a NUL and id.
	Living() map[string]bool
	// Board is the board as the query narrows it down, and the items that are on no worker's card.
	Board(known Known, items []attention.Item, query url.Values) (pages.Board, []attention.Item)
	// List is the board and the other items in one list, in the order of the page.
	List(known Known, items []attention.Item) []Listed
	// Zones are how many workers of a project are in each column of the board, with links.
	Zones(root string) []pages.Link
	// Notes say whose workers cannot be shown.
	Notes() []pages.Note

	// Routes are the pages of one worker, by pattern.
	Routes() map[string]WorkerPage
	// Do is the POST of a button.
	Do(w http.ResponseWriter, r *http.Request)
	// Socket is the terminal of a worker.
	Socket(w http.ResponseWriter, r *http.Request)
}

// WorkerPage answers one page of a worker.
type WorkerPage func(ctx context.Context, known Known, values url.Values, r *http.Request) (*show.Page, error)

// Surroundings is what Workers need of the pages around them.
type Surroundings struct {
	Projects *attention.Projects
	Act      bool // the pages have buttons
	Recorded bool // the workers are of a demo: nothing is done with them
	Now      func() time.Time
	Life     func() context.Context   // of the server: what a button began continues in it
	Sessions func(root string) string // the address of a project's sessions
	Shown    func(root string) bool   // reports whether a project is shown
	Asked    func() bool              // reports whether anybody would see a change
	Changed  func()                   // to be called after what Workers show may have changed
}

// Known is what the archive and the logs say of sessions while a page is made.
type Known struct {
	Items func() []attention.Item // what waits, is stuck and runs
	// Cost is the cost of some sessions of an agent as far as the archive has them, and the page that shows it.
	Cost func(agent string, sessions []string) (sum cost.Sum, href string, ok bool)
	// Money is an amount; of says of what it is one.
	Money func(of string, sum *cost.Sum, href string) pages.Figure
}

// Wait is a worker that waits for the user, or a session that asks.
type Wait struct {
	Root    string
	Session logfmt.SessionID // of a worker, its newest; "" if it has none, or a project asks
}

// Listed is an item of a list in which workers are next to sessions.
type Listed struct {
	attention.Item
	Cost *cost.Sum // of a worker; nil where the archive has no session of it
}

// noWorkers shows no worker.
type noWorkers struct{ projects *attention.Projects }

func (n noWorkers) Follow(context.Context)             {}
func (n noWorkers) Refresh(context.Context, bool) bool { return false }

func (n noWorkers) Waits() (list []Wait) {
	for _, p := range n.projects.List() {
		for i := range p.Report.Waits {
			if p.Err == nil {
				list = append(list, Wait{p.Of, p.Report.Waits[i].Session})
			}
		}
	}
	return list
}

func (n noWorkers) Living() map[string]bool { return map[string]bool{} }

func (n noWorkers) Board(_ Known, items []attention.Item, _ url.Values) (pages.Board, []attention.Item) {
	return pages.Board{}, items
}

func (n noWorkers) List(_ Known, items []attention.Item) (list []Listed) {
	for _, item := range items {
		list = append(list, Listed{Item: item})
	}
	return list
}

func (n noWorkers) Zones(string) []pages.Link     { return nil }
func (n noWorkers) Notes() []pages.Note           { return nil }
func (n noWorkers) Routes() map[string]WorkerPage { return nil }

func (n noWorkers) Do(w http.ResponseWriter, r *http.Request)     { http.NotFound(w, r) }
func (n noWorkers) Socket(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
