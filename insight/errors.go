package insight

import (
	"crypto/sha256"
	"encoding/hex"

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
	s.keep(g)
	s.solved(g.last)
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
	d.Decisive = decisive(d.Classes, g.groups)
	if len(g.groups) <= MaxErrors {
		return
	}
	if d.Decisive >= MaxErrors {
		g.groups[MaxErrors-1], g.last[MaxErrors-1] = g.groups[d.Decisive], g.last[d.Decisive]
		d.Decisive = MaxErrors - 1
	}
	d.More.Errors = len(g.groups) - MaxErrors
	d.Errors = g.groups[:MaxErrors:MaxErrors]
}

// decisive is the first group of the class with most errors. Among equally frequent classes, the
// earlier first error wins.
func decisive(classes []ClassCount, groups []ErrorGroup) int {
	most := 0
	for _, c := range classes {
		if c.Class != failure.Cancelled {
			most = max(most, c.Count)
		}
	}
	for i := range groups {
		for _, c := range classes {
			if c.Class == groups[i].Class && c.Class != failure.Cancelled && c.Count == most {
				return i
			}
		}
	}
	return -1
}

// solved finds for each group the call that succeeded where the group's last call had failed.
func (s *session) solved(last []*use) {
	wanted := map[action][]int{} // groups that a success at this aim solves
	for i := range s.d.Errors {
		if last[i] == nil {
			continue
		}
		for _, k := range last[i].aims() {
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
				if g := &s.d.Errors[i]; g.Solved == 0 && u.seq > last[i].seq {
					g.Solved = u.seq
				}
			}
		}
	}
}
