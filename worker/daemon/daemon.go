// Package daemon supervises the workers of all projects of a user, in one process: it makes the rounds of worker/round, notifies
// the person, and says where it is. What is due when is worker/round's.
//
// Begin in daemon.go (the loop), process.go (foreground and background), state.go (its lock and files) and stopped.go (stop). It
// may import worker/projects, worker/control, worker/round and hooks. What the archive and the supervisor know comes in as Facts.
package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"aburn/internal/plain"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/round"
	"aburn/worker/tree"
)

// Files of the process. The lock says whether it lives; the rest is how to find it.
const (
	daemonLock  = "lock"
	runningFile = "running.json"
	LastStop    = "last-stop.json"
	logFile     = "log"
	maxLog      = 1 << 20 // bytes; then it becomes log.old
)

// Facts are what the daemon knows of sessions by others: the archive, and the supervisor.
type Facts struct {
	// Spent is what a worker used up, in numbers and in words.
	Spent func(ctx context.Context, o *projects.Project, m *manager.Member) (worker.Spent, string, error)
	// Grown names how a worker's transcripts stand: the same text if nothing was written, "" if none is known.
	Grown func(ctx context.Context, o *projects.Project, m *manager.Member) (string, error)
	// Judge are the sessions of the project at root that make no progress.
	Judge func(ctx context.Context, root string) ([]round.Standstill, error)
	// Version is the version of this program.
	Version string
}

// daemon supervises the workers of all projects.
type daemon struct {
	env      func(string) string
	facts    Facts
	state    *State
	out      io.Writer
	projects map[string]*followed
	slot     chan struct{} // gates run one at a time
	wake     chan struct{}
	looked   time.Time
	glance   glance
	storm    *round.Storm
	pauses   round.Pauses
}

// followed is one project of the daemon.
type followed struct {
	opened *projects.Project
	*round.Project
	failed string
	clone  bool
}

const (
	tick      = time.Second
	findEvery = 5 * time.Second // for projects that have workers for the first time
)

func New(env func(string) string, out io.Writer, p *State, facts Facts) *daemon {
	return &daemon{storm: stormOf(p), env: env, facts: facts, state: p, out: out, projects: map[string]*followed{},
		slot: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
}

// run makes rounds until ctx is done.
func (d *daemon) run(ctx context.Context) {
	timer := time.NewTicker(tick)
	defer timer.Stop()
	for ctx.Err() == nil {
		now := time.Now()
		d.findProjects(now)
		for root, c := range d.projects {
			err := c.Round(ctx, now)
			if text := fmt.Sprint(err); err != nil && ctx.Err() == nil && text != c.failed {
				c.failed = text // said once, as it comes every second
				d.say(root, text)
			}
		}
		d.writeWaits(now.Truncate(time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-d.wake:
		}
	}
	d.clearWaits()
	for _, c := range d.projects {
		c.Wait()
		c.opened.Close()
	}
}

// findProjects opens those that have workers.
func (d *daemon) findProjects(now time.Time) {
	if since := now.Sub(d.looked); since >= 0 && since < findEvery {
		return
	}
	d.looked = now
	changed := false
	take := func(root string, clone bool) {
		if d.projects[root] != nil {
			return
		}
		o, err := projects.Open(d.env, root)
		if err != nil {
			return // it moved away, or is not the person's any more; `aburn ps` there says why
		}
		c := &followed{opened: o, Project: d.followed(root, o), clone: clone}
		if clone { // it hears, keeps and brings; the project that it is of tells people, and has gates and pull requests
			c.Notify, c.Pulls = nil, nil
			c.Gates = func(*manager.Member) (manager.Gates, string) { return manager.Gates{}, "its project has them" }
		}
		d.projects[root], changed = c, true
	}
	for _, root := range ledger.Projects(d.env) {
		take(root, false)
	}
	for _, root := range ledger.Clones(d.env) {
		take(root, true)
	}
	if changed || !d.announced() { // somebody may have removed it, and without it nobody can end this process
		if err := d.announce(now); err != nil {
			d.say("", err.Error())
		}
	}
}

// announced reports whether running.json names this process.
func (d *daemon) announced() bool {
	var r Running
	data, err := d.state.root.ReadFile(runningFile)
	return err == nil && json.Unmarshal(data, &r) == nil && r.PID == os.Getpid()
}

// announce writes down which process this is.
func (d *daemon) announce(now time.Time) error {
	self, _ := proc.Self()
	boot, _ := proc.Clock()
	r := Running{PID: os.Getpid(), Start: self.Start, Boot: boot, At: now.UTC().Truncate(time.Second), Version: d.facts.Version}
	for root, c := range d.projects {
		if !c.clone {
			r.Projects = append(r.Projects, root)
		}
	}
	slices.Sort(r.Projects)
	return d.state.Write(runningFile, r)
}

func (d *daemon) followed(root string, o *projects.Project) *round.Project {
	return &round.Project{
		Manager: o.Manager, Slot: d.slot,
		Say: func(text string) { d.say(root, text) },
		Wake: func() {
			select {
			case d.wake <- struct{}{}:
			default:
			}
		},
		Repo: func(ctx context.Context, m *manager.Member) (*tree.Repo, error) {
			return manager.RepositoryOf(ctx, o.Manager, m)
		},
		Gates: func(m *manager.Member) (manager.Gates, string) { return standingGates(o, m) },
		Spent: func(ctx context.Context, m *manager.Member) (worker.Spent, string, error) {
			return d.facts.Spent(ctx, o, m)
		},
		Grown:  func(ctx context.Context, m *manager.Member) (string, error) { return d.facts.Grown(ctx, o, m) },
		Judge:  func(ctx context.Context) ([]round.Standstill, error) { return d.facts.Judge(ctx, root) },
		Notify: func(ctx context.Context, list []round.Notice) error { return d.notify(ctx, root, o, list) },
		Pulls:  d.pulls(o),
	}
}

// standingGates are the gates that count for a worker now, or why there are none.
func standingGates(o *projects.Project, m *manager.Member) (manager.Gates, string) {
	c, err := o.Config("")
	if err != nil {
		return manager.Gates{}, plain.Line(err.Error())
	}
	g := projects.GatesFor(c, m)
	switch {
	case len(g.Run) > 0:
		return g, ""
	case c.Confirm != "":
		return g, "the project's file changed, and needs your permission"
	}
	return g, "it was spawned with gates, and no file names any now"
}
