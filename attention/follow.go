package attention

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/workspace"
	"aburn/supervisor/status"
)

// Project is what `aburn status` says of a trusted project.
type Project struct {
	Root   string
	Of     string // the project that Root is a clone of, for workers; Root itself if it is none
	Report status.StatusReport
	Err    error
	Gone   bool // its folder is not there
}

// Projects follows the logs of all projects that the user trusts, or of one.
type Projects struct {
	caller func(dir string) *workspace.Caller
	only   string // the root of the only one, "" for all
	hides  func(root string) bool
	// asked reports whether anybody would see a change. While nobody does, projects are only noted as changed.
	asked   func() bool
	changed func()

	looking sync.Mutex // one goroutine looks at a time
	mu      sync.Mutex
	roots   []string
	of      map[string]*followed
}

type followed struct {
	follower *status.Follower
	shown    Project
	dirty    bool // its log may have changed since it was looked at
}

// Options says whose projects are followed, and who is told.
type Options struct {
	Caller  func(dir string) *workspace.Caller
	Only    string                 // the root of the only project, "" for all
	Hides   func(root string) bool // reports whether a project is left out; nil: none is
	Asked   func() bool            // nil: always
	Changed func()                 // is called after what is shown may have changed; nil: nobody is told
}

// New prepares following, and looks at nothing.
func New(o Options) *Projects {
	if o.Asked == nil {
		o.Asked = func() bool { return true }
	}
	if o.Hides == nil {
		o.Hides = func(string) bool { return false }
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	return &Projects{caller: o.Caller, only: o.Only, hides: o.Hides, asked: o.Asked, changed: o.Changed, of: map[string]*followed{}}
}

// List are the projects as they were last looked at, in the order of their roots.
func (p *Projects) List() (list []Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, root := range p.roots {
		if f := p.of[root]; f != nil {
			list = append(list, f.shown)
		}
	}
	return list
}

// Roots are the roots of all projects that the user trusts, as last listed; nil before that.
func (p *Projects) Roots() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.roots
}

// Get is one project as it was last looked at.
func (p *Projects) Get(root string) (one Project, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.of[root]; f != nil {
		return f.shown, true
	}
	return Project{}, false
}

// Waiting is how many things wait for the user.
func (p *Projects) Waiting() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.of {
		if f.shown.Err == nil {
			n += len(f.shown.Report.Waits)
		}
	}
	return n
}

// Refresh looks at the projects that may have changed since they were last looked at, and at all with everything. It reports whether
// it looked at any.
func (p *Projects) Refresh(ctx context.Context, everything bool) (looked bool) {
	p.looking.Lock()
	defer p.looking.Unlock()
	if p.Roots() == nil {
		p.relist()
	}
	for _, root := range p.due(everything) {
		if ctx.Err() != nil {
			break
		}
		p.look(ctx, root)
		looked = true
	}
	return looked
}

// due are the projects to look at.
func (p *Projects) due(everything bool) (roots []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, root := range p.roots {
		if f := p.of[root]; f != nil && (f.dirty || everything && f.moving(p.now())) {
			roots = append(roots, root)
		}
	}
	return roots
}

func (p *Projects) now() time.Time { return p.caller("").Now }

// moving reports whether mere time may change what a project's sessions are doing.
func (f *followed) moving(at time.Time) bool {
	if f.shown.Err != nil || f.shown.Gone || len(f.shown.Report.Waits) > 0 {
		return true
	}
	return slices.ContainsFunc(f.shown.Report.Sessions, func(s status.SessionStatus) bool { return at.Sub(s.LastTime) < LivingFor })
}

// look asks what the sessions of a project are doing.
func (p *Projects) look(ctx context.Context, root string) {
	p.mu.Lock()
	f := p.of[root]
	if f == nil {
		p.mu.Unlock()
		return
	}
	f.dirty = false // what comes from here on counts again
	p.mu.Unlock()
	shown := Project{Root: root, Of: project.Original(root, p.caller("").Env)}
	if st, err := os.Stat(root); err != nil || !st.IsDir() {
		f.follower.Close()
		shown.Gone = true
	} else {
		answer, err := f.follower.Status(ctx, p.caller(root))
		if shown.Err = err; err == nil {
			shown.Report = answer.Report()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		f.dirty = true
		return
	}
	f.shown = shown
}

// relist takes the trusted projects in, and forgets those that are none any more. It reports whether the list is another one.
func (p *Projects) relist() (changed bool) {
	env := p.caller("").Env
	roots := project.Marked(env)
	slices.Sort(roots)
	if roots == nil {
		roots = []string{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = p.roots == nil || !slices.Equal(roots, p.roots)
	p.roots = roots
	for _, root := range roots {
		if of := project.Original(root, env); p.of[root] == nil && (p.only == "" || p.only == of) && !p.hides(of) {
			p.of[root] = &followed{follower: status.NewFollower(root), shown: Project{Root: root, Of: of}, dirty: true}
		}
	}
	for root, f := range p.of {
		if !slices.Contains(roots, root) {
			f.follower.Close()
			delete(p.of, root)
		}
	}
	return changed
}

// How long a burst of entries in a log may last before a look, how often mere time may change what a session is doing, and how often
// the projects are listed where the system reports no change.
const (
	burst     = 8 * time.Millisecond
	timeEvery = 30 * time.Second
)

// Run follows until ctx ends.
func (p *Projects) Run(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		w = &fsnotify.Watcher{} // its channels report nothing, so time alone makes the looks
	} else {
		defer w.Close()
	}
	r := run{Projects: p, watcher: w, works: err == nil, watched: map[string]string{}}
	tick := time.NewTicker(timeEvery)
	defer tick.Stop()
	r.list()
	r.see(ctx, false)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.list()
			r.see(ctx, true)
		case <-w.Errors: // an event may be lost
			r.list()
			r.see(ctx, true)
		case e := <-w.Events:
			r.gather(ctx, e)
			r.see(ctx, false)
		}
	}
}

// run is what following needs of the system.
type run struct {
	*Projects
	watcher *fsnotify.Watcher
	works   bool
	watched map[string]string // folders of logs, with their projects' roots
	marks   string            // the folder of the marks, once it is watched
}

// see looks where somebody would see it.
func (r *run) see(ctx context.Context, everything bool) {
	if r.asked() && r.Refresh(ctx, everything) {
		r.changed()
	}
}

// list brings what is watched in line with the trusted projects.
func (r *run) list() {
	r.looking.Lock()
	another := r.relist()
	r.looking.Unlock()
	if another {
		defer r.changed()
	}
	if !r.works {
		return
	}
	if dir := filepath.Join(project.StateDir(r.caller("").Env), "projects"); r.marks == "" && r.watcher.Add(dir) == nil {
		r.marks = dir
	}
	roots := r.Followed()
	for _, root := range roots {
		dir := filepath.Join(root, project.OssDir)
		if r.watched[dir] == "" && r.watcher.Add(dir) == nil { // one that cannot be watched is looked at from time to time
			r.watched[dir] = root
			r.dirty(root) // nobody reported what came before
		}
	}
	for dir, root := range r.watched {
		if !slices.Contains(roots, root) {
			delete(r.watched, dir)
			_ = r.watcher.Remove(dir)
		}
	}
}

// Followed are the roots of the projects that are followed.
func (p *Projects) Followed() (roots []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for root := range p.of {
		roots = append(roots, root)
	}
	return roots
}

func (p *Projects) dirty(root string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.of[root]; f != nil {
		f.dirty = true
	}
}

// gather notes which projects change within a burst that begins with e. Files beside the log, such as its lock, do not count.
func (r *run) gather(ctx context.Context, e fsnotify.Event) {
	var over <-chan time.Time
	for {
		switch dir, name := filepath.Dir(e.Name), filepath.Base(e.Name); {
		case dir == r.marks && r.marks != "":
			r.list()
		case r.watched[e.Name] != "" && e.Has(fsnotify.Remove|fsnotify.Rename): // the folder itself is gone or replaced
			r.dirty(r.watched[e.Name])
			delete(r.watched, e.Name)
			_ = r.watcher.Remove(e.Name)
			r.list()
		case r.watched[dir] != "" && (name == journal.Name || name == queue.Name):
			r.dirty(r.watched[dir])
			if over == nil {
				over = time.After(burst)
			}
		}
		if over == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case e = <-r.watcher.Events:
		}
	}
}
