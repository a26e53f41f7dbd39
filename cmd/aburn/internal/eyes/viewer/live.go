package viewer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/trace"
)

// How often is looked whether the archive was written, how long a burst of entries in a log may last before a look, and how often
// mere time may change what a project or a session is doing.
const (
	archiveEvery = time.Second
	burst        = 8 * time.Millisecond
	timeEvery    = 30 * time.Second
	vouchedEvery = 3 * time.Second
)

// stale reports whether a view is not what the archive says any more.
func (s *Site) stale(v *view) bool {
	now := s.now()
	return v.of != stateOf(s.dir) || v.today != now.Format(time.DateOnly) || v.live && now.Sub(v.made) > archive.LiveFor/2 || v.problem != nil && now.Sub(v.made) > timeEvery || s.otherRoots(v)
}

// otherRoots reports whether projects were vouched for, or no longer, since the view was made.
func (s *Site) otherRoots(v *view) bool {
	roots := s.roots.Load()
	return roots != nil && !slices.Equal(v.roots, *roots)
}

func vouched(env func(string) string) []string {
	roots := project.Marked(env)
	slices.Sort(roots)
	return roots
}

// follow keeps the view and the statuses up to date until ctx ends.
func (s *Site) follow(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		w = nil // then time alone makes the looks
	} else {
		defer w.Close()
	}
	logs := logWatch{site: s, watcher: w, watched: map[string]string{}}
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	for {
		logs.watch(ctx)
		if v := s.view.Load(); v == nil || s.stale(v) {
			s.renew(ctx)
			debug.FreeOSMemory() // digests take many times the memory of what is kept of them
		}
		if !logs.wait(ctx, tick.C) {
			return
		}
	}
}

// logWatch looks at projects whose logs grow.
type logWatch struct {
	site    *Site
	watcher *fsnotify.Watcher
	watched map[string]string // the folders of logs, with their projects' roots
	looked  time.Time         // when all were looked at
	listed  time.Time         // when the vouched projects were listed
}

// watch looks at new projects, and at all of them where time may have changed what they do.
func (l *logWatch) watch(ctx context.Context) {
	if l.site.now().Sub(l.listed) > vouchedEvery {
		roots := vouched(l.site.env)
		l.site.roots.Store(&roots)
		l.listed = l.site.now()
	}
	roots := slices.Clone(*l.site.roots.Load())
	if p := l.site.project; p != "" {
		roots = slices.DeleteFunc(roots, func(root string) bool { return root != p })
	}
	old := l.site.now().Sub(l.looked) > timeEvery
	changed := false
	for _, root := range roots {
		dir := filepath.Join(root, project.OssDir)
		_, known := l.watched[dir]
		if !known {
			l.watched[dir] = root
			if l.watcher != nil {
				l.watcher.Add(dir) // one that cannot be watched is looked at from time to time
			}
		}
		if !known || old && (l.watcher == nil || l.site.moving(root)) {
			l.site.look(ctx, root)
			changed = true
		}
	}
	if old {
		l.looked = l.site.now()
	}
	for dir, root := range l.watched {
		if !slices.Contains(roots, root) {
			delete(l.watched, dir)
			if l.watcher != nil {
				l.watcher.Remove(dir)
			}
			changed = true
		}
	}
	l.site.status.keep(roots)
	if changed {
		l.site.events.Say("now")
	}
}

// moving reports whether mere time may change what a project's sessions are doing.
func (s *Site) moving(root string) bool {
	one, ok := s.status.get(root)
	if !ok || one.err != nil || one.gone {
		return true
	}
	for i := range one.report.Sessions {
		if s.now().Sub(one.report.Sessions[i].LastTime) < livingFor {
			return true
		}
	}
	return len(one.report.Waits) > 0
}

// wait looks at projects whose logs grow, until it is time to look at the archive. It returns false when ctx ends.
func (l *logWatch) wait(ctx context.Context, tick <-chan time.Time) bool {
	var events chan fsnotify.Event
	var failures chan error
	if l.watcher != nil {
		events, failures = l.watcher.Events, l.watcher.Errors
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
			return true
		case <-failures:
			l.looked = time.Time{} // an event may be lost
		case e := <-events:
			for _, root := range l.grown(ctx, e, events) {
				l.site.look(ctx, root)
				l.site.events.Say("now")
			}
		}
	}
}

// grown are the projects whose logs change within a burst. Files beside the log, such as its lock, do not count.
func (l *logWatch) grown(ctx context.Context, e fsnotify.Event, events <-chan fsnotify.Event) (roots []string) {
	over := time.NewTimer(burst)
	defer over.Stop()
	for {
		if name := filepath.Base(e.Name); name == journal.Name || name == queue.Name {
			if root := l.watched[filepath.Dir(e.Name)]; root != "" && !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case e = <-events:
		case <-over.C:
			return roots
		}
	}
}

// keepComplete reads new sessions into the archive until ctx ends, as `aburn ingest --watch`.
func (s *Site) keepComplete(ctx context.Context, warn func(error)) {
	told := time.Time{}
	o := ingest.Options{Readers: scope.Readers(), Places: trace.Places{Home: s.env("HOME"), Getenv: s.env}, Keep: scope.KeepFrom(s.caller("."))}
	o.Progress = func(p ingest.Progress) {
		if p.Took < time.Second || time.Since(told) < time.Second {
			return
		}
		told = time.Now()
		text := "linking sessions"
		if !p.Linking {
			text = fmt.Sprintf("reading: %s of %s files, %s of %s; sums are so far", plain.Count(int64(p.FilesDone)), plain.Count(int64(p.Files)), plain.Size(p.BytesDone), plain.Size(p.Bytes))
		}
		s.tellIngest(text)
	}
	busy := func() { s.tellIngest("another aburn is reading new sessions: this one waits for it") }
	done := func(_ *ingest.Report, err error) {
		s.tellIngest("")
		if err != nil {
			warn(err)
		}
	}
	if err := ingest.Watch(ctx, s.dir, o, ingest.DefaultPace, busy, done); err != nil && ctx.Err() == nil {
		failed := kit.FailureOf(err)
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
		db, err := archive.Open(r.Context(), s.dir)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = ingest.Run(r.Context(), ingest.Options{Archive: db, Readers: scope.Readers(), Places: trace.Places{Home: s.env("HOME"), Getenv: s.env}, Keep: scope.KeepFrom(s.caller("."))})
		return err
	})
	if err != nil && !errors.Is(err, ingest.ErrBusy) { // another one looks once more before it ends
		http.Error(w, plain.Line(kit.FailureOf(err).Msg), http.StatusInternalServerError)
		return
	}
	s.renew(r.Context())
	w.WriteHeader(http.StatusNoContent)
}
