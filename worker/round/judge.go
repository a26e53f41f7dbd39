package round

import (
	"context"
	"time"

	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/manager"
)

// Standstill is a verdict that the work of a session makes no progress.
type Standstill struct {
	Session   logfmt.SessionID
	Signature string
	Text      string
}

// judgeEvery is how often the work is judged while an agent works.
const judgeEvery = 10 * time.Second

// judge has the work judged, if any agent works. Who makes no progress is stuck until its next step.
func (p *Project) judge(ctx context.Context, now time.Time) error {
	if since := now.Sub(p.judged); p.Judge == nil || since >= 0 && since < judgeEvery {
		return nil
	}
	working := map[logfmt.SessionID]*manager.Member{}
	for _, m := range p.members {
		if m.Err == nil && m.Session != "" && m.Worker.State == worker.Working && !m.Worker.Verifying() {
			working[m.Session] = m
		}
	}
	if len(working) == 0 {
		return nil
	}
	p.judged = now
	verdicts, err := p.Judge(ctx)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if m := working[v.Session]; m != nil {
			if err := manager.NoteStandstill(p.Manager, m, v.Signature, v.Text); err != nil {
				return err
			}
		}
	}
	return nil
}
