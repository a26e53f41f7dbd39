package daemon

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"aburn/internal/fault"
	"aburn/worker/control"
	"aburn/worker/manager"
)

// Stopped are the workers that a stop ended.
type Stopped struct {
	At      time.Time       `json:"at"`
	Workers []StoppedWorker `json:"workers"`
	Asked   bool            `json:"asked,omitempty"` // the person was asked whether they should go on
}

// StoppedWorker is one of them, as it stood.
type StoppedWorker struct {
	Project string `json:"project"`
	Worker  string `json:"worker"`
	Gen     int    `json:"gen"`
	Session string `json:"session,omitempty"`
	State   string `json:"state"`
}

// StopTime bounds a stop, whatever hangs.
const StopTime = 10 * time.Second

// Ended is what became of one worker that a stop ended.
type Ended struct {
	Worker Worker
	Now    *manager.Member // as it is now; nil for a stray
	Left   int             // processes of a stray that were ended
	Err    error
}

func contains(list []Worker, w StoppedWorker) bool {
	for _, h := range list {
		if h.Project.Root == w.Project && h.Member != nil && h.Member.Name == w.Worker {
			return true
		}
	}
	return false
}

func (p *State) Stopped() (s Stopped) {
	data, err := p.root.ReadFile(LastStop)
	if err == nil {
		json.Unmarshal(data, &s)
	}
	return s
}

// Stop ends workers at once, after it wrote down which.
func (p *State) Stop(ctx context.Context, list []Worker) (results []Ended, err error) {
	s := Stopped{At: time.Now().UTC().Truncate(time.Second)}
	for _, w := range p.Stopped().Workers { // of another project, whose stop is not taken back by this one
		if !contains(list, w) {
			s.Workers = append(s.Workers, w)
		}
	}
	for _, h := range list {
		if h.Member == nil || h.Member.Over() { // it cannot go on, or had ended before
			continue
		}
		m := h.Member
		s.Workers = append(s.Workers, StoppedWorker{h.Project.Root, m.Name, m.Ledger.Gen(), manager.SessionOf(h.Project.Manager, m), m.Worker.State.String()})
	}
	if err := p.Write(LastStop, s); err != nil {
		return nil, fault.Failed(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, StopTime)
	defer cancel()
	var all sync.WaitGroup
	results = make([]Ended, len(list))
	for i, h := range list {
		all.Go(func() {
			r := &results[i]
			if r.Worker = h; h.Member == nil {
				r.Left, r.Err = manager.EndStray(ctx, h.Project.Manager, h.Stray)
				return
			}
			r.Now, r.Err = control.Kill(ctx, h.Project.Manager, h.Member)
		})
	}
	all.Wait()
	return results, nil
}
