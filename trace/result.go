package trace

import "time"

// ToolResultEvent is what became known about a tool call at one moment. A call can have several: a background command is
// running, then completed. Its last one is what became of it (Calls).
type ToolResultEvent struct {
	V       int    `json:"v"`
	Source  string `json:"source"`
	Session string `json:"session"`
	// Message is the provider's id of the record or message that held it.
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
	// ExitCode and IsError are nil where the source does not tell. ExitCode can come from text that the agent wrote.
	ExitCode *int  `json:"exit_code,omitempty"`
	IsError  *bool `json:"is_error,omitempty"`
	// Denied is who refused the call: user, rule, hook, other. A refused call did not run.
	Denied string `json:"denied,omitempty"`
	// DurationMS is how long the call took as the source measured it, 0 if it does not tell.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Spawned is the sub-agent's session.
	Spawned string `json:"spawned_session,omitempty"`
}

// Failed says whether the call failed, by all that its source tells.
func (r *ToolResultEvent) Failed() bool {
	return r.IsError != nil && *r.IsError || r.Status == StatusErrored
}

// Status is where a call stands.
type Status string

// The statuses. Completed is not success where the agent uses the word for a command that failed: such a result is errored.
const (
	StatusRunning   Status = "running"
	StatusCompleted Status = "completed"
	StatusErrored   Status = "errored"
	StatusCancelled Status = "cancelled" // stopped or refused by the user, or by the end of the program
	StatusUnknown   Status = "unknown"
)

// From is the kind of record that a ToolResultEvent came from.
type From string

// The kinds of records that tell about calls.
const (
	FromToolResult         From = "tool_result"
	FromNotification       From = "subagent_notification"
	FromQueue              From = "queue_event"
	FromProgress           From = "progress_event"
	FromFunctionCallOutput From = "function_call_output"
)
