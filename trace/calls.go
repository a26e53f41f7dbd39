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
	var calls []Call
	for i := range t.Events {
		if c, ok := t.Events[i].Body.(*ToolCall); ok {
			calls = append(calls, Call{Event: &t.Events[i], Call: c})
		}
	}
	for i := range t.Results {
		if n := t.Results[i].CallIndex; n >= 1 && n <= len(calls) {
			calls[n-1].Results = append(calls[n-1].Results, &t.Results[i])
		}
	}
	return calls
}
