package round

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/react"
)

// reactions are the steps that follow from pull requests.
func (p *Project) reactions() (steps []Step) {
	q := p.Pulls
	if q == nil || len(q.last) == 0 {
		return nil
	}
	rules, _ := q.Rules()
	clock := q.clock()
	for _, m := range p.members {
		pull := q.last[m.Name]
		if pull == nil || m.Err != nil || p.held[m.Worker.Server] {
			continue
		}
		c := react.Case{Name: m.Name, Worker: m.Worker, Entries: m.Ledger.Entries, Pull: pull, Log: q.log, Nonce: nonce(), Paused: q.Storm.Paused()}
		for _, s := range react.Due(c, rules, clock) {
			steps = append(steps, Step{Do: React, Worker: m.Name, Subject: s.Key + " " + s.Action + " " + s.Subject, React: &s})
		}
	}
	return steps
}

func nonce() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// react does one of them.
func (p *Project) react(ctx context.Context, name string, s *react.Step) error {
	q := p.Pulls
	r := manager.Reaction{Key: s.Key, Action: s.Action, Subject: s.Subject, Items: s.Items, Head: s.Head, Replaces: s.Replaces, Limit: s.Limit}
	r.May = func(entries []ledger.Entry) bool { return react.MayHave(entries, q.clock()) }
	switch s.Action {
	case react.ActionWithdraw, worker.ActionSend:
		if s.Action == worker.ActionSend && q.Storm.Paused() { // also what no pull request is behind
			return nil
		}
		if s.Action == worker.ActionSend && !q.Storm.Allow(p.recent()+q.sent, p.Manager.Root) {
			p.pause(ctx, s, name)
			return nil
		}
		r.Text = s.Text
		err := manager.React(ctx, p.Manager, name, r)
		q.step("reacted")
		if err == nil && s.Action == worker.ActionSend {
			q.sent++
			err = manager.DeliverWaiting(ctx, p.Manager, name)
			q.step("brought")
		}
		if errors.Is(err, manager.ErrTold) || errors.Is(err, manager.ErrHanded) {
			return nil // another round looks again
		}
		return err
	case worker.ActionMerge:
		return p.merge(ctx, name, s, r)
	}
	r.Action = worker.ActionNotify
	if s.Action == react.ActionEscalate {
		r.Action = ""
	}
	n := Notice{Worker: name, Key: s.Key, Subject: s.Subject, Title: s.Title, Text: s.Text, Hint: s.Hint, Urgent: s.Urgent}
	p.inform(ctx, &n, func() bool { return manager.HasNotified(p.Manager, name, r) }, func() error {
		q.step("told")
		return p.toldOf(name, r)
	})
	return nil
}

// toldOf writes that a person was told; that it stands there already is no failure.
func (p *Project) toldOf(name string, r manager.Reaction) error {
	err := manager.MarkReaction(p.Manager, name, r)
	p.Pulls.step("written")
	if errors.Is(err, manager.ErrTold) {
		return nil
	}
	return err
}

// merge begins to merge what was judged, at most once a commit: that it is tried stands in the ledger before. It does not wait
// for the forge.
func (p *Project) merge(ctx context.Context, name string, s *react.Step, r manager.Reaction) error {
	q := p.Pulls
	pull, at := q.last[name], q.places[q.of[name]]
	if pull == nil || at == nil || pull.Head != s.Head {
		return nil
	}
	if err := manager.MarkReaction(p.Manager, name, r); err != nil {
		if errors.Is(err, manager.ErrTold) {
			return nil
		}
		return err
	}
	q.step("merging")
	r.Action, r.Subject, r.Items = worker.ActionNotify, react.Unmerged(s.Head), nil // as it will be told how it went
	n := Notice{Worker: name, Key: s.Key, Subject: r.Subject, Title: name + ": merged",
		Text: fmt.Sprintf("#%d was approved and green, and is merged", pull.Number), Hint: "aburn cleanup " + name}
	how := q.How()
	q.busy.Go(func() {
		defer p.Wake()
		ctx, cancel := context.WithTimeout(ctx, mergingTime)
		defer cancel()
		err := at.f.Merge(ctx, pull, how)
		q.Pauses.hold(at.f.Host(), err)
		if err != nil && ctx.Err() != nil {
			return // nobody knows how it went; react says so, or that it is merged
		}
		if err != nil {
			n.Title, n.Text, n.Hint, n.Urgent = name+": not merged", fmt.Sprintf("#%d was approved and green, and its merge failed: %s", pull.Number, err), pull.URL,
				true
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.merged = append(q.merged, merged{at, r, n})
	})
	return nil
}

// mergingTime is how long a forge may take to merge; then react asks what became of it.
const mergingTime = 90 * time.Second

// merged is how a merge went.
type merged struct {
	at *place
	r  manager.Reaction
	n  Notice
}

// hearMerges tells a person how merges went, and asks the forge again.
func (p *Project) hearMerges(ctx context.Context) {
	q := p.Pulls
	if q == nil {
		return
	}
	q.mu.Lock()
	list := q.merged
	q.merged = nil
	q.mu.Unlock()
	for _, x := range list {
		x.at.next = time.Time{}
		q.step("merged")
		p.inform(ctx, &x.n, func() bool { return manager.HasNotified(p.Manager, x.n.Worker, x.r) }, func() error { return p.toldOf(x.n.Worker, x.r) })
	}
}

// recent is how many messages of its reactions the project's ledgers have of the last minute.
func (p *Project) recent() (n int) {
	now := p.Pulls.clock()
	for _, m := range p.members {
		if m.Err == nil {
			n += react.Recent(m.Ledger.Entries, now, time.Minute)
		}
	}
	return n
}

// pause ends all automatic messages, and says so once.
func (p *Project) pause(ctx context.Context, s *react.Step, name string) {
	if !p.Pulls.Storm.Pause() {
		return
	}
	n := Notice{
		Worker: name, Key: react.KeyStorm, Subject: "all " + s.Subject, Title: "no worker gets more messages", Urgent: true,
		Text: fmt.Sprintf("%d went out within a minute; the last was to be for %s", AllPerMinute, name), Hint: "aburn daemon start --resume-reactions",
	}
	p.inform(ctx, &n, func() bool { return false }, func() error { return nil }) // the pause itself is what is written
}

// AllPerMinute is how many messages of reactions go out in a minute, over all projects.
const AllPerMinute = 20

// Storm bounds the messages of all projects.
type Storm struct {
	// Is reports whether a pause stands written, and Write writes one. They outlive the process.
	Is    func() bool
	Write func() error

	mu     sync.Mutex
	counts map[string]int
}

// Paused reports whether nothing is sent. A nil Storm has no bounds.
func (s *Storm) Paused() bool { return s != nil && s.Is != nil && s.Is() }

// Allow reports whether one more message may go out, of a project that had n within the last minute.
func (s *Storm) Allow(n int, project string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	s.counts[project] = n
	all := 0
	for _, n := range s.counts {
		all += n
	}
	return all < AllPerMinute
}

// Pause writes a pause down, and reports whether there was none.
func (s *Storm) Pause() bool {
	if s == nil || s.Paused() {
		return false
	}
	return s.Write == nil || s.Write() == nil
}

// messageOf reports whether an entry is a message of aburn's own that the agent should get.
func messageOf(e *ledger.Entry) bool {
	return e.Kind == worker.Gated && e.Is == worker.GateFailed || e.Kind == worker.Reacted && e.Action == worker.ActionSend && e.Message != ""
}
