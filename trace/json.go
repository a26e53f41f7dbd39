package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// wire is an event's JSON form: the kind, and the body under the kind's name.
type wire struct {
	*head
	Kind          string         `json:"kind"`
	UserMessage   *UserMessage   `json:"user_message,omitempty"`
	AgentMessage  *AgentMessage  `json:"agent_message,omitempty"`
	ToolCall      *ToolCall      `json:"tool_call,omitempty"`
	ToolResult    *ToolResult    `json:"tool_result,omitempty"`
	FileChange    *FileChange    `json:"file_change,omitempty"`
	Error         *Error         `json:"error,omitempty"`
	Interrupt     *Interrupt     `json:"interrupt,omitempty"`
	SubagentSpawn *SubagentSpawn `json:"subagent_spawn,omitempty"`
	Session       *Session       `json:"session,omitempty"`
}

// head is Event without its methods.
type head Event

// MarshalJSON writes the event with its body under the name of its kind.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d has no body", e.Seq)
	}
	w := wire{head: (*head)(&e), Kind: e.Body.Kind()}
	switch b := e.Body.(type) {
	case *UserMessage:
		w.UserMessage = b
	case *AgentMessage:
		w.AgentMessage = b
	case *ToolCall:
		w.ToolCall = b
	case *ToolResult:
		w.ToolResult = b
	case *FileChange:
		w.FileChange = b
	case *Error:
		w.Error = b
	case *Interrupt:
		w.Interrupt = b
	case *SubagentSpawn:
		w.SubagentSpawn = b
	case *Session:
		w.Session = b
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (e *Event) UnmarshalJSON(data []byte) error {
	*e = Event{}
	w := wire{head: (*head)(e)}
	if err := strict(data, &w); err != nil {
		return err
	}
	bodies := 0
	take := func(b Body, there bool) {
		if there {
			bodies++
			e.Body = b
		}
	}
	take(w.UserMessage, w.UserMessage != nil)
	take(w.AgentMessage, w.AgentMessage != nil)
	take(w.ToolCall, w.ToolCall != nil)
	take(w.ToolResult, w.ToolResult != nil)
	take(w.FileChange, w.FileChange != nil)
	take(w.Error, w.Error != nil)
	take(w.Interrupt, w.Interrupt != nil)
	take(w.SubagentSpawn, w.SubagentSpawn != nil)
	take(w.Session, w.Session != nil)
	if bodies != 1 || e.Body.Kind() != w.Kind {
		return fmt.Errorf("event %d: kind %q with %d bodies", e.Seq, w.Kind, bodies)
	}
	return nil
}

// Parse reads a trace in its JSON form. Unknown members, and what Validate refuses, are errors.
func Parse(data []byte) (*SessionTrace, error) {
	var t SessionTrace
	if err := strict(data, &t); err != nil {
		return nil, fmt.Errorf("parse trace: %w", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return &t, nil
}

func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
