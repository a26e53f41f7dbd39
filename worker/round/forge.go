package round

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/manager"
	"aburn/worker/react"
	"aburn/worker/tree"
)

// Pulls is what a round needs to know and do about pull requests.
type Pulls struct {
	// Forge is where the branches of a member's repository are pushed to, and whose they are there. place names the repository: one
	// question asks about all members of a place.
	Forge func(ctx context.Context, m *manager.Member) (f forge.Forge, owner, place string, err error)
	// Refs is the folder of the refs of a member's repository that say what was pushed.
	Refs func(ctx context.Context, m *manager.Member) (dir string, err error)
	// Rules are those that count now; strangers says that comments of strangers count too.
	Rules func() (rules react.Rules, strangers bool)
	How   func() string // of an automatic merge
	Storm *Storm
	// Pauses are those that forges asked for; nil is this project's own.
	Pauses *Pauses
	Clock  func() react.Clock // nil is this machine's

	mu      sync.Mutex
	asking  bool
	looked  time.Time
	answers []answer
	merged  []merged
	places  map[string]*place
	of      map[string]string // place by worker
	last    map[string]*forge.Pull
	logs    map[string]*logged // by check
	refs    map[string]string  // folders by repository
	sent    int                // messages since the members were read
	busy    sync.WaitGroup
	at      func(string) // for tests, which end the process between two steps
}

// answer is what a forge said of one place.
type answer struct {
	place string
	names []string // of the members that were asked about
	pulls map[string]*forge.Pull
	err   error
	logs  []error // of checks
}

// place is one repository on a forge.
type place struct {
	f      forge.Forge
	owner  string
	next   time.Time
	wait   time.Duration
	pushes string // of its members, as it was asked last
	soon   int    // how many more times it is asked soon
	faults faults
}

// logged is the log of a check, as far as it could be had.
type logged struct {
	log   forge.Log
	done  bool
	tries int
}

// Times between two questions to a forge about one repository.
const (
	lookEvery  = 2 * time.Second // at what git notes of pushes
	askEvery   = 30 * time.Second
	askSoon    = 10 * time.Second // after a push
	soonTimes  = 3
	askLeast   = 5 * time.Minute // where nothing changes
	noForge    = 10 * time.Minute
	logTries   = 3
	maxLogs    = 256
	askingTime = 3 * time.Minute
)

func (p *Pulls) step(name string) {
	if p.at != nil {
		p.at(name)
	}
}

func (p *Pulls) clock() react.Clock {
	if p.Clock != nil {
		return p.Clock()
	}
	boot, up := proc.Clock()
	return react.Clock{Host: proc.Host(), Boot: boot, Up: up}
}

// watched reports whether the forge is asked about a member: its pull request is open, or its branch was pushed and nobody knows
// what became of it.
func watched(m *manager.Member, pushed string) bool {
	if m.Err != nil || m.Request.Branch == "" {
		return false
	}
	switch m.Worker.Pull.Is {
	case worker.PullOpen:
		return true
	case worker.PullMerged, worker.PullClosed:
		return pushed != "" && pushed != m.Worker.Pull.Head && !m.Over() // it may have another one
	}
	return pushed != "" && !(m.Over() && m.Gone())
}

// pushed is the commit of a member's branch on its remotes, or of a former one if the present one is not there, as this
// repository knows it: whoever pushes, git notes it there.
func (p *Pulls) pushed(ctx context.Context, m *manager.Member) string {
	if m.Err != nil || m.Request.Repo == "" || m.Request.Branch == "" {
		return ""
	}
	dir, ok := p.refs[m.Request.Repo]
	if !ok {
		dir, _ = p.Refs(ctx, m)
		p.refs[m.Request.Repo] = dir
	}
	if dir == "" {
		return ""
	}
	for _, b := range m.Branches() {
		if id := tree.RemoteTip(dir, b); id != "" {
			return id
		}
	}
	return ""
}

// ask begins a question about a place whose turn it is, if none is on its way. It does not wait for the answer.
func (p *Project) ask(ctx context.Context, now time.Time) {
	q := p.Pulls
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if since := now.Sub(q.looked); q.asking || since >= 0 && since < lookEvery {
		return
	}
	q.looked = now
	if q.places == nil {
		q.places, q.of, q.last, q.logs, q.refs = map[string]*place{}, map[string]string{}, map[string]*forge.Pull{}, map[string]*logged{}, map[string]string{}
	}
	if q.Pauses == nil {
		q.Pauses = &Pauses{}
	}
	members, pushes := map[string][]*manager.Member{}, map[string]string{}
	for _, m := range p.members {
		if m.Err != nil || m.Over() && m.Gone() && m.Worker.Pull.Is != worker.PullOpen {
			continue
		}
		id := q.pushed(ctx, m)
		if !watched(m, id) {
			continue
		}
		name, ok := q.of[m.Name]
		if !ok {
			name = q.placeOf(ctx, m, now, p.Say)
		}
		if name != "" {
			members[name] = append(members[name], m)
			pushes[name] += fmt.Sprintf("%s %s %d\n", m.Name, id, m.Pushed.Unix())
		}
	}
	for name, list := range members {
		at := q.places[name]
		if pushes[name] != at.pushes && at.f != nil {
			at.pushes, at.soon, at.wait = pushes[name], soonTimes, askEvery
			if at.faults.row == 0 {
				at.next = now
			}
		}
		if now.Before(at.next) && at.next.Sub(now) <= time.Hour || at.f == nil || q.Pauses.holds(at.f.Host(), now) {
			continue
		}
		q.asking = true
		at.next = now.Add(askingTime)
		q.busy.Go(func() {
			defer p.Wake()
			a := q.question(ctx, name, at, list)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.asking, q.answers = false, append(q.answers, a)
		})
		return
	}
}

// placeOf finds the place of a member; "" if it has none. That is asked again later.
func (q *Pulls) placeOf(ctx context.Context, m *manager.Member, now time.Time, say func(string)) string {
	repo := "repo " + m.Request.Repo
	at := q.places[repo]
	if at != nil && now.Before(at.next) && at.next.Sub(now) <= noForge {
		return ""
	}
	f, owner, name, err := q.Forge(ctx, m)
	if err != nil {
		if at == nil {
			at = &place{}
			q.places[repo] = at
		}
		at.next = now.Add(noForge)
		at.faults.say(err, say)
		return ""
	}
	q.of[m.Name] = name
	if q.places[name] == nil {
		q.places[name] = &place{f: f, owner: owner, wait: askEvery}
	}
	return name
}

// question asks about all branches of a place, and for the logs that messages would have.
func (q *Pulls) question(ctx context.Context, name string, at *place, list []*manager.Member) answer {
	ctx, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	a := answer{place: name, pulls: map[string]*forge.Pull{}}
	var branches []string
	for _, m := range list {
		a.names = append(a.names, m.Name)
		branches = append(branches, m.Branches()...)
	}
	pulls := map[string]*forge.Pull{}
	for some := range slices.Chunk(branches, forge.MaxBranches) {
		more, err := at.f.Pulls(ctx, at.owner, some)
		if err != nil {
			q.Pauses.hold(at.f.Host(), err)
			a.err = err
			return a
		}
		for b, pull := range more {
			pulls[b] = pull
		}
	}
	for _, m := range list {
		if pull := manager.FirstPull(pulls, m.Branches()); pull != nil {
			a.pulls[m.Name] = pull
			a.logs = append(a.logs, q.fetchLogs(ctx, at.f, pull)...)
		}
	}
	return a
}

func (q *Pulls) fetchLogs(ctx context.Context, f forge.Forge, pull *forge.Pull) (wrong []error) {
	for _, c := range react.Logs(pull) {
		q.mu.Lock()
		l := q.logs[c.ID]
		if l == nil {
			if len(q.logs) >= maxLogs {
				clear(q.logs)
			}
			l = &logged{}
			q.logs[c.ID] = l
		}
		done := l.done
		q.mu.Unlock()
		if done {
			continue
		}
		log, err := f.Log(ctx, c)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the log of %s: %w", c.Name, err))
			if q.Pauses.hold(f.Host(), err) {
				return wrong // it is asked for after the pause, and that was no try
			}
		}
		q.mu.Lock()
		l.tries++
		l.log, l.done = log, err == nil || l.tries >= logTries
		q.mu.Unlock()
	}
	return wrong
}

// log is what is known of why a check failed. After some tries in vain there is none.
func (q *Pulls) log(c forge.Check) (forge.Log, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.logs[c.ID]; l != nil && l.done {
		return l.log, true
	}
	return forge.Log{}, false
}

// hear takes the answers that came, and writes down what is news in them.
func (p *Project) hear(ctx context.Context, now time.Time) (fresh bool) {
	q := p.Pulls
	if q == nil {
		return false
	}
	q.mu.Lock()
	answers := q.answers
	q.answers = nil
	q.mu.Unlock()
	for _, a := range answers {
		q.step("answered")
		changed := false
		for name, pull := range a.pulls {
			m := p.member(name)
			if m == nil || m.Err != nil {
				continue
			}
			if _, strangers := q.Rules(); !strangers {
				pull = pull.Known()
			}
			before := q.last[name]
			changed = changed || before == nil || outline(before) != outline(pull)
			if err := manager.RecordPull(p.Manager, m, pull); err != nil {
				p.Say(name + " pull request: " + err.Error())
				continue
			}
			q.step("noted")
			q.last[name], fresh = pull, true
		}
		q.after(q.places[a.place], a.err, changed, now)
		p.fault(ctx, q.places[a.place], &a, now)
	}
	return fresh
}

// outline names all of a pull request that a reaction can be about.
func outline(p *forge.Pull) string {
	return fmt.Sprint(p.Facts(), p.Threads, p.Checks, p.Reviews, p.BaseAt, p.Draft)
}

// after says when a place is asked again: soon after a push, later and later while nothing changes, and not before the forge wants
// to be asked.
func (q *Pulls) after(at *place, err error, changed bool, now time.Time) {
	var limited *forge.Limited
	switch {
	case err == nil && changed:
		at.wait = askEvery
	default:
		at.wait = min(2*at.wait, askLeast)
	}
	at.next = now.Add(at.wait)
	switch {
	case errors.As(err, &limited):
		if limited.Until.After(at.next) {
			at.next = limited.Until
		}
	case errors.Is(err, forge.ErrNoClient) || errors.Is(err, forge.ErrNoLogin):
		at.next = now.Add(noForge)
	case err == nil && at.soon > 0:
		at.soon--
		at.next = now.Add(askSoon)
	}
}
