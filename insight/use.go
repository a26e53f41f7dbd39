package insight

import (
	"slices"
	"strings"

	"aburn/insight/failure"
	"aburn/trace"
)

// use is a call that counts, with what is asked of it more than once.
type use struct {
	call   *trace.ToolCall
	event  *trace.Event
	seq    int
	end    *trace.ToolResultEvent // nil while it has none, or none but running
	failed bool
	retry  bool  // the last call before it that it repeats had failed
	share  int64 // its part of its response's tokens
}

// uses is the calls of a trace that count, in its order.
func uses(t *trace.SessionTrace) []use {
	calls := t.Calls()
	all := make([]use, 0, len(calls))
	for i := range calls {
		c := &calls[i]
		if !c.Counts() {
			continue
		}
		u := use{call: c.Call, event: c.Event, seq: c.Event.Seq}
		if last := c.Last(); last != nil && last.Status != trace.StatusRunning {
			u.end, u.failed = last, last.Failed()
		}
		all = append(all, u)
	}
	markRetries(all)
	return all
}

// deed is what a call does, as far as two calls can be said to do the same. A tool's input tells best; of an edit, whose input
// must change to be mended, the path.
type deed struct{ tool, kind, what string }

func (u *use) deed() (deed, bool) {
	c := u.call
	switch {
	case c.Type == trace.EditTool && c.Path != "":
		return deed{c.Tool, "path", c.Path}, true
	case c.Input.Hash != "":
		return deed{c.Tool, "input", c.Input.Hash}, true
	case c.Key != "":
		return deed{c.Tool, "key", c.Key}, true
	case c.Head != "":
		return deed{c.Tool, "head", c.Head}, true
	case c.Path != "":
		return deed{c.Tool, "path", c.Path}, true
	}
	return deed{}, false
}

// markRetries finds the calls whose like, the last time, failed.
func markRetries(all []use) {
	if !slices.ContainsFunc(all, func(u use) bool { return u.failed }) {
		return
	}
	failed := make(map[deed]bool, len(all))
	for i := range all {
		u := &all[i]
		if k, ok := u.deed(); ok {
			u.retry = failed[k]
			failed[k] = u.failed
		}
	}
}

// aims are by what a call is known for that does what another one failed to do: the same call, or one of the same tool about
// the same path or with the same command.
func (u *use) aims() []deed {
	aims := make([]deed, 0, 3)
	if k, ok := u.deed(); ok {
		aims = append(aims, k)
	}
	if u.call.Path != "" {
		aims = append(aims, deed{u.call.Tool, "path", u.call.Path})
	}
	if word := failure.CommandWord(u.call.Head); word != "" {
		aims = append(aims, deed{u.call.Tool, "word", word})
	}
	return aims
}

// share parts each response's tokens among the calls that it made, to the token: the first ones get what does not part.
// Calls from within a container are their container's response's.
func (s *session) share() {
	if len(s.uses) == 0 || len(s.t.Responses) == 0 {
		return
	}
	containers := map[string]string{}
	for i := range s.t.Events {
		if c, ok := s.t.Events[i].Body.(*trace.ToolCall); ok && c.Container {
			containers[c.Call] = c.Response
		}
	}
	made := make(map[string][]int, len(s.t.Responses))
	for i := range s.uses {
		c := s.uses[i].call
		id := c.Response
		if id == "" && c.Parent != "" {
			id = containers[c.Parent]
		}
		if id != "" {
			made[id] = append(made[id], i)
		}
	}
	for i := range s.t.Responses {
		r := &s.t.Responses[i]
		calls := made[r.ID]
		if r.Copied != "" || len(calls) == 0 {
			continue
		}
		total, n := r.Usage.Total(), int64(len(calls))
		for k, at := range calls {
			s.uses[at].share = total / n
			if int64(k) < total%n {
				s.uses[at].share++
			}
		}
		s.d.Spent.Calls += total
	}
	for i := range s.uses {
		switch u := &s.uses[i]; {
		case u.failed:
			s.d.Spent.Failed += u.share
		case u.retry:
			s.d.Spent.Retries += u.share
		}
	}
}

// tools adds up the calls by type, and finds the longest.
func (s *session) tools() {
	d := s.d
	for i := range s.uses {
		u := &s.uses[i]
		t := s.tool(u.call.Type)
		t.Calls++
		if u.retry {
			t.Retries++
		}
		if u.end == nil {
			continue
		}
		t.Ended++
		if u.failed {
			t.Failed++
			t.SpentAll += u.share
			if u.end.Denied != "" {
				t.Denied++
			}
		}
		if ms, gap := u.took(); ms > 0 {
			t.Timed++
			t.TimedMS += ms
			d.Slow = longest(d.Slow, u, ms, gap)
		}
	}
	slices.SortFunc(d.Tools, func(a, b ToolUse) int { return strings.Compare(string(a.Type), string(b.Type)) })
}

// tool is the sum for a type.
func (s *session) tool(t trace.ToolType) *ToolUse {
	for i := range s.d.Tools {
		if s.d.Tools[i].Type == t {
			return &s.d.Tools[i]
		}
	}
	s.d.Tools = append(s.d.Tools, ToolUse{Type: t})
	return &s.d.Tools[len(s.d.Tools)-1]
}

// took is how long a call that ended took: as its source measured it, else the gap between its record and its end's.
func (u *use) took() (ms int64, gap bool) {
	if ms := u.end.DurationMS; ms > 0 || u.event.Time.IsZero() || u.end.Time.IsZero() {
		return ms, false
	}
	return max(u.end.Time.Sub(u.event.Time).Milliseconds(), 0), true
}

// longest adds a call to the longest ones, if it is one; of equal ones the first comes first.
func longest(all []SlowCall, u *use, ms int64, gap bool) []SlowCall {
	if len(all) == MaxSlow && all[MaxSlow-1].MS >= ms {
		return all
	}
	what := u.call.Path
	if u.call.Head != "" {
		what = u.call.Head
	}
	at := len(all)
	for at > 0 && all[at-1].MS < ms {
		at--
	}
	all = slices.Insert(all, at, SlowCall{Event: u.seq, Tool: u.call.Tool, Type: u.call.Type, What: cut(what, MaxHead), MS: ms, Gap: gap, Failed: u.failed})
	return all[:min(len(all), MaxSlow)]
}
