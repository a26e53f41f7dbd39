package round

import (
	"context"
	"fmt"
	"time"

	"aburn/internal/plain"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/react"
)

// A worker is stuck, too, where a file says reactions.agent-stuck.threshold and for so long no entry of its tree was written, its
// transcript did not grow, and no call of its ran.
//
//   - Only time of this machine awake counts, as one process saw it pass: neither sleep, a clock that jumps nor a restart of this
//     process makes anybody stuck.
//   - What cannot be seen is no silence: an agent whose transcript nobody knows, or whose entries are heard by nobody, is not judged.
//   - The same silence is written once. The next entry ends it.

// settling is how long nothing has to be written until the transcript is looked at: clients write both at about the same time.
const settling = 10 * time.Second

// sight is one look at a worker.
type sight struct {
	up     time.Duration // of this machine, awake, since boot; 0 is unknown
	boot   string
	works  bool   // it works on its turn, and no call runs
	newest string // names the newest entry
}

// stall is how long one was seen without a word.
type stall struct {
	boot, newest string
	since        time.Duration // nothing was written
	grown        string        // its transcript, as it was at seen
	seen         time.Duration
}

// see takes the next look. grown says how its transcript stands, "" if nobody knows; it is asked only after a while of silence. It
// returns for how long nothing happened.
func (s *stall) see(now sight, threshold time.Duration, grown func() string) (lasted time.Duration) {
	if !now.works || now.up <= 0 || now.boot != s.boot || now.newest != s.newest || now.up < s.since {
		*s = stall{boot: now.boot, newest: now.newest, since: now.up}
		return 0
	}
	switch {
	case s.grown == "" && now.up-max(s.since, s.seen) >= min(settling, threshold):
		s.grown, s.seen = grown(), now.up
		return 0
	case s.grown == "" || now.up-s.seen < threshold:
		return 0
	}
	if g := grown(); g != s.grown {
		s.grown, s.seen = g, now.up
		return 0
	}
	return now.up - s.seen
}

// checkStalls finds who makes no progress by the threshold that files say.
func (p *Project) checkStalls(ctx context.Context) error {
	if p.Grown == nil || p.Pulls == nil || p.Pulls.Rules == nil {
		return nil
	}
	rules, _ := p.Pulls.Rules()
	threshold := rules.Of(react.KeyStuck).Threshold
	if threshold <= 0 {
		p.still = nil
		return nil
	}
	now := p.sight()
	before := p.still
	p.still = map[string]*stall{}
	for _, m := range p.members {
		if m.Err != nil || m.IsRemote() || m.Session == "" || m.Worker.State != worker.Working {
			continue
		}
		s := before[m.Name]
		if s == nil {
			s = &stall{}
		}
		p.still[m.Name] = s
		now.works, now.newest = !m.Worker.Verifying() && !m.Worker.Calling(), newestOf(m)
		if lasted := s.see(now, threshold, func() string { return p.grown(ctx, m) }); lasted > 0 {
			if err := p.noteSilence(ctx, m, lasted); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteSilence writes down that a member is stuck, unless it was read before it said something more. What it says in the moment between
// is read as said before: then it counts as stuck until its next entry.
func (p *Project) noteSilence(ctx context.Context, m *manager.Member, lasted time.Duration) error {
	now, err := p.Manager.LoadCached(ctx, m.Name)
	if err != nil || now[0].Err != nil || newestOf(now[0]) != newestOf(m) || now[0].Worker.State != worker.Working || now[0].Worker.Calling() {
		return err
	}
	says := "silence: nothing was recorded of it for " + plain.Duration(lasted.Truncate(time.Second)) + ", its transcript did not grow, and no call of its runs"
	return manager.NoteStandstill(p.Manager, m, "threshold "+newestOf(m), says)
}

// sight is this moment on this machine.
func (p *Project) sight() (now sight) {
	if p.Clock != nil {
		now.boot, now.up = p.Clock()
	} else {
		now.boot, now.up = proc.Clock()
	}
	return now
}

// newestOf names what was written last of a worker: entries of its tree, and what its protocol told.
func newestOf(m *manager.Member) string {
	return fmt.Sprintf("%d:%d:%s", m.Worker.Gen, m.Newest, moment(m.Worker))
}

// grown is how the transcript of a member stands; "" if nobody knows.
func (p *Project) grown(ctx context.Context, m *manager.Member) string {
	text, err := p.Grown(ctx, m)
	if err != nil {
		return ""
	}
	return text
}
