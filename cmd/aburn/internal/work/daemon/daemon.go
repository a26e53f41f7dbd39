// Package daemon is the one process of a user that looks after all workers, and its commands: start, stop, restore. What is due
// when is worker/round's.
package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/proc"
	"aburn/internal/project"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/ledger"
	"aburn/worker/projects"
	"aburn/worker/round"
	"aburn/worker/tree"
)

// Files of the one process that looks after all workers of a user. The lock says whether it lives; the rest is how to find it.
const (
	daemonLock  = "lock"
	runningFile = "running.json"
	lastStop    = "last-stop.json"
	logFile     = "log"
	maxLog      = 1 << 20 // bytes; then it becomes log.old
)

// Running is how to find the process that looks after workers.
type Running struct {
	PID      int       `json:"pid"`
	Start    int64     `json:"start"`
	Boot     string    `json:"boot"`
	At       time.Time `json:"at"`
	Version  string    `json:"version"`
	Projects []string  `json:"projects"`
}

// post is the folder of these files.
type post struct {
	dir  string
	root *os.Root
}

func openPost(env func(string) string) (*post, error) {
	state := project.StateDir(env)
	if state == "" {
		return nil, fault.Usage(ledger.ErrNoState.Error())
	}
	p := &post{dir: filepath.Join(state, "start")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, fault.Failed(err.Error())
	}
	var err error
	if p.root, err = os.OpenRoot(p.dir); err != nil {
		return nil, fault.Failed(err.Error())
	}
	return p, nil
}

func (p *post) close() { p.root.Close() }

// aMoment is how long somebody may hold the lock who only asks whether it is free.
const aMoment = 100 * time.Millisecond

// running says who holds the lock. Without a holder there is nobody, whatever the file says.
func (p *post) running() (r Running, ok bool) {
	lock, err := lockfile.Acquire(p.root, daemonLock, aMoment)
	if err == nil {
		lock.Release()
		return r, false
	}
	data, _ := p.root.ReadFile(runningFile)
	json.Unmarshal(data, &r) // as far as it was written
	return r, errors.Is(err, lockfile.ErrBusy)
}

// Keeper is the process that looks after workers; 0 if there is none. It makes no file.
func Keeper(env func(string) string) int {
	state := project.StateDir(env)
	if state == "" {
		return 0
	}
	p := &post{dir: filepath.Join(state, "start")}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	p.root = root
	if _, err := root.Lstat(daemonLock); err != nil {
		return 0
	}
	r, _ := p.running()
	return r.PID
}

func (p *post) write(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(p.dir, name), append(data, '\n'), 0o600, atomicfile.Options{Sync: true})
}

// end asks the one who looks after workers to go, and returns when the lock is free.
func (p *post) end(patience time.Duration) error {
	r, ok := p.running()
	if !ok {
		return nil
	}
	which := proc.Process{PID: r.PID, Start: r.Start}
	held, err := os.FindProcess(r.PID)
	if err != nil {
		return err
	}
	defer held.Release()
	if r.PID <= 0 || proc.Of(which, proc.Host()) != proc.Runs {
		return errors.New("it cannot be seen which process it is")
	}
	endGently(held)
	lock, err := lockfile.Acquire(p.root, daemonLock, patience)
	if errors.Is(err, lockfile.ErrBusy) && proc.Of(which, proc.Host()) == proc.Runs {
		held.Kill() // it hangs; all that it did stands in the ledgers
		lock, err = lockfile.Acquire(p.root, daemonLock, patience)
	}
	if err != nil {
		return err
	}
	return lock.Release()
}

// Facts are what the daemon knows of sessions by others: the archive, and the supervisor.
type Facts struct {
	// Spent is what a worker used up, in numbers and in words.
	Spent func(ctx context.Context, o *projects.Project, m *crew.Member) (worker.Spent, string, error)
	// Grown names how a worker's transcripts stand: the same text if nothing was written, "" if none is known.
	Grown func(ctx context.Context, o *projects.Project, m *crew.Member) (string, error)
	// Judge are the sessions of the project at root that make no progress.
	Judge func(ctx context.Context, root string) ([]round.Standstill, error)
	// Version is the version of this program.
	Version string
}

// daemon looks after the workers of all projects.
type daemon struct {
	env      func(string) string
	facts    Facts
	post     *post
	out      io.Writer
	projects map[string]*charge
	slot     chan struct{} // gates run one at a time
	wake     chan struct{}
	looked   time.Time
	glance   glance
	storm    *round.Storm
	pauses   round.Pauses
}

// charge is one project of the daemon's.
type charge struct {
	Opened *projects.Project
	*round.Project
	failed string
	clone  bool
}

const (
	tick       = time.Second
	lookAround = 5 * time.Second // for projects that have workers for the first time
)

func newDaemon(env func(string) string, out io.Writer, p *post, facts Facts) *daemon {
	return &daemon{storm: stormOf(p), env: env, facts: facts, post: p, out: out, projects: map[string]*charge{},
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
		d.tellWaits(now.Truncate(time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-d.wake:
		}
	}
	d.forgetWaits()
	for _, c := range d.projects {
		c.Wait()
		c.Opened.Close()
	}
}

func (d *daemon) say(root, text string) {
	text, _ = scrub.Text(text)
	fmt.Fprintf(d.out, "%s  %s  %s\n", time.Now().Format("2006-01-02 15:04:05"), plain.Line(filepath.Base(root)), plain.Line(text))
	d.shortenLog()
}

// shortenLog empties the log when it is full, after its text was kept. The file stays the same one: it is open for what the
// runtime says at an end, too, and everybody appends to it.
func (d *daemon) shortenLog() {
	out, ok := d.out.(*os.File)
	if !ok {
		return
	}
	st, err := out.Stat()
	named, err2 := d.post.root.Stat(logFile)
	if err != nil || err2 != nil || !os.SameFile(st, named) || st.Size() <= maxLog {
		return
	}
	text, err := d.post.root.ReadFile(logFile)
	if err == nil {
		err = d.post.root.WriteFile(logFile+".old", text, 0o600)
	}
	if err == nil {
		_ = out.Truncate(0)
	}
}

// findProjects opens those that have workers.
func (d *daemon) findProjects(now time.Time) {
	if since := now.Sub(d.looked); since >= 0 && since < lookAround {
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
		c := &charge{Opened: o, Project: d.charge(root, o), clone: clone}
		if clone { // it hears, keeps and brings; the project that it is of tells people, and has gates and pull requests
			c.Notify, c.Pulls = nil, nil
			c.Gates = func(*crew.Member) (crew.Gates, string) { return crew.Gates{}, "its project has them" }
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

func (d *daemon) open(root string) (*projects.Project, error) {
	return projects.Open(d.env, root)
}

// announced reports whether running.json names this process.
func (d *daemon) announced() bool {
	var r Running
	data, err := d.post.root.ReadFile(runningFile)
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
	return d.post.write(runningFile, r)
}

func (d *daemon) charge(root string, o *projects.Project) *round.Project {
	return &round.Project{
		Crew: o.Crew, Slot: d.slot,
		Say: func(text string) { d.say(root, text) },
		Wake: func() {
			select {
			case d.wake <- struct{}{}:
			default:
			}
		},
		Repo: func(ctx context.Context, m *crew.Member) (*tree.Repo, error) {
			return crew.RepositoryOf(ctx, o.Crew, m)
		},
		Gates: func(m *crew.Member) (crew.Gates, string) { return standingGates(o, m) },
		Spent: func(ctx context.Context, m *crew.Member) (worker.Spent, string, error) {
			return d.facts.Spent(ctx, o, m)
		},
		Grown:  func(ctx context.Context, m *crew.Member) (string, error) { return d.facts.Grown(ctx, o, m) },
		Judge:  func(ctx context.Context) ([]round.Standstill, error) { return d.facts.Judge(ctx, root) },
		Notify: func(ctx context.Context, list []round.Notice) error { return d.notify(ctx, root, o, list) },
		Pulls:  d.pulls(o),
	}
}

// standingGates are the gates that count for a worker now, or why there are none.
func standingGates(o *projects.Project, m *crew.Member) (crew.Gates, string) {
	c, err := o.Config("")
	if err != nil {
		return crew.Gates{}, plain.Line(err.Error())
	}
	g := projects.GatesFor(c, m)
	switch {
	case len(g.Run) > 0:
		return g, ""
	case c.Confirm != "":
		return g, "what the project's file says changed, and waits for your word"
	}
	return g, "it was spawned with gates, and no file names any now"
}

// living are the workers of all projects of which something may run, by project.
func living(ctx context.Context, env func(string) string, only string) (list []hand, err error) {
	marked := crew.Marked()
	for _, root := range roots(env) {
		if only != "" && root != only && filepath.Base(root) != only {
			continue
		}
		o, oerr := projects.Open(env, root)
		if oerr != nil {
			continue
		}
		all, lerr := o.Look(ctx)
		if lerr != nil {
			o.Close()
			err = errors.Join(err, lerr)
			continue
		}
		n := len(list)
		members, strays := crew.Accounted(o.Crew, all, marked)
		for _, m := range crew.Running(members) {
			list = append(list, hand{Opened: o, m: m})
		}
		for _, s := range strays {
			list = append(list, hand{Opened: o, stray: s})
		}
		if len(list) == n {
			o.Close()
		}
	}
	return list, err
}

// roots are the roots of all projects, those in which no ledger can be read among them.
func roots(env func(string) string) (list []string) {
	for _, n := range ledger.Known(env) {
		list = append(list, n.Root)
	}
	return list
}

// hand is one worker of any project, or one of which no ledger knows.
type hand struct {
	Opened *projects.Project
	m      *crew.Member // nil for a stray
	stray  *crew.Stray
}

func (h hand) name() string {
	if h.m == nil {
		return h.stray.Name
	}
	return h.m.Name
}

func (h hand) String() string {
	return strings.TrimSuffix(filepath.Base(h.Opened.Root), "/") + "/" + h.name()
}
