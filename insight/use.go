package insight

import (
	"slices"
	"strings"

	"aburn/insight/failure"
	"aburn/trace"
)

// use is a call that counts, with derived facts.
type use struct {
	call   *trace.ToolCall
	event  *trace.Event
	seq    int
	end    *trace.ToolResultEvent // nil without an end; a status of running is none
	failed bool
	retry  bool  // the previous equal call had failed
	share  int64 // its share of its response's tokens
}

// uses lists the calls that count, in the trace's order.
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

// action identifies what a call does, so that two calls can be compared. The tool's input
// identifies it best. An edit is identified by its path, because mending a failed edit changes
// its input.
type action struct{ tool, kind, what string }

func (u *use) action() (action, bool) {
	c := u.call
	switch {
	case c.Type == trace.EditTool && c.Path != "":
		return action{c.Tool, "path", c.Path}, true
	case c.Input.Hash != "":
		return action{c.Tool, "input", c.Input.Hash}, true
	case c.Key != "":
		return action{c.Tool, "key", c.Key}, true
	case c.Head != "":
		return action{c.Tool, "head", c.Head}, true
	case c.Path != "":
		return action{c.Tool, "path", c.Path}, true
	}
	return action{}, false
}

// markRetries marks each call whose previous equal call failed.
func markRetries(all []use) {
	if !slices.ContainsFunc(all, func(u use) bool { return u.failed }) {
		return
	}
	failed := make(map[action]bool, len(all))
	for i := range all {
		u := &all[i]
		if k, ok := u.action(); ok {
			u.retry = failed[k]
			failed[k] = u.failed
		}
	}
}

// aims lists what a call tries to achieve: the same call, or one of the same tool about the same
// path or with the same command word.
func (u *use) aims() []action {
	aims := make([]action, 0, 3)
	if k, ok := u.action(); ok {
		aims = append(aims, k)
	}
	if u.call.Path != "" {
		aims = append(aims, action{u.call.Tool, "path", u.call.Path})
	}
	if word := failure.CommandWord(u.call.Head); word != "" {
		aims = append(aims, action{u.call.Tool, "word", word})
	}
	return aims
}

// shareTokens divides each response's tokens among its calls, exactly: the first calls get the
// remainder. A call from within a container belongs to the container's response.
func (s *session) shareTokens() {
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

// tools sums up the calls by type, and finds the longest.
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
		if ms, gap := u.duration(); ms > 0 {
			t.Timed++
			t.TimedMS += ms
			if gap {
				t.Gaps++
			}
			d.Slow = longest(d.Slow, u, ms, gap)
		}
	}
	slices.SortFunc(d.Tools, func(a, b ToolUse) int { return strings.Compare(string(a.Type), string(b.Type)) })
}

func (s *session) tool(t trace.ToolType) *ToolUse {
	for i := range s.d.Tools {
		if s.d.Tools[i].Type == t {
			return &s.d.Tools[i]
		}
	}
	s.d.Tools = append(s.d.Tools, ToolUse{Type: t})
	return &s.d.Tools[len(s.d.Tools)-1]
}

// duration is the duration of an ended call: measured by hooks or its source, or else the gap between the
// records of the call and its end.
func (u *use) duration() (ms int64, gap bool) {
	if ms := u.end.DurationMS; ms > 0 || u.event.Time.IsZero() || u.end.Time.IsZero() {
		return ms, false
	}
	return max(u.end.Time.Sub(u.event.Time).Milliseconds(), 0), true
}

// longest inserts the call if it is among the MaxSlow longest. Among equals the earlier call
// comes first.
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
