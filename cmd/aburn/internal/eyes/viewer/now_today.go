package viewer

import (
	"sync"
	"weak"

	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
)

// today keeps what the first page shows of today, of the view that was last asked about. It must not keep an old view in memory.
type today struct {
	mu   sync.Mutex
	view weak.Pointer[view]
	part todayPart
}

// todayPart is what the first page shows of today.
type todayPart struct {
	figures []pages.Figure
	archive []pages.Note
	last    []*row // the sessions that rest since today
}

// of works out what a view says of today, once.
func (t *today) of(v *view) todayPart {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := weak.Make(v); t.view != of {
		t.view, t.part = of, todayOf(v)
	}
	return t.part
}

func todayOf(v *view) (part todayPart) {
	ended := filter{ended: v.today}
	list := v.sessions(ended)
	failed := ended.with("outcome", "failed")
	answers := v.answers(filter{day: v.today})
	sum := v.todaySum()
	part.last = list
	part.figures = []pages.Figure{
		v.money("", &sum, filter{day: v.today}.address("/cost")),
		show.Count("sessions and sub-agents with answers", sessionsIn(answers), filter{day: v.today, kind: "all"}.address("/sessions")),
		show.Count("sessions", len(list), ended.address("/sessions")),
		show.Count("failed sessions", len(v.sessions(failed)), failed.address("/sessions")),
	}
	part.figures[2].Name = "sessions at rest" // nothing was written for a while: some are of agents that still run
	part.archive = []pages.Note{{Text: plain.Plural(int64(len(v.sessions(filter{}))), "session") + ", as of " + v.made.Format("15:04:05")}}
	return part
}

func (p *todayPart) addTo(body *pages.Now) {
	body.Today, body.Archive = p.figures, p.archive
}
