package site

import (
	"context"
	"time"

	"aburn/attention"
	"aburn/web/server"
	"aburn/web/site/search"
	"aburn/web/site/snapshot"
)

// Options say whose pages they are, and what they have.
type Options struct {
	Dir     string // of the archive
	Env     func(string) string
	Zone    *time.Location
	Clock   func() time.Time
	Project string                 // the root of the only one that is shown, "" for all
	Hidden  func(root string) bool // reports whether the user's settings hide a project; nil: none
	Act     bool                   // the pages have buttons
	Demo    bool
	// CostsOnly says that nobody asks how sessions ended, which takes most of the time.
	CostsOnly bool
	Workers   func(Surroundings) Workers // nil: none are shown
	Changed   func()                     // what Things says may have changed; nil: nobody is told
}

// New prepares the pages, and reads nothing yet.
func New(o Options) *Site {
	at := &snapshot.Scope{Dir: o.Dir, Env: o.Env, Zone: o.Zone, Clock: o.Clock, Project: o.Project, Hidden: o.Hidden}
	s := &Site{Scope: at, act: o.Act, demo: o.Demo, events: server.NewEvents(5 * time.Second), seen: &seenMarks{env: o.Env}}
	changed := o.Changed
	if changed == nil {
		changed = func() {}
	}
	say := func(what string) {
		s.events.Say(what)
		changed()
	}
	s.views = &snapshot.Views{Scope: at, CostsOnly: o.CostsOnly, Renewed: func() { s.events.Say("archive") }}
	s.follower = &follower{views: s.views, events: s.events, changed: changed, life: context.Background()}
	s.projects = attention.New(attention.Options{Caller: s.Caller, Only: s.Project, Hides: s.Hides, Asked: s.follower.looked, Changed: func() { say("now") }})
	s.views.Roots = s.projects.Roots
	s.workers = noWorkers{s.projects}
	if o.Workers != nil {
		s.workers = o.Workers(Surroundings{Projects: s.projects, Act: o.Act, Recorded: o.Demo, Now: s.Now,
			Life: func() context.Context { return s.follower.life }, Sessions: func(root string) string { return snapshot.Filter{Project: root}.Address("/sessions") },
			Shown: s.Shows, Asked: s.follower.looked, Changed: func() { say("work") }})
	}
	s.follower.projects, s.follower.workers = s.projects, s.workers
	ended := make(chan struct{}, 1)
	s.ingester = &ingester{Scope: at, events: s.events, views: s.views, ended: ended}
	s.status = &statusLines{Scope: at, views: s.views, projects: s.projects, workers: s.workers, ingested: ended}
	s.prepare()
	return s
}

// prepare makes the pages.
func (s *Site) prepare() {
	rows := &lists{Scope: s.Scope, seen: s.seen}
	s.now = &nowPages{Scope: s.Scope, projects: s.projects, workers: s.workers, lists: rows}
	rows.living = func(v *snapshot.View) map[string]bool {
		list, _ := s.now.items(v)
		return s.now.living(list)
	}
	s.search = &search.Pages{Scope: s.Scope, Events: s.events}
	items := func(v *snapshot.View) []attention.Item {
		list, _ := s.now.items(v)
		return list
	}
	s.routes = map[string]page{
		"/": noPage, "/{$}": s.now.page, "/marks": marksPage,
		"/projects":           (&projectPages{s.Scope, s.projects, s.workers, items}).page,
		"/sessions":           rows.sessionsPage,
		"/s/{name}":           rows.namedPage,
		"/s/{source}/{id...}": (&sessionPages{s.Scope, s.seen, s.act, rows.living}).page,
		"/cost":               (&costPages{s.Scope}).page,
		"/failures":           (&failurePages{s.Scope, rows}).page,
		"/failures/{key}":     (&failurePages{s.Scope, rows}).groupPage,
		"/health":             (&healthPages{Scope: s.Scope, projects: s.projects, events: s.events}).page,
	}
}
