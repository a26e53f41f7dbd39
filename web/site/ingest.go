package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/archive/lookup"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/readers"
	"aburn/web/server"
	"aburn/web/site/snapshot"
)

// ingester reads new sessions into the archive, and says on every page how far it is.
type ingester struct {
	*snapshot.Scope
	events *server.Events
	views  *snapshot.Views
	text   atomic.Pointer[string] // shown on every page
	runs   atomic.Bool            // new sessions are read meanwhile
	ended  chan struct{}          // has an entry after an ingest has ended, until statusLines has seen it
}

func (s *ingester) options() ingest.Options {
	return ingest.Options{Readers: readers.Readers(), Places: trace.Places{Home: s.Env("HOME"), Getenv: s.Env}, Keep: lookup.KeepFrom(s.Caller("."))}
}

// watch reads new sessions until ctx ends, as `aburn ingest --watch`.
func (s *ingester) watch(ctx context.Context, warn func(error)) {
	s.runs.Store(true)
	defer s.runs.Store(false)
	shown := time.Time{}
	o := s.options()
	o.Progress = func(p ingest.Progress) {
		if p.Took < time.Second || time.Since(shown) < time.Second {
			return
		}
		shown = time.Now()
		text := "linking sessions"
		if !p.Linking {
			text = fmt.Sprintf("reading: %s of %s files, %s of %s; the sums are not final", plain.Count(int64(p.FilesDone)), plain.Count(int64(p.Files)),
				plain.Size(p.BytesDone), plain.Size(p.Bytes))
		}
		s.say(text)
	}
	busy := func() { s.say("another aburn is reading new sessions; this page waits for it") }
	done := func(_ *ingest.Report, err error) {
		s.say("")
		select {
		case s.ended <- struct{}{}:
		default: // it will look anyway
		}
		if err != nil {
			warn(err)
		}
	}
	if err := ingest.Watch(ctx, s.Dir, o, ingest.DefaultPace, busy, done); err != nil && ctx.Err() == nil {
		failed := fault.Of(err)
		s.say(plain.Line("new sessions are not read: " + failed.Msg))
	}
}

// say shows a sentence about the ingest on every page.
func (s *ingester) say(text string) {
	if old := s.text.Load(); old == nil && text == "" || old != nil && *old == text {
		return
	}
	s.text.Store(&text)
	s.events.Say("ingest")
}

// sentence is what is shown on every page, "" while nothing is read.
func (s *ingester) sentence() string {
	if text := s.text.Load(); text != nil {
		return *text
	}
	return ""
}

// post reads new sessions once, because somebody pressed the button.
func (s *ingester) post(w http.ResponseWriter, r *http.Request) {
	err := ingest.Exclusively(r.Context(), s.Dir, nil, func() error {
		db, _, err := archive.OpenRenewed(r.Context(), s.Dir, nil)
		if err != nil {
			return err
		}
		defer db.Close()
		o := s.options()
		o.Archive = db
		_, err = ingest.Run(r.Context(), o)
		return err
	})
	if err != nil && !errors.Is(err, ingest.ErrBusy) { // another one looks once more before it ends
		http.Error(w, plain.Line(fault.Of(err).Msg), http.StatusInternalServerError)
		return
	}
	s.views.Renew(r.Context())
	w.WriteHeader(http.StatusNoContent)
}
