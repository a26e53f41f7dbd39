package chain

import (
	"slices"

	"github.com/tidwall/gjson"

	"aburn/internal/quote"
	"aburn/logfmt"
)

// result answers for one target, from the moments that the search kept.
func (s *search) result(cmd string) Result {
	r := Result{Cmd: cmd, State: None, Bounded: s.bounded}
	hit := s.here(cmd)
	if hit < 0 {
		other := s.elsewhere(cmd)
		if other >= 0 && s.q.Any {
			hit, r.Elsewhere = other, true
		} else if other >= 0 {
			r.HasOther, r.Other = true, s.moments[other].wt
		}
	}
	wt := s.log.Worktree()
	if r.Elsewhere {
		wt = s.moments[hit].wt
	}
	if m := s.newest(cmd, wt); m != nil {
		r.State, r.Since = stateOf(m.event), m.entry.Time
		if by, at := s.leftBy(m); r.State == Running && !at.IsZero() {
			r.State, r.LeftBy, r.LeftAt = Left, by, at
			r.Notes = []Note{{LeftUnfinished, "session " + quote.Text(string(by), logfmt.MaxSession) + " ended before it was finished", at}}
		}
	}
	if hit < 0 {
		return r
	}
	r.Found, r.Entry = true, s.moments[hit].entry
	r.Age = s.q.Now.Sub(r.Entry.Time)
	r.read()
	r.Outputs = s.outputs(&r.Entry)
	r.Notes = append(s.notes(&r, hit), r.Notes...)
	return r
}

// elsewhere is the index of the newest COMPLETE in another worktree, or -1.
func (s *search) elsewhere(cmd string) int {
	for i := range s.moments {
		m := &s.moments[i]
		if hit, ok := s.hits[place{cmd, m.wt}]; ok && hit == i && m.cmd == cmd && m.wt != s.log.Worktree() {
			return i
		}
	}
	return -1
}

// newest is the newest moment of a command in a worktree, in the session asked for.
func (s *search) newest(cmd, wt string) *moment {
	i := slices.IndexFunc(s.moments, func(m moment) bool { return m.cmd == cmd && m.wt == wt && s.ofSession(&m) })
	if i < 0 {
		return nil
	}
	return &s.moments[i]
}

func stateOf(ev logfmt.Event) State {
	switch ev {
	case logfmt.Start:
		return Running
	case logfmt.Failed:
		return Failed
	}
	return Done
}

// read extracts what the answer shows from the entry's data.
func (r *Result) read() {
	data := gjson.ParseBytes(r.Entry.Data)
	r.Summary = data.Get("summary").String()
	r.Next = data.Get("next_suggested").String()
	data.Get("metrics").ForEach(func(k, v gjson.Result) bool {
		value := v.Raw
		if v.Type == gjson.String {
			value = v.Str
		}
		r.Metrics = append(r.Metrics, Metric{k.String(), value})
		return len(r.Metrics) < maxListed
	})
}

// maxListed bounds the metrics and outputs of one entry that are examined.
const maxListed = 100
