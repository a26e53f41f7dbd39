package trace

import (
	"time"
)

// Call is a tool call with all its results.
type Call struct {
	Event   *Event
	Call    *ToolCall
	Results []*ToolResultEvent // in the order of the trace
}

// Last returns the last result, which is the final one; nil if there is none.
func (c *Call) Last() *ToolResultEvent {
	if len(c.Results) == 0 {
		return nil
	}
	return c.Results[len(c.Results)-1]
}

// Counts reports whether the call counts: the agent made it, here, and it is not a Container.
func (c *Call) Counts() bool {
	return c.Event.Copied == "" && c.Event.By == "" && !c.Call.Container
}

// Calls returns the tool calls of the trace in its order. The i-th has the index i+1.
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
	t.assignResults(calls)
	return calls
}

// assignResults gives each call its results. They share one slice, because a trace has thousands.
func (t *SessionTrace) assignResults(calls []Call) {
	counts := make([]int, len(calls))
	of := func(r *ToolResultEvent) int { // index in calls, or -1
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

// ToolResultEvent is what became known about a tool call at one moment. A call can have several: a background command
// is running, then completed. The last one is final (Calls).
type ToolResultEvent struct {
	V       int    `json:"v"`
	Source  string `json:"source"`
	Session string `json:"session"`
	// Message is the provider's id of the record or message that held the result.
	Message string `json:"message,omitempty"`
	Call    string `json:"call"`
	// CallIndex is ToolCall.Index, 0 if the trace does not hold the call. EventIndex is the Seq of the tool_result event.
	CallIndex  int       `json:"call_index"`
	EventIndex int       `json:"event_index"`
	AgentID    string    `json:"agent_id,omitempty"`
	Time       time.Time `json:"time,omitzero"`
	Status     Status    `json:"status"`
	From       From      `json:"event_source"`
	Content    Digest    `json:"content"`
	// Head is the scrubbed beginning of a failed result, at most ErrorHead bytes; others have none.
	Head string `json:"head,omitempty"`
	// ExitCode and IsError are nil if the source does not say. ExitCode can come from text that the agent wrote.
	ExitCode *int  `json:"exit_code,omitempty"`
	IsError  *bool `json:"is_error,omitempty"`
	// Denied says who refused the call: user, rule, hook, other. A refused call did not run.
	Denied string `json:"denied,omitempty"`
	// DurationMS is the call's duration as the source measured it, 0 if unknown.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Spawned is the sub-agent's session.
	Spawned string `json:"spawned_session,omitempty"`
}

// Failed reports whether the call failed, by everything that the source says.
func (r *ToolResultEvent) Failed() bool {
	return r.IsError != nil && *r.IsError || r.Status == StatusErrored
}

// Status says where a call stands.
type Status string

// The statuses. If an agent says completed of a failed command, the status is errored.
const (
	StatusRunning   Status = "running"
	StatusCompleted Status = "completed"
	StatusErrored   Status = "errored"
	StatusCancelled Status = "cancelled" // stopped or refused by the user, or by the end of the program
	StatusUnknown   Status = "unknown"
)

// From is the kind of record that a ToolResultEvent came from.
type From string

const (
	FromToolResult         From = "tool_result"
	FromNotification       From = "subagent_notification"
	FromQueue              From = "queue_event"
	FromProgress           From = "progress_event"
	FromFunctionCallOutput From = "function_call_output"
)
