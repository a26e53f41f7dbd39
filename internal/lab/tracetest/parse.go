package tracetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"aburn/trace"
)

// head is an event without its body, and without its methods.
type head trace.Event

// event is an event in the published form: its body stands under the name of its kind.
type event struct {
	head
	Kind          string               `json:"kind"`
	UserMessage   *trace.UserMessage   `json:"user_message"`
	AgentMessage  *trace.AgentMessage  `json:"agent_message"`
	ToolCall      *trace.ToolCall      `json:"tool_call"`
	ToolResult    *trace.ToolResult    `json:"tool_result"`
	FileChange    *trace.FileChange    `json:"file_change"`
	Error         *trace.Error         `json:"error"`
	Interrupt     *trace.Interrupt     `json:"interrupt"`
	SubagentSpawn *trace.SubagentSpawn `json:"subagent_spawn"`
	Session       *trace.Session       `json:"session"`
}

// event converts e.
func (e *event) event() (trace.Event, error) {
	bodies, fields := 0, reflect.ValueOf(e).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			bodies++
			e.Body = f.Interface().(trace.Body)
		}
	}
	if bodies != 1 || e.Body.Kind() != e.Kind {
		return trace.Event{}, fmt.Errorf("event %d: kind %q with %d bodies", e.Seq, e.Kind, bodies)
	}
	return trace.Event(e.head), nil
}

// Parse reads a trace in its published JSON form, like other people's programs. It refuses unknown members, and what
// Validate refuses.
func Parse(data []byte) (*trace.SessionTrace, error) {
	type fields trace.SessionTrace
	form := struct {
		fields
		Events []event `json:"events"`
	}{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	t := (*trace.SessionTrace)(&form.fields)
	t.Events = make([]trace.Event, len(form.Events))
	for i := range form.Events {
		var err error
		if t.Events[i], err = form.Events[i].event(); err != nil {
			return nil, err
		}
	}
	return t, t.Validate()
}
