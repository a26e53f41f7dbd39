package insight

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"aburn/insight/failure"
	"aburn/trace"
)

// hashDigits is how many hex digits of a SHA-256 an ErrorGroup's Hash has.
const hashDigits = 16

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:hashDigits/2])
}

// groupKey is what equal errors have in common.
type groupKey struct {
	class  failure.Class
	kind   trace.ToolType
	tool   string
	hasEx  bool
	exit   int
	code   string
	status int
	hash   string
}

// grouping collects equal errors without a bound; keep cuts the list at the end.
type grouping struct {
	groups []ErrorGroup
	last   []*use // each group's last failed call, nil for an error event
	at     map[groupKey]int
}

// errors collects failed calls and error events in the session's order.
func (s *session) errors() {
	g := &grouping{}
	next := 0
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if next < len(s.uses) && s.uses[next].seq == e.Seq {
			if u := &s.uses[next]; u.failed {
				g.failed(u, s.stoppedAt(u.end))
			}
			next++
			continue
		}
		if b, ok := e.Body.(*trace.Error); ok && e.Copied == "" {
			g.event(e.Seq, b)
		}
	}
	for i := range g.groups {
		s.d.Classes = tally(s.d.Classes, g.groups[i].Class, g.groups[i].Count)
	}
	s.solved(g)
	s.keep(g)
}

// stoppedAt reports whether the agent's program is known to have stopped after this result, before
// the agent went on.
func (s *session) stoppedAt(r *trace.ToolResultEvent) bool {
	for i := r.EventIndex; i < len(s.t.Events); i++ { // EventIndex counts from 1
		e := &s.t.Events[i]
		if byAgent(e) {
			return false
		}
		switch b := e.Body.(type) {
		case *trace.Interrupt:
			return true
		case *trace.Session:
			if b.Marker == trace.Ended || b.Marker == trace.Started || b.Marker == trace.Resumed {
				return true
			}
		}
	}
	return s.t.Outcome == trace.Killed || s.t.Outcome == trace.Interrupted
}

func (g *grouping) failed(u *use, stopped bool) {
	c, r := u.call, u.end
	class := failure.Cancelled
	if r.Status != trace.StatusCancelled || r.Denied != "" {
		class = failure.Classify(failure.Failure{Type: c.Type, Tool: c.Tool, Command: c.Head, Path: c.Path, Exit: r.ExitCode, Denied: r.Denied, Head: r.Head,
			Stopped: stopped})
	}
	g.add(ErrorGroup{Class: class, Type: c.Type, Tool: c.Tool, Exit: r.ExitCode, Text: r.Head, First: u.seq}, u)
}

// event adds an error event. Its code stands in for a missing text.
func (g *grouping) event(seq int, b *trace.Error) {
	text := b.Head
	if text == "" {
		text = b.Code
	}
	class := failure.Classify(failure.Failure{Code: b.Code, Status: b.Status, Head: b.Head})
	g.add(ErrorGroup{Class: class, Code: b.Code, Status: b.Status, Text: text, First: seq}, nil)
}

// add counts e, a group of one error so far.
func (g *grouping) add(e ErrorGroup, u *use) {
	normal := failure.Normal(e.Text)
	k := groupKey{class: e.Class, kind: e.Type, tool: e.Tool, code: e.Code, status: e.Status, hash: hash(normal)}
	if e.Exit != nil {
		k.hasEx, k.exit = true, *e.Exit
	}
	i, ok := g.at[k]
	if !ok {
		if g.at == nil {
			g.at = map[groupKey]int{}
		}
		i = len(g.groups)
		g.at[k] = i
		e.Head, e.Hash, e.Text = cut(normal, MaxHead), k.hash, cut(e.Text, MaxHead)
		g.groups, g.last = append(g.groups, e), append(g.last, nil)
	}
	g.groups[i].Count++
	g.groups[i].Last, g.last[i] = e.First, u
}

// keep moves the first groups into the digest, always including the decisive one.
func (s *session) keep(g *grouping) {
	d := s.d
	d.Errors = g.groups
	d.Decisive = s.decisive(g)
	if len(g.groups) <= MaxErrors {
		return
	}
	if d.Decisive >= MaxErrors {
		g.groups[MaxErrors-1] = g.groups[d.Decisive]
		d.Decisive = MaxErrors - 1
	}
	d.More.Errors = len(g.groups) - MaxErrors
	d.Errors = g.groups[:MaxErrors:MaxErrors]
}

// decisive is the main error: what ended the session, else what was never got over, else any. Among several it is the first
// group of the class that has most of these errors; among equally frequent classes, the earlier first error wins.
func (s *session) decisive(g *grouping) int {
	ended := map[int]bool{} // the calls and error events that ended it
	v := &s.d.Verdict
	switch v.Rule {
	case RuleFatalError:
		ended[v.Events[0]] = true
	case RuleFailingTail:
		for i := range s.uses {
			if u := &s.uses[i]; u.failed && slices.Contains(v.Events, u.end.EventIndex) {
				ended[u.seq] = true
			}
		}
	}
	for _, has := range []func(*ErrorGroup) bool{
		func(e *ErrorGroup) bool { return ended[e.Last] },
		func(e *ErrorGroup) bool { return e.Solved == 0 },
		func(*ErrorGroup) bool { return true },
	} {
		if i := mostFrequent(g.groups, has); i >= 0 {
			return i
		}
	}
	return -1
}

// mostFrequent is the first group of the class that has most errors among the groups that count, -1 without one.
func mostFrequent(groups []ErrorGroup, counts func(*ErrorGroup) bool) int {
	sums, first, most := map[failure.Class]int{}, -1, 0
	for i := range groups {
		if e := &groups[i]; e.Class != failure.Cancelled && counts(e) {
			sums[e.Class] += e.Count
			most = max(most, sums[e.Class])
		}
	}
	for i := range groups {
		if e := &groups[i]; first < 0 && most > 0 && sums[e.Class] == most && counts(e) {
			first = i
		}
	}
	return first
}

// solved finds for each group the call that succeeded where the group's last call had failed. The agent got over an error
// outside of calls when it did anything after it.
func (s *session) solved(g *grouping) {
	wanted := map[action][]int{} // groups that a success at this aim solves
	for i := range g.groups {
		if g.last[i] == nil {
			g.groups[i].Solved = s.nextByAgent(g.groups[i].Last)
			continue
		}
		for _, k := range g.last[i].aims() {
			wanted[k] = append(wanted[k], i)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for k := range s.uses {
		u := &s.uses[k]
		if u.end == nil || u.failed {
			continue
		}
		for _, aim := range u.aims() {
			for _, i := range wanted[aim] {
				if e := &g.groups[i]; e.Solved == 0 && u.seq > g.last[i].seq {
					e.Solved = u.seq
				}
			}
		}
	}
}

// nextByAgent is the Seq of the agent's first text or call after an event, 0 without one.
func (s *session) nextByAgent(seq int) int {
	for i := seq; i < len(s.t.Events); i++ { // Seq counts from 1
		if byAgent(&s.t.Events[i]) {
			return i + 1
		}
	}
	return 0
}
