package ingest

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"aburn/archive"
	"aburn/trace"
)

// Pace sets the timing of a watch.
type Pace struct {
	Settle  time.Duration // from a change to the run after it: agents write in bursts
	Spacing time.Duration // from the end of a run to the next, however much is written
	Poll    time.Duration // from one run to the next without any notice: new folders, file systems that notify nobody
}

// DefaultPace wakes the machine a few times a minute while agents work, and once a minute while none does.
var DefaultPace = Pace{Settle: 2 * time.Second, Spacing: 10 * time.Second, Poll: time.Minute}

// The bounds of what a watch asks the system to report: the folders of stores that changed lately.
const (
	watchedFor     = 7 * 24 * time.Hour
	watchedFolders = 500
)

// Watch keeps the archive in dir complete until ctx ends: it runs now, and again whenever stores change. done receives
// each run's report or error. Watch returns an error only if the first run was not possible.
func Watch(ctx context.Context, dir string, o Options, p Pace, busy func(), done func(*Report, error)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	watched := map[string]bool{}
	for first := true; ; first = false {
		var report *Report
		err := Exclusively(ctx, dir, busy, func() (err error) {
			report, err = runOnce(ctx, dir, o)
			return err
		})
		if ctx.Err() != nil && report == nil {
			return nil
		}
		done(report, err)
		if err != nil && first {
			return err
		}
		if first {
			debug.FreeOSMemory() // the first run needed most of the memory
		}
		// Nobody reported what changed in a folder before it was watched.
		if report != nil && watchFolders(w, watched, foldersToWatch(report.found, report.Started)) && ctx.Err() == nil {
			continue
		}
		if !pause(ctx, w, p) {
			return nil
		}
	}
}

// runOnce opens the archive for each run, because another aburn may have made it anew meanwhile.
func runOnce(ctx context.Context, dir string, o Options) (*Report, error) {
	a, _, err := archive.OpenRenewed(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	o.Archive = a
	defer BoundMemory()()
	report, err := Run(ctx, o)
	return report, errors.Join(err, a.Close())
}

// pause waits until there is something to look at; false says that ctx has ended. Changes during the spacing wait in
// the system, so that a busy agent does not wake this process for every line.
func pause(ctx context.Context, w *fsnotify.Watcher, p Pace) bool {
	if !sleep(ctx, p.Spacing) {
		return false
	}
	if !drain(w) {
		poll := time.NewTimer(max(p.Poll-p.Spacing, 0))
		defer poll.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-poll.C:
			return true
		case <-w.Events:
		case <-w.Errors:
		}
	}
	if !sleep(ctx, min(p.Settle, p.Poll)) {
		return false
	}
	drain(w) // the run sees it
	return true
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// drain takes the events that the system has ready, and reports whether there were any.
func drain(w *fsnotify.Watcher) (some bool) {
	quiet := time.NewTimer(drainQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-w.Events:
		case <-w.Errors:
		case <-quiet.C:
			return some
		}
		some = true
		quiet.Reset(drainQuiet)
	}
}

// drainQuiet is the silence after which drain has all: each event passes through a goroutine.
const drainQuiet = 5 * time.Millisecond

// watchFolders watches these folders and no others. It reports whether some are new.
func watchFolders(w *fsnotify.Watcher, watched map[string]bool, folders []string) (more bool) {
	for dir := range watched {
		if !slices.Contains(folders, dir) {
			delete(watched, dir)
			_ = w.Remove(dir)
		}
	}
	for _, dir := range folders {
		if !watched[dir] && w.Add(dir) == nil {
			watched[dir], more = true, true
		}
	}
	return more
}

// changedLately reports whether a store changed so lately that it is likely to change again.
func changedLately(s *trace.Store, now time.Time) bool { return now.Sub(s.ModTime) < watchedFor }

// foldersToWatch returns where changes are likely: the folders of the stores that changed last, and those above them,
// where new folders appear.
func foldersToWatch(found []trace.Store, now time.Time) (list []string) {
	var recent []trace.Store
	for _, s := range found {
		if changedLately(&s, now) {
			recent = append(recent, s)
		}
	}
	slices.SortFunc(recent, func(a, b trace.Store) int {
		return cmp.Or(b.ModTime.Compare(a.ModTime), cmp.Compare(a.Path, b.Path))
	})
	seen := map[string]bool{}
	for _, s := range recent {
		dir := filepath.Dir(s.Path)
		for _, dir := range [...]string{dir, filepath.Dir(dir)} {
			if !seen[dir] && len(list) < watchedFolders {
				seen[dir] = true
				list = append(list, dir)
			}
		}
	}
	return list
}
