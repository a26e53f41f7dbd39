package viewer

import (
	"context"
	"time"

	"aburn/attention"
	"aburn/internal/project"
	"aburn/web/server"
)

// Options say whose pages they are, and what they have.
type Options struct {
	Dir     string // of the archive
	Env     func(string) string
	Zone    *time.Location
	Clock   func() time.Time
	Project string // the root of the only one that is shown, "" for all
	Act     bool   // the pages have buttons
	Demo    bool
	// CostsOnly says that nobody asks how sessions ended, which takes most of the time.
	CostsOnly bool
	Workers   func(Surroundings) Workers // nil: none are shown
	Changed   func()                     // what Things says may have changed; nil: nobody is told
}

// New prepares the pages, and reads nothing yet.
func New(o Options) *Site {
	at := &scope{dir: o.Dir, env: o.Env, zone: o.Zone, clock: o.Clock, project: o.Project}
	s := &Site{scope: at, act: o.Act, demo: o.Demo, events: server.NewEvents(5 * time.Second), seen: &seenMarks{env: o.Env}}
	changed := o.Changed
	if changed == nil {
		changed = func() {}
	}
	say := func(what string) {
		s.events.Say(what)
		changed()
	}
	s.views = &views{scope: at, costsOnly: o.CostsOnly, renewed: func() { s.events.Say("archive") }}
	s.follower = &follower{views: s.views, events: s.events, changed: changed, life: context.Background()}
	s.projects = attention.New(attention.Options{Caller: s.Caller, Only: s.project, Asked: s.follower.looked, Changed: func() { say("now") }})
	s.views.roots = s.projects.Roots
	s.workers = noWorkers{s.projects}
	if o.Workers != nil {
		s.workers = o.Workers(Surroundings{Projects: s.projects, Act: o.Act, Recorded: o.Demo, Now: s.Now,
			Life: func() context.Context { return s.follower.life }, Sessions: func(root string) string { return filter{project: root}.address("/sessions") },
			Shown: s.shows, Asked: s.follower.looked, Changed: func() { say("work") }})
	}
	s.follower.projects, s.follower.workers = s.projects, s.workers
	ended := make(chan struct{}, 1)
	s.ingester = &ingester{scope: at, events: s.events, views: s.views, ended: ended}
	s.status = &statusLines{scope: at, views: s.views, projects: s.projects, workers: s.workers, ingested: ended}
	s.prepare()
	return s
}

// prepare makes the pages.
func (s *Site) prepare() {
	rows := &lists{scope: s.scope, seen: s.seen}
	s.now = &nowPages{scope: s.scope, projects: s.projects, workers: s.workers, lists: rows}
	s.search = &searchPages{scope: s.scope, events: s.events}
	items := func(v *view) []attention.Item {
		list, _ := s.now.items(v)
		return list
	}
	s.routes = map[string]page{
		"/": noPage, "/{$}": s.now.page, "/marks": marksPage,
		"/projects":           (&projectPages{s.scope, s.projects, s.workers, items}).page,
		"/sessions":           rows.sessionsPage,
		"/s/{name}":           rows.namedPage,
		"/s/{source}/{id...}": (&sessionPages{s.scope, s.seen, s.act}).page,
		"/cost":               (&costPages{s.scope}).page,
		"/failures":           (&failurePages{s.scope, rows}).page,
		"/failures/{key}":     (&failurePages{s.scope, rows}).groupPage,
		"/health":             (&healthPages{scope: s.scope, projects: s.projects, events: s.events}).page,
	}
}

// shows reports whether a project is one of those that the pages show.
func (s *scope) shows(root string) bool {
	p, err := project.Find(root, s.env)
	return err == nil && p.Marked && p.Root == root && (s.project == "" || s.project == root)
}
