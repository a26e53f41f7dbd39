// Package site answers the pages of aburn web from the archive, the price table and the status of trusted projects. It shows the sessions of
// all agents, but no log of a project that its user doesn't trust. It starts no agent and writes nothing but the archive.
package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/server"
	"aburn/web/show"
	"aburn/web/site/search"
	"aburn/web/site/snapshot"
)

// Site is the pages of one user.
type Site struct {
	*snapshot.Scope
	act, demo bool
	events    *server.Events

	views    *snapshot.Views
	follower *follower
	ingester *ingester
	status   *statusLines
	projects *attention.Projects
	workers  Workers
	seen     *seenMarks

	now    *nowPages
	search *search.Pages
	routes map[string]page
}

// page answers one page.
type page func(ctx context.Context, v *snapshot.View, values url.Values, r *http.Request) (*show.Page, error)

// Handler answers the pages.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range s.routes {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, answer) })
	}
	for pattern, answer := range s.workers.Routes() {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			s.answer(w, r, func(ctx context.Context, v *snapshot.View, values url.Values, r *http.Request) (*show.Page, error) {
				return answer(ctx, s.now.known(v), values, r)
			})
		})
	}
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		at := s.events.At()
		v := s.views.Current(r.Context())
		s.search.Page(w, r, v, func(f *pages.Frame) { s.fill(v, f, at, r) })
	})
	mux.Handle("GET /events", s.events)
	mux.HandleFunc("GET /theme", setTheme)
	return mux
}

// marksPage has what every page shows of what waits, for a script that brings a page up to date.
func marksPage(context.Context, *snapshot.View, url.Values, *http.Request) (*show.Page, error) {
	return &show.Page{Frame: &pages.Frame{}, Body: &pages.Marks{}}, nil
}

func noPage(context.Context, *snapshot.View, url.Values, *http.Request) (*show.Page, error) {
	return nil, show.NotFound("this page does not exist")
}

// Posts are what buttons ask for.
func (s *Site) Posts() map[string]http.Handler {
	if !s.act {
		return nil
	}
	seen := func(w http.ResponseWriter, r *http.Request) { s.seen.post(w, r, s.views.Load(), s.Now()) }
	return map[string]http.Handler{
		"/ingest": http.HandlerFunc(s.ingester.post), "/seen": http.HandlerFunc(seen), "/do": http.HandlerFunc(s.workers.Do),
		"/search/stop": http.HandlerFunc(s.search.Searches.Stop),
	}
}

// Sockets are the terminals of workers.
func (s *Site) Sockets() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /w/{project}/{name}/socket", s.workers.Socket)
	return mux
}

// Live gives the pages the life of their server: what a button begins continues until it ends.
func (s *Site) Live(ctx context.Context) { s.follower.life = ctx }

// Follow follows the projects, their workers and the archive until ctx ends.
func (s *Site) Follow(ctx context.Context) { s.follower.run(ctx) }

// KeepComplete reads new sessions into the archive until ctx ends, as `aburn ingest --watch`.
func (s *Site) KeepComplete(ctx context.Context, warn func(error)) { s.ingester.watch(ctx, warn) }

// KeepStatusLines keeps up to date until ctx ends what agents' status lines say: who waits, and with complete, where new sessions are
// read, what today costs.
func (s *Site) KeepStatusLines(ctx context.Context, complete bool, warn func(error)) {
	s.status.keep(ctx, complete, warn)
}

// Refresh brings all projects and their workers up to date.
func (s *Site) Refresh(ctx context.Context) {
	s.projects.Refresh(ctx, true)
	s.workers.Refresh(ctx, true)
}

// Followed are the roots of the projects that the pages follow.
func (s *Site) Followed() []string { return s.projects.Followed() }

// Projects are those that the pages show.
func (s *Site) Projects() *attention.Projects { return s.projects }

// Things are what the first page shows, as of the last look at the archive and the logs.
func (s *Site) Things(ctx context.Context) *Things { return s.now.things(s.views.Current(ctx)) }

// PageOf is the path of a session's page once the archive has it, else of Now.
func (s *Site) PageOf(session string) string {
	if v := s.views.Load(); v != nil && session != "" {
		if r := v.Find(session); r != nil {
			return r.Address()
		}
	}
	return "/"
}

func (s *Site) answer(w http.ResponseWriter, r *http.Request, answer page) {
	s.follower.catchUp()
	at := s.events.At() // before the page is made: what changes meanwhile is told
	v := s.views.Current(r.Context())
	got, err := answer(r.Context(), v, r.URL.Query(), r)
	status := http.StatusOK
	switch miss := (*show.Missing)(nil); {
	case err == nil && got.Elsewhere != "":
		http.Redirect(w, r, got.Elsewhere, http.StatusSeeOther)
		return
	case err != nil && errors.As(err, &miss):
		status = http.StatusNotFound
		got = &show.Page{Frame: &pages.Frame{Title: "Not found", Heading: "Not found", Notes: []pages.Note{{Text: plain.Line(miss.Text)}}}}
	case err != nil:
		status = http.StatusInternalServerError
		f := fault.Of(err)
		got = &show.Page{Frame: &pages.Frame{Title: "It didn't work", Heading: "It didn't work", Notes: []pages.Note{show.Note(f.Msg, f.Hints...)}}}
	}
	s.fill(v, got.Frame, at, r)
	var text bytes.Buffer
	if got.Body == nil {
		err = pages.Message(&text, got.Frame)
	} else {
		err = got.Body.Write(&text, got.Frame)
	}
	if err != nil { // a template and its view do not fit
		http.Error(w, "the page cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if got.Policy != "" {
		w.Header().Set("Content-Security-Policy", got.Policy)
	}
	w.Header().Set("Content-Length", fmt.Sprint(text.Len()))
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

// fill adds to the frame what all pages have.
func (s *Site) fill(v *snapshot.View, f *pages.Frame, at string, r *http.Request) {
	f.At, f.CanAct = at, s.act
	f.Theme, f.Themes = themesOf(r)
	if len(s.projects.Followed()) > 0 { // else nobody knows
		f.Waiting = pages.Figure{Name: "waiting", Text: fmt.Sprint(len(s.workers.Waits())), Href: "/#main"}
	}
	f.Whose = v.BillingNote
	f.Today = todayFigure(v)
	f.Ingest = s.ingester.sentence()
	if missing := (*archive.NotFound)(nil); errors.As(v.Problem, &missing) && s.ingester.runs.Load() {
		f.Notes = append([]pages.Note{show.Note("aburn is reading what your agents saved. Sessions appear here in a moment.")}, f.Notes...)
	} else if v.Problem != nil {
		failed := fault.Of(v.Problem)
		f.Notes = append([]pages.Note{show.Note(failed.Msg, failed.Hints...)}, f.Notes...)
	}
	if s.demo {
		f.Notes = append([]pages.Note{show.Note("This is a demo with recorded sessions and a log that continues while you watch. For your own "+
			"sessions:", "aburn install-hooks", "aburn web")}, f.Notes...)
	}
	f.Notes = append(f.Notes, s.emptyNotes(v)...)
}

// anyRecorded reports whether hooks recorded a session in a project that is shown.
func (s *Site) anyRecorded() bool {
	return slices.ContainsFunc(s.projects.List(), func(p attention.Project) bool { return len(p.Report.Sessions) > 0 })
}

// emptyNotes say why sessions are not shown.
func (s *Site) emptyNotes(v *snapshot.View) (notes []pages.Note) {
	if v.Untrusted > 0 {
		notes = append(notes, show.Note(plain.Plural(int64(v.Untrusted), "session is", "sessions are")+
			" only in the log of a project that you have not trusted. To show such a log, trust its project: run this in its folder.", "aburn init"))
	}
	if v.Problem != nil || len(v.Rows) > 0 || v.Untrusted > 0 || s.anyRecorded() {
		return notes
	}
	looked := lookup.LookedIn(context.Background(), s.Env)
	switch {
	case v.Hidden > 0:
		return append(notes, show.Note("Your settings hide all "+plain.Plural(int64(v.Hidden), "session")+": see hidden in settings.json."))
	case s.Project != "":
		return append(notes, show.Note("No agent has saved sessions in "+plain.Line(s.Project)+" yet."))
	case looked != "":
		return append(notes, show.Note("No"+strings.TrimPrefix(lookup.NoSessions, "no")+": "+looked+"."))
	}
	return append(notes, show.Note("No session has been read yet. aburn reads what your agents saved while you wait."))
}
