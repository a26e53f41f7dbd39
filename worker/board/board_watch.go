package board

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/worker/ledger"
)

// Run follows until ctx ends.
func (b *Board) Run(ctx context.Context) {
	b.mu.Lock()
	b.living = ctx
	b.mu.Unlock()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		w = &fsnotify.Watcher{} // its channels report nothing, so time alone makes the looks
	} else {
		defer w.Close()
	}
	f := boardWatch{Board: b, watcher: w, works: err == nil, watched: map[string]string{}}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	f.list()
	b.see(ctx, false)
	for {
		select {
		case <-ctx.Done():
			b.close()
			return
		case <-tick.C:
			f.list()
			b.see(ctx, true)
		case <-w.Errors:
			f.list()
			b.see(ctx, true)
		case e := <-w.Events:
			if f.gather(ctx, e) {
				began := time.Now()
				b.see(ctx, false)
				f.rest(ctx, restFactor*time.Since(began))
			}
		}
	}
}

// boardWatch is what following needs of the system. The folders of workers are watched, and those of projects' logs.
type boardWatch struct {
	*Board
	watcher *fsnotify.Watcher
	works   bool
	watched map[string]string // folders, with their project's roots; "" for those above all projects' folders
}

// list brings what is watched in line with the workers that there are. What came into a folder before that was watched is found by
// another look at it.
func (f *boardWatch) list() {
	for again := true; again; {
		f.looking.Lock()
		f.Board.list()
		want := f.folders()
		f.looking.Unlock()
		if again = false; !f.works {
			return
		}
		for dir, root := range want {
			had, ok := f.watched[dir]
			if ok && had == root || f.watcher.Add(dir) != nil {
				continue
			}
			f.watched[dir], again = root, true
			if root != "" {
				f.soil(root) // nobody reported what came before
			}
		}
		maps.DeleteFunc(f.watched, func(dir, _ string) bool {
			_, ok := want[dir]
			if !ok {
				f.watcher.Remove(dir)
			}
			return !ok
		})
	}
}

// folders are those to watch, with their projects' roots.
func (f *boardWatch) folders() map[string]string {
	want := map[string]string{}
	if state := project.StateDir(f.env); state != "" {
		workers := filepath.Join(state, "workers")
		want[state], want[workers] = "", ""
		keys, _ := os.ReadDir(workers)
		for _, k := range keys {
			want[filepath.Join(workers, k.Name())] = "" // of a project without workers, or one that is not shown
		}
	}
	for root, one := range f.of {
		o := one.project
		want[filepath.Join(root, project.OssDir)], want[o.Store.Dir] = root, root
		names, _ := o.Store.Names()
		for _, name := range names {
			want[o.Store.Book(name).Dir] = root
		}
	}
	return want
}

// gather notes which projects change within a burst that begins with e, and reports whether one does.
func (f *boardWatch) gather(ctx context.Context, e fsnotify.Event) (any bool) {
	var over <-chan time.Time
	for {
		if f.note(e) {
			any = true
			if over == nil {
				over = time.After(boardBurst)
			}
		}
		if over == nil {
			return false
		}
		select {
		case <-ctx.Done():
			return any
		case <-over:
			return any
		case e = <-f.watcher.Events:
		}
	}
}

// note takes one event. Files that a look itself writes, and locks, do not count.
func (f *boardWatch) note(e fsnotify.Event) bool {
	dir, name := filepath.Dir(e.Name), filepath.Base(e.Name)
	root, ok := f.watched[dir]
	kind, _, _ := strings.Cut(name, ".")
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case ok && root == "" && (e.Op == fsnotify.Write || filepath.Ext(name) != ""): // another file of the state
		return false
	case ok && root == "", f.watched[e.Name] != "" && e.Has(fsnotify.Remove|fsnotify.Rename): // a project comes; a folder goes
		delete(f.watched, e.Name)
		f.list()
		return true
	case !ok:
		return false
	case name == journal.Name, name == "ledger.jsonl", kind == "began", kind == "ended", kind == "said":
		f.soil(root)
		return true
	case ledger.ValidName(name) == nil && e.Has(fsnotify.Create): // a worker comes, or one of its folders
		if st, err := os.Stat(e.Name); err == nil && st.IsDir() && filepath.Base(dir) != name {
			f.list()
			f.soil(root)
			return true
		}
	}
	return false
}

// rest waits, and notes meanwhile what changes.
func (f *boardWatch) rest(ctx context.Context, d time.Duration) {
	over := time.After(d)
	for any := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-over:
			if any {
				f.see(ctx, false)
			}
			return
		case e := <-f.watcher.Events:
			any = f.note(e) || any
		}
	}
}
