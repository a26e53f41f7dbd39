package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/notify"
	"aburn/internal/plain"
	"aburn/internal/proc"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/worker/crew"
	"aburn/worker/ledger"
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
	Projects []string  `json:"projects"`
}

// post is the folder of these files.
type post struct {
	dir  string
	root *os.Root
}

func openPost(a *kit.App) (*post, error) {
	state := project.StateDir(a.Getenv)
	if state == "" {
		return nil, kit.UsageError(ledger.ErrNoState.Error())
	}
	p := &post{dir: filepath.Join(state, "start")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, kit.BadNews(err.Error())
	}
	var err error
	if p.root, err = os.OpenRoot(p.dir); err != nil {
		return nil, kit.BadNews(err.Error())
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

// daemon looks after the workers of all projects.
type daemon struct {
	a        *kit.App
	post     *post
	out      io.Writer
	projects map[string]*charge
	slot     chan struct{} // gates run one at a time
	wake     chan struct{}
	looked   time.Time
}

// charge is one project of the daemon's.
type charge struct {
	office *office
	*round.Project
	failed string
}

const (
	tick       = time.Second
	lookAround = 5 * time.Second // for projects that have workers for the first time
)

func newDaemon(a *kit.App, p *post) *daemon {
	return &daemon{a: a, post: p, out: a.Stdout, projects: map[string]*charge{}, slot: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
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
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-d.wake:
		}
	}
	for _, c := range d.projects {
		c.Wait()
		c.office.close()
	}
}

func (d *daemon) say(root, text string) {
	fmt.Fprintf(d.out, "%s  %s  %s\n", time.Now().Format("2006-01-02 15:04:05"), plain.Line(filepath.Base(root)), plain.Line(text))
}

// findProjects opens those that have workers.
func (d *daemon) findProjects(now time.Time) {
	if since := now.Sub(d.looked); since >= 0 && since < lookAround {
		return
	}
	d.looked = now
	changed := false
	for _, root := range ledger.Projects(d.a.Getenv) {
		if d.projects[root] != nil {
			continue
		}
		o, err := d.open(root)
		if err != nil {
			continue // it moved away, or is not the person's any more; `aburn ps` there says why
		}
		d.projects[root], changed = &charge{office: o, Project: d.charge(root, o)}, true
	}
	if changed {
		d.announce(now)
	}
}

// open is the office of a project, whatever project this process stands in.
func (d *daemon) open(root string) (*office, error) {
	env := func(name string) string {
		if name == "ABURN_PROJECT_DIR" {
			return ""
		}
		return d.a.Getenv(name)
	}
	o, err := officeAt(d.a, &scope.Caller{Env: env, Now: time.Now(), Warn: func(string, ...string) {}}, root)
	if err == nil && o.Root != root {
		o.close()
		err = fs.ErrNotExist
	}
	return o, err
}

func (d *daemon) announce(now time.Time) {
	self, _ := proc.Self()
	boot, _ := proc.Clock()
	r := Running{PID: os.Getpid(), Start: self.Start, Boot: boot, At: now.UTC().Truncate(time.Second)}
	for root := range d.projects {
		r.Projects = append(r.Projects, root)
	}
	slices.Sort(r.Projects)
	if err := d.post.write(runningFile, r); err != nil {
		d.say("", err.Error())
	}
}

func (d *daemon) charge(root string, o *office) *round.Project {
	return &round.Project{
		Crew: o.Crew, Slot: d.slot,
		Say: func(text string) { d.say(root, text) },
		Wake: func() {
			select {
			case d.wake <- struct{}{}:
			default:
			}
		},
		Repo:   func(ctx context.Context, m *crew.Member) (*tree.Repo, error) { return o.repositoryOf(ctx, m) },
		Gates:  func(m *crew.Member) (crew.Gates, string) { return o.standingGates(d.a, m) },
		Notify: func(list []round.Notice) error { return d.notify(root, o, list) },
	}
}

// standingGates are the gates that count for a worker now, or why there are none.
func (o *office) standingGates(a *kit.App, m *crew.Member) (crew.Gates, string) {
	c, err := o.config(a, "")
	if err != nil {
		return crew.Gates{}, plain.Line(err.Error())
	}
	g := gatesFor(c, m)
	switch {
	case len(g.Run) > 0:
		return g, ""
	case c.Confirm != "":
		return g, "what the project's file says changed, and waits for your word"
	}
	return g, "it was spawned with gates, and no file names any now"
}

// notify tells the person in all ways that the settings have, and returns when that is done. A way that fails is said and does
// not keep the others from it.
func (d *daemon) notify(root string, o *office, list []round.Notice) error {
	s := settings.Load(o.ws.Project, d.a.Getenv).Notify
	options := notify.Options{Desktop: s.Desktop, Command: s.Command, Env: d.a.Getenv, Report: func(channel string, err error) { d.say(root, channel+": "+err.Error()) }}
	if s.Line != "" {
		options.Command = notify.Shell(s.Line)
	}
	n := notify.New(options)
	for _, x := range list {
		d.say(root, x.Title+": "+x.Text)
		data, err := json.Marshal(NoticeReport{x, x.ID(), root})
		if err != nil {
			return err
		}
		text := x.Text
		if x.Hint != "" {
			text += " (" + x.Hint + ")"
		}
		n.Tell(notify.Notice{Key: x.ID(), Title: plain.Line(x.Title + " · " + filepath.Base(root)), Text: plain.Line(text), Urgent: x.Urgent, JSON: append(data, '\n')})
	}
	n.Close(notify.DefaultTimeout + time.Second)
	return nil
}

// NoticeReport is what notify.command gets on stdin.
type NoticeReport struct {
	round.Notice
	ID      string `json:"id"`
	Project string `json:"project"`
}

// living are the workers of all projects whose agents may live, by project.
func (d *daemon) living(ctx context.Context, only string) (list []hand, err error) {
	for _, root := range ledger.Projects(d.a.Getenv) {
		if only != "" && root != only && filepath.Base(root) != only {
			continue
		}
		o, oerr := d.open(root)
		if oerr != nil {
			continue
		}
		all, lerr := o.Look(ctx)
		if lerr != nil {
			o.close()
			err = errors.Join(err, lerr)
			continue
		}
		n := len(list)
		for _, m := range all {
			if m.Err == nil && !m.Over() && m.Ledger.Gen() > 0 {
				list = append(list, hand{o, m})
			}
		}
		if len(list) == n {
			o.close()
		}
	}
	return list, err
}

// hand is one worker of any project.
type hand struct {
	office *office
	m      *crew.Member
}

func (h hand) String() string {
	return strings.TrimSuffix(filepath.Base(h.office.Root), "/") + "/" + h.m.Name
}
