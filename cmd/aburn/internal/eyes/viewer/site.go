// Package viewer answers the pages of aburn web from the archive, the price table and the status of projects. It shows no project that
// its user has not vouched for, starts no agent and writes nothing but the archive.
package viewer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aburn/attention"
	"aburn/cmd/aburn/internal/eyes/workers"
	"aburn/cmd/aburn/internal/work/board"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/workspace"
	"aburn/web"
	"aburn/web/pages"
	"aburn/web/server"
	"aburn/web/show"
)

// Site is the pages of one user.
type Site struct {
	dir     string // of the archive
	env     func(string) string
	zone    *time.Location
	clock   func() time.Time
	project string // the only one that is shown, "" for all
	act     bool   // the pages have buttons
	// costsOnly says that nobody asks how sessions ended, which takes most of a view's time.
	costsOnly bool
	events    *server.Events
	changed   func()
	demo      bool

	view   atomic.Pointer[view]
	making sync.Mutex // one view is made at a time
	ingest atomic.Pointer[string]
	checks checks
	wholes attention.Wholes

	projects *attention.Projects
	board    *board.Board // nil where no workers are shown
	workers  *workers.Pages
	life     context.Context // of the server
	paged    atomic.Int64    // when a page was last asked for, in milliseconds since 1970
	find     finder
	seen     seenMarks
	read     chan struct{} // has an entry when an ingest has ended and KeepGlance does not know
}

// Now is the time in the zone of the pages.
func (s *Site) Now() time.Time { return s.clock().In(s.zone) }

// Caller is who asks about a folder. Warnings of one project must not stand on the pages of all.
func (s *Site) Caller(dir string) *workspace.Caller {
	return workspace.Quiet(dir, s.env, s.Now())
}

// current is the view as of the last look, or a first one.
func (s *Site) current(ctx context.Context) *view {
	if v := s.view.Load(); v != nil {
		return v
	}
	return s.renew(ctx)
}

// renew makes the view anew if the archive, the day or the set of projects has changed since.
func (s *Site) renew(ctx context.Context) *view {
	s.making.Lock()
	defer s.making.Unlock()
	if v := s.view.Load(); v != nil && !s.stale(v) {
		return v
	}
	first := s.view.Load() == nil
	v := s.makeView(ctx)
	if ctx.Err() != nil {
		return v
	}
	s.view.Store(v)
	if !first {
		s.events.Say("archive")
	}
	return v
}

// Handler answers the pages.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, answer func(ctx context.Context, v *view, values url.Values, r *http.Request) (*show.Page, error)) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, answer) })
	}
	page("/{$}", s.nowPage)
	page("/marks", func(context.Context, *view, url.Values, *http.Request) (*show.Page, error) {
		return &show.Page{Frame: &pages.Frame{}, Body: &pages.Marks{}}, nil
	})
	ofWorker := func(pattern string, answer func(ctx context.Context, v workers.Known, values url.Values, r *http.Request) (*show.Page, error)) {
		page(pattern, func(ctx context.Context, v *view, values url.Values, r *http.Request) (*show.Page, error) {
			return answer(ctx, s.known(v), values, r)
		})
	}
	ofWorker("/w/{project}/{name}", s.workers.Page)
	ofWorker("/w/{project}/{name}/diff", s.workers.Diff)
	ofWorker("/w/{project}/{name}/terminal", s.workers.Terminal)
	page("/projects", s.projectsPage)
	page("/sessions", s.sessionsPage)
	page("/s/{source}/{id...}", s.sessionPage)
	page("/s/{name}", s.namedPage)
	page("/cost", s.costPage)
	page("/failures", s.failuresPage)
	page("/failures/{key}", s.failurePage)
	page("/health", s.healthPage)
	mux.HandleFunc("GET /search", s.searchPage)
	mux.Handle("GET /events", s.events)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, func(context.Context, *view, url.Values, *http.Request) (*show.Page, error) {
			return nil, show.NotFound("this page does not exist")
		})
	})
	return mux
}

func (s *Site) answer(w http.ResponseWriter, r *http.Request, page func(context.Context, *view, url.Values, *http.Request) (*show.Page, error)) {
	s.catchUp()
	at := s.events.At() // before the page is made: what changes meanwhile is told
	v := s.current(r.Context())
	got, err := page(r.Context(), v, r.URL.Query(), r)
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
		got = &show.Page{Frame: &pages.Frame{Title: "It did not work", Heading: "It did not work", Notes: []pages.Note{show.Note(f.Msg, f.Hints...)}}}
	}
	s.fill(v, got.Frame, at)
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
func (s *Site) fill(v *view, f *pages.Frame, at string) {
	f.At, f.CanAct = at, s.act
	f.Waiting = pages.Figure{Name: "waiting", Text: fmt.Sprint(s.workers.Waiting()), Href: "/#main"}
	today := v.todaySum()
	f.Whose = v.whose
	f.Today = v.money("", &today, filter{day: v.today}.at("/cost"))
	if text := s.ingest.Load(); text != nil {
		f.Ingest = *text
	}
	if v.problem != nil {
		failed := fault.Of(v.problem)
		f.Notes = append([]pages.Note{show.Note(failed.Msg, failed.Hints...)}, f.Notes...)
	}
	if s.demo {
		f.Notes = append([]pages.Note{show.Note("This is a demo: recorded sessions, repeated over two weeks, and a log that goes on while you look. Nothing of "+
			"yours is shown. With your own:", "aburn install-hooks", "aburn web")}, f.Notes...)
	}
	switch {
	case v.problem == nil && len(v.roots) == 0:
		f.Notes = append(f.Notes, show.Note("You have not vouched for a project on this machine yet, so none is shown. Run this in each of yours:", "aburn init"))
	case v.problem == nil && len(v.rows) == 0 && v.hidden > 0:
		f.Notes = append(f.Notes, show.Note("The archive has no session of the projects that you have vouched for, and "+plain.Plural(int64(v.hidden), "session")+
			" of others. Run this in a project to see its sessions:", "aburn init"))
	case v.problem == nil && len(v.rows) == 0:
		f.Notes = append(f.Notes, show.Note("No session has been read yet. They come here as agents work in your projects. If none does:", "aburn doctor"))
	}
}

// Figures.

// Words and times.

// projectLink is a project's name, with the list of its sessions.
func projectLink(r *row) pages.Link {
	name := filepath.Base(r.root)
	if sub := strings.TrimPrefix(r.Project.Key, r.root); sub != "" && sub != r.Project.Key {
		name += filepath.ToSlash(sub)
	}
	return pages.Link{Text: plain.Line(name), Href: filter{project: r.root}.at("/sessions")}
}

// address is the page of a session.
func (r *row) address() string { return web.SessionPath(r.Source, r.ID) }

// eventAt is the address of an event of a session. It works without a script, too: the page begins near it.
func (r *row) eventAt(n int) string { return fmt.Sprintf("%s?at=%d#e%d", r.address(), n, n) }

// title is a session's first prompt, or what else names it.
func (r *row) title() string {
	if text := plain.Cut(plain.Line(r.Ask), 160); strings.TrimSpace(text) != "" {
		return text
	}
	return "without a prompt: " + plain.Line(r.Source+"/"+r.ID)
}
