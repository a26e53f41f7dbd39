package viewer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/readers"
)

// How often is looked whether the archive was written, how long after the last page its reader counts as looking, how long after it what
// the pages took is given back, and how long a page waits for the look at logs that changed while nobody looked.
const (
	archiveEvery = time.Second
	lookingFor   = time.Minute
	freeAfter    = 2 * time.Second
	problemEvery = 30 * time.Second
	lookPatience = 40 * time.Millisecond
)

// stale reports whether a view is not what the archive says any more.
func (s *Site) stale(v *view) bool {
	now := s.Now()
	return v.of != archive.StateOf(s.dir) || v.today != now.Format(time.DateOnly) || v.live && now.Sub(v.made) > archive.LiveFor/2 || v.problem != nil &&
		now.Sub(v.made) > problemEvery || s.otherRoots(v)
}

// otherRoots reports whether projects were vouched for, or no longer, since the view was made.
func (s *Site) otherRoots(v *view) bool {
	roots := s.projects.Roots()
	return roots != nil && !slices.Equal(v.marked, roots)
}

// looked reports whether anybody would see a change: a page listens, one was asked for lately, or this is a screen of its own.
func (s *Site) looked() bool {
	return s.costsOnly || s.events.Readers() > 0 || s.sincePage() < lookingFor
}

func (s *Site) sincePage() time.Duration { return s.Now().Sub(time.UnixMilli(s.paged.Load())) }

// catchUp brings what the pages say up to date after a time in which nobody looked. What takes long is shown when it is done.
func (s *Site) catchUp() {
	idle := !s.looked()
	s.paged.Store(s.Now().UnixMilli())
	if !idle {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if s.projects.Refresh(s.life, true) {
			s.events.Say("now")
		}
		if s.board != nil && s.board.Refresh(s.life, true) {
			s.events.Say("work")
		}
		if v := s.view.Load(); v != nil && s.stale(v) {
			s.renew(s.life)
		}
	}()
	select {
	case <-done:
	case <-time.After(lookPatience):
	}
}

// Live gives the pages the life of their server: what a button begins goes on until it ends.
func (s *Site) Live(ctx context.Context) { s.life = ctx }

// Follow follows the projects, their workers and the archive until ctx ends.
func (s *Site) Follow(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.projects.Run(ctx) })
	if s.board != nil {
		all.Go(func() { s.board.Run(ctx) })
	}
	s.keepView(ctx)
	all.Wait()
}

// Refresh looks at all projects and their workers.
func (s *Site) Refresh(ctx context.Context) {
	s.projects.Refresh(ctx, true)
	if s.board != nil {
		s.board.Refresh(ctx, true)
	}
}

// Projects are those that the pages show.
func (s *Site) Projects() *attention.Projects { return s.projects }

// PageOf is the path of a session's page once the archive has it, else of Now.
func (s *Site) PageOf(session string) string {
	if v := s.view.Load(); v != nil && session != "" {
		if r := v.find(session); r != nil {
			return r.address()
		}
	}
	return "/"
}

// keepView makes the view anew when the archive changes, until ctx ends. While an ingest writes, it leaves most of the time to that.
func (s *Site) keepView(ctx context.Context) {
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	var next, freed time.Time
	for {
		if v := s.view.Load(); v == nil || s.looked() && !s.Now().Before(next) && s.stale(v) {
			began := time.Now()
			s.renew(ctx)
			s.changed()
			next = s.Now().Add(5 * time.Since(began))
			debug.FreeOSMemory() // digests take many times the memory of what is kept of them
			freed = s.Now()
		} else if last := time.UnixMilli(s.paged.Load()); last.After(freed) && s.sincePage() > freeAfter {
			debug.FreeOSMemory()
			freed = s.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// KeepComplete reads new sessions into the archive until ctx ends, as `aburn ingest --watch`.
func (s *Site) KeepComplete(ctx context.Context, warn func(error)) {
	told := time.Time{}
	o := ingest.Options{Readers: readers.Readers(), Places: trace.Places{Home: s.env("HOME"), Getenv: s.env}, Keep: lookup.KeepFrom(s.Caller("."))}
	o.Progress = func(p ingest.Progress) {
		if p.Took < time.Second || time.Since(told) < time.Second {
			return
		}
		told = time.Now()
		text := "linking sessions"
		if !p.Linking {
			text = fmt.Sprintf("reading: %s of %s files, %s of %s; sums are so far", plain.Count(int64(p.FilesDone)), plain.Count(int64(p.Files)),
				plain.Size(p.BytesDone), plain.Size(p.Bytes))
		}
		s.tellIngest(text)
	}
	busy := func() { s.tellIngest("another aburn is reading new sessions: this one waits for it") }
	done := func(_ *ingest.Report, err error) {
		s.tellIngest("")
		select {
		case s.read <- struct{}{}:
		default: // it will look anyway
		}
		if err != nil {
			warn(err)
		}
	}
	if err := ingest.Watch(ctx, s.dir, o, ingest.DefaultPace, busy, done); err != nil && ctx.Err() == nil {
		failed := fault.Of(err)
		s.tellIngest(plain.Line("new sessions are not read: " + failed.Msg))
	}
}

// tellIngest shows a sentence about the ingest on every page.
func (s *Site) tellIngest(text string) {
	if old := s.ingest.Load(); old == nil && text == "" || old != nil && *old == text {
		return
	}
	s.ingest.Store(&text)
	s.events.Say("ingest")
}

// ingestNow reads new sessions once, because somebody pressed the button.
func (s *Site) ingestNow(w http.ResponseWriter, r *http.Request) {
	err := ingest.Exclusively(r.Context(), s.dir, nil, func() error {
		db, _, err := archive.OpenRenewed(r.Context(), s.dir, nil)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = ingest.Run(r.Context(), ingest.Options{Archive: db, Readers: readers.Readers(), Places: trace.Places{Home: s.env("HOME"), Getenv: s.env},
			Keep: lookup.KeepFrom(s.Caller("."))})
		return err
	})
	if err != nil && !errors.Is(err, ingest.ErrBusy) { // another one looks once more before it ends
		http.Error(w, plain.Line(fault.Of(err).Msg), http.StatusInternalServerError)
		return
	}
	s.renew(r.Context())
	w.WriteHeader(http.StatusNoContent)
}

// Posts are what buttons ask for.
func (s *Site) Posts() map[string]http.Handler {
	if !s.act {
		return nil
	}
	return map[string]http.Handler{
		"/ingest": http.HandlerFunc(s.ingestNow), "/seen": http.HandlerFunc(s.seenNow), "/do": http.HandlerFunc(s.workers.Do),
		"/search/stop": http.HandlerFunc(s.stopSearch),
	}
}

// Sockets are the terminals of workers.
func (s *Site) Sockets() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /w/{project}/{name}/socket", s.workers.Socket)
	return mux
}
