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

// Pace is how a watch behaves.
type Pace struct {
	Settle  time.Duration // from a change to the look at it: agents write in bursts
	Spacing time.Duration // from the end of a look to the next, however much is written
	Poll    time.Duration // from one look to the next where no change is told: new folders, file systems that tell nothing
}

// DefaultPace wakes the machine a few times a minute while agents work, and once a minute while none does.
var DefaultPace = Pace{Settle: 2 * time.Second, Spacing: 10 * time.Second, Poll: time.Minute}

// The bounds of what a watch asks the system to tell about: the folders of stores that changed lately.
const (
	watchedFor     = 7 * 24 * time.Hour
	watchedFolders = 500
)

// Watch keeps the archive in dir complete until ctx ends: a run now, and one whenever stores change. told gets the report of
// each run, or the error that it ended with. An error is returned only if not even the first run was possible.
func Watch(ctx context.Context, dir string, o Options, p Pace, busy func(), told func(*Report, error)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	watched := map[string]bool{}
	for first := true; ; first = false {
		var report *Report
		err := Exclusively(ctx, dir, busy, func() (err error) {
			report, err = once(ctx, dir, o)
			return err
		})
		if ctx.Err() != nil && report == nil {
			return nil
		}
		told(report, err)
		if err != nil && first {
			return err
		}
		if first {
			debug.FreeOSMemory() // from here on there is little to do
		}
		// What changed in a folder before it was watched, nobody told.
		if report != nil && follow(w, watched, livelyFolders(report.found, report.Started)) && ctx.Err() == nil {
			continue
		}
		if !pause(ctx, w, p) {
			return nil
		}
	}
}

// once is a run on an archive that is opened for it: another aburn may have made it anew meanwhile.
func once(ctx context.Context, dir string, o Options) (*Report, error) {
	a, err := archive.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	o.Archive = a
	report, err := Run(ctx, o)
	return report, errors.Join(err, a.Close())
}

// pause waits until there is something to look at; false says that ctx has ended. What changes while it does not listen
// waits in the system, so that a busy agent does not wake it for every line.
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
	drain(w) // the look sees it
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

// drain takes what the system has to tell already, and says whether that was anything.
func drain(w *fsnotify.Watcher) (some bool) {
	quiet := time.NewTimer(drained)
	defer quiet.Stop()
	for {
		select {
		case <-w.Events:
		case <-w.Errors:
		case <-quiet.C:
			return some
		}
		some = true
		quiet.Reset(drained)
	}
}

// drained is how long nothing comes when all was told: each event passes through a goroutine.
const drained = 5 * time.Millisecond

// follow watches these folders, and no others any more. It says whether there are new ones among them.
func follow(w *fsnotify.Watcher, watched map[string]bool, folders []string) (more bool) {
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

// lively says whether a store changed so lately that it is likely to change again.
func lively(s *trace.Store, now time.Time) bool { return now.Sub(s.ModTime) < watchedFor }

// livelyFolders is where something is likely to change: the folders of the stores that changed last, and the ones above them,
// where new folders appear.
func livelyFolders(found []trace.Store, now time.Time) (list []string) {
	var recent []trace.Store
	for _, s := range found {
		if lively(&s, now) {
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
