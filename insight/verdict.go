package insight

import (
	"cmp"
	"slices"

	"aburn/trace"
)

// The names of the rules that a verdict names, in their order: the first that fits decides.
const (
	RuleInterrupt   = "interrupt"    // the session holds an interrupt
	RuleFatalError  = "fatal_error"  // an error ended a turn, and the agent did nothing after it
	RuleFailingTail = "failing_tail" // of the last results, at least 80 % are failures, the last one too
	RuleOpenCalls   = "open_calls"   // a call has no end, and the agent did not go on
	RuleWork        = "work"         // there was a prompt or a call
	RuleNothing     = "nothing"
)

// The tail is the last so many results, at least so many.
const (
	tailMost  = 5
	tailLeast = 3
)

// maxEvidence is how many events a verdict names.
const maxEvidence = 5

// verdict is how the session ended: by the rules, and then by what hooks and the source state.
func (s *session) verdict() Verdict {
	j := &judgement{session: s}
	j.infer()
	j.refine()
	j.Events = j.Events[:min(len(j.Events), maxEvidence)]
	return j.Verdict
}

// judgement is a verdict in the making.
type judgement struct {
	*session
	Verdict
	open []*use // the calls that were left open
	tail []*use // the last ones that ended, in the order of their ends
}

// decided notes the outcome with its rule and events.
func (j *judgement) decided(o Outcome, rule string, events ...int) bool {
	j.Outcome, j.Rule, j.Events = o, rule, events
	return true
}

func (j *judgement) infer() {
	_ = j.interrupted() || j.fatal() || j.failingTail() || j.openCalls() || j.work() || j.decided(Unknown, RuleNothing)
}

// interrupted names the last interrupts.
func (j *judgement) interrupted() bool {
	var at []int
	for i := len(j.t.Events) - 1; i >= 0 && len(at) < maxEvidence; i-- {
		e := &j.t.Events[i]
		if _, ok := e.Body.(*trace.Interrupt); ok && e.Copied == "" {
			at = append(at, e.Seq)
		}
	}
	slices.Reverse(at)
	return len(at) > 0 && j.decided(Interrupted, RuleInterrupt, at...)
}

// fatal looks for an error that ended a turn, from the end to what the agent did last. A session that went on after one was
// not ended by it.
func (j *judgement) fatal() bool {
	for i := len(j.t.Events) - 1; i >= 0; i-- {
		e := &j.t.Events[i]
		if byAgent(e) {
			return false
		}
		if b, ok := e.Body.(*trace.Error); ok && b.Fatal && e.Copied == "" {
			return j.decided(Errored, RuleFatalError, e.Seq)
		}
	}
	return false
}

// failingTail looks at the last results. With three or four of them, 80 % is all.
func (j *judgement) failingTail() bool {
	for i := range j.uses {
		if j.uses[i].end != nil {
			j.tail = append(j.tail, &j.uses[i])
		}
	}
	slices.SortFunc(j.tail, func(a, b *use) int { return cmp.Compare(a.end.EventIndex, b.end.EventIndex) })
	j.tail = j.tail[max(0, len(j.tail)-tailMost):]
	n, failed := len(j.tail), 0
	var at []int
	for _, u := range j.tail {
		at = append(at, u.end.EventIndex)
		if u.failed {
			failed++
		}
	}
	if n < tailLeast || failed*100 < n*80 || !j.tail[n-1].failed {
		return false
	}
	return j.decided(Errored, RuleFailingTail, at...)
}

// openCalls looks for calls that nothing ended and that the agent left so: with later work of its own, it had gone on without.
func (j *judgement) openCalls() bool {
	var at []int
	var behind later
	next := len(j.uses) - 1
	for i := len(j.t.Events) - 1; i >= 0; i-- {
		e := &j.t.Events[i]
		if next >= 0 && j.uses[next].seq == e.Seq {
			if u := &j.uses[next]; u.end == nil && !behind.goesOn(u.call.Response) {
				j.open = append(j.open, u)
				at = append(at, u.seq)
			}
			next--
		}
		behind.add(e)
	}
	slices.Reverse(j.open)
	slices.Reverse(at)
	return len(at) > 0 && j.decided(GaveUp, RuleOpenCalls, at[max(0, len(at)-maxEvidence):]...)
}

// later is what comes behind a place in the trace, as far as it shows that the agent worked on.
type later struct {
	response, other string // of the agent's events: the id of a response, and another one
	nameless, any   bool   // there is an event of the agent of a response without an id, or any
	// The same, behind something that reached the agent.
	reachedNameless, reachedAny bool
}

// add takes the event before it.
func (l *later) add(e *trace.Event) {
	if e.Copied != "" {
		return
	}
	if !byAgent(e) {
		switch e.Body.(type) {
		case *trace.ToolResult, *trace.UserMessage:
			l.reachedNameless, l.reachedAny = l.nameless, l.any
		}
		return
	}
	l.any = true
	switch id := response(e); {
	case id == "":
		l.nameless = true
	case l.response == "":
		l.response = id
	case l.response != id:
		l.other = id
	}
}

// goesOn says whether the agent worked on after a call of this response: in another one or, where one of them has no id, after
// something had reached it in between.
func (l *later) goesOn(response string) bool {
	if response == "" {
		return l.reachedAny
	}
	return l.response != "" && l.response != response || l.other != "" || l.reachedNameless
}

// response is the id of the response that an event of the agent is part of.
func response(e *trace.Event) string {
	switch b := e.Body.(type) {
	case *trace.AgentMessage:
		return b.Response
	case *trace.ToolCall:
		return b.Response
	}
	return ""
}

// work names the first prompt or call, and what the agent did last.
func (j *judgement) work() bool {
	first, last := 0, 0
	if len(j.uses) > 0 {
		first = j.uses[0].seq
	}
	for i := range j.t.Events {
		e := &j.t.Events[i]
		if first == 0 || e.Seq < first {
			if isPrompt(e) {
				first = e.Seq
			}
		}
		if byAgent(e) {
			last = e.Seq
		}
	}
	if first == 0 {
		return false
	}
	if last > first {
		return j.decided(Completed, RuleWork, first, last)
	}
	return j.decided(Completed, RuleWork, first)
}
