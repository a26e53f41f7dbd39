package site

import (
	"sync"
	"weak"

	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// today keeps what the first page shows of today, of the view that was last asked about. It must not keep an old view in memory.
type today struct {
	mu   sync.Mutex
	view weak.Pointer[snapshot.View]
	part todayPart
}

// todayPart is what the first page shows of today.
type todayPart struct {
	figures []pages.Figure
	archive []pages.Note
	last    []*snapshot.Row // the sessions that rest since today
}

// of works out what a view says of today, once.
func (t *today) of(v *snapshot.View) todayPart {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := weak.Make(v); t.view != of {
		t.view, t.part = of, todayOf(v)
	}
	return t.part
}

func todayOf(v *snapshot.View) (part todayPart) {
	ended := snapshot.Filter{Ended: v.Today}
	list := v.Sessions(ended)
	failed := ended.With("outcome", "failed")
	answers := v.Answers(snapshot.Filter{Day: v.Today})
	part.last = list
	part.figures = []pages.Figure{
		todayFigure(v),
		show.Count("sessions and sub-agents with answers", sessionsIn(answers), snapshot.Filter{Day: v.Today, Kind: "all"}.Address("/sessions")),
		show.Count("sessions", len(list), ended.Address("/sessions")),
		show.Count("failed sessions", len(v.Sessions(failed)), failed.Address("/sessions")),
	}
	part.figures[2].Name = "sessions at rest" // nothing was written for a while: some are of agents that still run
	part.archive = []pages.Note{{Text: plain.Plural(int64(len(v.Sessions(snapshot.Filter{}))), "session") + ", as of " + v.Made.Format("15:04:05")}}
	return part
}

// todayFigure is what today's answers cost.
func todayFigure(v *snapshot.View) pages.Figure {
	sum := v.TodaySum()
	return v.Money("", &sum, snapshot.Filter{Day: v.Today}.Address("/cost"))
}

func (p *todayPart) addTo(body *pages.Now) {
	body.Today, body.Archive = p.figures, p.archive
}
