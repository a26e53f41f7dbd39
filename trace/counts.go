package trace

// Counts are the totals of a trace. They leave out copies from other sessions, and Containers.
type Counts struct {
	Events    int `json:"events"`
	Prompts   int `json:"prompts"`   // user messages that a person or caller wrote
	Responses int `json:"responses"` // answers of the model
	Calls     int `json:"calls"`
	// Failed counts calls whose last result is a failure; Denied counts those of them that were refused and never ran.
	// NoResult counts calls without an end: no result, or only running.
	Failed     int `json:"failed"`
	Denied     int `json:"denied"`
	NoResult   int `json:"no_result"`
	Subagents  int `json:"subagents"`  // that the session itself started
	Changes    int `json:"changes"`    // file changes
	Errors     int `json:"errors"`     // error events
	Interrupts int `json:"interrupts"` // interrupt events
	Compacted  int `json:"compacted"`
}

func (c *Counts) Add(o Counts) {
	c.Events += o.Events
	c.Prompts += o.Prompts
	c.Responses += o.Responses
	c.Calls += o.Calls
	c.Failed += o.Failed
	c.Denied += o.Denied
	c.NoResult += o.NoResult
	c.Subagents += o.Subagents
	c.Changes += o.Changes
	c.Errors += o.Errors
	c.Interrupts += o.Interrupts
	c.Compacted += o.Compacted
}

// Count returns the totals.
func (t *SessionTrace) Count() Counts {
	var c Counts
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" {
			continue
		}
		c.Events++
		switch b := e.Body.(type) {
		case *UserMessage:
			if b.Machine == "" && e.By == "" {
				c.Prompts++
			}
		case *SubagentSpawn:
			if !b.NotStarted {
				c.Subagents++
			}
		case *FileChange:
			c.Changes++
		case *Error:
			c.Errors++
		case *Interrupt:
			c.Interrupts++
		case *Session:
			if b.Marker == Compacted {
				c.Compacted++
			}
		}
	}
	for i := range t.Responses {
		if t.Responses[i].Copied == "" {
			c.Responses++
		}
	}
	for _, call := range t.Calls() {
		if !call.Counts() {
			continue
		}
		c.Calls++
		switch last := call.Last(); {
		case last == nil || last.Status == StatusRunning:
			c.NoResult++
		case last.Failed():
			c.Failed++
			if last.Denied != "" {
				c.Denied++
			}
		}
	}
	return c
}
