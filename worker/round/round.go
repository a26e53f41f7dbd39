package round

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// Project is one project's workers, with what a round needs beside them.
type Project struct {
	Manager *manager.Manager
	Repo    func(context.Context, *manager.Member) (*tree.Repo, error)
	// Gates are those that count for a member; why says that there are none, or that they wait for a person.
	Gates func(*manager.Member) (g manager.Gates, why string)
	// Spent is what a member has used up, also in words.
	Spent func(context.Context, *manager.Member) (worker.Spent, string, error)
	// Judge says which sessions make no progress; nil if nobody does.
	Judge func(context.Context) ([]Standstill, error)
	// Grown names how the transcripts of a member stand: the same text if none grew, "" if nobody knows. nil judges nobody by them.
	Grown func(context.Context, *manager.Member) (string, error)
	// Notify is nil where another project tells: nobody is then told here. It returns when a person can have heard, or ctx
	// is done. It is called beside the rounds, which wait for nobody.
	Notify func(context.Context, []Notice) error
	Say    func(string)  // for people who look at what a daemon did
	Slot   chan struct{} // gates run one at a time, over all projects that share it
	Wake   func()        // gates ended, or a forge answered: another round is due
	Pulls  *Pulls        // nil looks at no pull requests
	// Clock is the machine's boot and its uptime awake; nil is this machine's.
	Clock func() (boot string, up time.Duration)

	members []*manager.Member
	judged  time.Time
	still   map[string]*stall // by the members' names
	watched map[string]*watch // so are these
	expired time.Time         // when it was looked last which snapshots nobody needs any more
	stamp   string
	read    time.Time // when the members were, and until when that rests
	rested  time.Time
	probed  time.Time
	planned time.Time
	rounds  int
	tried   Tried
	mass    worker.Mass
	held    map[string]bool // servers of which nothing counts as dead yet
	gates   sync.WaitGroup
	notices telling
}

// planEvery is how often it is worked out what is due while nothing is written: only time makes more due then.
const planEvery = 5 * time.Second

// probes are the times between looks at processes, the last one for ever.
var probes = [...]time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}

// closeLook is the time between looks while somebody looks dead: three of them, so far apart, prove it.
const closeLook, closeFor = 10 * time.Second, 5 * time.Minute

func (p *Project) probeDue(now time.Time) bool {
	since, wait := now.Sub(p.probed), probes[min(p.rounds, len(probes)-1)]
	if slices.ContainsFunc(p.members, func(m *manager.Member) bool {
		return m.Err == nil && m.Worker.State == worker.Detecting && now.Sub(m.Worker.Since) < closeFor
	}) {
		wait = min(wait, closeLook)
	}
	return since >= wait || since < 0
}

// Round does what is due. It does not wait for gates. Files are read only where something was written since the last round, and
// then for a small part of the time.
func (p *Project) Round(ctx context.Context, now time.Time) error {
	fresh := false
	if stamp := p.Manager.Stamp(p.members); p.members == nil || stamp != p.stamp && (now.After(p.rested) || now.Before(p.read)) {
		began := time.Now()
		members, err := p.Manager.LoadCached(ctx)
		if err != nil {
			return err
		}
		before := p.members
		p.members = append([]*manager.Member{}, members...)
		if p.stamp, p.read = p.Manager.Stamp(p.members), now; p.Manager.Stamp(before) != stamp {
			p.stamp = "" // something was written while they were read
		}
		if p.Pulls != nil {
			p.Pulls.sent = 0
		}
		p.rested, fresh = now.Add(10*time.Since(began)), true
	}
	if p.probeDue(now) {
		var deaths []worker.MassDeath
		deaths, p.held = p.Manager.Probe(ctx, p.members, &p.mass)
		p.probed, fresh = now, true
		p.rounds++
		for _, d := range deaths {
			p.tell(ctx, massNotice(d, now))
		}
	}
	if err := p.judge(ctx, now); err != nil {
		p.Say("supervisor: " + err.Error())
	}
	if err := p.checkStalls(ctx); err != nil {
		p.Say("silence: " + err.Error())
	}
	if err := p.dialogs(ctx, now); err != nil {
		p.Say("screens: " + err.Error())
	}
	p.expire(ctx, now)
	p.hearMerges(ctx)
	p.ask(ctx, now)
	if p.hear(ctx, now) { // what it said is planned for once it was read back
		p.planned = time.Time{}
		return nil
	}
	if since := now.Sub(p.planned); !fresh && since >= 0 && since < planEvery {
		return nil
	}
	p.planned = now
	for _, s := range Plan(p.seen(now), &p.tried, now, p.reactions()...) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.tried.Note(s, now)
		switch err := p.do(ctx, s); {
		case errors.Is(err, manager.ErrTreeBusy):
			p.tried.Again(s, now)
		case err != nil:
			p.Say(fmt.Sprintf("%s %s: %v", s.Worker, s.Do, err))
		case s.Do == Keep || s.Do == Compare || s.Do == Charge:
			p.tried.Done(s)
		}
	}
	return nil
}

// Members are the workers as the last round saw them.
func (p *Project) Members() []*manager.Member { return p.members }

// Wait returns when no gates run, no notice is on its way, and no forge is asked.
func (p *Project) Wait() {
	p.gates.Wait()
	p.notices.Wait()
	if p.Pulls != nil {
		p.Pulls.busy.Wait()
	}
}

// Living reports whether an agent of the project's may live.
func (p *Project) Living() bool {
	return slices.ContainsFunc(p.members, func(m *manager.Member) bool { return m.Err == nil && !m.Over() })
}

func massNotice(d worker.MassDeath, now time.Time) *Notice {
	at := now.UTC().Format(time.RFC3339)
	return &Notice{
		Worker: d.Workers[0], Others: d.Workers[1:], Key: KeyMass, Subject: d.Server + " " + at, Urgent: true,
		Title: fmt.Sprintf("%d workers look dead at once", len(d.Workers)), Text: "their server " + d.Server + " may have ended; nothing of their work is lost",
		Hint: "aburn resume --all",
	}
}

// seen are the workers that a round is about.
func (p *Project) seen(now time.Time) (list []Seen) {
	living := map[string]bool{}
	for _, m := range manager.Living(p.members) {
		living[m.Name] = true
	}
	for _, m := range p.members {
		if m.Err != nil || !living[m.Name] || m.Over() && now.Sub(m.Worker.Since) > forgotten || p.held[m.Worker.Server] {
			continue
		}
		s := Seen{Name: m.Name, Worker: m.Worker, Entries: m.Ledger.Entries, Said: m.Said, Tree: !m.Gone(), Clashes: manager.UnnotifiedConflicts(m, living),
			Attended: m.Request.Via == manager.Terminal}
		s.Screen, s.Dialog = manager.HasScreen(p.Manager, m), manager.OnScreen(m)
		if m.Talk != nil && len(m.Talk.Asks) > 0 {
			s.Asks = m.Talk.Asks[0].What
		}
		if p.Spent != nil {
			s.Limit = m.Limit()
		}
		if m.Worker.Verifying() {
			_, s.NoGates = p.Gates(m)
		}
		if p.Pulls != nil {
			s.Rules, _ = p.Pulls.Rules()
		}
		list = append(list, s)
	}
	return list
}

// forgotten is how long ago a worker ended that no notice is about any more: who starts aburn hears of last night, not of last month.
const forgotten = 24 * time.Hour

func (p *Project) member(name string) *manager.Member {
	for _, m := range p.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func (p *Project) do(ctx context.Context, s Step) error {
	m := p.member(s.Worker)
	if m != nil && m.IsRemote() && s.Do != Tell && s.Do != Verify { // the machine on which it runs does that
		return nil
	}
	switch s.Do {
	case Bring:
		return manager.DeliverWaiting(ctx, p.Manager, s.Worker)
	case Tell:
		p.tell(ctx, s.Notice)
		return nil
	case Charge:
		m.Given = manager.Given(p.members, m.Name)
		spent, says, err := p.Spent(ctx, m)
		if err != nil {
			return err
		}
		return manager.CheckBudget(ctx, p.Manager, m, spent, says)
	case React:
		return p.react(ctx, s.Worker, s.React)
	case Compare:
		return manager.CompareKept(ctx, p.Manager, p.members)
	}
	repo, err := p.Repo(ctx, m)
	if err != nil {
		return err
	}
	if s.Do == Verify {
		return p.verify(ctx, repo, m)
	}
	return manager.TryTakeSnapshot(ctx, p.Manager, repo, m)
}

// expireEvery is how often it is looked whether snapshots may go: they were kept for a month.
const expireEvery = 6 * time.Hour

// expire drops snapshots that nobody needs, beside the rounds: git may have a long history to look through.
func (p *Project) expire(ctx context.Context, now time.Time) {
	if since := now.Sub(p.expired); since >= 0 && since < expireEvery {
		return
	}
	p.expired = now
	var due []manager.Member
	for _, m := range p.members {
		if manager.MayExpire(m, now) {
			due = append(due, *m)
		}
	}
	if len(due) == 0 {
		return
	}
	p.gates.Go(func() {
		for i := range due {
			m := &due[i]
			repo, err := p.Repo(ctx, m)
			n := 0
			if err == nil {
				n, err = manager.ExpireSnapshots(ctx, p.Manager, repo, m, now, false)
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, manager.ErrTreeBusy) {
				p.Say(m.Name + " snapshots: " + err.Error())
			}
			if n > 0 {
				p.Say(fmt.Sprintf("%s snapshots: %d dropped, as each change of them was made by a commit", m.Name, n))
			}
		}
	})
}

// verify runs a worker's gates beside the rounds.
func (p *Project) verify(ctx context.Context, repo *tree.Repo, m *manager.Member) error {
	g, why := p.Gates(m)
	if why != "" {
		return errors.New(why)
	}
	select {
	case p.Slot <- struct{}{}:
	default:
		return nil // others are run; another round comes when they ended
	}
	copied := *m
	m = &copied // rounds go on
	p.gates.Go(func() {
		defer p.Wake()
		defer func() { <-p.Slot }()
		v, err := manager.VerifyDone(ctx, p.Manager, repo, m, g)
		switch {
		case errors.Is(err, manager.ErrNotDue), ctx.Err() != nil:
		case err != nil:
			p.Say(m.Name + " gates: " + err.Error())
		case v.Passed:
			p.Say(m.Name + " gates: passed")
		default:
			p.Say(m.Name + " gates: " + v.Why)
		}
		if err == nil && v.Message != "" {
			if err := manager.DeliverWaiting(ctx, p.Manager, m.Name); err != nil {
				p.Say(m.Name + " messages: " + err.Error())
			}
		}
	})
	return nil
}
