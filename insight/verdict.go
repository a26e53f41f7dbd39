package insight

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"aburn/trace"
)

// The names of the rules, in the order in which they are tried. The first that applies decides.
const (
	RuleInterrupt   = "interrupt"    // the last turn was interrupted
	RuleFatalError  = "fatal_error"  // an error ended a turn, and the agent did nothing after it
	RuleFailingTail = "failing_tail" // at least 80 % of the last results are failures, and so is the very last, of the last turn
	RuleOpenCalls   = "open_calls"   // a call has no end, and the agent did not go on
	RuleWork        = "work"         // there was a prompt or a call
	RuleNothing     = "nothing"
	RuleLive        = "live" // no rule of a trace: the loader says so (Digest.Live)
)

// The tail is at most the last tailMost results; fewer than tailLeast prove nothing.
const (
	tailMost  = 5
	tailLeast = 3
)

// maxEvidence is how many events a verdict names.
const maxEvidence = 5

// verdict infers how the session ended, then corrects it by what hooks and the source state.
func (s *session) verdict() Verdict {
	j := &judgement{session: s}
	j.infer()
	j.refine()
	j.Events = j.Events[:min(len(j.Events), maxEvidence)]
	j.explain(s.d.Counts.Interrupts)
	return j.Verdict
}

// explain sets the reason. A fact that changed the outcome is the reason then, else the rule with its events. interrupts is
// how often the session was interrupted: before its last turn, if it ended otherwise.
func (v *Verdict) explain(interrupts int) {
	before := ""
	if interrupts > 0 && v.Outcome != Interrupted {
		before = "interrupted " + Times(interrupts) + ", then "
	}
	if _, fact, ok := strings.Cut(v.Refined, ": "); ok {
		v.Reason = before + strings.TrimPrefix(fact, string(v.Outcome)+", ")
		return
	}
	text := before + ruleWords(v.Rule)
	for i, seq := range v.Events {
		switch {
		case i > 0:
			text += ", "
		case len(v.Events) == 1:
			text += " (event "
		default:
			text += " (events "
		}
		text += strconv.Itoa(seq)
	}
	if len(v.Events) > 0 {
		text += ")"
	}
	v.Reason = text
}

func ruleWords(rule string) string {
	switch rule {
	case RuleInterrupt:
		return "it was interrupted"
	case RuleFatalError:
		return "an error ended its last turn"
	case RuleFailingTail:
		return "at least 80 % of its last results are failures"
	case RuleOpenCalls:
		return "a call has no end, and it did not go on"
	case RuleWork:
		return "it worked, and nothing says that it failed"
	case RuleNothing:
		return "it holds neither a prompt nor a call"
	}
	return ""
}

type judgement struct {
	*session
	Verdict
	open []*use // calls without an end
	tail []*use // the last ended calls, in the order of their ends
}

// decided sets the outcome with its rule and events. It returns true, so that rules can be
// chained.
func (j *judgement) decided(o Outcome, rule string, events ...int) bool {
	j.Outcome, j.Rule, j.Events = o, rule, events
	return true
}

func (j *judgement) infer() {
	_ = j.interrupted() || j.fatal() || j.failingTail() || j.openCalls() || j.work() || j.decided(Unknown, RuleNothing)
}

// interrupted cites the interrupts that no later turn followed. What the agent did behind an interrupt shows a later turn only
// if a message began one: an agent may write the rest of a broken answer after the interrupt.
func (j *judgement) interrupted() bool {
	var at []int
	worked := false
walk:
	for i := len(j.t.Events) - 1; i >= 0 && len(at) < maxEvidence; i-- {
		e := &j.t.Events[i]
		if e.Copied != "" {
			continue
		}
		worked = worked || byAgent(e)
		switch e.Body.(type) {
		case *trace.UserMessage:
			if worked {
				break walk
			}
		case *trace.Interrupt:
			at = append(at, e.Seq)
		}
	}
	slices.Reverse(at)
	return len(at) > 0 && j.decided(Interrupted, RuleInterrupt, at...)
}

// lastTurn is the Seq of the last prompt behind which the agent did something, 0 without one.
func (j *judgement) lastTurn() int {
	worked := false
	for i := len(j.t.Events) - 1; i >= 0; i-- {
		e := &j.t.Events[i]
		if worked = worked || byAgent(e); worked && isPrompt(e) {
			return e.Seq
		}
	}
	return 0
}

// fatal looks from the end back to the agent's last action for an error that ended a turn. A
// session that went on after such an error was not ended by it.
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

// failingTail judges the last results. With three or four of them, 80 % means all. They prove nothing of a last turn that has
// none of them.
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
	if n < tailLeast || failed*100 < n*80 || !j.tail[n-1].failed || j.tail[n-1].end.EventIndex < j.lastTurn() {
		return false
	}
	return j.decided(Errored, RuleFailingTail, at...)
}

// openCalls looks for calls without an end that the agent did not carry on after.
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

// later is what follows a place in the trace, as evidence that the agent carried on.
type later struct {
	response, other string // ids of two different responses of the agent, if there are so many
	nameless, any   bool   // an event of the agent without a response's id; any event of the agent
	// The same two, counted only after a result or message reached the agent.
	reachedNameless, reachedAny bool
}

// add takes the event before those already added.
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
	switch id := responseOf(e); {
	case id == "":
		l.nameless = true
	case l.response == "":
		l.response = id
	case l.response != id:
		l.other = id
	}
}

// goesOn reports whether the agent carried on after a call of this response. Work in another
// response proves it. Where a response has no id, only work after a result or message proves it.
func (l *later) goesOn(response string) bool {
	if response == "" {
		return l.reachedAny
	}
	return l.response != "" && l.response != response || l.other != "" || l.reachedNameless
}

// responseOf is the id of the response to which the agent's event belongs.
func responseOf(e *trace.Event) string {
	switch b := e.Body.(type) {
	case *trace.AgentMessage:
		return b.Response
	case *trace.ToolCall:
		return b.Response
	}
	return ""
}

// work cites the first prompt or call, and the agent's last action.
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
