// Package workers shows workers in a browser: the board, the pages of one of them with its diff and its terminal, and what their buttons
// do. Whatever a button does, the command of the same name does, too (cmd/aburn/internal/work).
package workers

import (
	"context"
	"sync/atomic"
	"time"

	"aburn/attention"
	"aburn/insight/cost"
	"aburn/web/pages"
	"aburn/worker/board"
)

// Options say where pages of workers get what they show.
type Options struct {
	Board    *board.Board // nil: no workers are shown
	Projects *attention.Projects
	Act      bool                     // the pages have buttons
	Now      func() time.Time         // in the zone of the pages
	Life     func() context.Context   // of the server: what a button began goes on in it
	Sessions func(root string) string // the address of a project's sessions
	Changed  func()                   // what the pages show may have changed
}

// Known is what the archive and the logs say of sessions while a page is made.
type Known struct {
	Items func() []attention.Item // what waits, is stuck and lives
	// Cost is what a worker's sessions cost as far as the archive has them, and where that is shown.
	Cost func(w *board.Standing) (sum cost.Sum, href string, ok bool)
	// Money is an amount, and of what it is one.
	Money func(of string, sum *cost.Sum, href string) pages.Figure
}

// Pages are the pages of one user's workers.
type Pages struct {
	o        Options
	promised promises
	screens  atomic.Int64 // terminals that are open
}

// New prepares the pages.
func New(o Options) *Pages { return &Pages{o: o} }
