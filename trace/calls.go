package trace

// Call is a tool call with all that became known about it.
type Call struct {
	Event   *Event
	Call    *ToolCall
	Results []*ToolResultEvent // in the order of the trace
}

// Last is what became of the call: its last result; nil if there is none.
func (c *Call) Last() *ToolResultEvent {
	if len(c.Results) == 0 {
		return nil
	}
	return c.Results[len(c.Results)-1]
}

// Counts says whether the call counts as one: made by the agent, here, and itself the use of a tool.
func (c *Call) Counts() bool {
	return c.Event.Copied == "" && c.Event.By == "" && !c.Call.Container
}

// Calls is the tool calls of the trace, in its order. The i-th has the index i+1.
func (t *SessionTrace) Calls() []Call {
	n := 0
	for i := range t.Events {
		if _, ok := t.Events[i].Body.(*ToolCall); ok {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	calls := make([]Call, 0, n)
	for i := range t.Events {
		if c, ok := t.Events[i].Body.(*ToolCall); ok {
			calls = append(calls, Call{Event: &t.Events[i], Call: c})
		}
	}
	t.share(calls)
	return calls
}

// share gives each call its results. They all stand in one slice: a trace has thousands.
func (t *SessionTrace) share(calls []Call) {
	counts := make([]int, len(calls))
	of := func(r *ToolResultEvent) int { // the call's index here, or -1
		if r.CallIndex < 1 || r.CallIndex > len(calls) {
			return -1
		}
		return r.CallIndex - 1
	}
	for i := range t.Results {
		if n := of(&t.Results[i]); n >= 0 {
			counts[n]++
		}
	}
	all := make([]*ToolResultEvent, len(t.Results))
	for i, n := range counts {
		if n > 0 {
			calls[i].Results, all = all[:0:n], all[n:]
		}
	}
	for i := range t.Results {
		if n := of(&t.Results[i]); n >= 0 {
			calls[n].Results = append(calls[n].Results, &t.Results[i])
		}
	}
}
