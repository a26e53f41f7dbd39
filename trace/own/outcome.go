package own

import "aburn/trace"

// outcome is how the last turn ended, as the log states it.
func outcome(t *trace.SessionTrace) (trace.Outcome, string) {
	ended := false // a SESSION_END came behind what is looked at
	for i := len(t.Events) - 1; i >= 0; i-- {
		switch b := t.Events[i].Body.(type) {
		case *trace.Interrupt:
			return trace.Interrupted, "INTERRUPT"
		case *trace.Error:
			if b.Fatal {
				return trace.Errored, "TURN_FAILED"
			}
		case *trace.Session:
			switch b.Marker {
			case trace.Stopped:
				if b.Detail == "failed" {
					return trace.Errored, "AGENT_COMPLETE failed"
				}
				return trace.Completed, "STOP"
			case trace.Ended:
				ended = true
			case trace.Started, trace.Resumed:
				if len(t.Relationships) > 0 && t.Relationships[0].Kind == trace.Subagent {
					return open(t, ended)
				}
			}
		case *trace.UserMessage, *trace.ToolCall, *trace.ToolResult, *trace.SubagentSpawn:
			return open(t, ended)
		}
	}
	return trace.Unknown, ""
}

// open is the outcome of a turn that no entry ends. A session that ended within one need not have been interrupted: a client
// can end a turn of its own kind without telling.
func open(t *trace.SessionTrace, ended bool) (trace.Outcome, string) {
	if !ended {
		return trace.Killed, "the log has nothing behind the turn's beginning"
	}
	calls := t.Calls()
	if n := len(calls); n > 0 && calls[n-1].Last() == nil {
		return trace.Interrupted, "SESSION_END within a call"
	}
	return trace.Unknown, ""
}
