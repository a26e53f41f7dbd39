package round

import (
	"context"
	"errors"
	"sync"

	"aburn/worker/crew"
)

// telling are the notices that are on their way.
type telling struct {
	sync.WaitGroup
	mu  sync.Mutex
	ids map[string]bool

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

func (t *telling) begin(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ids[id] || len(t.ids) >= mostTold {
		return false
	}
	if t.ids == nil {
		t.ids = map[string]bool{}
	}
	t.ids[id] = true
	return true
}

func (t *telling) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.ids, id)
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
	p.inform(ctx, n, func() error { return p.write(m, n) })
}

// inform tells a person beside the rounds, and then writes it down. A web service that hangs keeps no round waiting.
func (p *Project) inform(ctx context.Context, n *Notice, write func() error) {
	if p.Notify == nil || !p.notices.begin(n.ID()) {
		return
	}
	p.notices.run(func() {
		defer p.Wake()
		defer p.notices.end(n.ID())
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
func (p *Project) write(m *crew.Member, n *Notice) error {
	if n.Key == KeyConflict {
		for _, e := range p.Crew.Untold(m, map[string]bool{n.Others[0]: true}) {
			if e.Set == n.Subject {
				_, err := p.Crew.TellOverlap(m, e)
				return err
			}
		}
		return nil
	}
	err := p.Crew.Told(n.Worker, n.Key, n.Subject)
	for i, other := range n.Others {
		subject := n.Subject
		if i < len(n.subjects) {
			subject = n.subjects[i]
		}
		err = errors.Join(err, p.Crew.Told(other, n.Key, subject))
	}
	return err
}
