package round

import (
	"context"
	"errors"
	"slices"
	"sync"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
)

// telling are the notices that are on their way.
type telling struct {
	sync.WaitGroup
	mu  sync.Mutex
	ids map[string]bool
	n   int // notices

	inRound bool // for tests that end the process at each step: a notice is told within the round
}

func (t *telling) run(f func()) {
	if t.inRound {
		f()
		return
	}
	t.Go(f)
}

// mostTold is how many notices are on their way at once; others wait for the next plan.
const mostTold = 8

// begin takes a notice for one who tells it. Nobody else tells it, or a part of it, until end.
func (t *telling) begin(n *Notice) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := n.ids()
	if t.n >= mostTold || slices.ContainsFunc(ids, func(id string) bool { return t.ids[id] }) {
		return false
	}
	if t.ids == nil {
		t.ids = map[string]bool{}
	}
	for _, id := range ids {
		t.ids[id] = true
	}
	t.n++
	return true
}

func (t *telling) end(n *Notice) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range n.ids() {
		delete(t.ids, id)
	}
	t.n--
}

// ids are the notice's own, and those of the same about others.
func (n *Notice) ids() []string {
	ids := []string{n.ID()}
	for i, other := range n.Others {
		ids = append(ids, other+"/"+n.Key+"/"+n.subject(i))
	}
	return ids
}

// subject is that of the i-th of Others.
func (n *Notice) subject(i int) string {
	if i < len(n.subjects) {
		return n.subjects[i]
	}
	return n.Subject
}

// tell tells a person beside the rounds, then writes that down.
func (p *Project) tell(ctx context.Context, n *Notice) {
	m := p.member(n.Worker)
	if m != nil && told(m.Ledger.Entries, n.Key, n.Subject) {
		return
	}
	if m != nil {
		copied := *m
		m = &copied // rounds go on
	}
	p.inform(ctx, n, func() bool { return p.heard(m, n) }, func() error { return p.write(m, n) })
}

// heard reports whether the ledgers say by now that a person was told. Rounds plan with ledgers as they were read last, which on a busy
// machine was before the same notice was written down.
func (p *Project) heard(m *manager.Member, n *Notice) bool {
	if n.Key == KeyConflict {
		return !slices.ContainsFunc(manager.UnnotifiedConflicts(m, map[string]bool{n.Others[0]: true}), func(e ledger.Entry) bool {
			return e.Set == n.Subject && !manager.HasNotifiedOverlap(p.Manager, m, e)
		})
	}
	told := func(name, subject string) bool {
		return manager.HasNotified(p.Manager, name, manager.Reaction{Key: n.Key, Action: worker.ActionNotify, Subject: subject})
	}
	if told(n.Worker, n.Subject) {
		return true
	}
	for i, other := range n.Others { // of some ends that are told together, one may have been told alone
		if n.Key == KeyExited && told(other, n.subject(i)) {
			return true
		}
	}
	return false
}

// inform tells a person beside the rounds what nobody heard of yet, and then writes it down. A web service that hangs keeps no round
// waiting.
func (p *Project) inform(ctx context.Context, n *Notice, heard func() bool, write func() error) {
	if p.Notify == nil || !p.notices.begin(n) {
		return
	}
	p.notices.run(func() {
		defer p.Wake()
		defer p.notices.end(n)
		if heard() {
			return
		}
		err := p.Notify(ctx, []Notice{*n})
		if err == nil {
			err = write()
		}
		if err != nil && ctx.Err() == nil {
			p.Say(n.Worker + " notice: " + err.Error())
		}
	})
}

// write says in the ledgers of all that a notice is about that it was told.
func (p *Project) write(m *manager.Member, n *Notice) error {
	if n.Key == KeyConflict {
		for _, e := range manager.UnnotifiedConflicts(m, map[string]bool{n.Others[0]: true}) {
			if e.Set == n.Subject {
				_, err := manager.MarkOverlapNotified(p.Manager, m, e)
				return err
			}
		}
		return nil
	}
	err := manager.MarkNotified(p.Manager, n.Worker, n.Key, n.Subject)
	for i, other := range n.Others {
		err = errors.Join(err, manager.MarkNotified(p.Manager, other, n.Key, n.subject(i)))
	}
	return err
}
