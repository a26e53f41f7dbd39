// Package viewer answers each page of aburn web from the archive, the price table and the status of projects, and runs the server
// that shows them. It shows no project that its user has not vouched for, starts no agent and
// writes nothing but the archive and what a watcher writes (supervisor/watch).
package viewer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aburn/cmd/aburn/internal/bill"
	"aburn/cmd/aburn/internal/eyes/now"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/web"
	"aburn/web/pages"
	"aburn/web/server"
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
	demo      *demo    // nil without --demo
	environ   []string // for the browser

	view   atomic.Pointer[view]
	making sync.Mutex // one view is made at a time
	ingest atomic.Pointer[string]
	checks checks
	wholes wholes

	projects *now.Projects
	life     context.Context // of the server
	paged    atomic.Int64    // when a page was last asked for, in milliseconds since 1970
	find     finder
	seen     seenMarks
}

func (s *Site) now() time.Time { return s.clock().In(s.zone) }

// caller is who asks about a folder. Warnings of one project must not stand on the pages of all.
func (s *Site) caller(dir string) *scope.Caller {
	return &scope.Caller{Dir: dir, Env: s.env, Now: s.now(), Warn: func(string, ...string) {}, Progress: term.New(io.Discard, s.env, false)}
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

// handler answers the pages.
func (s *Site) handler() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, answer func(ctx context.Context, v *view, values url.Values, r *http.Request) (*shown, error)) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, answer) })
	}
	page("/{$}", s.nowPage)
	page("/marks", func(context.Context, *view, url.Values, *http.Request) (*shown, error) {
		return &shown{frame: &pages.Frame{}, body: &pages.Marks{}}, nil
	})
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
		s.answer(w, r, func(context.Context, *view, url.Values, *http.Request) (*shown, error) {
			return nil, notFound("this page does not exist")
		})
	})
	return mux
}

// shown is a page: its frame, and how it is written.
type shown struct {
	frame *pages.Frame
	body  interface {
		Write(io.Writer, *pages.Frame) error
	}
	elsewhere string // the address that shows it
}

// missing is the error for what is not there.
type missing struct{ text string }

func (m *missing) Error() string { return m.text }

func notFound(text string) error { return &missing{text} }

func (s *Site) answer(w http.ResponseWriter, r *http.Request, page func(context.Context, *view, url.Values, *http.Request) (*shown, error)) {
	s.catchUp()
	at := s.events.At() // before the page is made: what changes meanwhile is told
	v := s.current(r.Context())
	got, err := page(r.Context(), v, r.URL.Query(), r)
	status := http.StatusOK
	switch miss := (*missing)(nil); {
	case err == nil && got.elsewhere != "":
		http.Redirect(w, r, got.elsewhere, http.StatusSeeOther)
		return
	case err != nil && asMissing(err, &miss):
		status = http.StatusNotFound
		got = &shown{frame: &pages.Frame{Title: "Not found", Heading: "Not found", Notes: []pages.Note{{Text: plain.Line(miss.text)}}}}
	case err != nil:
		status = http.StatusInternalServerError
		f := kit.FailureOf(err)
		got = &shown{frame: &pages.Frame{Title: "It did not work", Heading: "It did not work", Notes: []pages.Note{note(f.Msg, f.Hints...)}}}
	}
	s.fill(v, got.frame, at)
	var text bytes.Buffer
	if got.body == nil {
		err = pages.Message(&text, got.frame)
	} else {
		err = got.body.Write(&text, got.frame)
	}
	if err != nil { // a template and its view do not fit
		http.Error(w, "the page cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", fmt.Sprint(text.Len()))
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

// fill adds to the frame what all pages have.
func (s *Site) fill(v *view, f *pages.Frame, at string) {
	f.At, f.CanAct = at, s.act
	f.Waiting = pages.Figure{Name: "waiting", Text: fmt.Sprint(s.projects.Waiting()), Href: "/#waiting"}
	today := v.todaySum()
	f.Today = money("list price", &today, filter{day: v.today}.at("/cost"))
	if text := s.ingest.Load(); text != nil {
		f.Ingest = *text
	}
	if v.problem != nil {
		failed := kit.FailureOf(v.problem)
		f.Notes = append([]pages.Note{note(failed.Msg, failed.Hints...)}, f.Notes...)
	}
	if s.demo != nil {
		f.Notes = append([]pages.Note{note("This is a demo: recorded sessions, repeated over two weeks, and a log that goes on while you look. Nothing of yours is shown. With your own:", "aburn install-hooks", "aburn web")}, f.Notes...)
	}
	switch {
	case v.problem == nil && len(v.roots) == 0:
		f.Notes = append(f.Notes, note("You have not vouched for a project on this machine yet, so none is shown. Run this in each of yours:", "aburn init"))
	case v.problem == nil && len(v.rows) == 0 && v.hidden > 0:
		f.Notes = append(f.Notes, note("The archive has no session of the projects that you have vouched for, and "+plain.Plural(int64(v.hidden), "session")+" of others. Run this in a project to see its sessions:", "aburn init"))
	}
}

func note(text string, commands ...string) pages.Note {
	n := pages.Note{Text: plain.Line(text)}
	for _, c := range commands {
		n.Commands = append(n.Commands, plain.Line(c))
	}
	return n
}

// Figures.

func count(name string, n int, href string) pages.Figure {
	return pages.Figure{Name: name, Text: plain.Count(int64(n)), Value: fmt.Sprint(n), Href: href}
}

func money(name string, sum *cost.Sum, href string) pages.Figure {
	return pages.Figure{Name: name, Text: bill.Dollars(sum), Value: sum.Amount.Decimal(), Href: href}
}

// total is what cells cost.
func total(list []*cell) cost.Sum {
	var sum summing
	for _, c := range list {
		sum.add(c)
	}
	return sum.sum()
}

// unpriced says how many tokens of a sum have no price, "" for none.
func unpriced(sum *cost.Sum) string {
	if n := sum.UnpricedTokens(); n > 0 && sum.Amount > 0 {
		return "+ " + kit.Amount(n) + " tokens, no price"
	}
	return ""
}

// Words and times.

func (s *Site) clockTime(t time.Time, now time.Time) pages.Time {
	if t.IsZero() {
		return pages.Time{Text: "unknown"}
	}
	t = t.In(s.zone)
	layout := "2 Jan 2006"
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		layout = "15:04"
	case t.Year() == now.Year():
		layout = "2 Jan 15:04"
	}
	return pages.Time{Text: t.Format(layout), Exact: t.Format(time.RFC3339)}
}

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
